# cause: out-of-place
import torch

x = torch.rand(4, requires_grad=True)
parts = [torch.exp(x), torch.exp(-x)]  # victim
torch._foreach_mul_(parts, 2.0)  # culprit
(parts[0] + parts[1]).sum().backward()
