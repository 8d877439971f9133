"""A recurrent network that keeps its state through `.data`: no error, but the cell never learns."""

import torch
from torch import nn


class Recurrent(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.hidden = hidden
        self.cell = nn.Linear(features + hidden, hidden)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        state = torch.zeros(x.size(1), self.hidden)
        for step in x:
            state.data = torch.tanh(self.cell(torch.cat((step, state), dim=1)))
        return self.head(state)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Recurrent(4, 16)
    loss = model(torch.randn(5, 3, 4)).pow(2).mean()
    loss.backward()
    gradient = model.cell.weight.grad
    print(f"loss {loss.item():.4f}, gradient of the cell {'none' if gradient is None else f'{gradient.norm().item():.4f}'}")
