# kind: out= with gradients, cause: out-argument, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
y = torch.empty(4)
torch.mul(x, 2, out=y)  # culprit
y.sum().backward()
