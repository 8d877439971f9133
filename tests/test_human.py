"""The tool's edits beside those that people made of the same programs: tests/human."""

from __future__ import annotations

import contextlib
import io
import json
import runpy
from pathlib import Path
from typing import Any

import pytest
import torch

from unplace.config.options import Options
from unplace.transform.rewriter import rewrite_text

ROOT = Path(__file__).parents[1]
PAIRS = ROOT / "tests/human"
EXPECTED: dict[str, dict[str, str]] = json.loads((PAIRS / "expected.json").read_text("utf-8"))
MODES = {"default": Options(), "unsafe": Options(unsafe=True)}
GO_ON_FAILING = {
    "default": {
        *("botorch_apply_constraints", "graphium_hybrid_ce", "normflows_glow_base", "pixelsnail_activation"),
        *("torchsim_fire_step", "vmas_world_step"),
    },
    "unsafe": {
        *("botorch_apply_constraints", "fla_cache_copy", "mmdet_rpn_head", "normflows_glow_base"),
        *("pixelsnail_activation", "pytorch_kinematics_transform3d"),
    },
}
"""Programs of which the tool repairs one operation, and another goes on failing."""


def measuring() -> dict[str, Any]:
    """Return the names of the script that compares the edits."""
    return runpy.run_path(str(ROOT / "scripts/measure_human.py"))


def error_of(source: str) -> str:
    """Run a program, and return the error that it raises; empty if it runs through."""
    dtype = torch.get_default_dtype()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(source, "program.py", "exec"), {"__name__": "__main__"})
    except RuntimeError as error:
        return str(error)
    finally:
        torch.set_default_dtype(dtype)
    return ""


def test_the_edits_are_as_close_as_they_were() -> None:
    assert measuring()["measured"]() == EXPECTED


def test_names_that_only_one_version_has_are_the_same_for_the_comparison() -> None:
    kind = measuring()["kind"]
    before, human = "y = f(x)\ny += y * 2\n", "y = f(x)\nz = y * 2\ny = y + z\n"
    assert kind(before, human, human) == "equal"
    assert kind(before, human, "y = f(x)\nnew = y * 2\ny = y + new\n") == "equal but for names"
    assert kind(before, human, "y = f(x)\ny = y + y * 2\n") == "same statements"
    assert kind(before, human, "y = f(x).clone()\ny += y.clone() * 2\n") == "as many lines"
    assert kind(before, human, before) == "nothing"


@pytest.mark.parametrize("name", EXPECTED)
def test_people_repaired_the_program(name: str) -> None:
    before, after = ((PAIRS / name / file).read_text("utf-8") for file in ("before.py", "after.py"))
    assert error_of(before)
    assert not error_of(after)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_rewritten_runs(name: str, mode: str) -> None:
    if EXPECTED[name][mode] == "nothing":
        pytest.skip("nothing is rewritten")
    before = (PAIRS / name / "before.py").read_text("utf-8")
    after = rewrite_text(before, "before.py", MODES[mode]).after
    assert bool(error_of(after)) == (name in GO_ON_FAILING[mode])
