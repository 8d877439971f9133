"""A test asserts that a write raises."""

import unittest

import torch


class T(unittest.TestCase):
    def runTest(self):
        pass

    def write(self, x):
        p = torch.ones(2, 2, requires_grad=True)
        p.mul_(2)

    def check(self, x):
        self.assertRaises(RuntimeError, self.write, x)
        return x * 2


def f(x):
    return T().check(x)


def example():
    return f, (torch.randn(4, 3).requires_grad_(),)
