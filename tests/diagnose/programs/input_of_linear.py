# cause: out-of-place, fix: safe
import torch
from torch import nn

layer = nn.Linear(4, 2)
h = torch.randn(5, 4, requires_grad=True) * 2
out = layer(h)  # victim
h.add_(1)  # culprit
(out.sum() + h.sum()).backward()
