# kind: overlapping memory, cause: overlap
import torch

x = torch.rand(3, requires_grad=True)
y = (x * 1).expand(2, 3)
y += 1  # culprit
y.sum().backward()
