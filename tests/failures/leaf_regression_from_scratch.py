"""Regression from scratch: w and b are moved along gradients worked out by hand.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch


def fit(X, y, w, b, n_iter=3, lr=0.05):
    for _ in range(n_iter):
        err = X @ w.detach() + b.detach() - y
        dw = 2 * X.t() @ err / len(y)
        db = 2 * err.mean()
        w -= lr * dw
        b -= lr * db
    return X @ w + b


def main(X, y):
    w = torch.zeros(2, requires_grad=True)
    b = torch.zeros(1, requires_grad=True)
    return ((fit(X, y, w, b) - y) ** 2).mean(), w


def example():
    torch.manual_seed(0)
    return main, (torch.randn(5, 2), torch.randn(5))
