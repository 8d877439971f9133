"""`[k for k in range(2)]` binds no `k` of the function: the name is still the tensor that is written."""

import torch


def run(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor):
    r = torch.sigmoid(x)
    probs = r
    window = probs
    k = window
    [k for k in range(2)]
    part = window
    part[part > 0.2] = 0
    return k


def example():

    def drive(x, w, b):
        return (run(x, w, b), run(x - 0.31, w, b.clone()))

    return drive, (
        torch.tensor([[-1.566, 1.663, 1.06], [0.856, 1.315, 1.409]], requires_grad=True),
        torch.tensor([1.749, 1.024, -0.443], requires_grad=True),
        torch.tensor(-0.506, requires_grad=True),
    )
