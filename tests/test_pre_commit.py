"""The hooks, run by pre-commit itself in a repository of its own; pip fetches what the hooks need."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="pre-commit clones this repository; here is none"),
]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A Git repository with one of the examples, twice."""
    folder = tmp_path / "repository"
    folder.mkdir()
    for name in ("model.py", "excluded.py"):
        shutil.copy(ROOT / "examples/attention.py", folder / name)
    (folder / "unplace.toml").write_text('exclude = ["excluded.py"]\n', "utf-8")
    subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
    subprocess.run(["git", "add", "."], cwd=folder, check=True)
    return folder


def test_both_hooks_install_and_run(repository: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment["PRE_COMMIT_HOME"] = str(repository.parent / "home")
    command = [sys.executable, "-m", "pre_commit", "try-repo", str(ROOT), "--all-files"]
    done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    checked, rewritten = done.stdout.split("unplace rewrite...")
    assert "model.py:18:9: UNP004 masked store can break autograd" in checked
    assert "excluded.py" not in done.stdout
    assert "exit code: 1" in checked
    assert "files were modified by this hook" in rewritten
    assert "masked_fill" in (repository / "model.py").read_text("utf-8")
