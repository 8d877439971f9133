"""Wrong rewrites made from right ones: each kind of mistake, where it can't help being seen.

A program is wrapped so that something is done around its call. Both sides of a comparison are wrapped in the same
way; on the side that is made wrong, `spoil` isn't the identity. Whether a mistake shows is decided here without the
verification engine, which is what is put to the test.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

WRAPPER = """

_right_example = example


def example():
    function, arguments = _right_example()

    def call(*arguments):
        return {call}

    return call, arguments
"""

RIGHT = "function(*arguments)"

HELPERS = """
import torch as _torch
from torch.utils._pytree import tree_map as _tree_map


def _first(change, suits=lambda t: t.is_floating_point() and t.numel() > 0):
    def spoil(result):
        done = []

        def visit(leaf):
            if done or not isinstance(leaf, _torch.Tensor) or not suits(leaf):
                return leaf
            done.append(leaf)
            return change(leaf)

        return _tree_map(visit, result)

    return spoil


def _after(result, effect):
    effect()
    return result


def _add_one(values):
    tensor = next(t for t in values if isinstance(t, _torch.Tensor) and t.is_floating_point())
    with _torch.no_grad():
        tensor.view_as(tensor).data.add_(1)
"""


@dataclass(frozen=True)
class Mistake:
    """What is done instead of `function(*arguments)`, and on which programs that is wrong."""

    name: str
    call: str
    shows: Callable[[Run], bool]


@dataclass(frozen=True)
class Run:
    """One call of a right program, looked at with plain torch."""

    function: Any
    arguments: tuple[Any, ...]
    arguments_before: list[torch.Tensor]
    result: Any

    @classmethod
    def of(cls, source: str) -> Run:
        function, arguments = load(source).example()
        torch.default_generator.manual_seed(0)
        before = [leaf.detach().clone() for leaf in tensors(arguments)]
        return cls(function, arguments, before, function(*arguments))

    @property
    def first(self) -> torch.Tensor | None:
        return next((t for t in tensors(self.result) if t.is_floating_point() and t.numel()), None)

    def everything(self) -> list[torch.Tensor]:
        state = self.function.state_dict() if isinstance(self.function, torch.nn.Module) else {}
        return tensors((self.result, self.arguments, state))

    def gradients(self, outputs: slice = slice(None)) -> list[torch.Tensor]:
        """Those of some of the outputs that have one, zeros where nothing arrives."""
        sources = [t for t in tensors(self.result) if t.is_floating_point() and t.numel() and t.requires_grad][outputs]
        parameters = list(self.function.parameters()) if isinstance(self.function, torch.nn.Module) else []
        leaves = [t for t in (*tensors(self.arguments), *parameters) if t.requires_grad and t.is_leaf]
        if not sources or not leaves:
            return []
        weights = [torch.linspace(1, 2, t.numel()).reshape(t.shape).to(t.dtype) for t in sources]
        options = {"retain_graph": True, "allow_unused": True, "materialize_grads": True}
        return list(torch.autograd.grad(sources, leaves, weights, **options))

    def first_sends_a_gradient(self) -> bool:
        return any(bool((gradient.abs() > 1e-3).any()) for gradient in self.gradients(slice(1)))


def _has_nonzero_output(run: Run) -> bool:
    return run.first is not None and bool(run.first.isfinite().all()) and bool((run.first.abs() > 1e-3).any())


def _writes_its_arguments(run: Run) -> bool:
    after = tensors(run.arguments)
    if len(after) != len(run.arguments_before):  # an argument holds more tensors than before
        return True
    return any(not torch.equal(a, b) for a, b in zip(run.arguments_before, after, strict=True))


def _has_an_argument(run: Run) -> bool:
    return any(t.is_floating_point() and bool(t.isfinite().any()) for t in run.arguments if torch.is_tensor(t))


def _has_state(run: Run) -> bool:
    module = run.function
    return isinstance(module, torch.nn.Module) and any(t.is_floating_point() for t in module.state_dict().values())


MISTAKES = (
    Mistake("sign", f"_first(lambda t: -t)({RIGHT})", _has_nonzero_output),
    Mistake("scaled by 1e-5", f"_first(lambda t: t * (1 + 1e-5))({RIGHT})", _has_nonzero_output),
    Mistake("dtype", f"_first(lambda t: t.half())({RIGHT})", lambda run: run.first is not None),
    Mistake("shape", f"_first(lambda t: t[None])({RIGHT})", lambda run: run.first is not None),
    Mistake("structure", f"[{RIGHT}]", lambda run: True),
    Mistake(
        "detached",
        f"_first(lambda t: t.detach(), lambda t: t.requires_grad and t.is_floating_point() and t.numel() > 0)({RIGHT})",
        Run.first_sends_a_gradient,
    ),
    Mistake("extra draw", f"_after({RIGHT}, lambda: _torch.rand(1))", lambda run: True),
    Mistake(
        "lost argument mutation",
        "function(*_tree_map(lambda t: t.clone() if isinstance(t, _torch.Tensor) else t, arguments))",
        _writes_its_arguments,
    ),
    Mistake("changed argument", f"_after({RIGHT}, lambda: _add_one(arguments))", _has_an_argument),
    Mistake("changed state", f"_after({RIGHT}, lambda: _add_one(function.state_dict().values()))", _has_state),
)


def wrapped(source: str, call: str = RIGHT) -> str:
    """The program with something done around its call."""
    return source + HELPERS + WRAPPER.format(call=call)


def misspelt(before: str, after: str) -> Iterator[tuple[str, str]]:
    """The rewritten program with one of its new lines spoilt: a lost write-back, another operator, no clone."""
    old = set(before.splitlines())
    lines = after.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if line.rstrip("\r\n") in old:
            continue
        for name, pattern, replacement in (
            ("write-back", r"^(\s*)[\w.]+ = (.*)$", r"\1\2"),
            ("operator", r" \+ ", " - "),
            ("operator", r" \* ", " / "),
            ("clone", r"\.clone\(\)", ""),
        ):
            spoilt = re.sub(pattern, replacement, line, count=1)
            if spoilt != line:
                yield f"{name}, line {number + 1}", "".join([*lines[:number], spoilt, *lines[number + 1 :]])


def differ(right: str, wrong: str) -> bool:
    """Whether two programs end with other values or gradients, as far as plain torch can see."""
    run = Run.of(right)
    a = [*run.everything(), *run.gradients()]
    try:
        run = Run.of(wrong)
        b = [*run.everything(), *run.gradients()]
    except Exception:  # where all is well with the right one
        return True
    return len(a) != len(b) or any(
        x.shape != y.shape or bool(((x - y).abs() > 1e-4).any())
        for x, y in zip(a, b, strict=True)
        if x.is_floating_point()
    )


def load(source: str) -> ModuleType:
    module = ModuleType("sabotaged")
    exec(compile(source, "sabotaged.py", "exec"), vars(module))
    return module


def tensors(value: Any) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]
