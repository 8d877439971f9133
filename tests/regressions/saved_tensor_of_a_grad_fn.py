"""Code reads the tensor that autograd saved, as an attribute of the grad_fn."""

import torch


def f(x):
    y = x.exp()
    if y.grad_fn is not None:
        s = y.grad_fn._saved_result
        y = y.detach()
        y += 1
        return s * 1, y
    return y, y


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
