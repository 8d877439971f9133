# kind: graph cut by .data, cause: data-store
import torch

x = torch.rand(4, requires_grad=True)
h = x * 2  # victim
h.data = torch.tanh(h)  # culprit
h.sum().backward()
