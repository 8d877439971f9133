"""No file brings a run down: what is too deep, too large, too slow or written for another Python is named."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from unplace.cli import main
from unplace.config.options import Options
from unplace.runs import limits, parallel
from unplace.runs.outcome import Outcome, rewrite_bytes, rewrite_file
from unplace.text.dialects import version_for

HEAD = "import torch\n\n\ndef f(x: torch.Tensor) -> torch.Tensor:\n    y = x.exp()\n"
FOOT = "    return y\n"
DONE = {
    "a sum of 800 terms": f"{HEAD}    y += {' + '.join(['x'] * 800)}\n{FOOT}",
    "a chain of 300 calls": f"{HEAD}    y += x{'.sin()' * 300}\n{FOOT}",
    "a chain of 60 writes": f"{HEAD}    y{'.mul_(2)' * 60}\n{FOOT}",
    "500 names of a tensor": f"{HEAD}{''.join(f'    a{n} = y{chr(10)}' for n in range(500))}    y += 1\n"
    f"    return {' + '.join(f'a{n}' for n in range(500))}\n",
    "600 elif": f"{HEAD}    if x is None:\n        y += 1\n"
    f"{''.join(f'    elif x is {n}:{chr(10)}        pass{chr(10)}' for n in range(600))}{FOOT}",
    "60 blocks in each other": HEAD
    + "".join(f"{' ' * n}if x[{n}] > 0:\n" for n in range(4, 64))
    + f"{' ' * 64}y += 1\n{FOOT}",
    "190 brackets": f"{HEAD}    y += {'(' * 190}x{')' * 190}\n{FOOT}",
    "a chain of 200 functions": "import torch\n\n\n"
    + "".join(f"def _f{n}(x: torch.Tensor):\n    _f{n + 1}(x)\n    x.mul_(2)\n\n\n" for n in range(200)),
    "a list of 100,000 numbers": f"{HEAD}    y += 1\n{FOOT}\n\nDATA = [{', '.join(map(str, range(100_000)))}]\n",
    "a string of 10 MB": f"{HEAD}    y += 1\n{FOOT}\n\nDATA = '{'a' * 10_000_000}'\n",
}


@pytest.mark.parametrize("name", DONE)
def test_what_is_large_is_done(name: str) -> None:
    outcome = rewrite_bytes(DONE[name].encode(), "model.py", Options())
    assert outcome.problem is None
    assert outcome.findings


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "".join(f"def f{n}(x: torch.Tensor):\n    y = x.exp()\n    y += {n}\n    return y\n\n\n" for n in range(2500)),
        f"{HEAD}{''.join(f'    y += {n}{chr(10)}' for n in range(3000))}{FOOT}",
    ],
    ids=["2,500 functions with a write", "3,000 writes in a function"],
)
def test_many_writes(text: str) -> None:
    outcome = rewrite_bytes(f"import torch\n{text}".encode(), "model.py", Options())
    assert outcome.change is not None
    assert outcome.change.after.text.count(" = y + ") == text.count("+=")


def problem_of(text: str) -> str:
    outcome = rewrite_bytes(text.encode(), "model.py", Options())
    assert outcome.problem is not None
    return str(outcome.problem)


DEEP = {
    "a sum": f"{HEAD}    y += {' + '.join(['x'] * 20_000)}\n{FOOT}",
    "calls": f"{HEAD}    y += x{'.sin()' * 20_000}\n{FOOT}",
    "signs": f"{HEAD}    y += {'-' * 50_000}x\n{FOOT}",
    "powers": f"{HEAD}    y += {'x ** ' * 20_000}x\n{FOOT}",
    "lambdas": f"{HEAD}    y += 1\n{FOOT}\n\ng = {'lambda: ' * 20_000}1\n",
    "elif": f"{HEAD}    if x:\n        y += 1\n{f'    elif x: pass{chr(10)}' * 20_000}{FOOT}",
    "no tensors, signs": f"x = {'-' * 50_000}1\n",
}


@pytest.mark.parametrize("name", DEEP)
def test_what_is_too_deep_is_named(name: str) -> None:
    message = problem_of(DEEP[name])
    assert "nested too deeply" in message
    assert "split it, or leave it out" in message
    assert "\n" not in message


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on memory")
def test_memory_that_runs_out_in_the_analysis_is_not_taken_for_nesting(tmp_path: Path) -> None:
    """What the analysis held is freed before the parser is asked whether it is the file that is at fault."""
    (tmp_path / "model.py").write_text(f"{HEAD}    y += 1\n{FOOT}\nDATA = [{', '.join(map(str, range(200_000)))}]\n")
    code = (
        "import resource\n"
        "from unplace import documents\n"
        "from unplace.runs.outcome import rewrite_file\n"
        "from unplace.config.options import Options\n"
        "def hungry(*_, **__):\n"
        "    held = []\n"
        "    while True:\n"
        "        held.append(bytearray(2**20))\n"
        "documents.rewrite = hungry\n"
        "resource.setrlimit(resource.RLIMIT_DATA, (400 * 2**20, 400 * 2**20))\n"
        "print(rewrite_file('model.py', Options()).problem)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "codemods")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("model.py: not enough memory to work on it; nothing written;")


def test_limits_are_lifted_again() -> None:
    depth, handler = sys.getrecursionlimit(), signal.getsignal(signal.SIGVTALRM)
    problem_of(DEEP["a sum"])
    assert sys.getrecursionlimit() == depth
    assert signal.getsignal(signal.SIGVTALRM) is handler
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)


def test_explain_and_code_action_say_so_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("deep.py").write_text(DEEP["a sum"])
    for arguments in (["explain", "deep.py:6"], ["code-action", "deep.py", "--line", "6"]):
        assert main(arguments) == 2
        assert "nested too deeply" in capfd.readouterr().err


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BYTES", 2**20)
    monkeypatch.setattr("unplace.runs.outcome.BYTES", 2**20)
    path = tmp_path / "data.py"
    path.write_bytes(b"x = 1\n" * 200_000)
    problem = rewrite_file(str(path), Options()).problem
    assert problem is not None
    assert problem.message.startswith("too large: 1 MiB are more than the 1 that a file may have; leave it out")


# -- processes --------------------------------------------------------------------------------------------------------


def kill_once(path: str) -> Outcome:
    """The first process that comes to it dies, as where memory is short; the next one does the work."""
    mark = Path(f"{path}.died")
    if path.endswith("m5.py") and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return Outcome(path)


def test_a_process_that_dies_once_costs_no_file(tmp_path: Path) -> None:
    paths = [str(tmp_path / f"m{number}.py") for number in range(40)]
    outcomes = list(parallel.in_processes(kill_once, paths, 2))
    assert [outcome.path for outcome in outcomes] == paths
    assert all(outcome.problem is None for outcome in outcomes)


# -- other versions of Python ---------------------------------------------------------------------------------------

HANDLER = "try:\n    pass\nexcept {}:\n    pass\n"
VERSIONS: list[tuple[str, tuple[int, int] | None, str | None]] = [
    (HANDLER.replace("except", "except*").format("E"), (3, 11), "3.11 or newer"),
    ("def f(*args: *Ts): pass\n", (3, 11), "3.11 or newer"),
    ("def f[T](x): pass\n", (3, 12), "3.12 or newer"),
    ("class A[T: int](B): pass\n", (3, 12), "3.12 or newer"),
    ("type X = int\n", (3, 12), "3.12 or newer"),
    ("x = f'{a['b']}'\n", (3, 12), "3.12 or newer"),
    ("x = f'{a + \"\\n\"}'\n", (3, 12), "3.12 or newer"),
    ("def f[T = int](x): pass\n", (3, 13), "3.13 or newer"),
    ("x = t'{a}'\n", (3, 14), "3.14 or newer"),
    (HANDLER.format("A, B"), (3, 14), "3.14 or newer"),
    (HANDLER.format("A, e"), (3, 14), "2"),
    ("print 'a'\n", None, "2"),
    ("raise E, 'a'\n", None, "2"),
    ("if a <> b: pass\n", None, "2"),
    ("x = 0777\n", None, "2"),
    ("x = 10L\n", None, "2"),
    ("x = = 1\n", None, None),
    ("x = (\n", None, None),
    ("lst[a * b c]\n", None, None),
]


@pytest.mark.parametrize(("text", "since", "version"), VERSIONS)
def test_the_version_that_a_file_is_written_for(text: str, since: tuple[int, int] | None, version: str | None) -> None:
    if since is not None and sys.version_info >= since:
        pytest.skip("this Python knows it")
    with pytest.raises(SyntaxError) as caught:
        ast.parse(text)
    assert version_for(caught.value) == version


def test_it_is_told(tmp_path: Path) -> None:
    (tmp_path / "new.py").write_text("x = 1\ny = t'{x}'\n")
    (tmp_path / "old.py").write_text("print 'a'\n")
    (tmp_path / "fine.py").write_text(f"{HEAD}    y += 1\n{FOOT}")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "codemods")}
    command = [sys.executable, "-m", "unplace", "rewrite", "."]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    new, old, *_ = done.stderr.splitlines()
    if sys.version_info < (3, 14):
        assert new.startswith("new.py:2:")
        assert "or run unplace with Python 3.14 or newer, which it needs" in new
    assert old.endswith("this looks like Python 2: convert the file, or leave it out")
    assert "y = y + 1" in (tmp_path / "fine.py").read_text()
