# cause: out-of-place, fix: safe
import torch

x = torch.randn(4, requires_grad=True)
y = x * 3
z = y**2  # victim
y.mul_(2)  # culprit
(z + y).sum().backward()
