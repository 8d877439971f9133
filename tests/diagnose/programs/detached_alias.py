# cause: out-of-place, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
y = x.exp()  # victim
y.detach().mul_(3)  # culprit
y.sum().backward()
