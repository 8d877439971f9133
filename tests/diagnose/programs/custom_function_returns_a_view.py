# kind: view made by a custom function, cause: function-view
import torch


class Fold(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(2, 2)

    @staticmethod
    def backward(ctx, grad):
        return grad.view(4)


x = torch.rand(4, requires_grad=True)
y = Fold.apply(x * 1)  # victim
y += 1  # culprit
y.sum().backward()
