# cause: out-of-place
import torch

x = torch.rand(2, 2, requires_grad=True)
y = x.sqrt()  # victim


def double(matrix):
    matrix.t_().mul_(2)  # culprit


double(y)
y.sum().backward()
