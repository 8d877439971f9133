"""A mean teacher with gradients through the teacher's output, updated before backward."""
import torch
from torch import nn

student = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
teacher = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2))
opt = torch.optim.Adam(student.parameters(), lr=1e-2)
for _ in range(3):
    x = torch.randn(5, 3)
    target = teacher(x)  #-
    #+ target = teacher(x).detach()
    loss = (student(x) - target).pow(2).mean()
    with torch.no_grad():
        for t, s in zip(teacher.parameters(), student.parameters()):
            t.mul_(0.9).add_(s, alpha=0.1)
    opt.zero_grad()
    loss.backward()
    opt.step()
