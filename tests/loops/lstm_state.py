"""An LSTM's state is carried from batch to batch."""
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(3, 8, batch_first=True)
        self.fc = nn.Linear(8, 1)

    def forward(self, x, state):
        out, state = self.lstm(x, state)
        return self.fc(out[:, -1]), state


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.MSELoss()
state = (torch.zeros(1, 4, 8), torch.zeros(1, 4, 8))
for i in range(4):
    x, y = torch.randn(4, 5, 3), torch.randn(4, 1)
    #+ state = tuple(s.detach() for s in state)
    output, state = model(x, state)
    loss = criterion(output, y)
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
