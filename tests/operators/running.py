"""Runs a function of a program before and after its rewrite and tells what an observer would notice."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch

from operators.samples import mapped, tensors

Function = Callable[..., Any]
STEP = 1e-6
NARROW = (torch.float32, torch.complex64, torch.float16, torch.bfloat16)


@dataclass(frozen=True)
class Seen:
    """What a call showed: results, arguments afterwards, gradients of the arguments, the random state."""

    outputs: tuple[torch.Tensor, ...]
    plain: tuple[object, ...]
    arguments: tuple[torch.Tensor, ...]
    needs_grad: tuple[bool, ...]
    gradients: tuple[torch.Tensor | None, ...]
    random: torch.Tensor
    broken: str = ""
    """What autograd said about the backward."""


def run(function: Function, inputs: tuple[Any, ...], grad: str, buffers: int = 0) -> Seen | str:
    """The call on fresh inputs; the message where it raises.

    `grad`: 'all', 'first' or 'none' of them require it; the first `buffers` inputs never do.
    """
    leaves: list[torch.Tensor] = []

    def fresh(tensor: torch.Tensor) -> torch.Tensor:
        copy = tensor.detach().clone()
        floating = copy.is_floating_point() or copy.is_complex()
        if floating and copy.layout == torch.strided and (grad == "all" or (grad == "first" and not leaves)):
            leaves.append(copy.requires_grad_())
        return copy

    given = (*mapped(inputs[:buffers], lambda t: t.detach().clone()), *mapped(inputs[buffers:], fresh))
    torch.default_generator.manual_seed(7)
    try:
        result = function(*given)
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    random = torch.get_rng_state()
    outputs = tuple(tensors(result))
    gradients: tuple[torch.Tensor | None, ...] = (None,) * len(leaves)
    broken = ""
    if leaves:
        total = weighted(outputs)
        if total.requires_grad:
            try:
                gradients = torch.autograd.grad(total, leaves, allow_unused=True)
            except (RuntimeError, NotImplementedError) as error:
                broken = str(error)[:200]
    return Seen(
        tuple(o.detach() for o in outputs),
        tuple(_plain(result)),
        tuple(t.detach() for t in tensors(given)),
        tuple(o.requires_grad for o in outputs),
        gradients,
        random,
        broken,
    )


def _plain(value: Any) -> Iterator[object]:
    if isinstance(value, list | tuple):
        for item in value:
            yield from _plain(item)
    elif not isinstance(value, torch.Tensor):
        yield value


@cache
def _weights(count: int, place: int) -> torch.Tensor:
    return torch.linspace(1, 2, count, dtype=torch.float64) + place / 10


def weighted(outputs: tuple[torch.Tensor, ...]) -> torch.Tensor:
    """One number that depends on every element of the floating-point outputs, each with a weight of its own."""
    total = torch.zeros((), dtype=torch.float64)
    for place, output in enumerate(outputs):
        dense = output.to_dense() if output.layout != torch.strided else output
        real = torch.view_as_real(dense.resolve_conj()) if dense.is_complex() else dense
        if real.is_floating_point():
            total = total + (real.double().flatten() * _weights(real.numel(), place)).sum()
    return total


@dataclass(frozen=True)
class Difference:
    """One kind of difference, in a word, and its detail."""

    kind: str
    detail: str


def compare(before: Seen, after: Seen) -> Iterator[Difference]:
    """What distinguishes two runs."""
    if len(before.outputs) != len(after.outputs) or before.plain != after.plain:
        yield Difference("structure", f"{after.plain} instead of {before.plain}")
        return
    for place, (a, b) in enumerate(zip(before.outputs, after.outputs, strict=True)):
        yield from _tensor(f"output {place}", a, b, "value")
    for place, (a, b) in enumerate(zip(before.arguments, after.arguments, strict=True)):
        yield from _tensor(f"argument {place}", a, b, "argument")
    if not torch.equal(before.random, after.random):
        yield Difference("random", "other draws from the random generator")
    if before.broken:
        return
    tight = all(t.dtype not in NARROW for seen in (before, after) for t in (*seen.outputs, *seen.arguments))
    if after.broken:
        yield Difference("backward", after.broken)
        return
    flags = zip(before.needs_grad, after.needs_grad, strict=True)
    if any(a and not b for a, b in flags) and any(g is not None and bool((g != 0).any()) for g in before.gradients):
        yield Difference("requires_grad", f"{after.needs_grad} instead of {before.needs_grad}")
    for place, (a, b) in enumerate(zip(before.gradients, after.gradients, strict=True)):
        if a is not None or b is not None:
            zeros = torch.zeros_like(b if a is None else a)
            yield from _tensor(
                f"gradient {place}", zeros if a is None else a, zeros if b is None else b, "gradient", tight
            )


def _tensor(place: str, a: torch.Tensor, b: torch.Tensor, kind: str, tight: bool = True) -> Iterator[Difference]:
    if a.shape != b.shape:
        yield Difference("shape", f"{place} has {tuple(b.shape)} instead of {tuple(a.shape)}")
    elif a.dtype != b.dtype:
        yield Difference("dtype", f"{place} is {b.dtype} instead of {a.dtype}")
    elif a.layout != b.layout:
        yield Difference("layout", f"{place} is {b.layout} instead of {a.layout}")
    elif not same(a, b, tight):
        far = (a.to_dense().to(torch.complex128) - b.to_dense().to(torch.complex128)).abs()
        yield Difference(kind, f"{place} differs by {float(far.nan_to_num(nan=torch.inf).max()):.3g}")


def same(a: torch.Tensor, b: torch.Tensor, tight: bool = True) -> bool:
    """Equal, or as close as another order of additions leaves them."""
    if a.layout != torch.strided:
        a, b = a.to_dense(), b.to_dense()
    if torch.equal(a, b):
        return True
    if not (a.is_floating_point() or a.is_complex()):
        return False
    relative, absolute = (1e-10, 1e-12) if tight and a.dtype not in NARROW else (1e-5, 1e-6)
    return bool(torch.allclose(a, b, rtol=relative, atol=absolute, equal_nan=True))


def slope(function: Function, inputs: tuple[Any, ...], seen: Seen) -> str | None:
    """What is wrong with the gradients of the rewrite, by finite differences of the original's forward.

    For originals whose own backward raises. None: nothing is wrong, or a kink is near and nothing can be said.
    """
    floats = [t for t in tensors(inputs) if t.is_floating_point() or t.is_complex()]
    if not floats or any(t.dtype not in (torch.float64, torch.complex128) for t in floats):
        return None
    generator = torch.Generator().manual_seed(1)
    directions = [torch.randn(t.shape, dtype=t.dtype, generator=generator) for t in floats]
    found = [_difference(function, inputs, directions, step) for step in (STEP, STEP / 8)]
    if found[0] is None or found[1] is None or not _near(found[0], found[1]):
        return None
    told = 0.0
    for gradient, direction in zip(seen.gradients, directions, strict=True):
        if gradient is not None:
            told += float((gradient.conj() * direction).real.sum())
    return None if _near(told, found[0]) or told != told else f"slope {told:.6g} instead of {found[0]:.6g}"


def _near(a: float, b: float) -> bool:
    return abs(a - b) <= 1e-4 * (1 + abs(a) + abs(b))


def _difference(
    function: Function, inputs: tuple[Any, ...], directions: list[torch.Tensor], step: float
) -> float | None:
    ends = []
    for sign in (1, -1):
        remaining = iter(directions)

        def moved(t: torch.Tensor, sign: int = sign, remaining: Iterator[torch.Tensor] = remaining) -> torch.Tensor:
            return t + sign * step * next(remaining) if t.is_floating_point() or t.is_complex() else t

        seen = run(function, mapped(inputs, moved), "none")
        if isinstance(seen, str):
            return None
        ends.append(float(weighted(seen.outputs)))
    value = (ends[0] - ends[1]) / (2 * step)
    return value if abs(value) < 1e8 else None


def silence() -> None:
    """One thread, and no warnings: many samples make torch speak."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
