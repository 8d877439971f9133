"""Camera pose: a slice of the optimised vector gets a dimension in place.

Torch: a view of a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
from torch import nn


class Rotation:
    @classmethod
    def jacobian(cls, phi):
        jac = torch.diag_embed(torch.cos(phi))
        return jac.squeeze_()

    @classmethod
    def exp(cls, phi):
        return torch.diag_embed(torch.sin(phi))


class Pose:
    kind = Rotation

    @classmethod
    def exp(cls, xi):
        rho = xi[:, :3]
        phi = xi[:, 3:]
        rot = cls.kind.exp(phi)
        jac = cls.kind.jacobian(phi)
        if jac.dim() < 3:
            jac.unsqueeze_(dim=0)
        if rho.dim() < 3:
            rho.unsqueeze_(dim=2)
        return torch.bmm(jac, rho).sum() + rot.sum()


class Optimised(nn.Module):
    def __init__(self):
        super().__init__()
        self.xi = nn.Parameter(torch.linspace(0.1, 1.2, 12).view(2, 6))

    def forward(self, x):
        return Pose.exp(self.xi) * x


def example():
    return Optimised(), (torch.tensor(2.0),)
