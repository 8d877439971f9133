"""A GAN whose losses are both computed before the first update."""
import torch
import torch.nn.functional as F
from torch import nn, optim


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 8)
        self.fc2 = nn.Linear(8, 3)

    def forward(self, z):
        return self.fc2(F.relu(self.fc1(z)))


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 8)
        self.fc2 = nn.Linear(8, 1)

    def forward(self, x):
        return self.fc2(torch.tanh(self.fc1(x)))


def train(gen, critic, batches):
    gen_opt = optim.RMSprop(gen.parameters(), lr=1e-3)
    critic_opt = optim.RMSprop(critic.parameters(), lr=1e-3)
    for real in batches:
        fake = gen(torch.randn(real.size(0), 4))
        fake_score = critic(fake)
        critic_loss = fake_score.mean() - critic(real).mean()
        gen_loss = -fake_score.mean()
        critic_opt.zero_grad()
        critic_loss.backward(retain_graph=True)
        critic_opt.step()
        #+ gen_loss = -critic(fake).mean()
        gen_opt.zero_grad()
        gen_loss.backward()
        gen_opt.step()
        print(f"{critic_loss.item():.4f} {gen_loss.item():.4f}")


train(Generator(), Critic(), torch.randn(5, 6, 3))
