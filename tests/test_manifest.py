"""Where the graph of a hazard comes from: from a caller in sight, or from one that the hazard waits for."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest
from tests.test_project import outcomes, write

from unplace.cli import main
from unplace.config.options import Options
from unplace.diagnostics.findings import Awaited, Finding, Harm, SavedBy, Status
from unplace.transform.rewriter import rewrite_text

SCALED = """\
import torch


def scaled(x: torch.Tensor):
    y = x.exp()
    y += 1
    return y
"""
SAVED = SavedBy("exp()", 5)


def with_code(more: str, before: str = SCALED) -> str:
    return f"{before}\n\n{dedent(more).strip()}\n" if more else before


def finding_of(source: str) -> Finding:
    """The only finding of a file that is handled alone."""
    (finding,) = rewrite_text(source, "model.py", Options()).findings
    return finding


def told(finding: Finding) -> tuple[Harm, Awaited | None, SavedBy | None]:
    return finding.harm, finding.awaited, finding.saved_by


def test_a_hazard_of_a_function_that_nobody_calls_is_possible_and_waits_for_a_caller() -> None:
    finding = finding_of(SCALED)
    assert told(finding) == (Harm.POSSIBLE, Awaited.CALLER, SAVED)
    assert finding.is_hazard
    assert finding.status is Status.REWRITTEN


# -- callers in sight -------------------------------------------------------------------------------------------------

LEAF = "torch.ones(3, requires_grad=True)"
CALLERS = {
    "a leaf": "scaled({x})",
    "a result": "scaled({x} * 1)",
    "through a function": "    def between(h):\n        return scaled(h)\n\n    between({x})",
    "through two functions": (
        "    def between(h):\n        return outer(h * 2)\n\n"
        "    def outer(h):\n        return scaled(h + 1)\n\n    between({x})"
    ),
    "by keyword": "scaled(x={x})",
    "a keyword through a function": "    def between(*, h):\n        return scaled(x=h)\n\n    between(h={x})",
    "a starred tuple": "given = ({x},)\nscaled(*given)",
    "a starred dictionary": "given = {{'x': {x}}}\nscaled(**given)",
    "one of two calls": "scaled(torch.ones(3))\nscaled({x})",
    "on one path": "x = torch.ones(3)\nif x.sum() > 2:\n    x = {x}\nscaled(x)",
    "a weight": "scaled(torch.nn.Linear(3, 3).weight)",
    "the result of a layer": "layer = torch.nn.Linear(3, 3)\nscaled(layer(torch.ones(3)))",
    "an attribute": (
        "    class Box:\n        def __init__(self):\n            self.x = {x}\n\n"
        "        def run(self):\n            return scaled(self.x)\n\n    Box().run()"
    ),
    "an element": "given = [{x}]\nscaled(given[0])",
}


def calling(lines: str, x: str) -> str:
    """A function that calls; lines that are indented stand for themselves, in the module."""
    lines = lines.format(x=x)
    return dedent(lines) if lines.startswith(" ") else f"def train():\n{indent(lines, '    ')}"


@pytest.mark.parametrize("lines", CALLERS.values(), ids=CALLERS)
def test_a_caller_whose_tensor_has_a_graph_makes_it_harmful(lines: str) -> None:
    assert told(finding_of(with_code(calling(lines, LEAF)))) == (Harm.HARMFUL, None, SAVED)


@pytest.mark.parametrize("lines", CALLERS.values(), ids=CALLERS)
def test_the_same_caller_in_another_file_makes_it_harmful(lines: str, tmp_path: Path) -> None:
    text = f"import torch\nfrom .tools import scaled\n\n\n{calling(lines, LEAF)}\n"
    found = outcomes(write(tmp_path, {"tools.py": SCALED, "main.py": text}))
    (finding,) = found["tools.py"].findings
    assert told(finding) == (Harm.HARMFUL, None, SAVED)


STARRED = {
    "parameters": "    def between(*given):\n        return scaled(*given)\n\n    between({x})",
    "an element of the parameters": "    def between(*given):\n        return scaled(given[0])\n\n    between({x})",
    "keywords": "    def between(**given):\n        return scaled(**given)\n\n    between(x={x})",
}


@pytest.mark.parametrize("lines", STARRED.values(), ids=STARRED)
def test_a_caller_is_found_through_starred_parameters(lines: str) -> None:
    assert told(finding_of(with_code(calling(lines, LEAF)))) == (Harm.HARMFUL, None, SAVED)


WITHOUT = {
    "a constant": "torch.ones(3)",
    "a result": "torch.rand(3) * 2",
    "detached": f"{LEAF}.detach()",
    "of integers": f"{LEAF}.argsort().float()",
    "no gradient wanted": "torch.ones(3, requires_grad=False)",
}
OF_GIVEN = {name: lines for name, lines in CALLERS.items() if "weight" not in name and "layer" not in name}


@pytest.mark.parametrize("x", WITHOUT.values(), ids=WITHOUT)
@pytest.mark.parametrize("lines", OF_GIVEN.values(), ids=OF_GIVEN)
def test_a_caller_whose_tensor_has_no_graph_does_not(lines: str, x: str) -> None:
    """Another caller, out of sight, may still pass one."""
    assert told(finding_of(with_code(calling(lines, x)))) == (Harm.POSSIBLE, Awaited.CALLER, SAVED)


def test_a_caller_in_another_file_whose_tensor_has_no_graph_does_not(tmp_path: Path) -> None:
    text = "import torch\nfrom .tools import scaled\n\n\ndef train():\n    scaled(torch.ones(3))\n"
    found = outcomes(write(tmp_path, {"tools.py": SCALED, "main.py": text}))
    (finding,) = found["tools.py"].findings
    assert told(finding) == (Harm.POSSIBLE, Awaited.CALLER, SAVED)


def test_a_caller_under_no_grad_does_not() -> None:
    """As before graphs were followed: whether the function records for anybody is unknown, and so what is saved."""
    lines = f"with torch.no_grad():\n    scaled({LEAF} * 1)"
    assert told(finding_of(with_code(calling(lines, "")))) == (Harm.POSSIBLE, None, None)


# -- captured variables -----------------------------------------------------------------------------------------------

CAPTURED = """\
import torch


def outer({parameter}):
    x = {value}

    def scaled():
        y = x.exp()
        y += 1
        return y

    return scaled()
"""


@pytest.mark.parametrize(
    ("parameter", "value", "call", "expected"),
    [
        ("", f"{LEAF} * 1", "", (Harm.HARMFUL, None)),
        ("w: torch.Tensor", "w * 1", "", (Harm.POSSIBLE, Awaited.CALLER)),
        ("w: torch.Tensor", "w * 1", f"outer({LEAF})", (Harm.HARMFUL, None)),
        ("w: torch.Tensor", "w * 1", "outer(torch.ones(3))", (Harm.POSSIBLE, Awaited.CALLER)),
    ],
    ids=["of a leaf", "of an argument", "of a leaf that is passed", "of a constant that is passed"],
)
def test_a_captured_variable(parameter: str, value: str, call: str, expected: tuple[Harm, Awaited | None]) -> None:
    source = CAPTURED.format(parameter=parameter, value=value)
    finding = finding_of(with_code(calling(call, ""), source) if call else source)
    assert (finding.harm, finding.awaited) == expected


def test_a_captured_variable_without_a_graph_does_no_harm() -> None:
    finding = finding_of(CAPTURED.format(parameter="", value="torch.ones(3)"))
    assert finding.harm is Harm.POSSIBLE  # not harmless, although no other function reaches it


# -- what is not an argument ------------------------------------------------------------------------------------------


def test_what_a_function_makes_itself_needs_no_caller() -> None:
    assert told(finding_of(SCALED.replace("x.exp()", f"({LEAF} * x).exp()"))) == (Harm.HARMFUL, None, SAVED)


def test_what_unseen_code_makes_waits_for_that_code() -> None:
    made = SCALED.replace("x: torch.Tensor", "").replace("x.exp()", "torch.exp(made())")
    finding = finding_of(made.replace("import torch\n", "import torch\nfrom elsewhere import made\n"))
    assert told(finding) == (Harm.POSSIBLE, Awaited.UNSEEN, SavedBy("exp()", 6))


# -- the command ------------------------------------------------------------------------------------------------------

WAITING = "model.py:6:5: UNP001 augmented assignment can break autograd where a caller passes a tensor with a graph: "


def test_check_lists_it_with_all_and_says_what_it_waits_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(SCALED)
    assert main(["check", "."]) == 0
    out, err = capfd.readouterr()
    assert out == ""
    assert "Found no harmful in-place operation in 1 file.\nNot listed: 1 possible" in err
    assert main(["check", "--all", "."]) == 0
    out, err = capfd.readouterr()
    assert out.startswith(f"{WAITING}saved by exp() in line 5 [possible]\n")
    assert err.startswith("Found 1 in-place operation in 1 file of 1: 1 possible.\n")


def test_fix_leaves_it_and_rewrite_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(SCALED)
    assert main(["check", "--fix", "."]) == 0
    assert Path("model.py").read_text() == SCALED
    assert main(["rewrite", "."]) == 0
    assert Path("model.py").read_text() == SCALED.replace("y += 1", "y = y + 1")
    Path("model.py").write_text(with_code(calling("scaled({x})", LEAF)))
    capfd.readouterr()
    assert main(["check", "."]) == 1
    assert "can break autograd: saved by exp() in line 5 [harmful]" in capfd.readouterr().out
    assert main(["check", "--fix", "."]) == 0
    assert "    y = y + 1\n" in Path("model.py").read_text()
