# cause: unseen, fix: none
import torch


@torch.jit.script
def step(x: torch.Tensor) -> torch.Tensor:
    y = torch.exp(x)
    y += 1
    return y


step(torch.rand(4, requires_grad=True)).sum().backward()  # victim
