"""The Jacobian is computed in the dtype of the configuration, which is the one it has.

Torch: modified by an inplace operation
"""
import torch

DTYPE = torch.float32


def damped(j, r, lam):
    a = torch.tanh(j).to(dtype=DTYPE, device="cpu")
    h = a.t() @ a
    a *= lam
    return torch.trace(h) + (a @ r).sum()


def example():
    torch.manual_seed(0)
    return damped, (torch.randn(2, 3, requires_grad=True), torch.randn(3), torch.tensor(0.3, requires_grad=True))
