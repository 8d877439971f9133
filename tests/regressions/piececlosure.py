import torch


def run(x: torch.Tensor):
    scores = -x
    head, left = scores.chunk(2, dim=1)
    left *= head

    def remember():
        scores[0] = 1

    remember()
    return head


def example():
    return run, (torch.tensor([[0.769, 1.322, 1.536, -1.858], [-1.81, 1.068, -0.772, -1.186]], requires_grad=True),)
