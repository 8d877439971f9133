# cause: weight-update, fix: none
import torch

w = torch.rand(4, requires_grad=True)
x = torch.rand(4)
loss = (w * w * x).sum()  # victim
with torch.no_grad():
    w -= 0.1  # culprit
loss.backward()
