"""A class has methods named as those of tensors are, which take more arguments: it is no tensor."""

import torch


class LogSum:
    @staticmethod
    def size():
        return 1

    @staticmethod
    def zero_(xs):
        return xs.fill_(-1e5)

    @staticmethod
    def matmul(a, b):
        return torch.logsumexp(a[..., :, :, None] + b[..., None, :, :], dim=-2)


class Registry:
    RINGS = {}
    ORDER = []


def register(name, ring):
    Registry.RINGS[name] = ring
    Registry.ORDER[:] = [name]
    return Registry.RINGS[name]


def chain(semiring, edges):
    chart = torch.zeros(*(edges.shape[1:]), requires_grad=False).repeat(semiring.size(), 1)
    total = semiring.matmul(edges[0], edges[1]).sigmoid()
    semiring.zero_(chart)
    chart[:, 0] = 0.5
    return total * chart


def example():
    def run(edges):
        return chain(register("log", LogSum), edges)

    torch.manual_seed(5)
    return run, (torch.randn(2, 3, 3, requires_grad=True),)
