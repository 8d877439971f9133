"""`apply` is bound to a name at the top, as tutorials do.

Torch: modified by an inplace operation
"""
import torch


class LegendrePolynomial3(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 0.5 * (5 * input ** 3 - 3 * input)

    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        return grad_output * 1.5 * (5 * input ** 2 - 1)


P3 = LegendrePolynomial3.apply


def model(x, a, b, c, d):
    z = c + d * x
    p = P3(z)
    z += 1
    return (a + b * p + 0.1 * z).pow(2).sum()


def example():
    torch.manual_seed(0)
    return model, (torch.linspace(-1, 1, 4), *[torch.tensor(v, requires_grad=True) for v in (0.1, -1.0, 0.2, 0.3)])
