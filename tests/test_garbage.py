"""Garbage is collected rarely while one file is worked out, and as ever before and after."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from weakref import WeakSet

import pytest

from unplace.analysis.domain.snapshot import Snapshot
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.files import Project
from unplace.config.options import Options
from unplace.runs import garbage, outcome
from unplace.runs.garbage import IN_ONE_FILE, collecting_rarely

WRITES = b"import torch\n\n\ndef f(x: torch.Tensor):\n    y = x.exp()\n    y += 1\n    return y\n"


@pytest.fixture(autouse=True)
def _thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_it_waits_while_a_file_is_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int, int]] = []
    work = outcome._rewrite

    def noted(*arguments: object) -> outcome.Outcome:
        seen.append(gc.get_threshold())
        return work(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(outcome, "_rewrite", noted)
    assert outcome.rewrite_bytes(WRITES, "m.py", Options()).change is not None
    assert seen == [(IN_ONE_FILE, 10, 10)]
    assert gc.get_threshold() == (700, 10, 10)


def test_an_error_restores_the_thresholds() -> None:
    with pytest.raises(ValueError, match="broken"), collecting_rarely():
        raise ValueError("broken")
    assert gc.get_threshold() == (700, 10, 10)


def test_a_rarer_collection_stays_as_rare() -> None:
    gc.set_threshold(2 * IN_ONE_FILE, 5, 5)
    with collecting_rarely():
        assert gc.get_threshold() == (2 * IN_ONE_FILE, 5, 5)


def test_who_collects_nothing_is_left_alone() -> None:
    gc.set_threshold(0, 10, 10)
    with collecting_rarely():
        assert gc.get_threshold() == (0, 10, 10)


def test_other_threads_change_nothing() -> None:
    seen: list[tuple[int, int, int]] = []

    def work() -> None:
        with collecting_rarely():
            seen.append(gc.get_threshold())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [(700, 10, 10)]


@pytest.mark.parametrize("alone", [True, False])
def test_what_a_file_took_is_free_without_a_collection(alone: bool, tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_bytes(WRITES)
    project = None if alone else Project([str(file)])
    gc.collect()
    gc.disable()
    try:
        before = [thing for thing in gc.get_objects() if isinstance(thing, Run | Snapshot)]
        assert outcome.rewrite_bytes(WRITES, str(file), Options(), project).change is not None
        assert [thing for thing in gc.get_objects() if isinstance(thing, Run | Snapshot)] == before
    finally:
        gc.enable()


def test_the_end_of_a_file_is_no_collection() -> None:
    collections: list[str] = []

    def note(phase: str, _: dict[str, int]) -> None:
        collections.append(phase)

    gc.collect()
    gc.callbacks.append(note)
    try:
        with collecting_rarely():
            kept = [[] for _ in range(2_000)]
        kept += [[] for _ in range(600)]  # fewer than the threshold
    finally:
        gc.callbacks.remove(note)
    assert len(kept) == 2_600
    assert not collections


def test_garbage_of_files_is_collected_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    class Knot:
        def __init__(self) -> None:
            self.own = self

    monkeypatch.setattr(garbage, "_survivors", garbage._Survivors(_most=1_000))
    gc.collect()
    knots = WeakSet[Knot]()
    with collecting_rarely():
        for _ in range(1_000):
            knots.add(Knot())
    assert not knots
