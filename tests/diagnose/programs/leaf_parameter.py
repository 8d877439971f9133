# kind: leaf, cause: leaf
import torch
from torch import nn

layer = nn.Linear(2, 2)
layer.weight.mul_(0.5)  # culprit
