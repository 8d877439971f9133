# kind: leaf, cause: leaf, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
x += 1  # culprit
