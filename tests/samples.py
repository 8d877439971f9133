"""Texts that several files of tests write down and let `unplace` work on."""

from __future__ import annotations

MODEL = """\
import torch


def f(x: torch.Tensor):
    y = x.exp()
    y += 1
    return y


def train():
    f(torch.ones(3, requires_grad=True) * 1)
"""
