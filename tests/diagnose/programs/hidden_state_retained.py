# cause: hidden-state, fix: none
import torch
from torch import nn

cell = nn.Linear(4, 4)
optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
h = torch.zeros(2, 4)
for step in range(3):
    h = torch.tanh(cell(h))  # victim
    optimizer.zero_grad()
    h.sum().backward(retain_graph=True)
    optimizer.step()  # culprit
