"""A clone stays float32 when float64 is added and an activation follows in place."""

import torch


def run(x: torch.Tensor, b: torch.Tensor, flag: bool):
    feat = x.clone()
    feat += torch.full_like(torch.zeros(4), 1, dtype=torch.float64)
    feat.sigmoid_()
    tail, piece, rest = x
    feat.add_(tail)
    return feat


def example():

    def drive(x, b, flag):
        return (run(x, b, flag), run(x * 1, b.clone(), not flag))

    return drive, (
        torch.tensor(
            [[0.551, -1.585, 0.664, -0.483], [-1.157, 0.513, -1.064, 0.004], [0.686, 1.645, 1.146, 0.57]],
            requires_grad=True,
        ),
        torch.tensor(
            [[1.646, -0.861, -0.671, 0.399], [0.03, -0.589, 0.427, 1.733], [-0.755, 0.415, -0.35, 1.111]],
            requires_grad=True,
        ),
        False,
    )
