"""DDPG: a soft update of the target network before the critic's loss.

Torch: a leaf Variable that requires grad is being used in an in-place operation
"""
import torch
import torch.nn as nn


class Agent:
    def __init__(self, obs_dim, tau=0.1):
        self.critic = nn.Linear(obs_dim, 1)
        self.critic_target = nn.Linear(obs_dim, 1)
        self.tau = tau

    def soft_update(self):
        source = dict(self.critic.named_parameters())
        for name, param in self.critic_target.named_parameters():
            param.copy_(self.tau * source[name] + (1 - self.tau) * param)

    def loss(self, obs, reward, next_obs):
        self.soft_update()
        target = reward + 0.99 * self.critic_target(next_obs).squeeze(-1).detach()
        return (self.critic(obs).squeeze(-1) - target).pow(2).mean()


def critic_loss(agent, obs, reward, next_obs):
    return agent.loss(obs, reward, next_obs)


def example():
    torch.manual_seed(0)
    return critic_loss, (Agent(2), torch.randn(3, 2, requires_grad=True), torch.randn(3), torch.randn(3, 2))
