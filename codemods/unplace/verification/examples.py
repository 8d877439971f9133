"""Programs to run: a module's `example()` gives a function and fresh arguments for it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from types import ModuleType

import torch

MODULE_NAME = "unplace_example"


@dataclass(frozen=True, slots=True)
class Program:
    """One call that can be observed: the function and the arguments that `example()` made for it.

    With `autocast` it is made in bfloat16, as in training with mixed precision.
    """

    function: Callable[..., object]
    arguments: tuple[object, ...]
    keywords: Mapping[str, object] = field(default_factory=dict)
    autocast: bool = False

    def call(self) -> object:
        """Call the function."""
        with torch.autocast("cpu", dtype=torch.bfloat16) if self.autocast else nullcontext():
            return self.function(*self.arguments, **self.keywords)


Maker = Callable[[], Program]


def maker(source: str, filename: str) -> Maker:
    """Compile a module once; each call of the result executes it anew and asks its `example()` for a program.

    A fresh module per run keeps runs apart: state that one leaves in a global or a class is not there for the next.
    Both sides of a comparison are given the same module name, so that the names of their types agree.
    """
    code = compile(source, filename, "exec", dont_inherit=True)

    def make() -> Program:
        module = ModuleType(MODULE_NAME)
        module.__file__ = filename
        outer = sys.modules.get(MODULE_NAME)
        sys.modules[MODULE_NAME] = module  # dataclasses look up the module of their class
        try:
            exec(code, vars(module))
            return as_program(module.example(), filename)
        finally:
            if outer is None:
                del sys.modules[MODULE_NAME]
            else:
                sys.modules[MODULE_NAME] = outer

    return make


def as_program(made: object, source: str) -> Program:
    """What an `example()` returned, as a program; raises `TypeError` where it is something else."""
    match made:
        case (function, (*arguments,)) if callable(function):
            return Program(function, tuple(arguments))
        case (function, (*arguments,), {**keywords}) if callable(function):
            return Program(function, tuple(arguments), {str(name): value for name, value in keywords.items()})
    raise TypeError(f"{source}: example() must return (function, (argument, ...)), not {type(made).__name__}")
