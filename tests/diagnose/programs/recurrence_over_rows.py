# cause: out-of-place, fix: safe
import torch

x = torch.rand(4, 3, requires_grad=True)
out = x * 1
for t in range(1, 4):
    out[t] = torch.tanh(out[t - 1]) * out[t]  # victim, culprit
out.sum().backward()
