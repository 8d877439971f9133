import torch
import torch.nn as nn
import torch.nn.functional as F


class Box:
    def __init__(self, low, high):
        self.low, self.high = low, high


class DeterministicModel(nn.Module):
    def __init__(self, observation_space, action_space, device="cpu"):
        super().__init__()
        self.action_space = action_space
        self.device = device

    def act(self, states, taken_actions=None):
        # map from observations/states to actions
        actions = self.compute(states.to(self.device),
                               taken_actions.to(self.device) if taken_actions is not None else taken_actions)

        # clip actions
        if issubclass(type(self.action_space), Box):
            actions.clamp_(self.action_space.low[0], self.action_space.high[0])

        return actions, None, None


class Actor(DeterministicModel):
    def __init__(self, observation_space, action_space):
        super().__init__(observation_space, action_space)
        self.linear_layer_1 = nn.Linear(4, 16)
        self.action_layer = nn.Linear(16, 2)

    def compute(self, states, taken_actions):
        x = F.relu(self.linear_layer_1(states))
        return torch.tanh(self.action_layer(x))


policy = Actor(None, Box([-0.5, -0.5], [0.5, 0.5]))
critic = nn.Linear(4 + 2, 1)
states = torch.randn(8, 4)
actions, _, _ = policy.act(states)
policy_loss = -critic(torch.cat([states, actions], dim=1)).mean()
policy_loss.backward()
print(policy.action_layer.weight.grad.norm())
