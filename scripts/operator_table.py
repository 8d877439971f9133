#!/usr/bin/env python3
"""Write docs/operators.md: what becomes of every in-place name of the operator table, by asking the rewriter itself.

PYTHONPATH=codemods python scripts/operator_table.py                  # write the page
PYTHONPATH=codemods python scripts/operator_table.py --output FILE    # write it elsewhere
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from unplace import torchapi
from unplace.config.options import Options
from unplace.diagnostics.catalogue import Purpose
from unplace.diagnostics.findings import Finding, Status
from unplace.transform.rewriter import rewrite_text

PAGE = Path(__file__).parents[1] / "docs/operators.md"
HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n"
NUMBERS = frozenset(
    [
        "alpha",
        "beta",
        "decimals",
        "dim",
        "dim0",
        "dim1",
        "diagonal",
        "eps",
        "exponent",
        "fill_value",
        "k",
        "lambd",
        "lower",
        "maxnorm",
        "max",
        "max_norm",
        "max_val",
        "mean",
        "median",
        "min",
        "min_val",
        "min_value",
        "max_value",
        "n",
        "negative_slope",
        "norm_type",
        "number_of",
        "p",
        "scale",
        "sigma",
        "std",
        "storage_offset",
        "threshold",
        "to",
        "upper",
        "value",
        "axis",
        "axis0",
        "axis1",
        "nan",
        "posinf",
        "neginf",
    ]
)
"""Parameters that are numbers; all others are tensors here."""

INTRODUCTION = """\
# In-place operators

What becomes of each in-place operator? `scripts/operator_table.py` writes this page. It asks the rewriter about a small
function for each name in the operator table of torch {version}:

    def f(x: torch.Tensor, ...):
        y = x * 2
        y.add_(other)
        return y

If the line would be kept only because the function has made `y` itself, it starts with `y = x.exp()` instead.

The tables show what `unplace rewrite` makes of the line, or why it is kept or refused. In your code the outcome can
differ, if the tensor has other readers: a second name, a view or a caller. Where the dtypes of target and operand may
differ, the table shows the plain form. That form assumes that they agree, and the report says so. The column
`--preserve-dtype` shows the form with that option, where it differs.
"""


@dataclass(frozen=True)
class Answer:
    """What the rewriter made of one line."""

    name: str
    before: str
    after: str
    preserving: str
    finding: Finding | None

    @property
    def status(self) -> str:
        """In a word."""
        return "no site" if self.finding is None else self.finding.status.value


def ask(name: str, line: str, parameters: list[str], setup: str = "y = x * 2") -> Answer:
    """The rewriter's answer about a line that writes `y`."""
    annotated = ", ".join(["x: torch.Tensor", *map(annotation, parameters)])
    text = f"{HEAD}def f({annotated}):\n    {setup}\n    {line}\n    return y\n"
    place = text.split("\n").index(f"    {line}") + 1
    reports = [rewrite_text(text, "line.py", Options(preserve_dtype=preserve)) for preserve in (False, True)]
    after, preserving = (_body(report.after, setup) for report in reports)
    finding = next((f for f in reports[0].findings if f.line == place), None)
    if finding is not None and finding.reason.kind is Purpose.NORMAL_FORM and setup == "y = x * 2":
        return ask(name, line, parameters, "y = x.exp()")
    return Answer(name, line, after, preserving, finding)


def annotation(parameter: str) -> str:
    """The parameter with the kind of its value."""
    if parameter in NUMBERS:
        return f"{parameter}: float"
    return f"{parameter}: torch.Tensor"


def _body(text: str, setup: str) -> str:
    lines = text.split("    return y\n")[0].split(f"    {setup}\n", 1)[1].split("\n")
    return "; ".join(line.strip() for line in lines if line.strip())


def names(section: str) -> list[str]:
    """The names of a section of the table."""
    return sorted(torchapi.table._table()[section])


def methods() -> Iterator[Answer]:
    """`Tensor.foo_`."""
    for name in names("inplace_methods"):
        method = torchapi.inplace_method(name)
        assert method is not None
        rest = [parameter.lstrip("*") for parameter in method.parameters[1:]]
        yield ask(f"Tensor.{name}", f"y.{name}({', '.join(rest)})", rest)


def functions() -> Iterator[Answer]:
    """`torch.foo_`, `F.foo_`, initialisers."""
    for name in names("inplace_functions"):
        function = torchapi.inplace_function(name)
        assert function is not None
        rest = [parameter.lstrip("*") for parameter in function.parameters[1:]]
        first = "[y]" if function.kind == "foreach" else "y"
        written = name.replace("torch.nn.functional", "F").replace("torch.nn.", "nn.")
        yield ask(name, f"{written}({', '.join([first, *rest])})", rest)


def operators() -> Iterator[Answer]:
    """Augmented assignments."""
    for symbol in names("operators"):
        yield ask(f"{symbol}=", f"y {symbol}= other", ["other"])


def stores() -> Iterator[Answer]:
    """Stores through an index."""
    yield ask("y[i] =", "y[0] = other", ["other"])
    yield ask("y[i] +=", "y[0] += other", ["other"])
    yield ask("y[mask] =", "y[y < 0] = 0", [])
    yield ask("y[mask] *=", "y[y < 0] *= 2", [])
    yield ask("y[i].foo_()", "y[0].relu_()", [])
    yield ask("y.data =", "y.data = other", ["other"])
    yield ask("y.data.foo_()", "y.data.relu_()", [])


def flags() -> Iterator[Answer]:
    """Functionals and modules with `inplace=True`."""
    for name in names("inplace_flags"):
        yield ask(name, f"y = F.{name.rsplit('.', 1)[-1]}(y, inplace=True)", [])
    for name in names("modules"):
        module = torchapi.module(name)
        assert module is not None
        if module.inplace is not None:
            required = {"torch.nn.Threshold": "0.1, 2.0, "}.get(name, "")
            made = f"{name.replace('torch.nn', 'nn')}({required}inplace=True)"
            yield ask(name, f"y = nn.Sequential(nn.Linear(3, 3), {made})(y)", [])


def outs() -> Iterator[Answer]:
    """Functions with `out=`."""
    for name in names("functions"):
        function = torchapi.function(name)
        assert function is not None
        if function.outs:
            given = "y" if function.outs == 1 else f"({', '.join(['y', *'zuvw'[: function.outs - 1]])})"
            of_bool = ", dtype=torch.bool" if function.result_bool else ""
            setup = f"y = torch.empty(3{of_bool})" if function.outs == 1 else _empties(function.outs)
            yield ask(name, f"{name}(x, out={given})", [], setup)


def _empties(count: int) -> str:
    places = ", ".join(["y", *"zuvw"[: count - 1]])
    return f"{places} = {', '.join(['torch.empty(3)'] * count)}"


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION.format(version=torchapi.TORCH_VERSION)]
    for title, answers in (
        ("Augmented assignments", operators()),
        ("Stores", stores()),
        ("Methods", methods()),
        ("Functions", functions()),
        ("`inplace=True`", flags()),
    ):
        parts.append(section(title, list(answers)))
    parts.append(out_section(list(outs())))
    return "\n".join(parts)


def section(title: str, answers: list[Answer]) -> str:
    """A title, the numbers, and a table for each outcome; what is kept or refused for one reason stands together."""
    rewritten = [answer for answer in answers if answer.finding and answer.finding.status is Status.REWRITTEN]
    others = [answer for answer in answers if answer not in rewritten]
    lines = [f"## {title}", "", f"{len(rewritten)} of {len(answers)} are rewritten.", ""]
    if rewritten:
        lines += ["| in place | becomes | with `--preserve-dtype` |", "| --- | --- | --- |"]
        for answer in rewritten:
            kept = "" if answer.preserving == answer.after else code(answer.preserving)
            lines.append(f"| {code(answer.before)} | {code(answer.after)} | {kept} |")
        lines.append("")
    return "\n".join([*lines, *grouped(others)])


def out_section(answers: list[Answer]) -> str:
    """`out=`: the names alone, for the form is always the same."""
    rewritten = [answer for answer in answers if answer.finding and answer.finding.status is Status.REWRITTEN]
    others = [answer for answer in answers if answer not in rewritten]
    lines = [
        "## `out=`",
        "",
        f"{len(rewritten)} of {len(answers)} are rewritten: `f(x, out=y)` becomes `y = f(x)`.",
        "",
    ]
    lines += [", ".join(code(answer.name) for answer in rewritten) + ".", ""]
    return "\n".join([*lines, *grouped(others)])


def grouped(answers: list[Answer]) -> list[str]:
    """What isn't rewritten, by reason."""
    reasons: dict[tuple[str, str], list[str]] = defaultdict(list)
    for answer in answers:
        message = answer.finding.message if answer.finding else "isn't an operation on a tensor's memory here"
        reasons[answer.status, message.replace(answer.name, "...")].append(answer.name)
    if not reasons:
        return []
    lines = ["| stays | because | names |", "| --- | --- | --- |"]
    for (status, message), members in sorted(reasons.items()):
        lines.append(f"| {status} | {message.replace('|', '&#124;')} | {', '.join(map(code, members))} |")
    return [*lines, ""]


def code(text: str) -> str:
    """Text as code in a cell of a table."""
    return f"`{text}`".replace("|", "\\|") if text else ""


def main() -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(description="Write the page about in-place operators.")
    parser.add_argument("--output", type=Path, default=PAGE, help="where to write (default: docs/operators.md)")
    arguments = parser.parse_args()
    arguments.output.parent.mkdir(exist_ok=True)
    arguments.output.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
