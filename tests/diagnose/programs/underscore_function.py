# cause: out-of-place, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
y = torch.exp(x)  # victim
torch.relu_(y)  # culprit
y.sum().backward()
