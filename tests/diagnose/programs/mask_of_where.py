# cause: reused-input, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
mask = torch.tensor([True, False, True, False])
y = torch.where(mask, x, 0.0)  # victim
mask.logical_not_()  # culprit
y.sum().backward()
