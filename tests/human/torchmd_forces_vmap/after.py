import torch


def evaluate_bonds(dist, bond_params):
    k0, d0 = bond_params[:, 0], bond_params[:, 1]
    x = dist - d0
    return k0 * (x ** 2)


def evaluate_angles(r21, r23, angle_params):
    cos_theta = (r21 * r23).sum(-1) / (r21.norm(dim=-1) * r23.norm(dim=-1))
    delta = torch.acos(cos_theta) - angle_params[:, 1]
    return angle_params[:, 0] * delta * delta


class Forces:
    def __init__(self, bonds, bond_params, angles, angle_params):
        self.energies = ["bonds", "angles"]
        self.bonds, self.bond_params = bonds, bond_params
        self.angles, self.angle_params = angles, angle_params

    def compute(self, pos):
        nsystems = pos.shape[0]

        pot = []
        for i in range(nsystems):
            pp = {v: torch.zeros(1, device=pos.device).type(pos.dtype) for v in self.energies}
            pot.append(pp)

        for i in range(nsystems):
            spos = pos[i]
            if "bonds" in self.energies:
                pairs = self.bonds
                bond_dist = (spos[pairs[:, 0]] - spos[pairs[:, 1]]).norm(dim=-1)
                E = evaluate_bonds(bond_dist, self.bond_params)
                pot[i]["bonds"] = pot[i]["bonds"] + E.sum()

            if "angles" in self.energies:
                a = self.angles
                E = evaluate_angles(spos[a[:, 0]] - spos[a[:, 1]], spos[a[:, 2]] - spos[a[:, 1]], self.angle_params)
                pot[i]["angles"] = pot[i]["angles"] + E.sum()

        return torch.stack([pp["bonds"] + pp["angles"] for pp in pot]).sum()


forces = Forces(torch.tensor([[0, 1], [1, 2]]), torch.rand(2, 2) + 1, torch.tensor([[0, 1, 2]]), torch.rand(1, 2) + 1)
pos = torch.rand(5, 1, 3, 3, requires_grad=True)
energy = torch.vmap(forces.compute)(pos)
energy.sum().backward()
print(pos.grad.norm())
