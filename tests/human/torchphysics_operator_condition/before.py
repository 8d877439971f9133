import torch


class Condition(torch.nn.Module):
    def __init__(self, name=None, weight=1.0):
        super().__init__()
        self.name = name
        self.weight = weight


class LpError(torch.nn.Module):
    def __init__(self, p=2):
        super().__init__()
        self.p = p

    def forward(self, x):
        return torch.linalg.vector_norm(x, ord=self.p, dim=(1, 2))


class OperatorCondition(Condition):
    def __init__(self, module, data, error_fn=LpError(), residual_fn=None, reduce_fn=torch.mean,
                 relative=True, epsilon=1e-8, name="singlebranch_condition", weight=1.0):
        super().__init__(name=name, weight=weight)
        self.module = module
        self.data = data
        self.error_fn = error_fn
        self.residual_fn = residual_fn
        self.reduce_fn = reduce_fn
        self.relative = relative
        self.epsilon = epsilon

    def forward(self, device="cpu", iteration=None):
        input_functions, output_functions = self.data

        model_out = self.module(input_functions)

        if self.residual_fn:
            first_error = self.residual_fn({"u": model_out, "f": input_functions})
        else:
            first_error = model_out - output_functions

        out = self.error_fn(first_error)

        if self.relative:
            y_norm = self.error_fn(output_functions) + self.epsilon
            out /= y_norm

        return self.reduce_fn(out)


class Solver(torch.nn.Module):
    def __init__(self, train_conditions):
        super().__init__()
        self.train_conditions = torch.nn.ModuleList(train_conditions)

    def training_step(self):
        loss = torch.zeros(1, requires_grad=True)
        for condition in self.train_conditions:
            cond_loss = condition.weight * condition(iteration=0)
            loss = loss + cond_loss
        return loss


net = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.GELU(), torch.nn.Linear(8, 1))
f = torch.randn(4, 20, 1)
solver = Solver([OperatorCondition(net, (f, torch.cumsum(f, dim=1) / 20))])
loss = solver.training_step()
loss.backward()
print(loss.item(), net[0].weight.grad.norm())
