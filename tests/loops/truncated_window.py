"""A window of time steps: backward every second step, without cutting the graph."""
import torch
from torch import nn

rnn, out = nn.RNNCell(2, 6), nn.Linear(6, 1)
params = list(rnn.parameters()) + list(out.parameters())
opt = torch.optim.SGD(params, lr=0.05)
h = torch.zeros(4, 6)
loss = 0.0
for t in range(8):
    h = rnn(torch.randn(4, 2), h)
    loss = loss + out(h).pow(2).mean()
    if t % 2 == 1:
        opt.zero_grad()
        loss.backward(retain_graph=True)
        opt.step()
        loss = 0.0
        #+ h = h.detach()
