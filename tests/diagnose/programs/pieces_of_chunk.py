# kind: one of several views, cause: multiple-views, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
a, b = (x * 1).chunk(2)  # victim
a += b  # culprit
(a * b).sum().backward()
