# kind: freed, cause: hidden-state, fix: none
import torch
from torch import nn

lstm = nn.LSTM(3, 3)
state = None
for step in range(3):
    out, state = lstm(torch.rand(4, 2, 3), state)  # victim
    out.sum().backward()
