# cause: load-state, fix: none
import copy

import torch
from torch import nn

layer = nn.Linear(4, 4)
saved = copy.deepcopy(layer.state_dict())
x = torch.rand(2, 4, requires_grad=True)
out = layer(x)  # victim
layer.load_state_dict(saved)  # culprit
out.sum().backward()
