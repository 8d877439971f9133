import torch


class SO2Matrix:
    dim = 2

    def __init__(self, mat):
        self.mat = mat

    @classmethod
    def exp(cls, phi):
        if phi.dim() < 1:
            phi = phi.unsqueeze(dim=0)
        s = phi.sin()
        c = phi.cos()

        mat = phi.new_empty(phi.shape[0], cls.dim, cls.dim)
        mat[:, 0, 0] = c
        mat[:, 0, 1] = -s
        mat[:, 1, 0] = s
        mat[:, 1, 1] = c

        return cls(mat.squeeze_())

    @classmethod
    def left_jacobian(cls, phi):
        """(see Barfoot/Eade)."""
        if phi.dim() < 1:
            phi = phi.unsqueeze(dim=0)
        s = phi.sin()
        c = phi.cos()
        wedge = torch.tensor([[0., -1.], [1., 0.]])
        A = (s / phi).unsqueeze(dim=1).unsqueeze(dim=2) * torch.eye(cls.dim)
        B = ((1. - c) / phi).unsqueeze(dim=1).unsqueeze(dim=2) * wedge
        return (A + B).squeeze_()


class SE2Matrix:
    RotationType = SO2Matrix

    def __init__(self, rot, trans):
        self.rot, self.trans = rot, trans

    @classmethod
    def exp(cls, xi):
        if xi.dim() < 2:
            xi = xi.unsqueeze(dim=0)

        rho = xi[:, 0:2]
        phi = xi[:, 2]

        rot = cls.RotationType.exp(phi)
        rot_jac = cls.RotationType.left_jacobian(phi)

        if rot_jac.dim() < 3:
            rot_jac.unsqueeze_(dim=0)
        if rho.dim() < 3:
            rho.unsqueeze_(dim=2)

        trans = torch.bmm(rot_jac, rho).squeeze_()

        return cls(rot, trans)

    def dot(self, p):
        return torch.bmm(self.rot.mat, p.unsqueeze(dim=2)).squeeze(dim=2) + self.trans


xi = torch.rand(5, 3, requires_grad=True)
p = torch.randn(5, 2)
error = SE2Matrix.exp(xi).dot(p) - torch.randn(5, 2)
error.pow(2).sum().backward()
print(xi.grad.norm())
