# cause: out-of-place, fix: safe
import torch

x = torch.rand(3, 4, requires_grad=True)
keys = x * 2
scores = torch.einsum("ij,kj->ik", x, keys)  # victim
keys /= 2  # culprit
(scores.sum() + keys.sum()).backward()
