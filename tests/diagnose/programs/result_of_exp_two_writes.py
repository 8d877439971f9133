# cause: out-of-place, fix: safe
import torch

x = torch.linspace(-1, 1, 6, requires_grad=True)
y = (x * 2).exp()  # victim
y += 1  # culprit
y *= 2  # culprit
y.sum().backward()
