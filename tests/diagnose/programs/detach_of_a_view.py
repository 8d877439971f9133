# kind: detach_ of a view, cause: detach-view, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
h = (x * 1)[:2]
h.detach_()  # culprit
