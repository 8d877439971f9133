import torch


class Solid:
    """Unit tetrahedra, one integration point each."""

    def __init__(self, n_elem, young):
        self.n_elem, self.n_dim, self.n_nod = n_elem, 3, 4
        self.iweights, self.n_int = [1.0 / 12.0, 1.0 / 12.0], 2
        self.young = young
        self.dN = torch.tensor([[-1.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 1.0, 0.0], [-1.0, 0.0, 0.0, 1.0]])

    def step(self, H_inc, stress):
        eps = 0.5 * (H_inc + H_inc.transpose(-1, -2))
        eye = torch.eye(3)
        ddsdde = self.young[:, None, None, None, None] * torch.einsum("ip,jq->ijpq", eye, eye)
        return stress + torch.einsum("...ijpq,...pq->...ij", ddsdde, eps), ddsdde

    def compute_f(self, detJ, B, S):
        return torch.einsum("...,...ij,...jk->...ki", detJ, S, B)

    def compute_k(self, detJ, BCB):
        return torch.einsum("...,...jk->...jk", detJ, BCB)

    def integrate_material(self, u, stress, n, du, nlgeom):
        """Perform numerical integrations for element stiffness matrix."""
        N_nod = self.n_nod
        f = torch.zeros(self.n_elem, self.n_dim * N_nod)
        k = torch.zeros((self.n_elem, self.n_dim * N_nod, self.n_dim * N_nod))
        for i, w in enumerate(self.iweights):
            B0 = self.dN.expand(self.n_elem, 3, N_nod)
            H_inc = torch.einsum("...ij,...jk->...ik", B0, du.view(self.n_elem, N_nod, 3))
            # Compute updated gradient operators in deformed configuration
            J = torch.eye(3) + torch.einsum("...ij,...jk->...ik", B0, (u + du).view(self.n_elem, N_nod, 3))
            detJ, B = torch.linalg.det(J), torch.linalg.solve(J, B0)

            # Evaluate material response
            stress[n, i], ddsdde = self.step(H_inc, stress[n - 1, i].clone())

            # Compute element internal forces
            force_contrib = self.compute_f(detJ, B, stress[n, i].clone())
            f += w * force_contrib.reshape(-1, self.n_dim * N_nod)

            # Material stiffness
            BCB = torch.einsum("...ijpq,...qk,...il->...ljkp", ddsdde, B, B)
            BCB = BCB.reshape(-1, self.n_dim * N_nod, self.n_dim * N_nod)
            k += w * self.compute_k(detJ, BCB)
            if nlgeom:
                # Geometric stiffness
                BSB = torch.einsum(
                    "...iq,...qk,...il->...lk", stress[n, i].clone(), B, B
                )
                zeros = torch.zeros_like(BSB)
                kg = torch.stack((BSB, zeros, zeros), dim=-1)
                kg = kg.reshape(-1, N_nod, self.n_dim * N_nod).unsqueeze(-2)
                zeros = torch.zeros_like(kg)
                kg = torch.stack((kg, zeros, zeros), dim=-2)
                kg = kg.reshape(-1, self.n_dim * N_nod, self.n_dim * N_nod)
                k += w * self.compute_k(detJ, kg)

        return k, f

    def solve(self, forces, increments=3):
        u = torch.zeros(self.n_elem, 12)
        stress = torch.zeros(increments + 1, self.n_int, self.n_elem, 3, 3)
        for n in range(1, increments + 1):
            du = torch.zeros(self.n_elem, 12)
            for _ in range(2):
                k, f = self.integrate_material(u, stress, n, du, nlgeom=True)
                du = du + torch.linalg.solve(k + torch.eye(12), (forces * n / increments - f).unsqueeze(-1)).squeeze(-1)
            u = u + du
        return u, stress[-1]


young = torch.tensor([1.0, 2.0], requires_grad=True)
u, s = Solid(2, young).solve(0.1 * torch.randn(2, 12))
(u.pow(2).sum() + s.pow(2).sum()).backward()
print(young.grad)
