"""An element of a list stays float32 when float64 is added."""

import torch


def run(x: torch.Tensor, w: torch.Tensor, flag: bool, buffer: torch.Tensor):
    acc = buffer.t()
    xs = [w, acc[:, 0].softmax(dim=0)]
    xs[1] += torch.ones(3, dtype=torch.float64)
    return xs


def example():

    def drive(x, w, flag, buffer):
        return (run(x, w, flag, buffer), run(x, w, not flag, buffer))

    return drive, (
        torch.tensor([[1.312, -0.312, -1.533], [-0.14, -0.652, -0.414]], requires_grad=True),
        torch.tensor([0.923, 0.978, -0.586], requires_grad=True),
        False,
        torch.tensor([[1.06, 1.737, -0.326], [-0.809, -0.61, 1.728]]),
    )
