"""What waits on the stack of a caller, in the bytecode of each Python: `x` of `x + f(x)` while `f` runs."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from unplace.observation.stack import waiting


@pytest.mark.parametrize(
    ("expression", "names", "others"),
    [
        ("g()", set(), False),
        ("x + g()", {"x"}, False),
        ("g() + x", set(), False),
        ("[x, g(x)]", {"x"}, False),
        ("o.h + g()", {"o.h"}, False),
        ("o.h.add(g())", {"o.h"}, False),
        ("max(o, g())", {"max", "o"}, False),
        ("max(o(x), g())", {"max"}, True),
        ("x if x else (o, g())", {"o"}, False),
        ("(x * 2) + g()", set(), False),
        ("x[0] + g()", set(), True),
        ("{x: g()}", {"x"}, False),
        ("(x or o) + g()", set(), True),
        ("f'{o} {g()}'", set(), False),
    ],
)
def test_what_waits_on_the_stack(expression: str, names: set[str], others: bool) -> None:
    seen = []

    class Anything(list[int]):
        h: Any = None

        def __getattr__(self, name: str) -> Any:
            return lambda *_: self

        def __call__(self, *_: object) -> Any:
            return self

        def __add__(self, _: object) -> Any:
            return self

        __radd__ = __mul__ = __abs__ = __getitem__ = __add__  # type: ignore[assignment]
        __hash__ = object.__hash__  # type: ignore[assignment]

    def g(*_: object) -> Any:
        caller: FrameType | None = sys._getframe(1)
        assert caller is not None
        seen.append(waiting(caller.f_code, caller.f_lasti))
        return Anything()

    one = Anything([1])
    one.h = one
    space: dict[str, Any] = {"g": g, "max": lambda *_: one}
    exec(f"def f(x, o):\n  return {expression}", space)
    space["f"](Anything() if " if x else" in expression else one, one)
    assert (seen[0].names - {"g"}, seen[0].others) == (names, others)
