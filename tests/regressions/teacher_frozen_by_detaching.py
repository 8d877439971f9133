"""A teacher whose parameters were detached may be written: the gradient of the student's goes through the update."""

import torch
from torch import nn


def made():
    torch.manual_seed(0)
    student, teacher = nn.Linear(3, 3), nn.Linear(3, 3)
    for p in teacher.parameters():
        p.detach_()
    return student, teacher


def follow(teacher, student, m):
    for t, s in zip(teacher.parameters(), student.parameters()):
        t.mul_(m).add_(s, alpha=1 - m)


def f(x):
    student, teacher = made()
    follow(teacher, student, 0.5)
    loss = (student(x) - 2 * teacher(x)).pow(2).sum()
    return torch.autograd.grad(loss, [student.weight, student.bias])


def example():
    return f, (torch.tensor([[0.5, -1.0, 2.0]]),)
