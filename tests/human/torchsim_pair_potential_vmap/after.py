import torch


def lennard_jones_pair(dr, sigma, epsilon):
    idr6 = (sigma / dr) ** 6
    return 4 * epsilon * (idr6 ** 2 - idr6)


class PairPotentialModel(torch.nn.Module):
    def __init__(self, mapping, n_systems=1, half=True, per_atom_energies=True):
        super().__init__()
        self.mapping, self.half, self.n_systems = mapping, half, n_systems
        self.per_atom_energies = per_atom_energies
        self.sigma = torch.nn.Parameter(torch.tensor(1.0))
        self.epsilon = torch.nn.Parameter(torch.tensor(0.5))

    def forward(self, positions):
        mapping, half = self.mapping, self.half
        system_mapping = torch.zeros(mapping.shape[1], dtype=torch.long)
        dr_vec = positions[mapping[1]] - positions[mapping[0]]
        distances = dr_vec.norm(dim=-1)
        pair_energies = lennard_jones_pair(distances, self.sigma, self.epsilon)

        # Full list: each pair appears as (i,j) and (j,i), weight 0.5.
        ew = 1.0 if half else 0.5

        results = {}
        energy = torch.zeros(self.n_systems)
        energy = energy.index_add(0, system_mapping, ew * pair_energies)
        results["energy"] = energy

        if self.per_atom_energies:
            atom_energies = torch.zeros(positions.shape[0])
            atom_energies = atom_energies.index_add(0, mapping[0], ew * pair_energies)
            atom_energies = atom_energies.index_add(0, mapping[1], ew * pair_energies)
            results["energies"] = atom_energies

        force_vectors = (pair_energies / distances)[:, None] * dr_vec
        forces = torch.zeros_like(positions)
        if half:
            # Half list: each pair once, apply Newton's third law explicitly.
            forces = forces.index_add(0, mapping[0], -force_vectors)
            forces = forces.index_add(0, mapping[1], force_vectors)
        else:
            forces = forces.index_add(0, mapping[0], -force_vectors)
        results["forces"] = forces
        return results


model = PairPotentialModel(torch.combinations(torch.arange(4)).T)
positions = 2 * torch.eye(4, 3) + 0.1 * torch.randn(5, 4, 3)
results = torch.func.vmap(model)(positions)
loss = (results["energy"] + 1.0).pow(2).mean() + results["forces"].pow(2).mean() + results["energies"].sum()
loss.backward()
print(model.sigma.grad, model.epsilon.grad)
