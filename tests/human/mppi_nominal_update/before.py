import torch
import torch.nn as nn


class MPPI():
    def __init__(self, dynamics, running_cost, nu, K=16, T=5, lambda_=1.):
        self.F = dynamics
        self.running_cost = running_cost
        self.K, self.T, self.nu = K, T, nu
        self.lambda_ = lambda_
        self.u_per_command = 1
        self.U = torch.zeros(T, nu)

    def command(self, state):
        self.state = state
        cost_total = self._compute_total_cost_batch()
        beta = torch.min(cost_total)
        self.cost_total_non_zero = torch.exp(-(1 / self.lambda_) * (cost_total - beta))
        eta = torch.sum(self.cost_total_non_zero)
        self.omega = (1. / eta) * self.cost_total_non_zero
        for t in range(self.T):
            self.U[t] += torch.sum(self.omega.view(-1, 1) * self.noise[:, t], dim=0)
        action = self.U[:self.u_per_command]
        # reduce dimensionality if we only need the first command
        if self.u_per_command == 1:
            action = action[0]
        return action

    def _compute_total_cost_batch(self):
        self.noise = torch.randn(self.K, self.T, self.nu)
        perturbed_action = self.U + self.noise
        state = self.state.view(1, -1).repeat(self.K, 1)
        cost_total = torch.zeros(self.K)
        for t in range(self.T):
            u = perturbed_action[:, t]
            state = self.F(state, u)
            cost_total = cost_total + self.running_cost(state, u)
        # action perturbation cost
        action_cost = self.lambda_ * self.noise * cost_total.view(-1, 1, 1) / self.T
        perturbation_cost = torch.sum(self.U * action_cost, dim=(1, 2))
        return cost_total + perturbation_cost


net = nn.Linear(4 + 2, 4)
dynamics = lambda x, u: x + 0.1 * torch.tanh(net(torch.cat((x, u), dim=-1)))
ctrl = MPPI(dynamics, lambda x, u: x.pow(2).sum(-1), nu=2)
loss = 0
x = torch.randn(4)
for _ in range(2):
    u = ctrl.command(x)
    x = dynamics(x, u)
    loss = loss + x.pow(2).sum()
loss.backward()
print(net.weight.grad.norm())
