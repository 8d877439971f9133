"""A setting is declared once: a new one, added to a copy of the source, is known wherever settings are given."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from samples import MODEL

ROOT = Path(__file__).parents[1]
KEPT = "another rewrite of this run is in the way; run again for this one"
CHANGES = {
    "config/options.py": [
        (
            "    target_torch: Annotated[\n",
            '    keep_sums: Annotated[bool, Setting(Truth(), "Leave sums in place.")] = False\n'
            "    target_torch: Annotated[\n",
        ),
    ],
    "rules/unp001_augmented.py": [
        ("import Copy, Plain, Rebind, Verdict", "import Copy, Keep, Plain, Rebind, Verdict"),
        (
            "from unplace.diagnostics.forms",
            "from unplace.diagnostics.refusals import Refusal\nfrom unplace.diagnostics.forms",
        ),
        (
            "        verdict = rebind(site, site.write.target)\n",
            "        if site.options.keep_sums and isinstance(site.node.op, ast.Add):\n"
            "            return Keep(Refusal.LATER())\n"
            "        verdict = rebind(site, site.write.target)\n",
        ),
    ],
    "__init__.py": [
        (
            "    preserve_dtype: bool = False,\n",
            "    preserve_dtype: bool = False,\n    keep_sums: bool = False,\n",
        ),
        (
            "        preserve_dtype=preserve_dtype,\n",
            "        preserve_dtype=preserve_dtype,\n        keep_sums=keep_sums,\n",
        ),
    ],
}
"""All files that a new setting touches: the declaration, the rule that heeds it, the argument for callers in Python."""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source with the new setting."""
    folder = tmp_path_factory.mktemp("source")
    shutil.copytree(ROOT / "codemods", folder / "codemods", ignore=shutil.ignore_patterns("__pycache__"))
    for name, replacements in CHANGES.items():
        path = folder / "codemods/unplace" / name
        text = path.read_text("utf-8")
        for before, after in replacements:
            assert text.count(before) == 1, before
            text = text.replace(before, after)
        path.write_text(text, "utf-8")
    return folder / "codemods"


def run(source: Path, folder: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(source), "UNPLACE_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "unplace.toml").write_text("")
    return tmp_path


def test_at_most_four_places() -> None:
    assert len(CHANGES) <= 4


def test_commands_have_its_options_and_results_are_kept_for_each_value(source: Path, folder: Path) -> None:
    check = ("-m", "unplace", "check", "--output-format", "concise", "model.py")
    assert "UNP001" in run(source, folder, *check)
    assert "UNP001" not in run(source, folder, *check, "--keep-sums")
    assert "UNP001" in run(source, folder, *check, "--no-keep-sums")
    assert KEPT in run(source, folder, "-m", "unplace", "explain", "model.py:6", "--keep-sums")
    assert "--keep-sums" in run(source, folder, "-m", "unplace", "migrate", "--help")


def test_a_configuration_file_has_its_key(source: Path, folder: Path) -> None:
    (folder / "unplace.toml").write_text("keep-sums = true\n")
    assert "keep-sums = true" in run(source, folder, "-m", "unplace", "config")
    run(source, folder, "-m", "unplace", "rewrite", "model.py")
    assert (folder / "model.py").read_text() == MODEL


def test_the_server_reads_it(source: Path, folder: Path) -> None:
    (folder / "unplace.toml").write_text("keep-sums = true\n")
    asked = "from pathlib import Path; from unplace.editor.settings import Settings; "
    asked += "print(Settings().options(Path('model.py').absolute(), []).keep_sums)"
    assert run(source, folder, "-c", asked) == "True\n"


def test_callers_in_python_and_the_codemod_give_it(source: Path, folder: Path) -> None:
    asked = f"import unplace; print(unplace.rewrite_source({MODEL!r}, keep_sums=True).findings[0].message)"
    assert run(source, folder, "-c", asked) == f"{KEPT}\n"
    (folder / ".libcst.codemod.yaml").write_text("modules: ['unplace']\nformatter: []\n")
    command = ("-m", "libcst.tool", "codemod", "-x", "unplace.codemod.RewriteInPlace", "--no-format", "-j", "1")
    run(source, folder, *command, "--keep-sums", "model.py")
    assert (folder / "model.py").read_text() == MODEL
    run(source, folder, *command, "model.py")
    assert (folder / "model.py").read_text() == MODEL.replace("y += 1", "y = y + 1")
