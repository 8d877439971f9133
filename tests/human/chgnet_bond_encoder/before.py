import torch
from torch import Tensor, nn


class RadialBessel(nn.Module):
    def __init__(self, num_radial: int = 9, cutoff: float = 5) -> None:
        super().__init__()
        self.num_radial = num_radial
        self.inv_cutoff = 1 / cutoff
        self.frequencies = nn.Parameter(torch.pi * torch.arange(1, num_radial + 1, dtype=torch.float))

    def forward(self, dist: Tensor) -> Tensor:
        dist = dist[:, None]
        d_scaled = dist * self.inv_cutoff
        return (2 * self.inv_cutoff) ** 0.5 * torch.sin(self.frequencies * d_scaled) / dist


class BondEncoder(nn.Module):
    """Encode a chemical bond given the positions of two atoms using Gaussian distance."""

    def __init__(self, *, atom_graph_cutoff: float = 5, bond_graph_cutoff: float = 3, num_radial: int = 9) -> None:
        super().__init__()
        self.rbf_expansion_ag = RadialBessel(num_radial=num_radial, cutoff=atom_graph_cutoff)
        self.rbf_expansion_bg = RadialBessel(num_radial=num_radial, cutoff=bond_graph_cutoff)

    def forward(
        self,
        center: Tensor,
        neighbor: Tensor,
        undirected2directed: Tensor,
        image: Tensor,
        lattice: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        neighbor = neighbor + image @ lattice
        bond_vectors = center - neighbor
        bond_lengths = torch.norm(bond_vectors, dim=1)
        # Normalize the bond vectors
        bond_vectors /= bond_lengths[:, None]

        # We create bond features only for undirected bonds
        # atom1 -> atom2 and atom2 -> atom1 should share same bond_basis
        undirected_bond_lengths = torch.index_select(
            bond_lengths, 0, undirected2directed
        )
        bond_basis_ag = self.rbf_expansion_ag(undirected_bond_lengths)
        bond_basis_bg = self.rbf_expansion_bg(undirected_bond_lengths)
        return bond_basis_ag, bond_basis_bg, bond_vectors


encoder = BondEncoder()
frac_coords = torch.rand(4, 3)
lattice = (torch.eye(3) * 4 + 0.1 * torch.rand(3, 3)).requires_grad_()
coords = frac_coords @ lattice
atom_graph = torch.tensor([[0, 1], [1, 0], [0, 2], [2, 0], [1, 3], [3, 1]])
image = torch.tensor([[0, 0, 0], [0, 0, 0], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]]).float()
bond_basis_ag, bond_basis_bg, bond_vectors = encoder(
    center=coords[atom_graph[:, 0]],
    neighbor=coords[atom_graph[:, 1]],
    undirected2directed=torch.tensor([0, 2, 4]),
    image=image,
    lattice=lattice,
)
energy = bond_basis_ag.sum() + bond_basis_bg.sum() + (bond_vectors[0] * bond_vectors[2]).sum()
stress = torch.autograd.grad(energy, lattice)[0]
print(stress.norm())
