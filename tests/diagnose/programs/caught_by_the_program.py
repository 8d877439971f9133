# cause: out-of-place, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
y = torch.sigmoid(x)  # victim
y += 1  # culprit
try:
    y.sum().backward()
except RuntimeError as error:
    raise SystemExit(1) from error
