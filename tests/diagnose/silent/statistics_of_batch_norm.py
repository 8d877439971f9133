# kind: changed without an error, cause: running-statistics
import torch
from torch import nn

norm = nn.BatchNorm1d(3).eval()
x = torch.rand(4, 3)
out = norm(x)  # victim
norm.train()
norm(x * 3 + 5)  # culprit
out.sum().backward()
