"""docs/operators.md is what `scripts/operator_table.py` writes: the rewriter's answers on every in-place name."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from unplace import torchapi
from unplace.diagnostics.findings import Status

ROOT = Path(__file__).parents[1]


@cache
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("operator_table", ROOT / "scripts/operator_table.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date() -> None:
    written = (ROOT / "docs/operators.md").read_text(encoding="utf-8")
    assert written.split("\n") == generator().page().split("\n"), "run: python scripts/operator_table.py"


def test_every_method_is_rewritten_kept_or_refused() -> None:
    silent = [answer.name for answer in generator().methods() if answer.finding is None]
    assert not silent


def test_nearly_all_with_a_counterpart_are_rewritten() -> None:
    answers = [*generator().methods(), *generator().functions(), *generator().operators(), *generator().outs()]
    statuses = {answer.name: answer.finding.status if answer.finding else None for answer in answers}
    methods = {f"Tensor.{name}": torchapi.inplace_method(name) for name in generator().names("inplace_methods")}
    functions = {name: torchapi.inplace_function(name) for name in generator().names("inplace_functions")}
    able = {name for name, row in (methods | functions).items() if row is not None and row.functional is not None}
    able |= {name for name in statuses if name not in methods and name not in functions and name != "@="}
    missing = sorted(name for name in able if statuses[name] is not Status.REWRITTEN)
    assert len(missing) <= 0.03 * len(able), missing
