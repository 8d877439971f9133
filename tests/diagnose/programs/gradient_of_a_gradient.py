# cause: out-of-place, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
(g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
h = torch.exp(g)  # victim
h -= 1  # culprit
h.sum().backward()
