"""Programs and applications: the files of which a run sees every caller, and what only looks like one."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

import pytest

from unplace import rewrite_source
from unplace.analysis.project.program import Program
from unplace.analysis.project.programs import is_program
from unplace.cli import main
from unplace.config.options import Options
from unplace.diagnostics.findings import Finding, Status
from unplace.runs.cache import VARIABLE
from unplace.runs.many import rewrite_files
from unplace.runs.outcome import Outcome

SHIFT = """
import torch


def shifted(x: torch.Tensor, by: float) -> torch.Tensor:
    x += by
    return x


class Net(torch.nn.Module):
    def forward(self, x):
        return x


def table(size):
    return torch.arange(size)
"""
"""A function whose write a caller might notice."""


@pytest.mark.parametrize(
    "runs",
    [
        'if __name__ == "__main__":\n    main()',
        'if "__main__" == __name__ and ready:\n    pass',
        "shifted(torch.sigmoid(a), 1.0)",
        "y = shifted(torch.sigmoid(a), 1.0)\nprint(y)",
        "y = shifted(torch.sigmoid(a), 1.0)\ny.sum().backward()",
        "y = shifted(torch.sigmoid(a), 1.0)\nassert torch.equal(y, a)",
        "y = shifted(torch.sigmoid(a), 1.0)\ntorch.save(y, 'y.pt')",
        "for step in range(3):\n    y = shifted(torch.sigmoid(a), 1.0)\n    y.sum().backward()",
        "with torch.no_grad():\n    print(shifted(torch.sigmoid(a), 1.0))",
        "try:\n    shifted(a, 1.0)\nexcept RuntimeError:\n    pass",
        "net = Net()\nnet.train()",
        "net = torch.nn.Linear(3, 3)\nnet.cuda()",
    ],
)
def test_a_file_that_runs_something_of_its_own_is_a_program(runs: str) -> None:
    assert is_program(program_of(runs))


@pytest.mark.parametrize(
    "runs",
    [
        "",
        "torch.manual_seed(0)",
        "torch.set_default_dtype(torch.float64)",
        "torch.backends.cudnn.benchmark = True",
        "import logging\nlogger = logging.getLogger(__name__)\nlogger.addHandler(logging.NullHandler())",
        "import warnings\nwarnings.filterwarnings('ignore')",
        "import sys\nsys.path.append('..')",
        "__all__ = ['shifted']\n__all__ += ['Net']\n__all__.append('table')",
        "TABLE = table(8)",
        "MEAN = torch.tensor([0.5, 0.5])",
        "NETS = {}\nNETS['net'] = Net\nNETS.update(other=Net)",
        "import atexit\natexit.register(print)",
        "if torch.cuda.is_available():\n    DEVICE = torch.device('cuda')",
        "try:\n    import apex\nexcept ImportError:\n    apex = None",
        "for name in ('a', 'b'):\n    globals()[name] = None",
        "with open('README.md') as file:\n    text = file.read()",
        "'''A text that isn't the docstring.'''",
        "torch.library.define('own::op', '(Tensor x) -> Tensor')",
    ],
)
def test_what_only_configures_or_defines_is_no_program(runs: str) -> None:
    assert not is_program(program_of(runs))


def program_of(runs: str) -> Program:
    text = f"{SHIFT}\n\na = torch.ones(3, requires_grad=True)\n{runs}\n"
    return Program.of(ast.parse(text), text)


# -- alone ------------------------------------------------------------------------------------------------------------

SCRIPT = (
    SHIFT
    + """
a = torch.ones(3, requires_grad=True)
y = shifted(torch.sigmoid(a), 1.0)
y.sum().backward()
print(a.grad)
"""
)
USES = """
import torch
from script import shifted


def kept(x):
    y = torch.exp(x)
    shifted(y, 2.0)
    return y
"""


def test_a_text_that_runs_something_is_a_program_unless_told_otherwise() -> None:
    told = {whole: rewrite_source(SCRIPT, whole_program=whole).after for whole in ("auto", True, False)}
    assert "x = x + by" in told["auto"]
    assert told["auto"] == told[True]
    assert "x += by" in told[False]


def test_a_script_is_a_program_if_no_file_beside_it_imports_it(tmp_path: Path) -> None:
    write(tmp_path, {"script.py": SCRIPT, "other.py": "import torch\nfrom scripting import shifted\n"})
    assert is_rebound(run(tmp_path, "script.py")["script.py"])


@pytest.mark.parametrize(
    "imports",
    [
        "from script import shifted",
        "import os, script",
        "import script as s",
        "from . import script",
        "from .script import *",
        "from app import (\n    os,\n    script,\n)",
        "from app import os, \\\n    script",
        "try: import script\nexcept ImportError: pass",
        "def late():\n    import script",
        "import importlib\nscript = importlib.import_module('script')",
    ],
)
@pytest.mark.parametrize("named", [("script.py",), ("script.py", "uses.py")], ids=["alone", "together"])
def test_a_script_that_another_file_imports_is_no_program(tmp_path: Path, imports: str, named: tuple[str, ...]) -> None:
    write(tmp_path, {"script.py": SCRIPT, "uses.py": f"import torch\n{imports}\n"})
    assert run(tmp_path, *named)["script.py"].basis.taken == frozenset()


def test_a_test_in_another_folder_of_the_repository_imports_it(tmp_path: Path) -> None:
    write(tmp_path, {".git/HEAD": "", "src/script.py": SCRIPT, "tests/test_script.py": USES})
    assert not is_rebound(run(tmp_path, "src/script.py")["script.py"])


def test_a_module_of_a_package_that_can_be_installed_is_no_program(tmp_path: Path) -> None:
    files = {"pyproject.toml": '[project]\nname = "pkg"\n', "pkg/__init__.py": "", "pkg/script.py": SCRIPT}
    write(tmp_path, files)
    assert not is_rebound(run(tmp_path, "pkg/script.py")["script.py"])
    write(tmp_path, {"pkg/__main__.py": SCRIPT, "tools/script.py": SCRIPT})
    assert is_rebound(run(tmp_path, "pkg/__main__.py")["__main__.py"])
    assert is_rebound(run(tmp_path, "tools/script.py")["script.py"])


# -- applications -----------------------------------------------------------------------------------------------------

UTILS = """
import torch


def shifted(x: torch.Tensor, by: float) -> torch.Tensor:
    x += by
    return x
"""
MAIN = """
import torch
from utils import shifted

a = torch.ones(3, requires_grad=True)
y = shifted(torch.sigmoid(a), 1.0)
y.sum().backward()
print(a.grad)
"""


def test_a_folder_with_a_program_that_cannot_be_installed_is_an_application(tmp_path: Path) -> None:
    write(tmp_path, {"utils.py": UTILS, "main.py": MAIN})
    found = run(tmp_path, "utils.py", "main.py")
    assert is_rebound(found["utils.py"])
    assert found["utils.py"].basis.taken == {str(tmp_path / "utils.py")}


def test_earlier_results_hold_as_long_as_nothing_else_comes_to_use_the_functions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"app/utils.py": UTILS, "app/main.py": MAIN})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))

    def told() -> str:
        assert main(["rewrite", "--check", "app"]) == 1
        return capfd.readouterr().err

    first = told()
    assert "Took 1 file as part of a program that nothing else calls" in first
    assert told() == first
    write(tmp_path, {"uses.py": USES.replace("script", "app.utils")})
    assert "Took" not in told()
    (tmp_path / "uses.py").unlink()
    assert told() == first
    write(tmp_path, {"pyproject.toml": '[project]\nname = "app"\n'})
    assert "Took" not in told()


@pytest.mark.parametrize(
    "more",
    [
        {"pyproject.toml": '[project]\nname = "utils"\n'},
        {"setup.py": "from setuptools import setup\nsetup(py_modules=['utils'])\n"},
        {"main.py": MAIN.replace("print(a.grad)", "").replace("y.sum().backward()", "")},
        {"uses.py": USES.replace("script", "utils")},
        {"nested/uses.py": "from ..utils import shifted\n"},
        {"uses.ipynb": '{"cells": [{"source": ["import torch\\n",\n    "from utils import shifted\\n"]}]}'},
    ],
    ids=["pyproject", "setup", "no program", "a file beside the run", "one in another folder", "a notebook"],
)
def test_a_folder_that_others_may_use_is_none(tmp_path: Path, more: dict[str, str]) -> None:
    write(tmp_path, {"utils.py": UTILS, "main.py": MAIN, **more})
    assert not is_rebound(run(tmp_path, "utils.py", "main.py")["utils.py"])


def test_tool_settings_in_a_pyproject_install_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"utils.py": UTILS, "main.py": MAIN, "pyproject.toml": "[tool.ruff]\nline-length = 100\n"})
    assert is_rebound(run(tmp_path, "utils.py", "main.py")["utils.py"])


def test_a_caller_that_reads_its_argument_keeps_the_write_in_an_application(tmp_path: Path) -> None:
    write(tmp_path, {"utils.py": UTILS, "main.py": MAIN, "uses.py": USES.replace("script", "utils")})
    assert not is_rebound(run(tmp_path, "utils.py", "main.py", "uses.py")["utils.py"])


# -- helpers ----------------------------------------------------------------------------------------------------------


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(dedent(text).lstrip())


def run(folder: Path, *names: str) -> dict[str, Outcome]:
    """What becomes of some files, by file name, in a run that is about them alone."""
    found = list(rewrite_files([str(folder / name) for name in names], Options(), 1))
    assert [outcome.problem for outcome in found if outcome.problem] == []
    return {Path(outcome.path).name: outcome for outcome in found}


def is_rebound(outcome: Outcome) -> bool:
    """Whether the write to the argument went, and the callers had to say nothing to it."""
    finding: Finding
    (finding,) = outcome.findings
    return finding.status is Status.REWRITTEN and "rebound" in finding.message
