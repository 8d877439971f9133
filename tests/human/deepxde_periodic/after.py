import numpy as np
import torch
import torch.nn as nn

sin = torch.sin
cos = torch.cos
concat = torch.cat


def periodic(x):
    x, t = x[:, :1], x[:, 1:]
    x = x * 2 * np.pi
    return concat([cos(x), sin(x), cos(2 * x), sin(2 * x), t], 1)


class FNN(nn.Module):
    def __init__(self, layer_sizes):
        super().__init__()
        self._input_transform = None
        self.linears = nn.ModuleList(
            [nn.Linear(a, b) for a, b in zip(layer_sizes[:-1], layer_sizes[1:])]
        )

    def apply_feature_transform(self, transform):
        self._input_transform = transform

    def forward(self, inputs):
        x = inputs
        if self._input_transform is not None:
            x = self._input_transform(x)
        for linear in self.linears[:-1]:
            x = torch.tanh(linear(x))
        return self.linears[-1](x)


def pde(x, y):
    dy = torch.autograd.grad(y.sum(), x, create_graph=True)[0]
    return dy[:, 1:] + dy[:, :1]


net = FNN([5, 16, 1])
net.apply_feature_transform(periodic)
x = torch.rand(10, 2, requires_grad=True)
loss = pde(x, net(x)).pow(2).mean()
loss.backward()
print(net.linears[0].weight.grad.norm())
