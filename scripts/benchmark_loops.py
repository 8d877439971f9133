#!/usr/bin/env python3
"""What loops that fill a tensor step by step cost before and after rewriting, forward and backward.

    PYTHONPATH=codemods python scripts/benchmark_loops.py
    PYTHONPATH=codemods python scripts/benchmark_loops.py --steps 10 100 --repeats 3

Each loop reads the slot of the step before, so that its backward fails. It is compared with the same loop that keeps
this slot in a second name (`h`): that one writes the tensor in place as well, and its backward works. As multiples of
its CPU time and peak tensor memory, the table gives the original under
`torch.autograd.graph.allow_mutation_on_saved_tensors`, what `unplace` makes of it by default, and with `--unsafe`. The
last column is the forward alone of the latter, as multiples of the original's. All of them have to give the same values
and gradients, which is tested first.

The inputs are unbound before the loop: `x[t]` in it would send a gradient of all steps back in every step by itself.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from time import process_time

import torch
from torch.autograd.graph import allow_mutation_on_saved_tensors
from torch.profiler import ProfilerActivity, profile

from unplace.config.options import Options
from unplace.transform.rewriter import rewrite_text

BATCH, WIDTH = 16, 64
Tensors = tuple[torch.Tensor, ...]

RECURRENT = """
import torch

def run(x, w):
    steps, batch, width = x.shape
    inputs = x.unbind()
    out = torch.zeros(steps, batch, width)
    out[0] = inputs[0]
    for t in range(1, steps):
        out[t] = torch.tanh(out[t - 1] @ w + inputs[t])
    return out
"""
TABLE = """
import torch

def run(x, w):
    steps, batch, width = x.shape
    inputs = x.unbind()
    best = torch.zeros(steps, batch, width)
    best[0] = inputs[0]
    for t in range(1, steps):
        best[t] = torch.logsumexp(best[t - 1].unsqueeze(-1) * w, dim=1) + inputs[t]
    return best
"""
SOLVER = """
import torch

def run(x, w):
    steps, batch, width = x.shape
    inputs = x.unbind()
    y = torch.zeros(batch, steps, width)
    y[:, 0] = inputs[0]
    for t in range(1, steps):
        y[:, t] = y[:, t - 1] + 0.1 * (torch.sin(y[:, t - 1]) @ w + inputs[t])
    return y
"""


@dataclass(frozen=True)
class Loop:
    """A program, the slot that it reads, and the line that fills it."""

    name: str
    source: str
    slot: str

    def with_second_name(self) -> str:
        """The same loop, which keeps what it reads next in a name of its own."""
        tensor = self.slot[: self.slot.index("[")]
        read = self.slot.replace("t]", "t - 1]")
        lines = self.source.replace(read, "h").splitlines()
        first = next(i for i, line in enumerate(lines) if line.endswith("= inputs[0]"))
        lines[first] += "; h = inputs[0]"
        store = next(i for i, line in enumerate(lines) if line.strip().startswith(f"{self.slot} ="))
        lines[store] = lines[store].replace(self.slot, "h", 1) + f"; {self.slot} = h"
        assert f"{tensor}[" not in lines[store].split(";")[0]
        return "\n".join(lines)


LOOPS = (
    Loop("recurrent cell", RECURRENT, "out[t]"),
    Loop("table of a dynamic program", TABLE, "best[t]"),
    Loop("Euler solver, batch first", SOLVER, "y[:, t]"),
)


@dataclass(frozen=True)
class Cost:
    """CPU seconds (the best of several runs) and bytes (the most that was allocated at one time) of one run."""

    seconds: float
    bytes: int

    def of(self, other: Cost) -> str:
        """This cost as multiples of another one."""
        return f"{self.seconds / other.seconds:.2f} / {self.bytes / other.bytes:.2f}"


@dataclass(frozen=True)
class Variant:
    """One way to run a loop."""

    run: Callable[..., torch.Tensor]
    around: Callable[[], AbstractContextManager[object]] = nullcontext

    def step(self, inputs: Tensors, *, backward: bool = True) -> None:
        """One forward, and the backward."""
        with self.around():
            result = self.run(*inputs)
            if backward:
                result.square().mean().backward()

    def gradients(self, inputs: Tensors) -> Tensors:
        """The values and the gradients of one run."""
        with self.around():
            result = self.run(*inputs)
            return (result.detach(), *torch.autograd.grad(result.square().mean(), inputs))


def compiled(source: str) -> Callable[..., torch.Tensor]:
    """The function `run` of a program."""
    namespace: dict[str, Callable[..., torch.Tensor]] = {}
    exec(source, namespace)
    return namespace["run"]


def inputs_of(steps: int) -> Tensors:
    """Steps x batch x width numbers, and a matrix."""
    torch.manual_seed(0)
    return torch.randn(steps, BATCH, WIDTH, requires_grad=True), (torch.randn(WIDTH, WIDTH) / WIDTH).requires_grad_()


def cost(variant: Variant, steps: int, repeats: int, *, backward: bool = True) -> Cost:
    """What one run of a variant costs."""
    inputs = inputs_of(steps)
    times: list[float] = []
    for _ in range(repeats):
        gc.collect()
        start = process_time()
        variant.step(inputs, backward=backward)
        times.append(process_time() - start)
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        variant.step(inputs, backward=backward)
    return Cost(min(times), peak(seen))


def check(one: Variant, other: Variant, steps: int) -> None:
    """Compare values and gradients of two variants in float64; raises `AssertionError` where they differ."""
    torch.set_default_dtype(torch.float64)
    for a, b in zip(one.gradients(inputs_of(steps)), other.gradients(inputs_of(steps)), strict=True):
        torch.testing.assert_close(a, b)
    torch.set_default_dtype(torch.float32)


def peak(seen: profile) -> int:
    """The most bytes that were allocated at one time."""
    most = now = 0
    for event in sorted(seen.profiler.kineto_results.events(), key=lambda e: e.start_ns()):  # type: ignore[union-attr]
        if event.name() == "[memory]":
            now += event.nbytes()
            most = max(most, now)
    return most


def rows(steps: list[int], repeats: int) -> Iterator[tuple[str, ...]]:
    """The rows of the table."""
    for loop in LOOPS:
        default = rewrite_text(loop.source, loop.name, Options()).after
        collected = rewrite_text(loop.source, loop.name, Options(unsafe=True)).after
        assert "append(" in collected
        original, plain = Variant(compiled(loop.source)), Variant(compiled(loop.with_second_name()))
        after = Variant(compiled(collected))
        variants = (
            Variant(original.run, allow_mutation_on_saved_tensors),
            Variant(compiled(default)),
            after,
        )
        for count in steps:
            for variant in variants:
                check(plain, variant, count)
            base = cost(plain, count, repeats)
            found = [cost(variant, count, repeats).of(base) for variant in variants]
            forward = cost(after, count, repeats, backward=False).of(cost(original, count, repeats, backward=False))
            yield (loop.name, str(count), f"{base.seconds * 1e3:.1f} ms / {base.bytes / 1e6:.1f} MB", *found, forward)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    print("| loop | steps | in place | allow_mutation | default | `--unsafe` | forward of `--unsafe` |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for row in rows(arguments.steps, arguments.repeats):
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
