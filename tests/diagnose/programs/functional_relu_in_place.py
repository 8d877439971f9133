# cause: out-of-place, fix: safe
import torch
from torch.nn import functional

x = torch.rand(4, requires_grad=True)
y = torch.tanh(x)  # victim
functional.relu(y, inplace=True)  # culprit
y.sum().backward()
