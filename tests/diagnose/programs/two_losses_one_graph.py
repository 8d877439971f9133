# kind: freed, cause: shared-graph, fix: none
import torch

x = torch.rand(4, requires_grad=True)
h = torch.exp(x)  # victim
first, second = h.sum(), (h * 2).sum()
first.backward()
second.backward()
