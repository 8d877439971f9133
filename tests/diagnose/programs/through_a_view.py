# cause: out-of-place, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
y = torch.exp(x)  # victim
rows = y.view(2, 2)
rows += 1  # culprit
y.sum().backward()
