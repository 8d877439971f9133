"""A tensor that `addcmul_` wrote before is still known to be float32 when float64 is added."""

import torch


def run(x: torch.Tensor, b: torch.Tensor, flag: bool):
    gate = x.clone()
    gate.addcmul_(gate, gate)
    acc = gate
    acc += torch.ones(4, dtype=torch.float64)
    return gate


def example():
    return run, (
        torch.tensor(
            [[1.664, 0.982, -0.678, -0.995], [-1.092, 1.369, 0.48, 1.051], [-1.178, 0.385, 0.535, -0.895]],
            requires_grad=True,
        ),
        torch.tensor(
            [[1.211, -0.822, -1.565, -0.678], [1.359, 0.569, 1.738, 0.033], [0.684, -1.11, -0.511, -0.62]],
            requires_grad=True,
        ),
        True,
    )
