# cause: out-of-place
import torch
from torch import nn

lstm = nn.LSTM(3, 3)
out, _ = lstm(torch.rand(4, 2, 3))  # victim
out += 1  # culprit
out.sum().backward()
