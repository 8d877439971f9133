# cause: out-of-place, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
h = x * 1
for step in range(3):
    y = torch.tanh(h)  # victim
    y *= 0.5  # culprit
    h = y + x
h.sum().backward()
