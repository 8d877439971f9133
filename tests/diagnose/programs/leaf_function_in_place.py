# kind: leaf, cause: leaf, fix: safe
import torch
from torch.nn import functional

x = torch.rand(4, requires_grad=True)
y = functional.relu(x, inplace=True)  # culprit
y.sum().backward()
