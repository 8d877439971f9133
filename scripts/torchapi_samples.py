"""Samples to run: torch's own OpInfo samples, and hand-written calls for what they leave out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torchapi_measure import Sample, quietly, seed

LIMITS = {"float32": 80, "int64": 20, "bool": 10, "uint8": 10, "complex64": 30, "float16": 6, "float64": 10}
TOGETHER = 200  # samples of one dtype for a name with many variants


def by_name() -> dict[str, list[Any]]:
    """OpInfo name or alias -> OpInfos."""
    found: dict[str, list[Any]] = defaultdict(list)
    for info in op_db:
        found[info.name].append(info)
        for alias in info.aliases:
            found[alias.name].append(info)
    return found


def opinfo_samples(infos: list[Any]) -> dict[str, list[Sample]]:
    """dtype name -> samples, in a fixed order, from freshly seeded generators."""
    groups: dict[str, list[Sample]] = {}
    for name, limit in LIMITS.items():
        dtype = getattr(torch, name)
        found: list[Sample] = []
        for info in infos:
            if dtype in info.supported_dtypes("cpu"):
                found += quietly(lambda: _take(info, dtype, limit)) or []  # noqa: B023
        groups[name] = found[:TOGETHER]
    return groups


def _take(info: Any, dtype: Any, limit: int) -> list[Sample]:
    seed()
    gradients = info.supports_autograd and dtype in info.supported_backward_dtypes("cpu")
    # info.sample_inputs() inspects the stack for every sample, which takes most of the time
    samples = iter(info.sample_inputs_func(info, torch.device("cpu"), dtype, gradients))
    found: list[Sample] = []
    while len(found) < limit:
        given = quietly(lambda: next(samples))  # None: no more, or this dtype cannot be made
        if given is None:
            break
        found.append(Sample((given.input, *given.args), dict(given.kwargs)))
    return found


def hand_samples(calls: tuple[str, ...]) -> dict[str, list[Sample]]:
    """Samples from argument lists written as source, such as 'x, 0.5, training=False'."""
    groups: dict[str, list[Sample]] = {"float32": []}
    for source in calls:
        seed()
        groups["float32"].append(_collected(source))
    return groups


def _collected(source: str) -> Sample:
    def collect(*args: Any, **kwargs: Any) -> Sample:
        return Sample(args, kwargs)

    build: Callable[..., Any] = eval(f"lambda collect: collect({source})", names())
    sample: Sample = build(collect)
    return sample


def names() -> dict[str, Any]:
    """What hand-written calls may use: 3 by 3 tensors x, y, z (complex), m (mask), s (sparse), and other shapes."""
    x, y = torch.rand(3, 3) + 0.1, torch.rand(3, 3) + 0.1
    return {
        "torch": torch,
        "x": x,
        "y": y,
        "v": torch.rand(3) + 0.1,
        "i": torch.tensor([0, 2]),
        "m": torch.eye(3, dtype=torch.bool),
        "z": torch.complex(x, y),
        "b": torch.rand(2, 3, 8),
        "im": torch.rand(2, 4, 6, 6),
        "s": torch.eye(3).to_sparse(),
    }
