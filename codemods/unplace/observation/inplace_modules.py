"""What works in place because of `inplace=True`: modules remember the call that made them, and tell of their input.

So does `partial(F.relu, inplace=True)`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial, wraps
from types import FrameType
from typing import Any

import torch

from unplace.observation.faults import report_fault

_MADE = "_unplace_made"
"""The attribute in which a module remembers its call; copies of the module have it, too."""


class ToldPartial(partial[Any]):
    """A function with arguments that tells of its input when it is called, through `told`."""

    told: Callable[[object, FrameType], None] | None = None

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        if self.told is not None and args:
            self.told(args[0], sys._getframe())
        return super().__call__(*args, **kwargs)

    def __reduce__(self) -> Any:
        """Return what makes a plain one, without what only this process knows."""
        return partial(self.func, *self.args, **self.keywords).__reduce__()


OnRun = Callable[[int, object, FrameType], None]
"""Takes the number of a call, the input of a module that the call made, and the frame of the module's forward."""


class Modules:
    """Watches the classes of the modules that are made in place."""

    def __init__(self, on_run: OnRun) -> None:
        self._on_run = on_run
        self._forwards: dict[Any, Any] = {}
        self._bound: dict[type, set[int]] = {}

    def made(self, module: torch.nn.Module, number: int) -> None:
        """Have a module tell of its inputs from now on, under the number of the call that made it."""
        module.__dict__[_MADE] = number
        self._watch_forward(type(module))

    def _number(self, module: torch.nn.Module) -> int | None:
        """Return the number of the call that made a module; None where that isn't known."""
        number: int | None = module.__dict__.get(_MADE)
        bound = self._bound.get(type(module), set())
        return next(iter(bound)) if number is None and len(bound) == 1 else number

    def _watch_forward(self, cls: type) -> None:
        owner = next((cls for cls in cls.__mro__ if "forward" in vars(cls)), None)
        if owner is not None and owner.__module__.startswith("torch.nn.") and owner not in self._forwards:
            self._watch(owner)

    def bound(self, maker: partial[Any], number: int) -> partial[Any]:
        """Take `partial(nn.ReLU, inplace=True)`: modules of the class that no other call is known to have made.

        Return it, or one of a function that tells of its input: `partial(F.relu, inplace=True)`.
        """
        if not isinstance(maker.func, type):
            telling = ToldPartial(maker.func, *maker.args, **maker.keywords)
            telling.told = partial(self._tell, number)
            return telling
        if issubclass(maker.func, torch.nn.Module):
            self._bound.setdefault(maker.func, set()).add(number)
            self._watch_forward(maker.func)
        return maker

    def _tell(self, number: int, value: object, frame: FrameType) -> None:
        try:
            self._on_run(number, value, frame)
        except Exception:
            report_fault()

    def close(self) -> None:
        """Stop watching."""
        for owner, forward in self._forwards.items():
            owner.forward = forward
        self._forwards.clear()

    def _watch(self, owner: Any) -> None:
        forward, tell, numbered = owner.forward, self._tell, self._number
        self._forwards[owner] = forward

        @wraps(forward)
        def watched(self: Any, *args: Any, **kwargs: Any) -> Any:
            number = numbered(self)
            if number is not None and getattr(self, "inplace", False) and (args or kwargs):
                tell(number, args[0] if args else next(iter(kwargs.values())), sys._getframe())
            return forward(self, *args, **kwargs)

        owner.forward = watched
