"""The process in which the language server looks at a text among the files of its workspace."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from unplace.config.options import Options
from unplace.editor import workspace
from unplace.editor.workspace import Question, Workspace, answer

UTILS = "import torch\n\n\ndef grown(h: torch.Tensor):\n    h += 1\n    return h\n"
TRAIN = (
    "import torch\nfrom utils import grown\n\n\ndef f(x):\n    return grown(torch.tanh(x))\n\n\n"
    "def train():\n    f(torch.ones(3, requires_grad=True) * 1)\n"
)


@pytest.fixture
def question(tmp_path: Path) -> Question:
    (tmp_path / "utils.py").write_text(UTILS)
    (tmp_path / "train.py").write_text(TRAIN)
    return Question(UTILS, str(tmp_path / "utils.py"), str(tmp_path), Options())


@pytest.fixture
def asked() -> Iterator[Workspace]:
    asked = Workspace()
    yield asked
    asked.close()


def harms(question: Question) -> list[str]:
    report = answer(question, {})
    assert report is not None
    return [finding.harm.value for finding in report.findings]


def test_callers_on_disk_and_in_other_editors_count(question: Question, tmp_path: Path) -> None:
    assert harms(question) == ["harmful"]
    unsaved = {str(tmp_path / "train.py"): TRAIN.replace("torch.tanh(x)", "x + 1")}
    assert harms(Question(question.text, question.path, question.folder, Options(), unsaved)) == ["possible"]


def test_a_file_that_changed_is_read_again(question: Question, tmp_path: Path) -> None:
    known: dict[str, tuple[tuple[object, ...], object]] = {}
    first = answer(question, known)  # type: ignore[arg-type]
    (tmp_path / "train.py").write_text(TRAIN.replace("torch.tanh(x)", "x - 1"))
    second = answer(question, known)  # type: ignore[arg-type]
    assert first is not None
    assert second is not None
    assert [report.findings[0].harm.value for report in (first, second)] == ["harmful", "possible"]


def test_too_large_a_workspace_and_files_outside_are_left(question: Question, monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer(Question(UTILS, question.path + "x.py", question.folder, Options()), {}) is None
    monkeypatch.setattr(workspace, "_FILES", 1)
    assert answer(question, {}) is None


def test_an_answer_that_is_not_wanted_any_more_is_not_waited_for(question: Question, asked: Workspace) -> None:
    assert asked.report(question) is not None
    long = "".join(
        f"def f{n}(x: torch.Tensor):\n    y = x.exp()\n    y += {n}\n    return y\n\n\n" for n in range(3000)
    )
    endless = Question("import torch\n" + long, question.path, question.folder, Options())
    threading.Timer(0.5, asked.stop, [question.path]).start()
    start = time.monotonic()
    assert asked.report(endless) is None
    assert time.monotonic() - start < 10
    assert asked.report(question) is not None  # by a new process


def test_no_answer_takes_longer_than_it_may(question: Question) -> None:
    hasty = Workspace(seconds=0.0)
    assert [hasty.report(question) for _ in range(5)] == [None] * 5
