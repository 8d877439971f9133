# cause: out-of-place
import torch

x = torch.rand(4, requires_grad=True)
y = x.exp()  # victim
with torch.no_grad():
    y.clamp_(max=1)  # culprit
y.sum().backward()
