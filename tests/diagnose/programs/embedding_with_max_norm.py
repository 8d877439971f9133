# cause: embedding-max-norm, fix: none
import torch
from torch import nn

embedding = nn.Embedding(5, 3, max_norm=1.0)
direct = embedding.weight @ torch.rand(3, 2, requires_grad=True)  # victim
looked_up = embedding(torch.tensor([0, 1]))  # culprit
(direct.sum() + looked_up.sum()).backward()
