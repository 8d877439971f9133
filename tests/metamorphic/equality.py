"""Whether two programs do the same, wherever they keep what they hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch

from unplace.verification.compare import compare_notes, compare_random_state
from unplace.verification.examples import Maker
from unplace.verification.observe import ARGUMENT, Observation, observe
from unplace.verification.proof import IN_PLACE
from unplace.verification.reference import forward_only


@dataclass(frozen=True)
class Behaviour:
    """What is compared of a program: one run and, where that raises, one without autograd."""

    seen: Observation
    forward: Observation

    @classmethod
    def of(cls, make: Maker) -> Behaviour:
        seen = observe(make)
        return cls(seen, seen if seen.error is None else forward_only(make))


def differences(before: Behaviour, after: Behaviour) -> list[str]:
    """What a program does otherwise: values, arguments afterwards, random numbers, gradients, complaints."""
    found = list(_complaints(before.seen, after.seen))
    a, b = before.forward, after.forward
    if _nameless(a.error) != _nameless(b.error):
        found.append(f"the forward raises {b.error} instead of {a.error}")
    found += map(str, compare_notes(a.outputs, b.outputs))
    found += map(str, compare_random_state(a, b))
    values = [[(n.place, n.value) for n in seen.state if isinstance(n.value, torch.Tensor)] for seen in (a, b)]
    found += _unmatched("argument", *([v for v in side if v[0].startswith(ARGUMENT)] for side in values))
    gradients = [[(g.place, g.value) for g in side.seen.gradients] for side in (before, after)]
    return found + _unmatched("gradient", *gradients)


def _complaints(a: Observation, b: Observation) -> Iterable[str]:
    for one, other in ((a.error, b.error), (a.backward_error, b.backward_error)):
        if (one is None) != (other is None) or (one and other and _kind(one) != _kind(other)):
            yield f"raises {other} instead of {one}"


def _nameless(error: str | None) -> str | None:
    """Return an error without the name of a local variable, which is another one where names are."""
    return error and re.sub(r"local variable '\w+'", "local variable", error)


def _kind(error: str) -> tuple[str, bool]:
    return error.split(":")[0], bool(IN_PLACE.search(error))


Placed = tuple[str, torch.Tensor | None]


def _unmatched(what: str, before: Sequence[Placed], after: Sequence[Placed]) -> list[str]:
    """The values on either side that the other lacks: those of an argument by its number, others in any place."""
    found, left = [], list(after)
    for place, value in before:
        same = next((n for n, (other, v) in enumerate(left) if _root(other) == _root(place) and _equal(v, value)), None)
        if same is None:
            found.append(f"no {what} is that of {place}")
        else:
            del left[same]
    return found + [f"the {what} of {place} is new" for place, _ in left]


def _root(place: str) -> str:
    """Where the argument of a place stands, nothing where the function holds it."""
    found = re.match(rf"{ARGUMENT}\[\d+\]", place)
    return found[0] if found else ""


def _equal(a: torch.Tensor | None, b: torch.Tensor | None) -> bool:
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and a.dtype == b.dtype and bool(torch.allclose(a, b, equal_nan=True))
