"""A private method reads the written tensor by the attribute from which it was passed."""

import torch


class M:
    def run(self, a):
        self.h = a.exp()
        s = self.h.pow(2).sum()
        t = self._helper(self.h)
        return s + t

    def _helper(self, x):
        x.mul_(2)
        return (x + self.h).sum()


def f(a):
    return M().run(a)


def example():
    return f, (torch.tensor([[0.5, 1.5], [1.2, 0.7]], requires_grad=True),)
