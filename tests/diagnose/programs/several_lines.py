# cause: out-of-place, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
y = torch.exp(  # victim
    x * 2,
)
y.add_(  # culprit
    1,
)
y.sum().backward()
