# cause: out-of-place, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
y = torch.exp(x)  # victim
y[0] = 0  # culprit
y.sum().backward()
