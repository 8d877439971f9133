# cause: out-of-place, fix: safe
import torch

x = torch.rand(2, 5, 4, requires_grad=True)
query = x * 2
scores = torch.baddbmm(torch.zeros(2, 5, 5), query, x.transpose(1, 2))  # victim
query.mul_(0.5)  # culprit
(scores.sum() + query.sum()).backward()
