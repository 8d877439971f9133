# kind: changed without an error, cause: silent-write
import torch

x = torch.rand(4, requires_grad=True)
y = (x * 3).exp()  # victim
y.detach().numpy()[0] = 5
y.sum().backward()
