import torch
from torch.nn import Module


def apply_constraints_nonnegative_soft_(obj, constraints, samples, eta):
    """Applies constraints to a nonnegative objective using a sigmoid approximation."""
    if constraints is not None:
        obj.clamp_min_(0)  # Enforce non-negativity with constraints
        for constraint in constraints:
            obj.mul_(soft_eval_constraint(constraint(samples), eta=eta))


def soft_eval_constraint(lhs, eta=1e-3):
    """Element-wise evaluation of a constraint in a 'soft' fashion"""
    if eta <= 0:
        raise ValueError("eta must be positive")
    return torch.sigmoid(-lhs / eta)


def apply_constraints_(obj, constraints, samples, infeasible_cost):
    """Apply constraints using an infeasible_cost `M` where the objective can be negative."""
    if constraints is not None:
        # obj has dimensions n_samples x b x q
        obj.add_(infeasible_cost)  # now it is nonnegative
        apply_constraints_nonnegative_soft_(
            obj=obj, constraints=constraints, samples=samples, eta=1e-3
        )
        obj.add_(-infeasible_cost)


class ConstrainedMCObjective(Module):
    def __init__(self, objective, constraints, infeasible_cost=0.0):
        super().__init__()
        self.objective = objective
        self.constraints = constraints
        self.register_buffer("infeasible_cost", torch.tensor(infeasible_cost))

    def forward(self, samples):
        obj = self.objective(samples)
        apply_constraints_(
            obj=obj,
            constraints=self.constraints,
            samples=samples,
            infeasible_cost=self.infeasible_cost,
        )
        return obj


class qExpectedImprovement(Module):
    def __init__(self, model, best_f, objective):
        super().__init__()
        self.model, self.best_f, self.objective = model, best_f, objective

    def forward(self, X):
        samples = self.model(X) + 0.1 * torch.randn(8, X.shape[0], X.shape[1], 2)
        obj = self.objective(samples)
        obj = (obj - self.best_f).clamp_min_(0)
        q_ei = obj.max(dim=2)[0].mean(dim=0)
        return q_ei


objective = ConstrainedMCObjective(
    lambda Y: Y[..., 0].exp(), [lambda Y: Y[..., 1] - 0.5, lambda Y: -Y[..., 1] - 0.5], infeasible_cost=2.0
)
qEI = qExpectedImprovement(torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)), -0.5, objective)
X = torch.rand(4, 2, 3, requires_grad=True)
qEI(X).sum().backward()
print(X.grad.norm())
