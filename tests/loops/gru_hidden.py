"""A GRU cell's hidden state starts as None and is carried on."""
import torch
from torch import nn

cell = nn.GRUCell(3, 8)
head = nn.Linear(8, 1)
opt = torch.optim.SGD([*cell.parameters(), *head.parameters()], lr=0.1)


def train(batches):
    hx = None
    for x in batches:
        #+ if hx is not None:
        #+     hx = hx.detach()
        hx = cell(x, hx)
        loss = head(hx).pow(2).mean()
        opt.zero_grad()
        loss.backward(retain_graph=True)
        opt.step()


train(torch.randn(4, 5, 3))
