"""`target-torch`: what a rewrite uses of torch is there in the oldest release that the code has to run on."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from unplace import rewrite_source
from unplace.analysis.syntax.imports import imported as names
from unplace.cli import main
from unplace.config.options import Options
from unplace.diagnostics.findings import Status
from unplace.torchapi import releases
from unplace.torchapi.releases import Release, known, since
from unplace.transform.rewriter import rewrite_text

ROOT = Path(__file__).parents[1]
OLDEST = known()[0]
LATEST = known()[-1]
NAMES = json.loads(Path(releases.__file__).with_name("releases.json").read_text("utf-8"))["since"]


@cache
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("releases_generator", ROOT / "scripts/releases.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_has_every_function_of_the_operator_table_and_the_recipes() -> None:
    assert list(NAMES) == generator().used()


def test_names_are_found_in_stubs(tmp_path: Path) -> None:
    files = {
        "_C/__init__.pyi": "class TensorBase:\n    def put(self): ...\n    def scatter(self, *, reduce: str): ...\n",
        "_C/_VariableFunctions.pyi": "def fill(input): ...\n",
        "functional.py": "__all__ = ['split']\n",
        "nn/functional.py": "def relu(x): ...\nelu_ = None\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = set(generator().names(tmp_path))
    assert found >= {"Tensor.put", "Tensor.scatter", "Tensor.scatter(reduce)", "torch.fill", "torch.split"}
    assert found >= {"torch.nn.functional.relu", "torch.nn.functional.elu_"}


# What rewrites write


def written(text: str) -> set[str]:
    """What a module names of torch and of tensors: `torch.cat`, `Tensor.clone`, whatever it imports torch as."""
    tree = ast.parse(text)
    imported = dict(pair for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom) for pair in names(node))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            first, _, rest = ast.unparse(node).partition(".")
            name = f"{imported.get(first, first)}.{rest}"
            found.add(name if re.fullmatch(r"torch(\.\w+)+", name) else f"Tensor.{node.attr}")
    return found


FIXTURES = sorted((ROOT / "tests/fixtures").glob("*/*/before.py"))
OWN = {f"Tensor.{name}" for name in ("append", "weight")} | {"torch.Tensor", "torch.no_grad"}
"""Not functions of torch: methods of lists, attributes of modules, what annotations say, and a context manager."""


@pytest.mark.parametrize("target", [None, OLDEST], ids=str)
def test_rewrites_use_nothing_that_the_table_lacks_or_the_target(target: Release | None) -> None:
    used: dict[str, str] = {}
    for path in FIXTURES:
        before = path.read_bytes().decode("utf-8")
        after = rewrite_text(before, str(path), Options(unsafe=True, target_torch=target)).after
        used |= dict.fromkeys(written(after) - written(before) - OWN, path.parent.name)
    assert len(used) > 20
    assert {name: where for name, where in used.items() if name not in NAMES} == {}
    newer = {name for name in used if since(name) > OLDEST}
    assert bool(newer) is (target is None), newer


BODY = """\
import torch
def f(x: torch.Tensor, i, s):
    y = x.exp()
    {statement}
    return y
"""


@pytest.mark.parametrize(
    ("statement", "release", "plain"),
    [
        ("y.fill_(2)", "1.12", "y = torch.fill(y, 2)"),
        ("y.zero_()", "1.12", "y = torch.fill(y, 0)"),
        ("torch.fill_(y, 2)", "1.12", "y = torch.fill(y, 2)"),
        ("y.put_(i, s)", "1.9", "y = y.put(i, s)"),
        ("y.scatter_(0, i, s, reduce='add')", "1.10", "y = y.scatter(0, i, s, reduce='add')"),
        ("y.scatter_(0, i, s)", "1.8", "y = y.scatter(0, i, s)"),
        ("y.add_(1).fill_(2)", "1.12", "y = torch.fill(y.add(1), 2)"),
    ],
)
def test_what_is_too_new_stays_on_a_clone(statement: str, release: str, plain: str) -> None:
    text = BODY.format(statement=statement)
    position = [str(each) for each in known()].index(release)
    for index, target in enumerate(known()):
        after = rewrite_source(text, target_torch=str(target)).after
        expected = plain if index >= position else f"y = y.clone()\n    {statement}"
        assert after == BODY.format(statement=expected), target
    assert rewrite_source(text).after == BODY.format(statement=plain)


@pytest.mark.parametrize("value", ["y.zero_()", "torch.relu(y.zero_())"])
def test_what_can_not_stay_is_refused_with_the_release(value: str) -> None:
    text = f"import torch\ndef f(x: torch.Tensor):\n    y = x + 1\n    return {value}\n"
    (finding,) = rewrite_source(text, target_torch="1.11").findings
    assert finding.status is Status.REFUSED
    assert "(`torch.fill` came with torch 1.12, and target-torch is 1.11)" in finding.message
    assert rewrite_source(text, target_torch="1.12").changed


# The option and the key


@pytest.mark.parametrize(
    ("version", "problem"),
    [
        ("2", "`2` is no version of torch; write it as `2.1`."),
        ("latest", "`latest` is no version of torch; write it as `2.1`."),
        ("1.14", f"no torch 1.14. Did you mean 1.13? Known: 1.8 to {LATEST}."),
        ("1.7", f"no torch 1.7. Known: 1.8 to {LATEST}."),
        ("2.99", f"no torch 2.99. Leave it out: rewrites use nothing newer. Known: 1.8 to {LATEST}."),
    ],
)
def test_a_version_that_does_not_exist(
    version: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", "--target-torch", version, "."]) == 2
    assert problem in " ".join(capfd.readouterr().err.split())
    Path("unplace.toml").write_text(f'target-torch = "{version}"\n')
    assert main(["check", "."]) == 2
    assert f"target-torch: {problem}" in capfd.readouterr().err
    with pytest.raises(ValueError, match=re.escape(problem)):
        rewrite_source("x = 1\n", target_torch=version)


def test_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("unplace.toml").write_text('target-torch = "1.11.0+cu113"\n')
    Path("model.py").write_text(BODY.format(statement="y.fill_(2)"))
    assert main(["config"]) == 0
    assert 'target-torch = "1.11"' in capfd.readouterr().out
    for command in ["rewrite --diff model.py", "explain model.py:4", "code-action model.py --line 4"]:
        assert main(command.split()) == 0
        assert "y = y.clone()" in capfd.readouterr().out
        assert main([*command.split(), "--target-torch", "1.12.1"]) == 0
        assert "y = torch.fill(y, 2)" in capfd.readouterr().out
    Path("unplace.toml").write_text("target-torch = 2.1\n")
    assert main(["config"]) == 2
    assert 'target-torch: must be a string, such as "2.1"' in capfd.readouterr().err
