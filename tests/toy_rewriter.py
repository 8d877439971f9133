"""A stand-in for `rewriter.rewrite_text`, so that the command line is tested apart from the rules.

It judges line by line: `x += 1` is rewritten, `x.add_(1)` is rewritten with `--unsafe`, `x.sub_(1)` is refused and
`i += 1` is kept. Some words make it fail in the ways in which a rewriter can.
"""

from __future__ import annotations

import ast
import os
import re
import time
from pathlib import Path

import pytest

from unplace.config.options import Options
from unplace.diagnostics.findings import Applicability, FileReport, Finding, Harm, Status
from unplace.diagnostics.forms import Form
from unplace.diagnostics.reasons import Kind
from unplace.text.edits import Edit, apply_edits
from unplace.transform import rewriter

LINE = re.compile(
    r"(?:^|(?<=\r))[ \t\f]*(?P<site>(?P<name>\w+)(?: \+= (?P<value>[^\r\n]+)|\.(?P<method>add_|sub_)\(1\)))", re.M
)


class Toy(Kind):
    """What the findings say."""

    REBOUND = "`{name}` is rebound"
    ALONE = "nobody else sees `{name}`"
    VIEW = "`{name}` is a view of the argument"
    NO_TENSOR = "not a tensor"


SPECIAL = {"garble": "x = = 1", "emoji": "x = '\N{GRINNING FACE}'"}


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewriter, "rewrite_text", rewrite_text)
    monkeypatch.setattr(rewriter, "may_have_sites", lambda data: True)


def rewrite_text(text: str, path: str, options: Options, project: object = None) -> FileReport:
    ast.parse(text)
    misbehave(text)
    findings = [finding for match in LINE.finditer(text) if (finding := judge(match, text, options))]
    edits = [edit for finding in findings if finding.status is Status.REWRITTEN for edit in finding.edits]
    return FileReport(path, text, apply_edits(text, edits), findings, edits)


def judge(match: re.Match[str], text: str, options: Options) -> Finding | None:
    name, method = match["name"], match["method"]
    code = "UNP002" if method else "UNP001"
    if code in options.ignore or (options.select is not None and code not in options.select):
        return None
    start, end = match.span("site")
    status, applicability, harm = Status.REWRITTEN, Applicability.SAFE, Harm.HARMFUL
    replacement = SPECIAL.get(match["value"], f"{name} = {name} + {match['value']}")
    reason, assumed = Toy.REBOUND(name=name), ()
    if method == "add_":
        replacement = f"{name} = {name}.add(1)"
        applicability, assumed = Applicability.UNSAFE, (Toy.ALONE(name=name),)
        status = Status.REWRITTEN if options.unsafe else Status.REFUSED
    elif method == "sub_":
        status, applicability, reason = Status.REFUSED, None, Toy.VIEW(name=name)
    elif name == "i":
        status, applicability, harm, reason = Status.KEPT, None, Harm.HARMLESS, Toy.NO_TENSOR()
    line = text.count("\n", 0, start) + 1
    column = start - (text.rfind("\n", 0, start) + 1) + 1
    return Finding(
        line=line,
        column=column,
        end_line=line,
        end_column=column + end - start,
        code=code,
        form=Form.METHOD if method else Form.AUGMENTED,
        status=status,
        applicability=applicability,
        harm=harm,
        reason=reason,
        assumed=assumed,
        edits=(Edit(start, end, replacement),) if applicability else (),
    )


def misbehave(text: str) -> None:
    if "raise_error" in text:
        raise ValueError("something\nodd")
    if "recurse" in text:
        misbehave(text)
    if "no_memory" in text:
        raise MemoryError
    if "bad_syntax" in text:
        ast.parse("a b")
    if "die_hard" in text:
        os._exit(3)
    if "interrupt" in text:
        raise KeyboardInterrupt
    while "spin" in text:
        pass
    if "take_long" in text:
        Path("begun").touch()
        time.sleep(60)
