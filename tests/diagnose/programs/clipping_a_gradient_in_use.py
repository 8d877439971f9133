# cause: clip-gradients, fix: none
import torch
from torch import nn

w = nn.Parameter(torch.rand(4))
(w**3).sum().backward(create_graph=True)
penalty = w.grad.pow(2).sum()  # victim
nn.utils.clip_grad_norm_([w], 0.1)  # culprit
penalty.backward()
