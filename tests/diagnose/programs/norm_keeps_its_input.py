# cause: out-of-place, fix: safe
import torch

x = torch.rand(6, requires_grad=True)
h = x * 2
length = h.norm()  # victim
h /= length  # culprit
h.sum().backward()
