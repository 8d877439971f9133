import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, n=10):
        super(Net, self).__init__()
        self.n = n
        self.param = nn.Parameter(torch.randn(n, n) / n)

    def forward(self, a):
        y = 0
        b = torch.mm(self.param, a)
        for i in range(self.n):
            bione = torch.zeros(self.n, 1)
            bione[i] = 1
            b = b + bione
            y = y + torch.mm(self.param, b)
        return y


net = Net()
y = net(torch.randn(10, 1))
loss = y.pow(2).mean()
loss.backward()
print(net.param.grad.norm())
