"""A cosine with two names stays float32 under both when float64 is added."""

import torch


def run(x: torch.Tensor, w: torch.Tensor, flag: bool, buffer: torch.Tensor):
    scores = torch.softmax(w, -1)
    scores *= 3
    u = buffer.cos()
    t = u
    t += torch.ones(4, dtype=torch.float64)
    return (u, scores)


def example():
    return run, (
        torch.tensor(
            [[-1.138, 1.182, 1.627, -0.449], [-1.0, 1.498, 1.419, -0.503], [1.45, 1.651, 0.728, -1.148]],
            requires_grad=True,
        ),
        torch.tensor([-1.318, -0.128, 0.231, -0.279], requires_grad=True),
        False,
        torch.tensor([[0.348, -1.365, -1.398, -0.059], [1.309, -0.021, -0.358, 0.521], [-0.526, 1.219, -0.699, 1.411]]),
    )
