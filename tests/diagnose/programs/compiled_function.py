# cause: out-of-place, fix: safe
import torch


@torch.compile(backend="eager")
def step(x: torch.Tensor) -> torch.Tensor:
    y = torch.exp(x)  # victim
    y += 1  # culprit
    return y


step(torch.rand(4, requires_grad=True)).sum().backward()
