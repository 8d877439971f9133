"""What a deque or an object of an unknown class has appended stays in it, so that a later write to it shows there."""

from collections import OrderedDict, deque

import torch


def kept(memory, x):
    h = x.exp()
    memory.append(h)
    h += 1
    return h


def run(x):
    recent = deque([torch.zeros(2, 3, dtype=x.dtype)], maxlen=2)
    h, out = x * 1, 0
    for _ in range(3):
        h = torch.tanh(h + x)
        recent.append(h)
        out = out + torch.cat(list(recent)).sum()
        h *= 0.5
    memory = deque(maxlen=1)
    states = OrderedDict([("h", h.exp())])
    state = states["h"]
    state += 1
    return out + recent[-1].sum() + states["h"].sum() + kept(memory, x).sum() + memory[0].sum()


def example():
    return run, (torch.tensor([[0.3, -0.8, 0.1], [1.2, 0.5, -0.4]], dtype=torch.float64, requires_grad=True),)
