"""Option-critic: the state's features of the last step are used again after the update."""
import torch
from torch import nn


class OptionCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 6))
        self.Q = nn.Linear(6, 2)
        self.options_W = nn.Parameter(torch.randn(6, 2) * 0.1)

    def get_state(self, obs):
        return self.features(obs)


net = OptionCritic()
optim = torch.optim.RMSprop(net.parameters(), lr=1e-2)
state = net.get_state(torch.randn(3))
for step in range(5):
    logp = torch.log_softmax(state @ net.options_W, -1)
    next_state = net.get_state(torch.randn(3))
    q, next_q = net.Q(state), net.Q(next_state).detach()
    loss = (q[0] - next_q[0]).pow(2) - logp[0] * q[0].detach()
    optim.zero_grad()
    loss.backward(retain_graph=True)
    optim.step()
    state = next_state  #-
    #+ state = net.get_state(torch.randn(3))
