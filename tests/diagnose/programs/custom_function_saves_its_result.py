# cause: out-of-place
import torch


class Exponential(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad):
        (result,) = ctx.saved_tensors
        return result * grad


x = torch.rand(4, requires_grad=True)
y = Exponential.apply(x)  # victim
y += 1  # culprit
y.sum().backward()
