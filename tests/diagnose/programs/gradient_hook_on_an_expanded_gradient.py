# kind: overlapping memory, cause: overlap, fix: unsafe
import torch

x = torch.rand(4, requires_grad=True)
y = x * 2
y.register_hook(lambda grad: grad.mul_(2))  # culprit
y.sum().backward()
