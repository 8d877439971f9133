"""MAML: the fast weights are moved through .data, and the meta gradient is lost.

Torch: nothing, the gradient is wrong
"""
import torch
import torch.nn.functional as F


def adapt(weights, x, y, lr):
    fast = [w * 1.0 for w in weights]
    hidden = torch.tanh(x @ fast[0])
    err = hidden @ fast[1] - y
    grads = [x.t() @ (err @ fast[1].t() * (1 - hidden ** 2)), hidden.t() @ err]
    for w, g in zip(fast, grads):
        w.data -= lr * g
    return fast


def meta_loss(w1, w2, support, query, y):
    fast = adapt([w1, w2], support, y, 0.1)
    return F.mse_loss(torch.tanh(query @ fast[0]) @ fast[1], y)


def example():
    torch.manual_seed(0)
    w1, w2 = torch.randn(2, 3, requires_grad=True), torch.randn(3, 1, requires_grad=True)
    return meta_loss, (w1, w2, torch.randn(4, 2), torch.randn(4, 2), torch.randn(4, 1))
