"""Self-play: the opponent's value, which has its own optimizer, is subtracted in the first player's loss."""
import torch
from torch import nn


class Player(nn.Module):
    def __init__(self):
        super().__init__()
        self.value = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))

    def forward(self, board):
        return self.value(board)


class Game:
    def __init__(self):
        self.players = [Player(), Player()]
        self.optims = [torch.optim.SGD(p.parameters(), lr=0.05) for p in self.players]

    def play(self, board):
        a, b = self.players[0](board), self.players[1](board)
        loss_a, loss_b = (a - b.detach()).pow(2).mean(), (b - a).pow(2).mean()  #-
        #+ loss_a, loss_b = (a - b.detach()).pow(2).mean(), (b - a.detach()).pow(2).mean()
        self.optims[0].zero_grad()
        loss_a.backward(retain_graph=True)
        self.optims[0].step()
        self.optims[1].zero_grad()
        loss_b.backward()
        self.optims[1].step()


game = Game()
for _ in range(3):
    game.play(torch.randn(5, 4))
