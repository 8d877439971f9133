# kind: no derivative in place, cause: no-derivative, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
y = x * 1
y.asinh_()  # culprit
y.sum().backward()
