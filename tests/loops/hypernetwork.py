"""A hypernetwork and an embedding are updated in turn from one forward pass."""
import torch
from torch import nn


class HyperNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 6))
        self.embedding = nn.Embedding(3, 2)

    def forward(self, task, x):
        return x @ self.body(self.embedding(task)).view(3, 2)


net = HyperNet()
opt_body = torch.optim.Adam(net.body.parameters(), lr=1e-2)
opt_embed = torch.optim.Adam(net.embedding.parameters(), lr=1e-2)
for i in range(4):
    task, x = torch.tensor(i % 3), torch.randn(5, 3)
    out = net(task, x)
    loss = out.pow(2).mean()
    reg = out.abs().mean()
    opt_body.zero_grad()
    loss.backward(retain_graph=True)
    opt_body.step()
    #+ reg = net(task, x).abs().mean()
    opt_embed.zero_grad()
    reg.backward()
    opt_embed.step()
