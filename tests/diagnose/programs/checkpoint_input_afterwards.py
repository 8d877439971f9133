# cause: checkpoint-input
import torch
from torch.utils.checkpoint import checkpoint

x = torch.rand(4, requires_grad=True)
h = x * 2
z = checkpoint(torch.exp, h, use_reentrant=False)  # victim
h += 1  # culprit
(z + h).sum().backward()
