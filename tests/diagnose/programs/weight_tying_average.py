# cause: weight-update, fix: none
import torch
from torch import nn

student, teacher = nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 4), nn.Tanh())
x = torch.rand(2, 4, requires_grad=True)
target = teacher(x)  # victim
with torch.no_grad():
    for kept, new in zip(teacher.parameters(), student.parameters(), strict=True):
        kept.lerp_(new, 0.1)  # culprit
(student(x) - target).pow(2).sum().backward()
