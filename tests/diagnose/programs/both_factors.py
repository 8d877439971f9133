# cause: out-of-place, fix: safe
import torch

x = torch.randn(4, requires_grad=True)
a = x * 2
b = x + 1
c = a * b  # victim
b.sub_(3)  # culprit
(c + b).sum().backward()
