"""A tensor stored to `.data` shares its memory from then on: a write through either name is seen through the other."""

import torch


def store(h: torch.Tensor, s: torch.Tensor):
    h.data = s


class Cell(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = torch.ones(3)

    def forward(self, x: torch.Tensor):
        h = x * 1
        h.data = self.kept
        h.add_(1)
        return h, self.kept.sum()


def detached(x: torch.Tensor):
    h, s = x * 1, x * 2
    h.data = s.detach()
    h.mul_(3)
    return h + s


def itself(x: torch.Tensor):
    h, s = x * 1, x.detach() * 2
    h.data = s
    s.mul_(3)
    return h


def viewed(x: torch.Tensor):
    h, s = x * 1, x.detach() * 2
    h.data = s.view(-1)
    h[0] = 5
    return s


def of_data(x: torch.Tensor):
    h, s = x * 1, x * 2
    h.data = s.data
    h += 1
    return s


def under_another_name(x: torch.Tensor):
    h, s = x * 1, x.detach() * 2
    g = h
    h.data = s
    s.mul_(3)
    return g


def on_one_branch(x: torch.Tensor):
    h, s = x * 1, x.detach() * 2
    if x.numel() > 1:
        h.data = s
    h.mul_(2)
    return s


def in_a_loop(x: torch.Tensor):
    h, s = x * 1, x.detach() * 1
    for _ in range(2):
        h.mul_(2)
        s = s + x.detach()
        h.data = s.detach()
    h.mul_(2)
    return s


def unpacked(x: torch.Tensor):
    a, b = x.detach() * 2, x.detach() * 3
    c, d = a.view(-1), b.view(-1)
    a.data, b.data = b.data, a.data
    a.add_(1)
    return c, d


def set_to(x: torch.Tensor):
    h, s = torch.zeros(3), x.detach() * 2
    h.set_(s)
    h.add_(1)
    return s


def by_a_helper(x: torch.Tensor):
    h, s = x * 1, x.detach() * 2
    store(h, s)
    s.mul_(3)
    return h


def of_an_argument(h: torch.Tensor, x: torch.Tensor):
    s = x.detach() * 2
    h.data = s
    s.mul_(3)


def made_a_parameter(x: torch.Tensor):
    s = x.detach() * 2
    w = torch.nn.Parameter(s)
    s.mul_(3)
    return w.detach()


def run(x: torch.Tensor):
    h = x * 1
    of_an_argument(h, x)
    alone = [detached(x), itself(x), viewed(x), of_data(x), under_another_name(x), on_one_branch(x), in_a_loop(x)]
    return h, alone, unpacked(x), set_to(x), by_a_helper(x), made_a_parameter(x), Cell()(x)


def example():
    return run, (torch.tensor([0.5, -1.0, 2.0], requires_grad=True),)
