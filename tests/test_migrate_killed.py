"""A migration of real packages that is killed again and again, or loses a worker: the commits are the same."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from unplace.batch.run_state import RunState

pytestmark = pytest.mark.slow

PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider tests"
COMPILE = f"{sys.executable} -m compileall -q ."
PASSING = "def test_arithmetic():\n    assert 1 + 1 == 2\n"
PYTHON_2 = "import torch\nprint torch.zeros(3).add_(1)\n"
HARMFUL = "import torch\n\n\ndef f(x: torch.Tensor):\n    y = x.exp()\n    y {} 3\n    return y\n"

OWN = {
    "failing": {"masked/model.py": HARMFUL.format("+=")},
    "python2": {"utils/model.py": HARMFUL.format("+="), "utils/old.py": PYTHON_2},
    "partial": {"pruning/model.py": HARMFUL.format("+="), "pruning/other.py": HARMFUL.format("*=")},
}
"""Further files of the repositories, with operations that are always rewritten, and one that can't be read."""

REPOSITORIES = {
    "distributions": ["torch/distributions"],
    "failing": ["torch/masked"],
    "python2": ["torch/nn/utils"],
    "dirty": ["torch/ao/pruning"],
    "partial": ["torch/ao/pruning"],
    "huge": ["networkx", "torch/autograd", "torch/distributions"],
    "plain": ["networkx/algorithms/tree"],
}
"""Packages of the environment, each repository with its own."""

LIST = f"""
distributions  verify-command="{COMPILE}"
failing        verify-command="{PYTEST}"  timeout=100
python2
dirty
partial        verify-command="{PYTEST} && ! grep -rq y.=.y...3 pruning/other.py"
huge
plain
"""


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repositories, with the same commits each time, and a list of them."""
    folder = tmp_path_factory.mktemp("sources")
    for name, packages in REPOSITORIES.items():
        tree = folder / name
        for package in packages:
            top, _, rest = package.partition("/")
            spec = importlib.util.find_spec(top)
            assert spec is not None
            assert spec.origin is not None
            copied = Path(spec.origin).parent / rest
            for path in copied.rglob("*.py"):
                target = tree / copied.name / path.relative_to(copied)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
        (tree / "tests").mkdir(exist_ok=True)
        text = PASSING if name != "failing" else PASSING.replace("== 2", "== 3")
        (tree / "tests/test_it.py").write_text(text)
        for path, own in OWN.get(name, {}).items():
            (tree / path).write_text(own)
        git(tree, "init", "-q", "-b", "main")
        git(tree, "add", "-A")
        git(tree, "commit", "-qm", "Begin")
    (folder / "list.txt").write_text(LIST)
    (folder / "dirty/tests/test_it.py").write_text("")
    return folder


def git(folder: Path, *arguments: str) -> str:
    env = {**os.environ, **ENVIRONMENT}
    return subprocess.run(["git", *arguments], cwd=folder, env=env, capture_output=True, text=True, check=True).stdout


ENVIRONMENT = {
    **{f"GIT_{role}_NAME": "Ada" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_EMAIL": "ada@example.org" for role in ("AUTHOR", "COMMITTER")},
    **{f"GIT_{role}_DATE": "2024-05-05T12:00:00 +0200" for role in ("AUTHOR", "COMMITTER")},
    "PYTHONPATH": str(Path(__file__).parents[1] / "codemods"),
}


def begun(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "unplace", "migrate", "--state", "state", *arguments]
    with Path(folder, "output").open("ab") as output:
        return subprocess.Popen(
            command, cwd=folder, env={**os.environ, **ENVIRONMENT}, stdout=output, stderr=subprocess.STDOUT
        )


def ended(run: subprocess.Popen[bytes], folder: Path) -> None:
    assert run.wait(600) in (1, 2), Path(folder, "output").read_text()


def what_became_of(folder: Path) -> dict[str, tuple[str, str, str, list[tuple[str, int]], bytes]]:
    """Of each repository the result, the tip of its branch, its checkout's, its errors and its patch."""
    state = RunState(folder / "state")
    found = {}
    for record in state.records():
        tree = folder / record.name
        tip = git(tree, "for-each-ref", "--format=%(objectname)", "refs/heads/unplace").strip()
        assert tip == (record.commit or "")
        assert git(tree, "status", "--porcelain").strip() == ("M tests/test_it.py" if record.name == "dirty" else "")
        assert not (tree / ".git/worktrees").exists()
        patch = Path(record.patch).read_bytes() if record.patch else b""
        errors = [(error.path, error.line or 0) for error in record.errors]
        found[record.name] = (record.result.value, tip, git(tree, "rev-parse", "HEAD"), errors, patch)
    state.close()
    return found


@pytest.fixture(scope="module")
def undisturbed(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What becomes of the repositories when nothing happens."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    shutil.copytree(sources, folder)
    ended(begun(folder, "--from-file", "list.txt", "--jobs", "2"), folder)
    found = what_became_of(folder)
    assert {name: result for name, (result, *_) in found.items()} == {
        "distributions": "migrated",
        "failing": "skipped",
        "python2": "migrated",
        "dirty": "skipped",
        "partial": "migrated",
        "huge": "migrated",
        "plain": "unchanged",
    }
    assert found["python2"][3] == [("utils/old.py", 2)]
    return found


def processes_below(folder: Path) -> list[int]:
    """The processes whose current folder is in there."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                inside = Path(entry, "cwd").readlink().is_relative_to(folder)
            except OSError:
                continue
            if inside:
                found.append(int(entry.name))
    return found


def parent_of(process: int) -> int:
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("PPid:")[2].split()[0])


def wait_until(condition: Callable[[], object], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def some_are_done(folder: Path, count: int) -> bool:
    if not Path(folder, "state/state.sqlite").exists():
        return False
    state = RunState(folder / "state")
    try:
        return state.progress().done >= count
    finally:
        state.close()


def files_are_done(folder: Path, name: str, count: int) -> bool:
    try:
        return int(Path(folder, "state/work", name, "progress").read_text().split()[0]) >= count
    except (OSError, IndexError):
        return False


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="looks for processes in /proc")
def test_killed_again_and_again(sources: Path, undisturbed: dict[str, Any], tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(sources, folder)
    arguments = ["--from-file", "list.txt"]
    moments: list[Callable[[], object]] = [
        lambda: list(Path(folder, "state/work").glob("*/index")),
        lambda: files_are_done(folder, "huge", 5),
        lambda: files_are_done(folder, "huge", 200),
        lambda: some_are_done(folder, 1),
        lambda: some_are_done(folder, 3),
        lambda: git(folder / "huge", "for-each-ref", "refs/heads/unplace"),
    ]
    for number, moment in enumerate(moments):
        run = begun(folder, *arguments, "--jobs", "2")
        wait_until(lambda: run.poll() is not None or moment())  # noqa: B023
        assert run.poll() is None, Path(folder, "output").read_text()
        run.send_signal(signal.SIGINT if number == 1 else signal.SIGKILL)
        assert run.wait() == (130 if number == 1 else -signal.SIGKILL)
        arguments = ["--resume"]
        wait_until(lambda: not processes_below(folder), 20)
    ended(begun(folder, *arguments, "--jobs", "2"), folder)
    assert what_became_of(folder) == undisturbed
    assert not any(Path(folder, "state/work").iterdir())


@pytest.fixture
def dask() -> Iterator[str]:
    """The address of a Dask cluster of two processes."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def ray() -> Iterator[str]:
    """The address of a Ray cluster with two processors; Ray is no part of the `dev` extra."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    yield cluster.address
    cluster.shutdown()


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_workers_of_a_cluster_are_killed(
    engine: str, sources: Path, undisturbed: dict[str, Any], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    address = request.getfixturevalue(engine)
    folder = tmp_path / "run"
    shutil.copytree(sources, folder)
    run = begun(folder, "--from-file", "list.txt", "--engine", engine, "--address", address)
    wait_until(lambda: run.poll() is not None or files_are_done(folder, "huge", 100))
    assert run.poll() is None, Path(folder, "output").read_text()
    workers = {parent_of(process) for process in processes_below(folder / "state/work")}
    for worker in workers:
        os.kill(worker, signal.SIGKILL)
    assert workers
    ended(run, folder)
    assert what_became_of(folder) == undisturbed
