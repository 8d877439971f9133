"""`torch.autograd.grad` may give back the very `grad_outputs`: addition hands them on."""

import torch


def run(x, w):
    a = x * 1
    v = (x * w).exp()
    (h,) = torch.autograd.grad(a + w, a, v, create_graph=True)
    y = v * v
    h += 1
    return h, v, y


def example():
    return run, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True), torch.tensor([1.0, 0.3, -2.0], requires_grad=True))
