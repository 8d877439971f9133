# cause: out-of-place, fix: safe
import torch

x = torch.rand(6, requires_grad=True)
spread = (x * 2).std()  # victim
spread += 1e-6  # culprit
(x / spread).sum().backward()
