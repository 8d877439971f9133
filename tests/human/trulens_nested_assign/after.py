import torch
import torch.nn as nn


class ModelWrapper:
    def __init__(self, model):
        self._model = model

    @staticmethod
    def _nested_assign(x, y):
        """
        Assigns tensors values in y to tensors in x. x and y must be the same nested type.
        """
        if isinstance(y, tuple) or isinstance(y, list):
            for i in range(len(y)):
                ModelWrapper._nested_assign(x[i], y[i])
        else:
            try:
                x[:] = y[:]
            except RuntimeError:
                # torch > 1.7.1 does not allow view assignment.
                x.data = x.data.clone()
                x.data[:] = y[:]

    def fprop(self, model_args, intervention=None):
        model_args = [a.requires_grad_() for a in model_args]
        if intervention is not None:
            ModelWrapper._nested_assign(model_args, intervention)
        return self._model(*model_args)

    def qoi_bprop(self, qoi, model_args, intervention):
        out = self.fprop(model_args, intervention)
        qoi(out).backward()
        return [a.grad for a in model_args]


class TwoTower(nn.Module):
    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(4, 3), nn.Linear(5, 3)

    def forward(self, x1, x2):
        return torch.tanh(self.left(x1)) * torch.tanh(self.right(x2))


wrapper = ModelWrapper(TwoTower())
baseline = [torch.zeros(2, 4), torch.zeros(2, 5)]
doi = [torch.randn(2, 4), torch.randn(2, 5)]
grads = wrapper.qoi_bprop(lambda o: o[:, 1].sum(), baseline, doi)
print([g.norm() for g in grads])
