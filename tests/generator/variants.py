"""Other ways to call the same program: with arguments in other layouts, twice in a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch.utils._pytree import tree_leaves, tree_map_only

from unplace.verification.examples import Maker, Program, maker

Variant = Callable[[Program], Program]


def _each(change: Callable[[torch.Tensor], torch.Tensor]) -> Variant:
    """The program with every tensor among its arguments in another layout; the new ones are leaves as the old were.

    Raises `ValueError` where that is no other one.
    """

    def changed(value: torch.Tensor) -> torch.Tensor:
        made = change(value.detach())
        return made.requires_grad_() if value.requires_grad else made

    def variant(program: Program) -> Program:
        arguments = tree_map_only(torch.Tensor, changed, program.arguments)
        pairs = zip(tree_leaves(program.arguments), tree_leaves(arguments), strict=True)
        if all(a.stride() == b.stride() for a, b in pairs if isinstance(a, torch.Tensor)):
            raise ValueError("no argument has another layout")
        return replace(program, arguments=arguments)

    return variant


def _transposed(value: torch.Tensor) -> torch.Tensor:
    return value.mT.clone(memory_format=torch.contiguous_format).mT if value.dim() > 1 else _sliced(value)


def _sliced(value: torch.Tensor) -> torch.Tensor:
    return torch.stack([value, value], -1)[..., 0]


def _expanded(value: torch.Tensor) -> torch.Tensor:
    return value[:1].expand_as(value) if value.dim() else value.clone()


def _channels_last(value: torch.Tensor) -> torch.Tensor:
    return value.clone(memory_format=torch.channels_last) if value.dim() == 4 else value.clone()


def _twice(program: Program) -> Program:
    """The program called twice in a row, the second time with copies of the arguments that aren't leaves."""

    function = program.function

    def both(*arguments: object) -> tuple[object, object]:
        again = tree_map_only(torch.Tensor, torch.clone, arguments)
        return function(*arguments), function(*again)

    return replace(program, function=both)


VARIANTS: dict[str, Variant] = {
    "transposed arguments": _each(_transposed),
    "sliced arguments": _each(_sliced),
    "expanded arguments": _each(_expanded),
    "arguments in channels_last": _each(_channels_last),
    "two calls": _twice,
}


@dataclass(frozen=True, slots=True)
class Contained(Program):
    """A program that leaves no autocast and no default dtype to those that run after it."""

    def call(self) -> object:
        """Call the function and return its result."""
        dtype, lowered = torch.get_default_dtype(), torch.is_autocast_enabled("cpu")
        try:
            return Program.call(self)
        finally:
            torch.set_default_dtype(dtype)
            torch.set_autocast_enabled("cpu", lowered)


def contained(text: str) -> Maker:
    """The maker of a program."""
    make = maker(text, "before.py")

    def made() -> Program:
        program = make()
        return Contained(program.function, program.arguments, program.keywords)

    return made


def varied(make: Maker, name: str) -> Maker:
    """A maker of the same program, called in another way; as it is where the way has no name."""
    variant = VARIANTS.get(name)
    return make if variant is None else lambda: variant(make())
