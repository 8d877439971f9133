"""Per-sample gradients of a functional model whose head writes its logits into a buffer.

Torch: vmap: inplace arithmetic
"""
import torch
import torch.nn.functional as F
from torch.func import grad, vmap


def predict(params, x):
    h = torch.tanh(params["w1"] @ x)
    logits = torch.zeros(3)
    logits[:2] = params["w2"] @ h
    return logits


def compute_loss(params, x, y):
    return F.cross_entropy(predict(params, x).unsqueeze(0), y.unsqueeze(0))


def per_sample_norms(w1, w2, xs, ys):
    params = {"w1": w1, "w2": w2}
    grads = vmap(grad(compute_loss), in_dims=(None, 0, 0))(params, xs, ys)
    return grads["w1"].flatten(1).norm(dim=1) + grads["w2"].flatten(1).norm(dim=1)


def example():
    torch.manual_seed(0)
    xs = torch.randn(4, 2, requires_grad=True)
    ys = torch.tensor([0, 2, 1, 0])
    return per_sample_norms, (torch.randn(3, 2, requires_grad=True), torch.randn(2, 3, requires_grad=True), xs, ys)
