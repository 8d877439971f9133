# cause: out-of-place
import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


x = torch.rand(4, requires_grad=True)
h = x * 1
y = Square.apply(h)  # victim
h += 1  # culprit
(y + h).sum().backward()
