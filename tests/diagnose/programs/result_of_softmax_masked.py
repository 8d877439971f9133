# cause: out-of-place, fix: safe
import torch

scores = torch.randn(3, 5, requires_grad=True)
weights = torch.softmax(scores * 2, dim=-1)  # victim
later = torch.ones(3, 5).triu(1) > 0
weights[later] = 0.0  # culprit
weights.pow(2).sum().backward()
