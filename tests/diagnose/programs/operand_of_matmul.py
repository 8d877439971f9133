# cause: out-of-place, fix: safe
import torch

x = torch.randn(3, 3, requires_grad=True)
left = x + 1
product = left @ x.t()  # victim
left *= 0.5  # culprit
(product.sum() + left.sum()).backward()
