"""What a `.data` store saved once it is seen by autograd is written by another function: backward would raise."""

import torch
from torch import nn


def _put(v):
    v[0] = 1


def _put_unseen(v: torch.Tensor):
    with torch.no_grad():
        v[0] = 1


def handed(x):
    v = x * 2
    v.data = torch.sigmoid(v)
    _put(v)
    return v


def handed_unseen(x):
    v = x * 2
    v.data = torch.sigmoid(v)
    _put_unseen(v)
    return v


def returned(x):
    v = x * 2
    v.data = torch.sigmoid(v)
    return v


def receiving(x):
    y = returned(x)
    with torch.no_grad():
        y[0] = 1
    return y


def captured(x):
    v = x * 2

    def put():
        with torch.no_grad():
            v[0] = 1

    v.data = torch.sigmoid(v)
    put()
    return v


class Held:
    def __init__(self, h):
        self.h = h

    def shift(self):
        self.h[0] = 1


def held(x):
    v = x * 2
    v.data = torch.sigmoid(v)
    Held(v).shift()
    return v


class Looked:
    def __init__(self, h):
        self.kept = {"h": h}

    def __getattr__(self, name):
        return self.__dict__["kept"][name]

    def shift(self):
        self.h[0] = 1


def looked_up(x):
    v = x * 2
    v.data = torch.sigmoid(v)
    Looked(v).shift()
    return v


class Shift(nn.Module):
    def forward(self, h):
        h[0] = 1


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = Shift()

    def shift(self):
        self.h[0] = 1

    def forward(self, x):
        v = x * 2
        v.data = torch.sigmoid(v)
        self.h = v
        self.shift()
        w = x * 3
        w.data = torch.sigmoid(w)
        self.layer(w)
        return v, w


def run(x, net):
    functions = (handed, handed_unseen, receiving, captured, held, looked_up)
    return [function(x) for function in functions], net(x)


def example():
    return run, (torch.tensor([0.5, 0.25], requires_grad=True), Net())
