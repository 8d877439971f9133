"""One answer for a line: each command and the editor tell the same verdict, saver, recipe and text in the same run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from unplace.cli import main
from unplace.config.options import Options
from unplace.diagnostics.findings import FileReport
from unplace.editor.analyst import Analyst
from unplace.editor.document import Document
from unplace.editor.workspace import Question, answer

ACTS = """import torch


def squash(x):
    y = x * 0.5
    return torch.sigmoid(y)
"""
MODEL = """import torch

from acts import squash


def local(x: torch.Tensor):
    return torch.exp(x)


def through(x: torch.Tensor):
    h = squash(x)
    h += 1.0
    return h


def direct(x: torch.Tensor):
    h = local(x)
    h *= 2.0
    return h


def passed(h: torch.Tensor):
    h.add_(1.0)
    return h


def handed(h: torch.Tensor):
    h.mul_(2.0)
"""
MAIN = """import torch

from acts import squash
from model import direct, handed, passed, through

x = torch.ones(3, requires_grad=True)
for run in (through, direct):
    run(x)
h = squash(x)
passed(h).sum().backward()
g = squash(x)
handed(g)
g.sum().backward()
print(x.grad)
"""
FILES = {"acts.py": ACTS, "model.py": MODEL, "main.py": MAIN}
PLACES = {12: ("acts.py", 6), 18: (None, 7), 23: ("acts.py", 6), 28: ("acts.py", 6)}
"""The lines of the operations in the model, each with the file and line of what saved the memory that it writes."""

COMPARED = ("line", "column", "code", "status", "applicability", "harm", "saved_by", "message", "assumptions")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


def told(capfd: pytest.CaptureFixture[str], *arguments: str) -> Any:
    """What a command prints as JSON."""
    main(list(arguments))
    return json.loads(capfd.readouterr().out)


def sites(document: Any) -> dict[int, dict[str, Any]]:
    """The findings in the model, by line, as far as they are compared."""
    return {site["line"]: compared(site) for site in document["sites"] if site["path"] == "model.py"}


def compared(site: dict[str, Any]) -> dict[str, Any]:
    return {key: site[key] for key in COMPARED}


def test_check_and_rewrite_name_the_operation_that_saved(capfd: pytest.CaptureFixture[str]) -> None:
    checked = sites(told(capfd, "check", "--output-format", "json", "."))
    assert sites(told(capfd, "rewrite", "--check", "--output-format", "json", ".")) == checked
    savers = {line: (site["saved_by"].get("file"), site["saved_by"]["line"]) for line, site in checked.items()}
    assert savers == PLACES


@pytest.mark.parametrize("line", PLACES)
def test_explain_says_what_check_says(line: int, capfd: pytest.CaptureFixture[str]) -> None:
    checked = sites(told(capfd, "check", "--output-format", "json", "."))[line]
    (site,) = told(capfd, "explain", "--output-format", "json", f"model.py:{line}")["sites"]
    assert compared(site["verdict"]) == checked
    saved = checked["saved_by"]
    assert [(each["operation"], each["line"], each["file"] or None) for each in site["saved"]] == [
        (saved["operation"], saved["line"], saved.get("file"))
    ]


@pytest.mark.parametrize("line", [12, 18, 23])
def test_the_editor_says_what_check_says(line: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    checked = sites(told(capfd, "check", "--output-format", "json", "."))[line]
    path = str(tmp_path / "model.py")
    document, question = Document(MODEL, "file:///model.py", path), Question(MODEL, path, str(tmp_path), Options())
    report = answer(question, {})
    assert isinstance(report, FileReport)
    analyst = Analyst()
    analyst.adopt(document, question, report)
    (shown,) = (each for each in analyst.diagnostics(document, [tmp_path])[document.uri] if starts(each) == line)
    assert checked["message"] in shown["message"]
    hover = analyst.hover(document, [tmp_path], (line - 1, checked["column"] - 1))
    assert hover is not None
    assert checked["message"] in hover
    assert f"harm       {checked['harm']}" in hover
    file, saver = PLACES[line]
    assert f"by {checked['saved_by']['operation']} in line {saver}{f' of {file}' if file else ''}" in hover


@pytest.mark.parametrize("line", PLACES)
def test_a_code_action_does_what_rewrite_does(line: int, capfd: pytest.CaptureFixture[str]) -> None:
    checked = sites(told(capfd, "check", "--output-format", "json", "."))[line]
    offered = told(capfd, "code-action", "model.py", "--line", str(line))
    (fix,) = (each for each in offered if each.get("isPreferred"))
    assert [diagnostic["code"] for diagnostic in fix["diagnostics"]] == [checked["code"]]
    assert checked["message"] in fix["diagnostics"][0]["message"]
    for change in fix["edit"]["documentChanges"]:
        made = {edit["newText"] for edit in change["edits"]}
        main(["rewrite", "."])
        capfd.readouterr()
        after = (Path(change["textDocument"]["uri"].removeprefix("file://"))).read_text()
        assert all(text in after for text in made)


def test_diagnose_names_the_same_saver_and_offers_the_same_fix(capfd: pytest.CaptureFixture[str]) -> None:
    checked = sites(told(capfd, "check", "--output-format", "json", "."))[23]
    command = [sys.executable, "-m", "unplace", "diagnose", "--output-format", "json", "main.py"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(done.stderr.strip().splitlines()[-1])
    assert (found["saved_by"]["path"], found["saved_by"]["line"]) == PLACES[23]
    assert found["culprits"] == [{"path": "model.py", "line": 23, "op": "add_"}]
    fix = {key: found["fix"][key] for key in ("applicability", "assumptions")}
    assert fix == {key: checked[key] for key in fix}
    main(["rewrite", "--diff", "."])
    made = {line for line in capfd.readouterr().out.splitlines() if line[:1] in "+-"}
    assert {line for line in found["fix"]["diff"].splitlines() if line[:1] in "+-"} <= made


def starts(diagnostic: dict[str, Any]) -> int:
    return int(diagnostic["range"]["start"]["line"]) + 1


@pytest.mark.parametrize("form", ["rich", "concise", "github"])
def test_a_fix_that_assumes_something_is_not_called_safe(form: str, capfd: pytest.CaptureFixture[str]) -> None:
    """The fix is made by default; a dtype that nothing speaks against is no reason to wait."""
    Path("beam.py").write_text(
        "import torch\n\n\ndef step(logits: torch.Tensor, penalty: torch.Tensor):\n"
        "    scores = torch.log_softmax(logits, -1)\n    scores -= penalty\n    return scores\n\n\n"
        "def train(penalty: torch.Tensor):\n    step(torch.nn.Linear(3, 3)(penalty), penalty)\n"
    )
    main(["check", "--output-format", form, "beam.py"])
    checked = capfd.readouterr().out
    main(["explain", "beam.py:6"])
    explained = capfd.readouterr().out
    assumption = "the operands of line 6 don't have a wider dtype than `scores`"
    assert assumption in explained
    assert "(safe)" not in explained
    assert "harmful" in checked
    assert "safe fix" not in checked
    assert assumption in checked or form == "concise"
