"""One script regenerates what depends on the release of torch, and one place names the release."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from unplace import torchapi
from unplace.torchapi.releases import known

pytest.importorskip("torch")
ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

import releases as releases_script  # noqa: E402
import support_torch  # noqa: E402

WRITTEN = {
    *("codemods/unplace/torchapi/table.json", "codemods/unplace/torchapi/releases.json", "docs/operators.md"),
    *("README.md", ".ci/run"),
}
"""What the script writes, or console_blocks.py for it."""

MEASURED = {"docs/diagnose.md", "docs/how-it-works.md"}
"""Pages that say with which release something was measured or seen, once."""


def test_one_place_names_the_release() -> None:
    version = support_torch.pinned()
    assert version == torchapi.TORCH_VERSION
    assert version.startswith(f"{known()[-1]}.")
    kinds = ("*.py", "*.md", "*.toml", "*.yml", "*.yaml", "*.cfg", "*.txt", "*.json")
    folders = ("codemods", "docs", "scripts", ".ci")
    paths = {p for folder in folders for kind in (*kinds, "run") for p in (ROOT / folder).rglob(kind)}
    paths |= {p for kind in kinds for place in (ROOT, ROOT / "tests") for p in place.glob(kind)}
    naming = {p.relative_to(ROOT).as_posix() for p in paths if version in p.read_text("utf-8", "replace")}
    assert naming - WRITTEN - MEASURED == {"constraints.txt"}


def test_every_step_is_run_in_order(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = tmp_path / "README.md"
    page.write_text("a CPU build of torch 1.2.3; pip install -q torch==1.2.3 -c constraints.txt", "utf-8")
    monkeypatch.setattr(support_torch, "COMMANDS", (page,))
    monkeypatch.setattr(support_torch, "pinned", lambda: torchapi.TORCH_VERSION)
    monkeypatch.setattr(support_torch.importlib.metadata, "version", lambda name: f"{torchapi.TORCH_VERSION}+cpu")
    monkeypatch.setattr(sys, "argv", ["support_torch.py", "--stubs", "older"])
    commands: list[list[str]] = []
    assert support_torch.main(lambda command: commands.append(command) or 0) == 0
    assert all(Path(script).is_file() for script, *_ in commands)
    assert [[Path(script).name, *rest] for script, *rest in commands] == [
        ["generate_torchapi.py"],
        ["releases.py", "older"],
        ["shared_names.py"],
        ["operator_table.py"],
        ["console_blocks.py", "--write"],
    ]
    version = torchapi.TORCH_VERSION
    assert page.read_text("utf-8") == (
        f"a CPU build of torch {version}; pip install -q torch=={version} -c constraints.txt"
    )


def test_another_release_has_to_be_installed_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(support_torch, "pinned", lambda: "99.0.0")
    monkeypatch.setattr(sys, "argv", ["support_torch.py"])
    assert support_torch.main(lambda command: pytest.fail("ran")) == 1
    assert "constraints.txt names torch 99.0.0, installed is " in capsys.readouterr().out


def test_a_failing_step_ends_the_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(
        support_torch, "pinned", lambda: support_torch.importlib.metadata.version("torch").split("+")[0]
    )
    monkeypatch.setattr(sys, "argv", ["support_torch.py", "names", "operators"])
    assert support_torch.main(lambda command: 3) == 3
    assert "shared_names.py failed; it needs: pip install numpy pandas" in capsys.readouterr().out


def test_a_new_release_is_added_to_those_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torchapi, "TORCH_VERSION", "9.1.0", raising=False)
    monkeypatch.setattr(releases_script, "used", lambda: ["torch.add", "torch.brand_new"])
    table = {"releases": ["1.8", "2.13"], "since": {"torch.add": "1.8", "torch.gone": "1.8"}}
    expected = {"releases": ["1.8", "2.13", "9.1"], "since": {"torch.add": "1.8", "torch.brand_new": "9.1"}}
    assert releases_script.extended(table) == expected
    assert releases_script.extended(expected) == expected
