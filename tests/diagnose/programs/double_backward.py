# cause: out-of-place, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
z = x * 3
(g,) = torch.autograd.grad((z**3).sum(), z, create_graph=True)  # victim
penalty = (g.norm() - 1) ** 2
z += 1  # culprit
penalty.backward()
