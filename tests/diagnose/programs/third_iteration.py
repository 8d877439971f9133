# cause: out-of-place, fix: safe
import torch

w = torch.rand(4, requires_grad=True)
for step in range(5):
    y = torch.exp(w * step)  # victim
    if step == 3:
        y += 1  # culprit
    y.sum().backward()
