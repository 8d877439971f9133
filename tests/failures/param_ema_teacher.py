"""The teacher's weights follow the student's by an exponential moving average.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import copy

import torch
from torch import nn


class MeanTeacher(nn.Module):
    def __init__(self, student, momentum=0.9):
        super().__init__()
        self.student = student
        self.teacher = copy.deepcopy(student)
        self.momentum = momentum

    def update_teacher(self):
        for ps, pt in zip(self.student.parameters(), self.teacher.parameters()):
            pt.mul_(self.momentum).add_(ps, alpha=1 - self.momentum)

    def forward(self, x):
        self.update_teacher()
        return ((self.student(x) - self.teacher(x).detach()) ** 2).mean()


def example():
    torch.manual_seed(0)
    net = MeanTeacher(nn.Linear(2, 2))
    nn.init.normal_(net.teacher.weight)
    return net, (torch.randn(3, 2),)
