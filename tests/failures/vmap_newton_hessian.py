"""One Newton step for each start point of a small least squares problem.

Torch: vmap: inplace arithmetic
"""
import torch


def residuals(p):
    r = torch.zeros(3, dtype=p.dtype)
    r[0] = p[0] ** 2 - p[1]
    r[1] = torch.sin(p[1]) - 0.5
    r[2] = p[0] * p[1]
    return r


def energy(p):
    return (residuals(p) ** 2).sum()


def newton(ps):
    g = torch.func.vmap(torch.func.grad(energy))(ps)
    H = torch.func.vmap(torch.func.hessian(energy))(ps)
    return ps - torch.linalg.solve(H + torch.eye(2), g.unsqueeze(-1)).squeeze(-1)


def example():
    torch.manual_seed(0)
    return newton, (torch.rand(3, 2, requires_grad=True),)
