"""Actor-critic loss: the advantages are standardised in place.

Torch: modified by an inplace operation
"""
import torch
import torch.nn as nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, n_actions):
        super().__init__()
        self.pi = nn.Linear(obs_dim, n_actions)
        self.v = nn.Linear(obs_dim, 1)

    def loss(self, obs, actions, returns):
        values = self.v(obs).squeeze(-1)
        adv = returns - values
        value_loss = adv.pow(2).mean()
        adv -= adv.mean()
        adv /= adv.std() + 1e-8
        logp = Categorical(logits=self.pi(obs)).log_prob(actions)
        return -(logp * adv).mean() + 0.5 * value_loss


def example():
    torch.manual_seed(0)
    ac = ActorCritic(2, 2)
    return ac.loss, (torch.randn(4, 2), torch.tensor([0, 1, 1, 0]), torch.randn(4))
