"""A kernel matrix is filled pair by pair, and then factored.

Torch: modified by an inplace operation
"""
import torch


def kernel_matrix(X, log_length):
    n = X.shape[0]
    K = torch.zeros(n, n)
    for i in range(n):
        for j in range(n):
            d = (X[i] - X[j]).pow(2).sum()
            K[i, j] = torch.exp(-0.5 * d / torch.exp(log_length) ** 2)
            if i == j:
                K[i, j] += 0.1
            K[i, j] *= K[i, j].sqrt() * K[i, j]
    return K


def mll(X, y, log_length):
    K = kernel_matrix(X, log_length)
    return y @ torch.linalg.solve(K, y) + torch.logdet(K)


def example():
    torch.manual_seed(0)
    return mll, (torch.randn(3, 2), torch.randn(3), torch.tensor(0.1, requires_grad=True))
