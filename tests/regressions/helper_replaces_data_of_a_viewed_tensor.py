"""A helper that stores to `.data` parts a tensor from its view: the call can't take a new tensor."""

import torch
import torch.nn.functional as F


def apply_gate(v: torch.Tensor, bias: torch.Tensor):
    v.data = F.softplus(v)


def run(x: torch.Tensor, w: torch.Tensor):
    q = x + 1
    window = q.view(-1)
    apply_gate(q, w)
    window[1] = x.norm()
    return q


def example():

    def drive(x, w):
        return (run(x, w), run(x.clone(), w))

    return drive, (
        torch.tensor(
            [[0.282, 1.628, -0.22, -0.11], [0.707, -1.635, -0.508, 0.885], [1.736, -0.342, 0.789, 1.426]],
            requires_grad=True,
        ),
        torch.tensor([0.75, -0.075, -0.678, 1.599], requires_grad=True),
    )
