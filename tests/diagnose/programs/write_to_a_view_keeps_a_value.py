# cause: out-of-place, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
scale = torch.rand(2, requires_grad=True) * 2
y = x * 1
y[:2] *= scale  # victim
scale += 1  # culprit
(y.sum() + scale.sum()).backward()
