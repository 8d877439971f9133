"""A memory network keeps its slots in a dictionary from step to step."""
import torch
from torch import nn

write = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4))
read = nn.Linear(4, 1)
optimizer = torch.optim.Adam([*write.parameters(), *read.parameters()], lr=1e-2)
state = {"memory": torch.zeros(5, 4)}
for step in range(4):
    #+ state["memory"] = state["memory"].detach()
    state["memory"] = write(torch.cat([torch.randn(5, 2), state["memory"]], 1))
    loss = read(state["memory"]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
