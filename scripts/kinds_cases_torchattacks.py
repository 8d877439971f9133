"""Every attack on a small network."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import torch
from kinds_cases import Case
from torch import nn


def cases() -> Iterator[Case]:
    """Yield the cases of torchattacks."""
    import torchattacks

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
            self.head = nn.Linear(16, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.head(self.body(x))

    model = Net().eval()
    image, labels = torch.rand(2, 3, 16, 16), torch.tensor([0, 2])
    small = {"steps": 3, "n_queries": 6, "n_restarts": 1, "max_iter": 3, "inf_batch": 4, "popsize": 4, "n_classes": 4}

    def attack(cls: Any, extra: dict[str, Any], is_targeted: bool) -> Callable[[], None]:
        def run() -> None:
            wanted = inspect.signature(cls).parameters
            made = cls(model, **{k: v for k, v in (small | extra).items() if k in wanted})
            if is_targeted:
                made.set_mode_targeted_by_label()
            made(image.clone(), (labels + 1) % 4 if is_targeted else labels)

        return run

    for name in dir(torchattacks):
        cls = getattr(torchattacks, name)
        if inspect.isclass(cls):
            yield attack(cls, {}, False)
            yield attack(cls, {}, True)
            for norm in ("Linf", "L2", "L1"):
                if "norm" in inspect.signature(cls).parameters:
                    yield attack(cls, {"norm": norm}, False)
            for loss in ("ce", "dlr", "margin"):
                if "loss" in inspect.signature(cls).parameters:
                    yield attack(cls, {"loss": loss}, False)
