# cause: out-of-place, fix: safe
import torch
from torch.nn import functional

h = torch.randn(2, 8, requires_grad=True) * 2
normed = functional.layer_norm(h, (8,))  # victim
h -= h.mean()  # culprit
(normed.sum() + h.sum()).backward()
