# cause: reused-input, fix: safe
import torch

table = torch.rand(5, 2, requires_grad=True)
index = torch.tensor([0, 1])
rows = table[index] * 2  # victim
index += 1  # culprit
rows.sum().backward()
