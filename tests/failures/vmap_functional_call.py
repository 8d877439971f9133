"""Per-sample gradients of a module by functional_call; one of its layers pads its result by a store.

Torch: vmap: inplace arithmetic
"""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, vmap


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)

    def forward(self, x):
        logits = torch.zeros(x.shape[0], 3)
        logits[:, :2] = self.fc(x)
        return logits


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(2, 2)
        self.head = Head()

    def forward(self, x):
        return self.head(torch.tanh(self.body(x)))


torch.manual_seed(1)
net = Net()


def per_sample_norms(xs, ys):
    params = {k: v.detach() for k, v in net.named_parameters()}

    def compute_loss(params, x, y):
        out = functional_call(net, params, (x.unsqueeze(0),))
        return F.cross_entropy(out, y.unsqueeze(0))

    grads = vmap(grad(compute_loss), in_dims=(None, 0, 0))(params, xs, ys)
    return grads["body.weight"].flatten(1).norm(dim=1)


def example():
    torch.manual_seed(0)
    return per_sample_norms, (torch.randn(4, 2, requires_grad=True), torch.tensor([0, 1, 2, 0]))
