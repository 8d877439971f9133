import torch
import torch.nn as nn


def tanh(x):
    return x.clamp(-15, 15).tanh()


def _lambda_x(x, c, keepdim=False, dim=-1):
    return 2 / (1 - c * x.pow(2).sum(dim=dim, keepdim=keepdim))


def _mobius_add(x, y, c, dim=-1):
    x2 = x.pow(2).sum(dim=dim, keepdim=True)
    y2 = y.pow(2).sum(dim=dim, keepdim=True)
    xy = (x * y).sum(dim=dim, keepdim=True)
    num = (1 + 2 * c * xy + c * y2) * x + (1 - c * x2) * y
    denom = 1 + 2 * c * xy + c ** 2 * x2 * y2
    return num / (denom + 1e-15)


def expmap(x, u, *, c=1.0, dim=-1):
    return _expmap(x, u, c, dim=dim)


def _expmap(x, u, c, dim: int = -1):
    u += 1e-15
    sqrt_c = c ** 0.5
    u_norm = u.norm(dim=dim, p=2, keepdim=True)
    second_term = (
        tanh(sqrt_c / 2 * _lambda_x(x, c, keepdim=True, dim=dim) * u_norm)
        * u
        / (sqrt_c * u_norm)
    )
    gamma_1 = _mobius_add(x, second_term, c, dim=dim)
    return gamma_1


class PoincareBall(nn.Module):
    def __init__(self, c=1.0):
        super().__init__()
        self.c = c

    def expmap(self, x, u, *, dim=-1):
        return expmap(x, u, c=self.c, dim=dim)


manifold = PoincareBall()
x = 0.1 * torch.randn(5, 3)
u = torch.randn(5, 3, requires_grad=True)
y = manifold.expmap(x, u)
y.pow(2).sum().backward()
print(u.grad.norm())
