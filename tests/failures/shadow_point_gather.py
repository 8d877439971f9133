"""Point convolution: an index gets another place for missing neighbours in place, each time it is used.

Torch: modified by an inplace operation
"""
import torch


def gather(x, idx, method=2):
    idx[idx == -1] = x.shape[0] - 1  # Shadow point
    if method == 0:
        return x[idx]
    for i, ni in enumerate(idx.size()[1:]):
        x = x.unsqueeze(i + 1)
        new_s = list(x.size())
        new_s[i + 1] = ni
        x = x.expand(new_s)
    n = len(idx.size())
    for i, di in enumerate(x.size()[n:]):
        idx = idx.unsqueeze(i + n)
        new_s = list(idx.size())
        new_s[i + n] = di
        idx = idx.expand(new_s)
    return x.gather(0, idx)


def convolved(points, features, neighbors):
    near = gather(points, neighbors)
    return (near * gather(features, neighbors)).sum(1)


def example():
    torch.manual_seed(0)
    neighbors = torch.tensor([[0, 1], [2, -1], [1, 0]])
    return convolved, (torch.randn(4, 3, requires_grad=True), torch.randn(4, 3), neighbors)
