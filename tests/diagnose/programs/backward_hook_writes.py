# cause: backward-hook, fix: unsafe
import torch

x = torch.rand(4, requires_grad=True)
h = x * 2
y = torch.exp(h)  # victim
z = y * 1
z.register_hook(lambda grad: y.detach().zero_().add(grad))  # culprit
z.sum().backward()
