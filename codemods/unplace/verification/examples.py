"""Programs to run: a function and fresh arguments for it, as a module's `example()` returns them."""

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
    """A call that can be observed: a function and the arguments that `example()` made for it.

    With `autocast` the call runs under `torch.autocast` in bfloat16, as in training with mixed precision.
    """

    function: Callable[..., object]
    arguments: tuple[object, ...]
    keywords: Mapping[str, object] = field(default_factory=dict)
    autocast: bool = False

    def call(self) -> object:
        """Call the function and return its result."""
        with torch.autocast("cpu", dtype=torch.bfloat16) if self.autocast else nullcontext():
            return self.function(*self.arguments, **self.keywords)


Maker = Callable[[], Program]


def maker(source: str, filename: str) -> Maker:
    """Compile a module and return a function that executes it anew and returns the program of its `example()`.

    A fresh module per run keeps runs apart: state that one leaves in a global or a class is not there for the next.
    All modules are given the same name, so that the names of types agree on both sides of a comparison.
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
    """Return the program for the result of an `example()`: `(function, arguments)`, then keywords if there are any.

    Raises `TypeError` where it is anything else; `source` names the example in the message.
    """
    match made:
        case (function, (*arguments,)) if callable(function):
            return Program(function, tuple(arguments))
        case (function, (*arguments,), {**keywords}) if callable(function):
            return Program(function, tuple(arguments), {str(name): value for name, value in keywords.items()})
    raise TypeError(f"{source}: example() must return (function, (argument, ...)), not {type(made).__name__}")
