"""Any Python file at all: no exception, a change that compiles and is complete, the same for every way to run it.

The large sweep is `python scripts/fuzz.py`: whole packages, `--tensors`, `--unsafe`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import warnings
from pathlib import Path

import pytest

from fuzzing.examination import examine
from fuzzing.tensors import about_tensors
from generator.programs import generate
from unplace.config.options import Options
from unplace.text.source import SourceError, read_source

STDLIB = Path(sysconfig.get_path("stdlib"))
FILES = sorted(path for path in STDLIB.rglob("*.py") if "site-packages" not in path.parts)
FIXTURES = Path(__file__).parent / "fixtures"
LARGEST = 30_000
"""Bytes of a file of the quick sample."""


def as_tensors(data: bytes) -> bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            source = read_source(data)
            return about_tensors(source.text).encode(source.encoding)
        except (SourceError, SyntaxError):
            return data


def faults(files: list[Path], *, tensors: bool) -> list[str]:
    found = []
    for number, path in enumerate(files):
        data = path.read_bytes()
        seen = examine(as_tensors(data) if tensors else data, path.name, Options(unsafe=number % 2 == 0))
        found += [f"{path}: {fault}" for fault in seen.faults]
    return found


def test_the_standard_library() -> None:
    assert len(FILES) > 500
    assert faults([path for path in FILES[::7] if path.stat().st_size <= LARGEST], tensors=False) == []


def test_a_part_of_the_standard_library_as_if_it_were_about_tensors() -> None:
    assert faults([path for path in FILES[3::60] if path.stat().st_size <= LARGEST], tensors=True) == []


@pytest.mark.slow
@pytest.mark.parametrize("portion", range(4))
def test_more_of_it(portion: int) -> None:
    assert faults(FILES[portion::40], tensors=True) == []


def test_generated_programs() -> None:
    seen = [
        examine(generate(seed).encode(), f"seed {seed}", Options(unsafe=seed % 2 == 0)) for seed in range(7000, 7060)
    ]
    assert [f"{one.path}: {fault}" for one in seen for fault in one.faults] == []
    assert sum(one.changed for one in seen) > 50


def test_the_examination_is_not_blind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unplace.runs.outcome.rewriter.rewrite_text", None)
    assert "internal error" in examine(generate(1).encode(), "model.py", Options()).faults[0]


# -- the command ------------------------------------------------------------------------------------------------------


def unplace(folder: Path, *arguments: str, seed: str = "0") -> tuple[int, str, str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "codemods"), "PYTHONHASHSEED": seed}
    command = [sys.executable, "-m", "unplace", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    """A project of fixtures, some of which have the same names in them."""
    for path in sorted(FIXTURES.glob("*/*/before.py"))[::9]:
        shutil.copyfile(path, tmp_path / f"{path.parent.name}.py")
    return tmp_path


def test_the_output_does_not_depend_on_hashes_processes_or_order(copies: Path) -> None:
    files = sorted(path.name for path in copies.iterdir())
    ways = [("0", "1", files), ("1", "2", files), ("2", "3", files[::-1])]
    results = {
        hashlib.sha256("".join(sorted(out.splitlines(True))).encode()).hexdigest()
        for seed, jobs, names in ways
        for _, out, _ in [unplace(copies, "rewrite", "--unsafe", "--check", "--jobs", jobs, *names, seed=seed)]
    }
    assert len(results) == 1


def test_a_second_run_changes_nothing(copies: Path) -> None:
    assert unplace(copies, "rewrite", "--unsafe", ".")[0] == 0
    after = {path.name: path.read_bytes() for path in copies.iterdir()}
    code, _, err = unplace(copies, "rewrite", "--unsafe", "--check", ".")
    assert (code, err.splitlines()[0].split(" in ")[0]) == (0, "Nothing to rewrite")
    assert {path.name: path.read_bytes() for path in copies.iterdir()} == after
