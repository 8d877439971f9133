# kind: view of a leaf, cause: view-of-leaf
import torch
from torch import nn

layer = nn.Embedding(3, 2)
layer.weight[0].zero_()  # culprit
