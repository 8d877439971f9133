"""Measures the cost of a forward and backward pass: its time, and the memory of its tensors."""

from __future__ import annotations

import statistics
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import torch
from torch.profiler import ProfilerActivity, profile

from unplace.verification.examples import Maker
from unplace.verification.isolation import fresh
from unplace.verification.observe import leaves_of, weighted_sum
from unplace.verification.pytree import tensors

ROUNDS = 7


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a pass: its median time, and the most bytes by which the tensors in use grew."""

    seconds: float
    peak_bytes: int
    with_backward: bool


def measure(make: Maker, *, backward: bool = True) -> Cost:
    """Measure forward and backward: run them once to warm up, once for memory and then several times for the time.

    A program whose backward raises can be measured with `backward=False`.
    """
    _pass(make, backward)
    peak = _peak(make, backward)
    return Cost(statistics.median(_pass(make, backward) for _ in range(ROUNDS)), peak, backward)


def _pass(make: Maker, backward: bool, watch: AbstractContextManager[object] | None = None) -> float:
    """Run a pass and return the seconds that it takes; `watch` is entered once the program is made."""
    with fresh(make) as program:
        leaves = [leaf for _, leaf in leaves_of(program)]
        with watch or nullcontext():
            _wait()
            start = time.perf_counter()
            total = weighted_sum(tensors(program.call(), "output"))
            if backward and total.requires_grad and leaves:
                torch.autograd.grad(total, leaves, allow_unused=True)
            _wait()
            return time.perf_counter() - start


def _peak(make: Maker, backward: bool) -> int:
    """Run a pass and return the most bytes that were allocated and not yet freed."""
    if torch.cuda.is_initialized():
        torch.cuda.reset_peak_memory_stats()
        base = torch.cuda.memory_allocated()
        _pass(make, backward)
        return int(torch.cuda.max_memory_allocated() - base)
    profiled = profile(activities=[ProfilerActivity.CPU], profile_memory=True)
    _pass(make, backward, profiled)
    in_use = peak = 0
    for event in sorted(profiled.events(), key=lambda event: event.time_range.end):
        in_use += event.self_cpu_memory_usage
        peak = max(peak, in_use)
    return peak


def _wait() -> None:
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()
