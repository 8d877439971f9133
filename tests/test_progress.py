"""The progress of a run on a pipe: a line now and then, also while a single file takes long; nothing for quick runs."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from unplace.reporting import progress
from unplace.reporting.progress import watched


def slow(*seconds: float) -> Iterator[int]:
    for number, each in enumerate(seconds):
        time.sleep(each)
        yield number


def test_a_long_run_says_how_far_it_is_while_an_item_takes_long(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress._Lines, "patience", 0.1)
    monkeypatch.setattr(progress._Lines, "pause", 0.1)
    assert list(watched(slow(0.0, 0.0, 0.6), 3, "Checking")) == [0, 1, 2]
    told = capfd.readouterr().err.splitlines()
    assert len(told) >= 2
    assert set(told) == {"Checking: 2 of 3 files done"}


def test_a_quick_run_says_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    assert list(watched(slow(0.0, 0.0), 2, "Checking")) == [0, 1]
    assert capfd.readouterr().err == ""


def test_nothing_is_told_once_the_run_ends_early(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress._Lines, "patience", 0.1)
    items = watched(slow(0.0, 0.0), 2, "Checking")
    assert next(items) == 0
    items.close()  # type: ignore[attr-defined]
    time.sleep(0.3)
    assert capfd.readouterr().err == ""
