"""Meta-learning: the outer loss goes through the weights before the inner update."""
import torch
from torch import nn

model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
inner = torch.optim.SGD(model.parameters(), lr=0.05)
for task in range(3):
    x, y = torch.randn(6, 2), torch.randn(6, 1)
    pred = model(x)
    support, query = (pred[:3] - y[:3]).pow(2).mean(), (pred[3:] - y[3:]).pow(2).mean()
    inner.zero_grad()
    support.backward(retain_graph=True)
    inner.step()
    #+ query = (model(x)[3:] - y[3:]).pow(2).mean()
    inner.zero_grad()
    query.backward()
    inner.step()
