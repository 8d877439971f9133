# cause: out-of-place, fix: safe
import torch
from torch import nn

layer = nn.Conv2d(2, 3, 3, padding=1)
image = torch.randn(1, 2, 6, 6, requires_grad=True) + 0.5
out = layer(image)  # victim
image.clamp_(0, 1)  # culprit
(out.sum() + image.sum()).backward()
