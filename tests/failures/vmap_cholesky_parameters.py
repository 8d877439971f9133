"""A covariance from the entries of its Cholesky factor, placed by tril_indices.

Torch: vmap: index_put_(self, *extra_args) is not possible
"""
import torch


def covariance(entries):
    rows, cols = torch.tril_indices(3, 3)
    chol = torch.zeros(3, 3)
    chol[rows, cols] = entries
    return chol @ chol.T


def log_dets(entries):
    covs = torch.vmap(covariance)(entries)
    return torch.logdet(covs + torch.eye(3))


def example():
    torch.manual_seed(0)
    return log_dets, (torch.randn(2, 6, requires_grad=True),)
