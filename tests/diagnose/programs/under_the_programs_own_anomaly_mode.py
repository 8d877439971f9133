# cause: out-of-place, fix: safe
import torch

torch.autograd.set_detect_anomaly(True)
x = torch.rand(4, requires_grad=True)
y = torch.sigmoid(x)  # victim
y += 1  # culprit
y.sum().backward()
