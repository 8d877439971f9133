"""Whole programs: helpers, classes, an entry point and its `example()`."""

from __future__ import annotations

import random
from collections.abc import Callable

from generator import classes, forms, hunted, inputs, layout, networks, real, statements, strided
from generator.control import returned
from generator.functions import helper
from generator.kinds import BOOL, Kind, Parameter, Plain, Sequence, Shape, Tensor
from generator.writer import Writer

HEADER = ["import numpy as np", "import torch", "import torch.nn.functional as F", "from torch import nn", "", ""]
BOX = ["class Box:", "    pass", "", ""]


DIALECTS = ("plain", "forms", "real", "hunted")
"""What programs are made of: the plain statements; with the forms of `generator.forms`, too; mostly those of
`generator.real`, or of `generator.hunted`."""


def generate(seed: int, dialect: str = "plain") -> str:
    """A program from a seed, always the same one."""
    more = dialect == "forms"
    w = Writer(random.Random(seed))
    w.more = dialect != "plain"
    w.weights = statements.profile(w, w.more)
    if dialect == "real":
        return _mostly(w, real.STATEMENTS, (2, 8), 0.4)
    if dialect == "hunted":
        w.strided = strided.restrided
        return _mostly(w, hunted.STATEMENTS, (1, 4), 0.15)
    for _ in range(w.pick([0, 0, 1, 1, 2])):
        w.budget = 3
        helper(w)
    w.budget = w.rng.randint(5, 20)
    if w.chance(0.2):
        classes.state_class(w)
    entry = classes.module(w) if w.chance(0.25) else _function(w)
    header = [*forms.HEADER, *HEADER, *forms.CELL] if more else HEADER
    lines = [*header, *(BOX if w.used_box else []), *w.lines, "", "", *entry]
    return "\n".join(lines) + "\n"


def _mostly(w: Writer, table: dict[statements.Maker, float], budget: tuple[int, int], modules: float) -> str:
    """A shorter program of which every second statement is one of a table that the others lack."""
    w.real = {maker: weight * w.pick([0.2, 1.0, 3.0]) for maker, weight in table.items()}
    w.weights = {name: weight for name, weight in w.weights.items() if name not in ("attempt", "data_store")}
    if w.chance(0.3):
        w.budget = 2
        helper(w)
    w.budget = w.rng.randint(*budget)
    entry = networks.module(w) if w.chance(modules) else _function(w)
    odds = w.pick([0.0, 0.15, 0.6, 0.9])
    body = [*w.preamble, *w.lines]
    cell = forms.CELL if any("Cell(" in line or "Track(" in line for line in body) else []
    lines = [
        *real.HEADER,
        *(hunted.HEADER if w.strided else []),
        *forms.HEADER,
        *HEADER,
        *cell,
        *(BOX if w.used_box else []),
        *layout.squeezed(body, w.rng, odds),
    ]
    return "\n".join([*lines, "", "", *entry]) + "\n"


def _arguments(w: Writer) -> list[Parameter]:
    rows, columns = w.rows, w.columns
    wanted: list[Parameter] = [Parameter("x", Tensor((rows, columns)))]
    extra = [
        Parameter("w", Tensor((columns,))),
        Parameter("b", Tensor(w.pick([(rows, columns), (rows,), ()]))),
        Parameter("flag", Plain("flag")),
        Parameter("buffer", Tensor((rows, columns)), written=True),
        Parameter("keep", Tensor((rows, columns), BOOL)),
        Parameter("parts_in", Sequence(Tensor((columns,)), 2, False)),
    ]
    odds = (0.6, 0.3, 0.4, 0.15, 0.15, 0.1)
    if w.strided and w.chance(0.15):
        wanted.append(Parameter("image", Tensor((1, 2, rows, columns))))
    return wanted + [parameter for parameter, odd in zip(extra, odds, strict=True) if w.chance(odd)]


def annotation(kind: Kind) -> str:
    """How a parameter is annotated."""
    if isinstance(kind, Tensor):
        return "torch.Tensor"
    return "list[torch.Tensor]" if isinstance(kind, Sequence) else "bool"


def _function(w: Writer) -> list[str]:
    arguments = _arguments(w)
    annotated = w.chance(0.5 if w.real else 0.8)
    header = ", ".join(f"{a.name}: {annotation(a.kind)}" if annotated else a.name for a in arguments)
    known = list(w.functions)
    wanted = inputs.choose(w) if w.real and w.chance(0.35) else None
    more = f", {wanted.name}" if wanted else ""
    with w.function(f"def run({header}{more}):", arguments):
        prepare(w, arguments)
        if wanted is not None:
            w.taken.add(wanted.name)
            wanted.use(w, wanted.name)
        while w.budget > 0:
            statements.statement(w)
        w.emit(f"return {returned(w)}")
    w.functions = known
    return _example(w, arguments) if wanted is None else _driven(w, arguments, wanted)


def prepare(w: Writer, arguments: list[Parameter]) -> None:
    """What can be written from the beginning, and nothing that can't."""
    for parameter in arguments:
        place = w.lookup(parameter.name)
        if place is not None:
            place.grad = not parameter.written
            if isinstance(parameter.kind, Sequence):
                place.writable = False
    for _ in range(w.rng.randint(1, 2)):
        name, shape = w.fresh("tensor"), (w.rows, w.columns)
        form = w.pick(
            [
                "x * 2",
                "x.clone()",
                "x.exp()",
                "torch.tanh(x)",
                "x + 1",
                "torch.sigmoid(x)",
                "x * x",
                "x.abs()",
                "torch.zeros_like(x)",
            ]
        )
        w.emit(f"{name} = {form}")
        w.bind(name, Tensor(shape), form)


def _example(w: Writer, arguments: list[Parameter]) -> list[str]:
    inputs = [argument(w, parameter.kind, parameter.written) for parameter in arguments]
    if w.chance(0.65):
        return ["def example():", f"    return run, ({', '.join(inputs)},)"]
    names = [parameter.name for parameter in arguments]
    lines = ["def example():", f"    def drive({', '.join(names)}):"]
    second = [_passed(w, parameter) for parameter in arguments]
    if w.chance(0.4) and "buffer" in names:
        lines += [
            "        inner = buffer * 2",
            f"        first = run({', '.join('inner' if n == 'buffer' else n for n in names)})",
        ]
        lines += [f"        return first, run({', '.join(second)}), inner"]
    else:
        lines += [f"        return run({', '.join(names)}), run({', '.join(second)})"]
    return [*lines, "", f"    return drive, ({', '.join(inputs)},)"]


def _driven(w: Writer, arguments: list[Parameter], wanted: inputs.Input) -> list[str]:
    """A caller that makes the container, and that looks at it afterwards now and then."""
    names = ", ".join(parameter.name for parameter in arguments)
    lines = ["def example():", f"    def drive({names}):", f"        held = {wanted.passed}"]
    call = f"run({names}, held)"
    is_kept = wanted.passed.startswith(("{", "[", "(x *", "dict"))
    if is_kept and " for " not in wanted.passed and w.chance(0.4):
        lines += [f"        made = {call}", "        return made, held"]
    else:
        lines += [f"        return {call}"]
    passed = [argument(w, parameter.kind, parameter.written) for parameter in arguments]
    return [*lines, "", f"    return drive, ({', '.join(passed)},)"]


def _passed(w: Writer, parameter: Parameter) -> str:
    if parameter.kind == Plain("flag"):
        return f"not {parameter.name}"
    if isinstance(parameter.kind, Tensor) and parameter.kind.dtype != BOOL:
        return w.pick(
            [parameter.name, f"{parameter.name} * 1", f"{parameter.name} - 0.31", f"{parameter.name}.clone()"]
        )
    return parameter.name


def argument(w: Writer, kind: Kind, written: bool) -> str:
    """The source of an argument: leaves that require grad, buffers that don't, masks, flags."""
    if isinstance(kind, Sequence):
        return f"[{', '.join(argument(w, kind.element, False) for _ in range(kind.length))}]"
    if isinstance(kind, Tensor):
        if kind.dtype == BOOL:
            return f"torch.tensor({_literal(w, kind.shape, lambda: w.pick(['True', 'False']))})"
        numbers = _literal(w, kind.shape, w.entry)
        return f"torch.tensor({numbers}{'' if written else ', requires_grad=True'})"
    return w.pick(["True", "False"])


def _literal(w: Writer, shape: Shape, one: Callable[[], str]) -> str:
    if not shape:
        return one()
    return f"[{', '.join(_literal(w, shape[1:], one) for _ in range(shape[0]))}]"
