# kind: freed, cause: hidden-state, fix: none
import torch
from torch import nn

cell = nn.Linear(4, 4)
h = torch.zeros(2, 4)
for step in range(3):
    h = torch.tanh(cell(h) + 1)  # victim
    h.sum().backward()
