# cause: out-of-place, fix: safe
import torch

x = torch.ones(4, requires_grad=True)
y = torch.sigmoid(x * 2)  # victim
y += 1  # culprit
y.sum().backward()
