# cause: out-of-place, fix: safe
import torch
from torch import nn

layer = nn.Linear(4, 4)
with torch.autocast("cpu", dtype=torch.bfloat16):
    y = torch.tanh(layer(torch.rand(2, 4)))  # victim
    y *= 2  # culprit
    loss = y.float().sum()
loss.backward()
