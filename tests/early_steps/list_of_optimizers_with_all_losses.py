"""A loop over a list of optimizers runs the backward of one loss again after the first step."""

import torch
import torch.nn as nn

encoder, decoder = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.Sigmoid(), nn.Linear(4, 2))
optimizers = [torch.optim.SGD(net.parameters(), 0.1) for net in (decoder, encoder)]
opts = [torch.optim.SGD(decoder.parameters(), 0.1), torch.optim.SGD(encoder.parameters(), 0.1)]
x = torch.randn(4, 2)
loss = (decoder(encoder(x)) - x).pow(2).mean()
for opt in opts:
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()
