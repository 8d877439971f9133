"""A statement that is rewritten itself also gets the copy of what it saves and a later line overwrites."""

import torch


def run(x: torch.Tensor, buffer: torch.Tensor):
    s = torch.zeros_like(x)
    count = 0
    while count < 2:
        s[count] = buffer.norm()
        c = 0
        for k in range(2):
            c += s.clamp(max=1.0)
        count += 1
    buffer += x
    return s * c


def example():
    x = torch.tensor([[1.848, 1.067], [-0.874, -1.413]], requires_grad=True)
    return run, (x, torch.tensor([[-0.451, 0.472], [-0.861, 1.054]]))
