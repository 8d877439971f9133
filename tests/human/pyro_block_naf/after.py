import torch
import torch.nn as nn
import torch.nn.functional as F


class BlockNAFFlow(nn.Module):
    def __init__(self, input_dim, hidden_factor=4, residual=None):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.Linear(input_dim, input_dim * hidden_factor),
            nn.Linear(input_dim * hidden_factor, input_dim),
        ])
        self.f = nn.Tanh()
        self.residual = residual
        if residual == 'gated':
            self.gate = nn.Parameter(torch.randn(1))
        self._cached_logDetJ = None

    def _call(self, x):
        y = x
        logDetJ = 0.
        for idx, layer in enumerate(self.layers):
            pre_activation = layer(y)
            y = self.f(pre_activation)
            J_act = -2. * (pre_activation + F.softplus(-2. * pre_activation))
            logDetJ = logDetJ + J_act.sum(-1)

        self._cached_logDetJ = logDetJ

        if self.residual == 'normal':
            y = y + x
            self._cached_logDetJ = F.softplus(self._cached_logDetJ)
        elif self.residual == 'gated':
            y = self.gate.sigmoid() * x + (1. - self.gate.sigmoid()) * y

        return y

    def log_abs_det_jacobian(self, x, y):
        return self._cached_logDetJ


flow = BlockNAFFlow(3, residual='normal')
x = torch.randn(6, 3)
y = flow._call(x)
log_prob = torch.distributions.Normal(0., 1.).log_prob(y).sum(-1) + flow.log_abs_det_jacobian(x, y)
loss = -log_prob.mean()
loss.backward()
print(flow.layers[0].weight.grad.norm())
