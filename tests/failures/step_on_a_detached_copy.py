"""A perturbation is found by steps of gradient descent on a copy of the input.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch


def perturbed(x, steps=2, lr=0.1):
    p = x.clone().detach().requires_grad_(True)
    for _ in range(steps):
        loss = ((p ** 2 - 1) ** 2).sum()
        loss.backward()
        p -= lr * p.grad
        p.grad.zero_()
    return p.detach()


def example():
    torch.manual_seed(0)

    def run(x):
        return x * perturbed(x)

    return run, (torch.randn(3, requires_grad=True),)
