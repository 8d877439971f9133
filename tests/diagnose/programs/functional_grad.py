# cause: out-of-place, fix: safe
import torch


def loss(x):
    y = x.exp()  # victim
    y.add_(1)  # culprit
    return y.sum()


torch.func.grad(loss)(torch.rand(2))
