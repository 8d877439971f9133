"""A row put into a list for `torch.stack` is still a view of the tensor that the loop writes."""

import torch


def run(x, w, flag):
    s = torch.tanh(x)
    probs = s
    for size, h in enumerate(s):
        gate = torch.stack([h])
        keep = probs < 1
        s[keep] = torch.sigmoid(probs)[keep]
    return gate


def example():

    def drive(x, w, flag):
        return (run(x, w, flag), run(x - 0.31, w * 1, not flag))

    return drive, (
        torch.tensor([[0.502, -0.998, -1.152], [-0.127, 0.852, 1.474]], requires_grad=True),
        torch.tensor([-1.207, -0.524, 1.762], requires_grad=True),
        True,
    )
