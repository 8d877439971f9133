"""The command for LibCST's tool, run by that tool in a folder of its own."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import libcst as cst
import pytest
from libcst.codemod import CodemodContext

from unplace import rewrite_source
from unplace.codemod import RewriteInPlace
from unplace.rules import codes

ROOT = Path(__file__).parents[1]
MODEL = """\
# naïve
import torch


def f(x: torch.Tensor, k: torch.Tensor):
    y = x.exp()   # saved
    y += k
    x.mul_(2)
    return y, x
"""


def codemod(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "libcst.tool", "codemod", *arguments, "--no-format", "--hide-progress", "-j", "1"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "codemods")}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(params=["\n", "\r\n"], ids=["LF", "CRLF"])
def model(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """`src/model.py` in a folder with a configuration of LibCST's tool."""
    (tmp_path / ".libcst.codemod.yaml").write_text("modules: ['unplace']\n")
    (tmp_path / "src").mkdir()
    path = tmp_path / "src/model.py"
    path.write_bytes(MODEL.replace("\n", request.param).encode())
    return path


def test_a_folder_is_rewritten_and_refusals_are_warnings(model: Path, tmp_path: Path) -> None:
    before = model.read_bytes()
    done = codemod(tmp_path, "codemod.RewriteInPlace", "src")
    assert done.returncode == 0, done.stderr
    assert model.read_bytes() == before.replace(b"y += k", b"y = y + k")
    assert f"model.py:8:5: UNP002 {rewrite_source(MODEL).findings[-1].message}" in done.stderr
    assert "Transformed 1 files successfully" in done.stderr


@pytest.mark.parametrize(
    ("options", "edits"),
    [
        (["--unsafe"], {"y += k": "y = y + k", "x.mul_(2)": "x = x.mul(2)"}),
        (["--preserve-dtype"], {"y += k": "y = (y + k).to(y.dtype)"}),
        (["--unsafe", "--select", "UNP002,UNP003"], {"x.mul_(2)": "x = x.mul(2)"}),
        (["--unsafe", "--ignore", "UNP002"], {"y += k": "y = y + k"}),
        (["--only", "harmless"], {}),
        (["--target-torch", "1.8"], {"y += k": "y = y + k"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_options(options: list[str], edits: dict[str, str]) -> None:
    parser = argparse.ArgumentParser()
    RewriteInPlace.add_args(parser)
    command = RewriteInPlace(CodemodContext(), **vars(parser.parse_args(options)))
    expected = MODEL
    for old, new in edits.items():
        expected = expected.replace(old, new)
    assert command.transform_module(cst.parse_module(MODEL)).code == expected


def test_an_unknown_rule_is_said_and_nothing_is_changed(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(MODEL, encoding="utf-8")
    done = codemod(tmp_path, "-x", "unplace.codemod.RewriteInPlace", "--select", "XYZ999", "model.py")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(
        "argument --select: unknown rule XYZ999. Known: " + ", ".join(codes()) + "."
    )
    assert "Traceback" not in done.stderr
    assert path.read_text(encoding="utf-8") == MODEL
