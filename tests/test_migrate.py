"""`unplace migrate`: each repository on a branch of its own, nothing else of it touched, whatever happens meanwhile."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest

from unplace.batch import repository_files, rewriting
from unplace.batch.dispatch import dispatch
from unplace.batch.engines import Engine
from unplace.batch.job import Settings, job_from, settings_from, to_json
from unplace.batch.record_json import record_from_json, record_to_json
from unplace.batch.records import RepositoryRecord, Result
from unplace.batch.run_state import RunState, locked
from unplace.batch.state_folder import prepare
from unplace.batch.store import Store
from unplace.batch.targets import Target, TargetError, targets
from unplace.cli import main
from unplace.config.options import Options
from unplace.diagnostics.findings import Status
from unplace.transform import rewriter

MODEL = """import torch


def f(x: torch.Tensor):
    y = x.exp()
    y += 1
    z = x.tanh()
    z *= 2
    return y * z
"""
PLAIN = "print('nothing of torch')\n"
SEES_BOTH = "grep -q 'y = y + 1' model.py && grep -q 'z = z \\* 2' model.py"

Migrate = Callable[..., tuple[int, str, str]]
Make = Callable[..., Path]


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "ada@example.org")


@pytest.fixture
def migrate(capfd: pytest.CaptureFixture[str]) -> Migrate:
    def call(*arguments: object) -> tuple[int, str, str]:
        code = main(["migrate", *map(str, arguments)])
        out, err = capfd.readouterr()
        return code, out, err

    return call


def git(folder: Path, *arguments: str, **more: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env={**os.environ, **more}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def repository(folder: Path, files: dict[str, str]) -> Path:
    """A repository with one commit."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    date = "2024-05-05T12:00:00 +0200"
    git(folder, "commit", "-qm", "Begin", GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)
    return folder


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """All files below a folder, with the times of their last changes."""
    return {str(p): (p.read_bytes(), p.stat().st_mtime_ns) for p in sorted(folder.rglob("*")) if p.is_file()}


def test_a_branch_and_a_patch_are_made_and_the_checkout_is_left_alone(tmp_path: Path, migrate: Migrate) -> None:
    model = repository(tmp_path / "model", {"model.py": MODEL, "plain.py": PLAIN})
    hook = model / ".git/hooks/reference-transaction"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    (model / "untracked.py").write_text(MODEL)
    before = {name: data for name, data in contents(model).items() if "/objects/" not in name}

    code, out, err = migrate("model")

    assert (code, out.splitlines()) == (0, [out.strip()])
    assert out.startswith("[1/1] model: migrated, 2 operations in 1 file of 2 (")
    assert err == "1 of 1 repository done: 1 migrated; 2 files read.\n"
    after = {name: data for name, data in contents(model).items() if "/objects/" not in name}
    new = {str(Path(name).relative_to(model)) for name in after.keys() - before.keys()}
    assert new == {".git/refs/heads/unplace/migrate", ".git/logs/refs/heads/unplace/migrate"}
    assert {name: after[name] for name in before} == before
    assert git(model, "diff", "--stat", "main", "unplace/migrate").splitlines()[-1].startswith(" 1 file changed, 2 ")
    assert "y = y + 1" in git(model, "show", "unplace/migrate:model.py")
    assert git(model, "show", "-s", "--format=%an %ae %ad", "--date=iso", "unplace/migrate") == (
        "Ada ada@example.org 2024-05-05 12:00:00 +0200"
    )
    message = git(model, "show", "-s", "--format=%B", "unplace/migrate")
    assert "rewrote 2 operations in 1 file:\n\n- UNP001: 2" in message
    hook.unlink()
    git(model, "checkout", "-qb", "other")
    git(model, "am", "-q", "../unplace-migrate/patches/model.patch")
    assert git(model, "rev-parse", "other^{tree}") == git(model, "rev-parse", "unplace/migrate^{tree}")
    assert not any((tmp_path / "unplace-migrate/work").iterdir())


def test_a_dry_run_writes_nothing_but_its_report(tmp_path: Path, migrate: Migrate) -> None:
    repository(tmp_path / "model", {"model.py": MODEL})
    before = contents(tmp_path)
    reports = [option for name in ("r.html", "r.jsonl", "r.md") for option in ("--report", name)]
    code, out, err = migrate("model", "--dry-run", "--verify-command", "true", *reports)
    after = contents(tmp_path)
    assert (code, {name: after[name] for name in before}) == (0, before)
    assert {Path(name).name for name in after.keys() - before.keys()} == {"r.html", "r.jsonl", "r.md"}
    assert "model: would be migrated, 2 operations in 1 file of 1" in out
    for text in (out, err, *(Path(name).read_text() for name in ("r.html", "r.jsonl", "r.md"))):
        visible = re.sub(r"<(style|script).*?</\1>|<[^>]*>", "", text, flags=re.DOTALL)
        assert "migrated" not in visible.replace("would be migrated", "")


def test_a_dry_run_is_kept_where_its_state_is_named(tmp_path: Path, migrate: Migrate) -> None:
    repository(tmp_path / "model", {"model.py": MODEL})
    migrate("model", "--dry-run", "--state", "state")
    assert migrate("--status", "--state", "state")[1] == "1 of 1 repository done: 1 would be migrated; 1 file read.\n"
    assert not list((tmp_path / "state/patches").iterdir())


def test_notebooks_are_rewritten_and_counted(tmp_path: Path, migrate: Migrate) -> None:
    code = ["import torch\n", "y = torch.exp(torch.ones(2, requires_grad=True))\n", "y += 1\n"]
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": code}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    model = repository(tmp_path / "model", {"plain.py": PLAIN, "tour.ipynb": json.dumps(notebook, indent=1)})
    code, out, _ = migrate("model", "--report", "r.jsonl", "--report", "r.html")
    assert code == 0
    assert "model: migrated, 1 operation in 1 file of 2" in out
    assert "y = y + 1" in git(model, "show", "unplace/migrate:tour.ipynb")
    (site,) = json.loads(Path("r.jsonl").read_text())["sites"]
    assert (site["cell"], site["line"], site["column"], site["source"]) == (1, 3, 1, "y += 1")
    assert site["in_file"] > 3


def test_a_migration_counts_the_harm_that_check_counts(
    tmp_path: Path, migrate: Migrate, capfd: pytest.CaptureFixture[str]
) -> None:
    text = (
        "import torch\n\n\ndef f(x: torch.Tensor):\n    y = x.exp()\n    y[0] = 1\n    y[1] = 2\n    return y\n\n\n"
        "def train():\n    f(torch.ones(3, requires_grad=True) * 1)\n"
    )
    repository(tmp_path / "model", {"model.py": text})
    assert migrate("model", "--report", "r.jsonl")[0] == 0
    sites = json.loads(Path("r.jsonl").read_text())["sites"]
    assert [(site["status"], site["harm"]) for site in sites] == [("rewritten", "harmful"), ("kept", "harmless")]
    assert main(["check", "model"]) == 1
    assert "Found 1 in-place operation in 1 file of 1: 1 harmful." in capfd.readouterr().err


def test_a_repository_of_another_owner_is_skipped(
    tmp_path: Path, migrate: Migrate, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = repository(tmp_path / "model", {"model.py": MODEL})
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # Git's own tests do it so
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)  # where a machine may trust every owner
    code, out, _ = migrate("model")
    assert code == 1
    assert "model: skipped, it belongs to another user, and git works in no such repository" in out
    assert f"git config --global --add safe.directory {model}" in out


def test_a_branch_of_an_earlier_run_is_known_as_such(tmp_path: Path, migrate: Migrate) -> None:
    model = repository(tmp_path / "model", {"model.py": MODEL})
    migrate("model")
    tip = git(model, "rev-parse", "unplace/migrate")
    code, out, _ = migrate("model", "--verify-command", "true")
    assert (code, "model: migrated, " in out) == (0, True)
    assert git(model, "rev-parse", "unplace/migrate") == tip
    (model / "more.py").write_text(MODEL)
    git(model, "add", "-A")
    git(model, "commit", "-qm", "More")
    code, out, _ = migrate("model")
    assert code == 1
    assert "model: skipped, it has a branch unplace/migrate of an earlier run; merge it, or delete it" in out
    git(model, "merge", "-q", "--no-edit", "unplace/migrate")
    code, out, _ = migrate("model")
    assert (code, "model: migrated, 2 operations in 1 file of 2" in out) == (0, True)
    assert git(model, "diff", "--name-only", "main", "unplace/migrate") == "more.py"


def test_status_tells_the_run_of_the_command(tmp_path: Path, migrate: Migrate) -> None:
    """The command asks for the status itself: at each of its runs it is one further."""
    repository(tmp_path / "model", {"model.py": MODEL})
    unplace = f"{sys.executable} -m unplace migrate --status --state {tmp_path / 'state'}"
    command = f"{unplace} >> {tmp_path / 'said'}; grep -q 'y += 1' model.py"
    assert migrate("model", "--verify-command", command, "--state", "state")[0] == 0
    said = [line for line in (tmp_path / "said").read_text().splitlines() if line.startswith("in work")]
    assert said[:3] == [f"in work: model, verifying, run {number} of at most 8" for number in (1, 2, 3)]
    assert len(said) <= 8


def test_what_the_command_shows_is_evidence(tmp_path: Path, migrate: Migrate) -> None:
    files = {
        "tools.py": "import torch\n\n\ndef scaled(u, k):\n    u *= k\n    return u\n",
        "test_tools.py": "import torch\nfrom tools import scaled\n\n\ndef test_scaled():\n"
        "    assert scaled(torch.ones(2), 2.0).sum() == 4\n",
    }
    model = repository(tmp_path / "model", files)
    command = f"{sys.executable} -m pytest -q -p no:cacheprovider"
    plain = ["model", "--verify-command", command, "--state", "plain"]
    assert "model: unchanged" in migrate(*plain)[1]
    assert migrate("model", "--observe")[0] == 2
    code, out, err = migrate(*plain[:-1], "seen", "--observe", "--report", "r.md")
    assert (code, "model: migrated, 1 operation in 1 file of 2" in out) == (0, True), (out, err)
    assert "u = u * k" in git(model, "show", "unplace/migrate:tools.py")
    assert "1 of them rest on what a run showed" in git(model, "show", "-s", "unplace/migrate")
    assert "Rewritten on what a run showed" in Path("r.md").read_text()


def test_the_same_input_makes_the_same_commit(tmp_path: Path, migrate: Migrate) -> None:
    repository(tmp_path / "a/model", {"model.py": MODEL})
    repository(tmp_path / "b/model", {"model.py": MODEL})
    migrate("a/model", "--state", "one")
    migrate("b/model", "--state", "two")
    tips = {git(tmp_path / name / "model", "rev-parse", "unplace/migrate") for name in "ab"}
    assert len(tips) == 1
    code, out, _ = migrate("a/model", "--state", "three")
    assert (code, "model: migrated" in out) == (0, True)
    assert git(tmp_path / "a/model", "rev-parse", "unplace/migrate") in tips


def test_what_is_skipped_is_taken_up_when_its_reason_is_gone(tmp_path: Path, migrate: Migrate) -> None:
    dirty = repository(tmp_path / "dirty", {"model.py": MODEL})
    (dirty / "model.py").write_text(MODEL + "# a thought\n")
    taken = repository(tmp_path / "taken", {"model.py": MODEL})
    git(taken, "checkout", "-qb", "unplace/migrate")
    git(taken, "commit", "-q", "--allow-empty", "-m", "Mine")
    mine = git(taken, "rev-parse", "HEAD")
    git(taken, "checkout", "-q", "main")
    (tmp_path / "empty").mkdir()
    git(tmp_path / "empty", "init", "-q")
    unchanged = repository(tmp_path / "unchanged", {"plain.py": PLAIN})

    code, out, err = migrate("dirty", "taken", "empty", "unchanged", "missing", "unchanged/.git/refs", "--jobs", "1")

    assert code == 2
    said = sorted(line.partition("] ")[2].rpartition(" (")[0] for line in out.splitlines())
    assert said == [
        "dirty: skipped, its working tree has changes that aren't committed; commit or stash them",
        "empty: skipped, it has no commit yet",
        "missing: failed, no such folder",
        said[3],
        f"taken: skipped, it has a branch unplace/migrate with other commits; merge it, or delete it (git -C {taken} "
        "branch -D unplace/migrate), and run with --resume",
        "unchanged: unchanged",
    ]
    assert said[3].startswith("refs: failed, ")
    assert err.startswith("6 of 6 repositories done: 1 unchanged, 3 skipped, 2 failed; ")
    assert git(taken, "rev-parse", "unplace/migrate") == mine
    assert not git(dirty, "branch", "--list", "unplace/*")

    git(dirty, "stash")
    git(taken, "branch", "-D", "unplace/migrate")
    code, out, _ = migrate("--resume")
    assert [name for name in ("dirty", "taken", "unchanged") if f"] {name}: migrated" in out] == ["dirty", "taken"]
    assert git(unchanged, "branch", "--list", "unplace/*") == ""


def test_links_lead_nowhere(tmp_path: Path, migrate: Migrate) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text(MODEL)
    model = tmp_path / "model"
    model.mkdir()
    (model / "link.py").symlink_to(outside)
    repository(model, {"model.py": MODEL})
    migrate("model")
    assert outside.read_text() == MODEL
    assert git(model, "diff", "--name-only", "main", "unplace/migrate") == "model.py"


def test_a_folder_outside_git_gets_a_patch(tmp_path: Path, migrate: Migrate) -> None:
    folder = tmp_path / "loose"
    folder.mkdir()
    (folder / "model.py").write_text(MODEL)
    code, out, _ = migrate("loose")
    assert (code, (folder / "model.py").read_text()) == (0, MODEL)
    assert "not a Git repository, so there is a patch and no commit" in out
    subprocess.run(["patch", "-sp1", "-i", "../unplace-migrate/patches/loose.patch"], cwd=folder, check=True)
    assert "y = y + 1" in (folder / "model.py").read_text()


# -- configuration and verification ---------------------------------------------------------------------------------


def test_the_repository_s_own_configuration_holds_and_none_around_it(tmp_path: Path, migrate: Migrate) -> None:
    (tmp_path / "unplace.toml").write_text('ignore = ["UNP"]\n')
    toml = '[tool.unplace]\nexclude = ["old/"]\n'
    own = repository(tmp_path / "own", {"model.py": MODEL, "old/model.py": MODEL, "pyproject.toml": toml})
    broken = repository(tmp_path / "broken", {"model.py": MODEL, "unplace.toml": "colour = 1\n"})
    code, out, _ = migrate("own", "broken")
    assert code == 2
    assert git(own, "diff", "--name-only", "main", "unplace/migrate") == "model.py"
    assert "broken: failed, " in out
    assert "unknown key `colour`" in out
    assert git(broken, "branch", "--list", "unplace/*") == ""


@pytest.mark.parametrize(
    ("command", "code", "said", "kept"),
    [
        (SEES_BOTH + " || grep -q 'y += 1' model.py", 0, "migrated, 2 operations", ["y = y + 1", "z = z * 2"]),
        ("grep -q 'y += 1' model.py", 0, "1 left out by the verification", ["y += 1", "z = z * 2"]),
        (
            "grep -q 'y += 1' model.py && grep -q 'z \\*= 2' model.py",
            1,
            "fails with each of the rewrites, 2 refused",
            [],
        ),
        ("false", 1, "skipped, nothing can be verified: `false` fails without a rewrite", []),
        ("sleep 9", 1, "skipped, nothing can be verified: `sleep 9` timed out after 0 s", []),
        ('test -f "$UNPLACE_REPOSITORY/local"', 0, "migrated, 2 operations", ["y = y + 1", "z = z * 2"]),
    ],
)
def test_only_what_stands_the_command_is_committed(
    tmp_path: Path, migrate: Migrate, command: str, code: int, said: str, kept: list[str]
) -> None:
    model = repository(tmp_path / "model", {"model.py": MODEL})
    (model / "local").touch()
    timeout = "0.4" if "sleep" in command else "60"
    found, out, _ = migrate("model", "--verify-command", command, "--timeout", timeout, "--report", "report.md")
    assert (found, said in out) == (code, True), out
    assert ("rewritten in 1 file" in (tmp_path / "report.md").read_text()) == bool(kept)
    if not kept:
        assert git(model, "branch", "--list", "unplace/*") == ""
        return
    text = git(model, "show", "unplace/migrate:model.py")
    assert [line for line in kept if line in text] == kept
    assert f"Verified with `{command}`" in git(model, "show", "-s", "--format=%B", "unplace/migrate")


# -- URLs, pushing, pull requests -----------------------------------------------------------------------------------


def test_a_url_is_cloned_and_pushed_only_when_asked(tmp_path: Path, migrate: Migrate) -> None:
    repository(tmp_path / "source", {"model.py": MODEL})
    git(tmp_path, "clone", "-q", "--bare", "source", "served.git")
    url = f"file://{tmp_path}/served.git"
    before = contents(tmp_path / "served.git")
    assert migrate(url)[0] == 0
    assert contents(tmp_path / "served.git") == before
    template = "echo {branch} {title} {name} {target} > pr.txt && cat {body_file} >> pr.txt"
    assert migrate(url, "--push", "--open-pr-command", template)[0] == 0
    clone = tmp_path / "unplace-migrate/clones/served.git"
    tip = git(tmp_path / "served.git", "rev-parse", "unplace/migrate")
    assert tip == git(clone, "rev-parse", "unplace/migrate")
    first, _, rest = (clone / "pr.txt").read_text().partition("\n")
    assert first == f"unplace/migrate Rewrite in-place tensor operations out of autograd's way served {url}"
    assert "- UNP001: 2" in rest


def test_what_fails_behind_the_commit_is_said(tmp_path: Path, migrate: Migrate) -> None:
    model = repository(tmp_path / "model", {"model.py": MODEL})
    code, out, _ = migrate("model", "--push")
    assert (code, "model: failed, git push: " in out) == (2, True)
    assert git(model, "branch", "--list", "unplace/*")
    code, out, _ = migrate("model", "--open-pr-command", "echo no token; exit 3")
    assert (code, "`echo no token; exit 3` ended with exit code 3: no token" in out) == (2, True)


# -- lists of targets -----------------------------------------------------------------------------------------------


def test_a_list_names_targets_with_settings_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists/all.txt").write_text(
        "# models\n\n../detector   verify-command=\"pytest -q 'my tests'\" timeout=600\n"
        'https://example.org/speech.git verify-command=""\nada@example.org:vision/detector.git\n'
    )
    assert targets(["speech"], [Path("lists/all.txt")]) == [
        Target(str(tmp_path / "speech"), "speech"),
        Target(str(tmp_path / "detector"), "detector", "pytest -q 'my tests'", 600.0),
        Target("https://example.org/speech.git", "speech-2", ""),
        Target("ada@example.org:vision/detector.git", "detector-2"),
    ]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a\na/../a", "list.txt:2: a/../a is there twice; name each repository once"),
        ("a verify='x'", "list.txt:1: `verify=x` isn't one of verify-command=..., timeout=..."),
        ("a timeout=soon", "list.txt:1: soon is not a positive number"),
        ("a 'b", "list.txt:1: No closing quotation"),
    ],
)
def test_a_list_that_cant_be_understood(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "list.txt").write_text(text)
    with pytest.raises(TargetError) as caught:
        targets([], [Path("list.txt")])
    assert str(caught.value) == complaint


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "name some repositories"),
        (["--resume", "a"], "takes targets and settings from the run as it was begun"),
        (["--resume", "--unsafe"], "takes targets and settings from the run as it was begun"),
        (["a", "--dry-run", "--push"], "makes no commits to push or propose"),
        (["a", "--open-pr-command", "gh {titel}"], "{titel} isn't one of {branch}, {commit}, {title}"),
        (["a", "--engine", "spark"], "spark isn't one of local, dask, ray"),
        (["a", "--address", "tcp://x:1"], "only goes with --engine dask or ray"),
        (["a", "--report", "x.pdf"], "x.pdf ends in none of .html, .jsonl, .md"),
        (["a", "--only", "bad"], "unknown harm bad"),
        (["--resume"], "holds no run that could go on"),
        (["--status"], "holds no run"),
    ],
)
def test_usage(migrate: Migrate, arguments: list[str], complaint: str) -> None:
    code, out, err = migrate(*arguments)
    assert (code, out) == (2, "")
    assert complaint in " ".join(err.split())


# -- what is kept ---------------------------------------------------------------------------------------------------


def test_records_settings_and_jobs_survive_as_json(tmp_path: Path, migrate: Migrate) -> None:
    repository(tmp_path / "model", {"model.py": MODEL, "broken.py": "def f(:\n"})
    migrate("model", "--verify-command", "grep -q 'y += 1' model.py", "--only", "harmful,possible", "--unsafe")
    state = RunState(tmp_path / "unplace-migrate")
    (record,) = state.records()
    assert record_from_json(record_to_json(record)) == record
    assert [(site.status, site.left_out) for site in record.found[0].sites] == [("refused", True), ("rewritten", False)]
    assert record.found[0].sites[1].source == "    z *= 2"
    assert (record.files, record.lines) == (2, 10)
    assert [(error.path, error.line) for error in record.errors] == [("broken.py", 1)]
    assert record.verification is not None
    assert record.verification.verdict == "passed"
    settings = state.settings()
    assert settings is not None
    assert settings.choice["only"] == ["harmful,possible"]
    assert settings_from(to_json(settings)) == settings
    state.close()


def test_files_are_not_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []
    real = repository_files.outcomes

    def watched(paths: list[str], *rest: Any, **more: Any) -> Iterable[Any]:
        looked_at.extend(Path(path).name for path in paths)
        return real(paths, *rest, **more)

    monkeypatch.setattr(repository_files, "outcomes", watched)
    tree = tmp_path / "tree"
    tree.mkdir()
    monkeypatch.chdir(tree)

    def outcomes(settings: str = "") -> list[str]:
        looked_at.clear()
        store = Store(tmp_path / "store.sqlite")
        files = repository_files.RepositoryFiles.found(None, settings)
        found = files.outcomes(Options(), 1, store, lambda done, total: None)
        store.close()
        assert [o.count(Status.REWRITTEN) for o in found if o.path == "model.py"] == [2]
        return sorted(looked_at)

    for name, text in {"model.py": MODEL, "other.py": MODEL, "plain.py": PLAIN}.items():
        Path(name).write_text(text)
    assert outcomes() == ["model.py", "other.py", "plain.py"]
    assert outcomes() == []
    assert outcomes("other options") == ["model.py", "other.py"]
    Path("plain.py").write_text(PLAIN + "y = 1\n")  # any name can matter to the others
    assert outcomes("other options") == ["model.py", "other.py", "plain.py"]


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("slow.py", "not done in 4 seconds of processor time"),
        ("hungry.py", "not enough memory to work on it"),
    ],
)
def test_no_file_takes_more_than_its_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, complaint: str
) -> None:
    real = rewriter.rewrite_text

    def greedy(text: str, path: str, *rest: Any) -> Any:
        if path == "slow.py":
            while True:
                pass
        if path == "hungry.py":
            return [bytes(2**20) for _ in range(4096)]
        return real(text, path, *rest)

    monkeypatch.setattr(rewriter, "rewrite_text", greedy)
    monkeypatch.setattr("unplace.runs.limits.SECONDS", 4)
    monkeypatch.chdir(tmp_path)
    paths = [str(tmp_path / name), str(tmp_path / "model.py")]
    for path in paths:
        Path(path).write_text(MODEL)
    greedy_one, model = rewriting.outcomes(paths, Options(), 1, paths)
    assert greedy_one.problem is not None
    assert complaint in greedy_one.problem.message
    assert model.count(Status.REWRITTEN) == 2


def test_a_verification_is_not_run_again(tmp_path: Path, migrate: Migrate) -> None:
    model = repository(tmp_path / "model", {"model.py": MODEL})
    command = f"echo run >> {shlex.quote(str(tmp_path / 'runs'))}"
    migrate("model", "--verify-command", command, "--dry-run", "--state", "state")
    runs = (tmp_path / "runs").read_text()
    assert migrate("model", "--verify-command", command, "--state", "state")[0] == 0
    assert (tmp_path / "runs").read_text() == runs
    assert git(model, "branch", "--list", "unplace/*")


# -- one run at a time, and workers that are lost -------------------------------------------------------------------


def test_a_state_folder_serves_one_run_at_a_time(tmp_path: Path, migrate: Migrate) -> None:
    repository(tmp_path / "model", {"model.py": MODEL})
    folder = tmp_path / "unplace-migrate"
    prepare(folder)
    with locked(folder):
        code, _, err = migrate("model")
        assert (code, f"another run works in {folder}" in err) == (2, True)
    state = RunState(folder)
    state.begin(Settings(), [Target(str(tmp_path / "model"), "model")])
    state.close()
    code, _, err = migrate("model")
    assert (code, "holds a run with 1 of 1 repositories to do: go on with --resume" in err) == (2, True)
    code, out, _ = migrate("--status")
    assert (code, out) == (
        0,
        "0 of 1 repository done; 0 files read.\nNo run is active; `unplace migrate --resume` goes on.\n",
    )
    assert migrate("--resume")[0] == 0
    assert migrate("--status")[1] == "1 of 1 repository done: 1 migrated; 1 file read.\n"


class Flaky(Executor):
    """Loses the worker of each repository a few times, and then says that there is nothing to do in it."""

    def __init__(self, losses: int) -> None:
        self.losses = losses
        self.seen: list[str] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        job = job_from(args[0])
        self.seen.append(job.name)
        future: Future[Any] = Future()
        if self.seen.count(job.name) <= self.losses:
            future.set_exception(RuntimeError("worker lost"))
        else:
            future.set_result(record_to_json(RepositoryRecord(job.name, job.target, Result.UNCHANGED)))
        return future


@pytest.mark.parametrize(("losses", "result", "attempts"), [(2, Result.UNCHANGED, 3), (3, Result.FAILED, 3)])
def test_a_lost_worker_is_a_repository_tried_again(tmp_path: Path, losses: int, result: Result, attempts: int) -> None:
    prepare(tmp_path)
    state, executor = RunState(tmp_path), Flaky(losses)
    state.begin(Settings(), [Target(str(tmp_path / name), name) for name in ("a", "b")])
    records = [record for record in dispatch(state, Engine(executor, 2), Settings()) if record is not None]
    assert sorted((record.name, record.result) for record in records) == [("a", result), ("b", result)]
    assert sorted(executor.seen) == ["a"] * attempts + ["b"] * attempts
    assert list(state.records()) == sorted(records, key=lambda record: record.name)
    state.close()


def test_a_process_that_dies_is_reported_with_what_it_said(tmp_path: Path, migrate: Migrate) -> None:
    repository(tmp_path / "model", {"model.py": MODEL})
    prepare(tmp_path / "unplace-migrate")
    (tmp_path / "unplace-migrate/files/model.sqlite").write_bytes(b"no database" * 100)
    code, out, _ = migrate("model")
    assert code == 2
    reason = "given up after 3 attempts: WorkerLostError: its process ended with exit code 1: sqlite3.DatabaseError"
    assert reason in out


def test_shares_are_in_proportion(tmp_path: Path) -> None:
    """A repository with most of the files gets most of the processes, one alone all of them."""
    shares: dict[str, int] = {}

    class Noting(Flaky):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            job = job_from(args[0])
            shares[job.name] = job.jobs
            return super().submit(fn, *args, **kwargs)

    for name, count in {"small": 1, "large": 6}.items():
        repository(tmp_path / name, {f"m{number}.py": PLAIN for number in range(count)})
    prepare(tmp_path)
    state = RunState(tmp_path)
    for names in (("small", "large"), ("small",)):
        state.begin(Settings(), [Target(str(tmp_path / name), name) for name in names])
        list(dispatch(state, Engine(Noting(0), 4), Settings()))
        assert shares == ({"small": 1, "large": 3} if len(names) == 2 else {"small": 4, "large": 3})
    state.close()
