import torch
import torch.nn as nn
import torch.nn.functional as F


class FixedPoint(nn.Module):
    def __init__(self, iterator, max_iter=5, history_size=3, beta=1.0, eps=1e-4):
        super().__init__()
        self.iterator = iterator
        self.max_iter = max_iter
        self.history_size = history_size
        self.beta, self.eps = beta, eps

    def init_anderson_acceleration(self, x):
        b, n = x.shape[0], x[0].numel()
        m = self.history_size
        H = torch.zeros(b, m + 1, m + 1)
        H[:, 0, 1:] = H[:, 1:, 0] = 1.0
        q = torch.zeros(b, m + 1, 1)
        q[:, 0] = 1
        self.register_buffer("x_hist", torch.zeros(b, m, n), persistent=False)
        self.register_buffer("T_hist", torch.zeros(b, m, n), persistent=False)
        self.register_buffer("H", H, persistent=False)
        self.register_buffer("q", q, persistent=False)

    def anderson_acceleration_step(self, it, x_prev, Tx_prev):
        b = x_prev.shape[0]
        idx = it % self.history_size
        m = min(it + 1, self.history_size)
        # avoid in-place modification, which messes with autograd
        T_hist = self.T_hist.clone()
        x_hist = self.x_hist.clone()
        H = self.H.clone()
        # update history and buffers
        x_hist[:, idx] = x_prev.reshape(b, -1)  # prepare history of x
        T_hist[:, idx] = Tx_prev.reshape(b, -1)  # prepare history of Tx
        self.x_hist = x_hist
        self.T_hist = T_hist
        G = T_hist[:, :m] - x_hist[:, :m]
        H[:, 1 : m + 1, 1 : m + 1] = torch.bmm(G, G.transpose(1, 2)) + self.eps * torch.eye(m)[None]
        p = torch.linalg.solve(H[:, : m + 1, : m + 1], self.q[:, : m + 1])[:, 1 : m + 1, 0]
        x = self.beta * (p[:, None] @ T_hist[:, :m])[:, 0] + (1 - self.beta) * (p[:, None] @ x_hist[:, :m])[:, 0]
        self.H = H
        return x.view(x_prev.shape)

    def forward(self, x):
        self.init_anderson_acceleration(x)
        for it in range(self.max_iter):
            x = self.anderson_acceleration_step(it, x, self.iterator(x))
        return x


iterator = nn.Sequential(nn.Linear(6, 6), nn.Tanh())
model = FixedPoint(iterator)
y = torch.randn(2, 6)
loss = F.mse_loss(model(y), torch.randn(2, 6))
loss.backward()
print(iterator[0].weight.grad.norm())
