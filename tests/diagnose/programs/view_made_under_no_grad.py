# kind: view made without grad mode, cause: no-grad-view, fix: safe
import torch

x = torch.rand(4, requires_grad=True)
with torch.no_grad():
    head = x[:2]
head += 1  # culprit
