"""Student and teacher are trained together in the manner of accelerate."""
import torch
import torch.nn.functional as F
from torch import nn


class Accelerator:
    def prepare(self, *objects):
        return objects

    def backward(self, loss, **kwargs):
        loss.backward(**kwargs)


accelerator = Accelerator()
teacher = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
student = nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 3))
teacher_opt = torch.optim.Adam(teacher.parameters(), lr=1e-2)
student_opt = torch.optim.Adam(student.parameters(), lr=1e-2)
teacher, student, teacher_opt, student_opt = accelerator.prepare(teacher, student, teacher_opt, student_opt)
for _ in range(3):
    x, labels = torch.randn(6, 4), torch.randint(0, 3, (6,))
    t_logits = teacher(x)
    s_logits = student(x)
    t_loss = F.cross_entropy(t_logits, labels)
    s_loss = F.kl_div(s_logits.log_softmax(1), t_logits.softmax(1), reduction="batchmean")  #-
    #+ s_loss = F.kl_div(s_logits.log_softmax(1), t_logits.detach().softmax(1), reduction="batchmean")
    teacher_opt.zero_grad()
    accelerator.backward(t_loss, retain_graph=True)
    teacher_opt.step()
    student_opt.zero_grad()
    accelerator.backward(s_loss)
    student_opt.step()
