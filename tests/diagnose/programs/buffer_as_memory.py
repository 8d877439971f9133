# cause: buffer, fix: safe
import torch
from torch import nn


class Bank(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("bank", torch.rand(6, 4))
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        features = self.linear(x)
        similarity = features @ self.bank.t()  # victim
        with torch.no_grad():
            self.bank[:2] = features  # culprit
        return similarity


bank = Bank()
bank(torch.rand(2, 4)).sum().backward()
