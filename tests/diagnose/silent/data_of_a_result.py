# kind: changed without an error, cause: silent-write
import torch

x = torch.rand(4, requires_grad=True)
y = torch.sigmoid(x * 2)  # victim
y.data.mul_(2)  # culprit
y.sum().backward()
