"""Whatever happens while files are written, each is whole: as it was or as it is to be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from sampling import one_in

BLOCK = "\n\ndef f{}(x: torch.Tensor) -> torch.Tensor:\n    y = x.exp()\n    y {}= {}1\n    return y\n"
BEFORE = ("import torch\n" + "".join(BLOCK.format(n, "+", "") for n in range(3))).encode()
AFTER = ("import torch\n" + "".join(BLOCK.format(n, "", "y + ") for n in range(3))).encode()
COUNT = 60


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    fill(tmp_path)
    return tmp_path


def fill(folder: Path) -> None:
    for number in range(COUNT):
        (folder / f"m{number}.py").write_bytes(BEFORE)


def begin(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    path = str(Path(__file__).parents[1] / "codemods")
    return subprocess.Popen(
        [sys.executable, "-m", "unplace", "rewrite", *arguments, "."],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def written(folder: Path) -> int:
    """How many files are written; each must be whole."""
    contents = [(folder / f"m{number}.py").read_bytes() for number in range(COUNT)]
    assert set(contents) <= {BEFORE, AFTER}
    return contents.count(AFTER)


def left_over(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.suffix != ".py"]


def wait_for_the_first_write(folder: Path, process: subprocess.Popen[str]) -> None:
    while process.poll() is None and (folder / "m0.py").stat().st_size == len(BEFORE):
        time.sleep(0.0005)


def members(session: int) -> list[int]:
    """The processes of a session that are still there."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, own = status.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(own) == session and state != "Z":
            found.append(int(status.parent.name))
    return found


def wait_until_none(session: int) -> bool:
    for _ in range(100):
        if not members(session):
            return True
        time.sleep(0.05)
    return False


def interrupted(folder: Path, random: Random, number: int, jobs: int) -> tuple[subprocess.Popen[str], str]:
    fill(folder)
    process = begin(folder, "--jobs", str(jobs))
    if random.random() < 0.8:
        wait_for_the_first_write(folder, process)
        time.sleep(random.random() * 0.02)
    else:
        time.sleep(random.random())
    process.send_signal(number)
    return process, process.communicate(timeout=30)[1]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux for processes")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[pytest.mark.slow] if seed > 1 else []) for seed in range(1, 7)[:: one_in(2)]]
)
def test_killed_at_any_point(folder: Path, seed: int, number: signal.Signals) -> None:
    process, told = interrupted(folder, Random(seed), number, 2 - seed % 2)
    assert wait_until_none(process.pid), "processes are left"
    count = written(folder)
    if number is signal.SIGKILL:
        return
    assert left_over(folder) == []
    if process.returncode == 128 + number:
        assert told.endswith(f"Interrupted; files written: {count}.\n")  # a thread of the pool may complain before
    else:  # while it started, or when it was done
        assert process.returncode in (-number, 128 + signal.SIGINT, 0)


def test_two_runs_at_once(folder: Path) -> None:
    runs = [begin(folder, "--jobs", "1") for _ in range(2)]
    errors = [run.communicate(timeout=60)[1] for run in runs]
    assert written(folder) == COUNT
    assert left_over(folder) == []
    for run, error in zip(runs, errors, strict=True):
        problems = [line for line in error.splitlines() if ".py: " in line]
        assert all("changed on disk since it was read" in line for line in problems)
        assert run.returncode == (2 if problems else 0)


def test_a_full_disk(folder: Path) -> None:
    """A limit on the size of files stands for it: the first write of more fails in the middle."""
    large = folder / "m0.py"
    large.write_bytes(BEFORE + b"# filler\n" * 2000)
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))\n"
        "from unplace.cli import main\n"
        "sys.exit(main(['rewrite', '--no-cache', '.']))\n"
    )
    path = str(Path(__file__).parents[1] / "codemods")
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("m0.py: cannot write: File too large; the file is as it was\n")
    assert large.read_bytes() == BEFORE + b"# filler\n" * 2000
    assert (folder / "m1.py").read_bytes() == AFTER
    assert left_over(folder) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
@pytest.mark.parametrize("arguments", [["--diff"], ["--check"], ["--check", "--output-format", "json"]])
def test_output_that_cannot_be_written(folder: Path, arguments: list[str]) -> None:
    path = str(Path(__file__).parents[1] / "codemods")
    command = [sys.executable, "-m", "unplace", "rewrite", *arguments, "m1.py"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "unplace: cannot write the output: No space left on device"
    assert "internal error" not in done.stderr
