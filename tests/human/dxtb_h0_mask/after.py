import torch


class Hamiltonian:
    def __init__(self, numbers, positions, selfenergy, kcn, shpoly, rad):
        self.numbers = numbers
        self.positions = positions
        self.selfenergy, self.kcn, self.shpoly, self.rad = selfenergy, kcn, shpoly, rad
        self.enscale = 0.02

    def build(self, overlap, cn, en):
        real = self.numbers != 0
        mask = real.unsqueeze(-2) * real.unsqueeze(-1)

        zero = torch.tensor(0.0, dtype=self.positions.dtype)

        selfenergy = self.selfenergy - self.kcn * cn

        # Eq.24: PI(R_AB, l, l')
        distances = torch.cdist(self.positions, self.positions, p=2).detach()
        rr = torch.sqrt(distances / (self.rad.unsqueeze(-1) + self.rad.unsqueeze(-2)))
        var_pi = (1.0 + self.shpoly.unsqueeze(-1) * rr) * (1.0 + self.shpoly.unsqueeze(-2) * rr)

        # Eq.28: X(EN_A, EN_B)
        var_x = torch.where(
            mask,
            1.0 + self.enscale * torch.pow(en.unsqueeze(-1) - en.unsqueeze(-2), 2.0),
            zero,
        )

        # Eq.23: H_EHT
        var_h = torch.where(
            mask, 0.5 * (selfenergy.unsqueeze(-1) + selfenergy.unsqueeze(-2)), zero
        )

        # scale only off-diagonals
        mask = mask * ~torch.diag_embed(torch.ones_like(real))
        h0 = torch.where(mask, var_pi * var_x * var_h, var_h)

        return h0 * overlap


numbers = torch.tensor([[6, 1, 1], [8, 1, 0]])
positions = torch.rand(2, 3, 3)
par = [torch.rand(2, 3) for _ in range(4)]
cn = torch.rand(2, 3, requires_grad=True)
en = torch.rand(2, 3, requires_grad=True)
h0 = Hamiltonian(numbers, positions, *par).build(torch.rand(2, 3, 3), cn, en)
h0.sum().backward()
print(cn.grad.norm(), en.grad.norm())
