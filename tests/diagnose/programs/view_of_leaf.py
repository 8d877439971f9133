# kind: view of a leaf, cause: view-of-leaf, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
x[0] = 1  # culprit
