"""A histogram for each row by scatter_add_.

Torch: scatter_add_(self, *extra_args) is not possible
"""
import torch


def histogram(bins, weights):
    hist = torch.zeros(4)
    hist.scatter_add_(0, bins, weights)
    return hist / hist.sum()


def entropies(bins, weights):
    hist = torch.vmap(histogram)(bins, weights)
    return -(hist * torch.log(hist + 1e-3)).sum(-1)


def example():
    torch.manual_seed(0)
    bins = torch.tensor([[0, 1, 1, 3], [2, 2, 0, 1]])
    return entropies, (bins, torch.rand(2, 4).requires_grad_())
