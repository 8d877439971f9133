# kind: one of several views, cause: multiple-views
import torch

x = torch.rand(2, 3, requires_grad=True)
for row in (x * 1).unbind():  # victim
    row += 1  # culprit
