# kind: graph cut by .data, cause: data-store
import torch
from torch import nn

cell = nn.Linear(3, 3)
h = torch.zeros(2, 3)
for step in range(3):
    h.data = torch.tanh(cell(h))  # culprit
cell(h).sum().backward()
