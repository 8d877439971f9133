"""`unplace diagnose` from the outside: the program's own input, output, arguments and exit code, and the reports."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import torch
from torch import nn

import unplace
from unplace.cli import main
from unplace.diagnosis import Diagnosed

ROOT = Path(__file__).parents[1]
FAILING = """\
import sys
import torch

print(sys.argv, input())
x = torch.ones(4, requires_grad=True)
y = torch.sigmoid(x * 2)
y += 1
y *= 2
y.sum().backward()
"""


with_notes = pytest.mark.skipif(sys.version_info < (3, 11), reason="exceptions have no notes: it is printed apart")


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["unplace"])
    monkeypatch.setattr("sys.path", [*sys.path])
    monkeypatch.setattr("sys.excepthook", sys.excepthook)


def write(text: str, name: str = "train.py") -> None:
    Path(name).write_text(text, "utf-8")


def unplace_in_a_process(*arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "codemods"), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "unplace", *arguments]
    return subprocess.run(command, env=environment, input=given, capture_output=True, text=True, check=False)


@with_notes
def test_the_program_has_its_own_streams_and_arguments() -> None:
    write(FAILING)
    done = unplace_in_a_process("diagnose", "train.py", "--fix", "-m", "3", given="a line\n")
    assert done.returncode == 1
    assert done.stdout == "['train.py', '--fix', '-m', '3'] a line\n"
    assert done.stderr.startswith('Traceback (most recent call last):\n  File "train.py", line 9, in <module>\n')
    assert "unplace/diagnosis" not in done.stderr
    assert "  culprit   train.py:7  y += 1\n  culprit   train.py:8  y *= 2\n" in done.stderr
    assert "set_detect_anomaly(True" in done.stderr


@pytest.mark.parametrize(
    ("ending", "code"), [("", 0), ("raise SystemExit(7)", 7), ("raise SystemExit('no')", 1), ("1 / 0", 1)]
)
def test_the_exit_code_is_the_programs(ending: str, code: int, capfd: pytest.CaptureFixture[str]) -> None:
    write(f"print('out')\n{ending}\n")
    assert main(["diagnose", "train.py"]) == code
    output = capfd.readouterr()
    assert output.out == "out\n"
    assert ("no\n" in output.err) == ("no" in ending)
    assert ("ZeroDivisionError" in output.err) == ("1 / 0" in ending)


def test_a_module(capfd: pytest.CaptureFixture[str]) -> None:
    Path("package").mkdir()
    write("", "package/__init__.py")
    write("import sys\nfrom package import helper\nprint(__name__, __package__, sys.argv[1:])", "package/train.py")
    write("", "package/helper.py")
    assert main(["diagnose", "-m", "package.train", "-m", "x"]) == 0
    assert capfd.readouterr().out == "__main__ package ['-m', 'x']\n"


@pytest.mark.slow
def test_a_test_of_pytest() -> None:
    write(
        "import torch\n\ndef test_y():\n    y = torch.ones(2, requires_grad=True).exp()\n"
        "    y += 1\n    y.sum().backward()\n",
        "test_x.py",
    )
    done = unplace_in_a_process("diagnose", "--", "pytest", "-q", "-p", "no:cacheprovider", "test_x.py::test_y")
    assert done.returncode == 1
    assert "culprit   test_x.py:5  y += 1" in done.stdout
    assert "1 failed" in done.stdout


def test_what_is_no_program(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", "nothing.py"]) == 2
    assert "nothing.py: no such file" in capfd.readouterr().err
    assert main(["diagnose", "-m", "no_such_module"]) == 2
    assert main(["diagnose", "--output-format", "xml", "nothing.py"]) == 2
    assert main(["diagnose", "--unsafe", "nothing.py"]) == 2


def test_json(capfd: pytest.CaptureFixture[str]) -> None:
    write(FAILING.replace("input()", "1"))
    assert main(["diagnose", "--output-format", "json", "--output-file", "report.json", "train.py"]) == 1
    report = json.loads(Path("report.json").read_text("utf-8"))
    assert report["error"].startswith("one of the variables needed for gradient computation has been modified")
    assert report["saved_by"] == {"path": "train.py", "line": 6, "op": "sigmoid", "role": "result"}
    assert report["culprits"] == [
        {"path": "train.py", "line": 7, "op": "add_"},
        {"path": "train.py", "line": 8, "op": "mul_"},
    ]
    assert "-y += 1\n" in report["fix"]["diff"]
    write("print(1)")
    assert main(["diagnose", "--output-format", "json", "train.py"]) == 0
    assert json.loads(capfd.readouterr().err.splitlines()[-1]) == {"error": None, "silent": []}


def test_json_on_standard_output_is_alone_there() -> None:
    write(FAILING.replace("input()", "1"))
    done = unplace_in_a_process("diagnose", "--output-format", "json", "--output-file", "-", "train.py")
    assert done.returncode == 1
    assert json.loads(done.stdout)["cause"] == "out-of-place"
    assert "['train.py'] 1\n" in done.stderr


def test_json_on_standard_error_has_no_text_above_it(capfd: pytest.CaptureFixture[str]) -> None:
    write(FAILING.replace("input()", "1"))
    assert main(["diagnose", "--output-format", "json", "train.py"]) == 1
    output = capfd.readouterr()
    assert output.out == "['train.py'] 1\n"
    assert "which line it was" not in output.err
    assert json.loads(output.err.splitlines()[-1])["cause"] == "out-of-place"


def test_paths_are_written_alike(capfd: pytest.CaptureFixture[str]) -> None:
    """A script is named as it was started, a module by its absolute path: that isn't seen in a report."""
    Path("models").mkdir()
    write("import torch\ndef grown(x):\n    y = torch.exp(x)\n    y += 1\n    return y\n", "models/net.py")
    write(
        "import os, torch\nfrom models.net import grown\n"
        "os.chdir('models')\ngrown(torch.ones(2, requires_grad=True)).sum().backward()\n"
    )
    folder = Path.cwd()
    assert main(["diagnose", "--output-format", "json", "--output-file", "report.json", "train.py"]) == 1
    report = json.loads(Path(folder, "report.json").read_text("utf-8"))
    assert [Path(report[name]["path"]) for name in ("raised_at", "saved_by")] == [folder / "train.py", Path("net.py")]
    os.chdir(folder)
    assert main(["check", "--output-format", "json", "."]) == 1
    assert {site["path"] for site in json.loads(capfd.readouterr().out)["sites"]} == {str(Path("models/net.py"))}


def test_options_that_do_not_go_together(capfd: pytest.CaptureFixture[str]) -> None:
    write("print(1)")
    for options in (["--silent"], ["--output-format", "json"], ["--output-file", "report"]):
        assert main(["diagnose", "--fix", *options, "train.py"]) == 2
        assert "doesn't go with --fix" in capfd.readouterr().err
    assert main(["diagnose", "--output-file", "no/such/folder", "train.py"]) == 2
    assert "is no folder" in capfd.readouterr().err


@pytest.mark.slow
def test_fix_in_processes_of_its_own() -> None:
    write(FAILING.replace("input()", "1"))
    done = unplace_in_a_process("diagnose", "--fix", "train.py")
    assert done.returncode == 0, done.stderr
    assert "+y = y + 1\n y *= 2\n" in done.stderr
    assert Path("train.py").read_text("utf-8") == FAILING.replace("input()", "1").replace("y += 1", "y = y + 1")


@pytest.mark.slow
def test_fix_goes_on_with_the_next_failure() -> None:
    write(
        "import torch\nx = torch.ones(4, requires_grad=True)\n"
        "for step in range(2):\n    y = torch.exp(x)\n    y += 1\n    y.sum().backward()\n"
        "z = torch.tanh(x)\nz *= 2\nz.sum().backward()\nx.data += 0\n"
    )
    done = unplace_in_a_process("diagnose", "--fix", "train.py")
    assert done.returncode == 0, done.stderr
    text = Path("train.py").read_text("utf-8")
    assert "    y = y + 1\n" in text
    assert "z = z * 2\n" in text


@pytest.mark.slow
def test_values_that_differ_from_run_to_run_prove_nothing() -> None:
    text = "import random\nimport torch\nx = torch.full((4,), random.random(), requires_grad=True)\n"
    text += "y = torch.exp(x)\ny += 1\ny.sum().backward()\n"
    write(text)
    done = unplace_in_a_process("diagnose", "--fix", "train.py")
    assert done.returncode == 1
    assert "seed its random generators" in done.stderr
    assert Path("train.py").read_text("utf-8") == text


# As a context manager


def failing() -> None:
    y = torch.ones(3, requires_grad=True).exp()
    y += 1
    y.sum().backward()


@with_notes
def test_context_manager() -> None:
    with pytest.raises(RuntimeError) as raised, unplace.diagnose():
        failing()
    assert f"culprit   {Path(__file__)}:" in "".join(getattr(raised.value, "__notes__", ()))
    assert raised.value.unplace.advice.cause == "out-of-place"  # type: ignore[attr-defined]


def test_silent_context_manager_reports_at_its_end(capfd: pytest.CaptureFixture[str]) -> None:
    with unplace.diagnose(silent=True):
        y = torch.ones(3, requires_grad=True).exp()
        y.data.mul_(2)
        y.sum().backward()
    assert "was changed without an error" in capfd.readouterr().err


def test_everything_is_put_back() -> None:
    engine, format_stack = torch.autograd.Variable._execution_engine, torch.fx.traceback.format_stack
    filters = [*warnings.filters]
    with Diagnosed(), pytest.raises(RuntimeError):
        failing()
    assert torch.autograd.Variable._execution_engine is engine
    assert torch.fx.traceback.format_stack is format_stack
    assert not torch.is_anomaly_enabled()
    assert [*warnings.filters] == filters
    with pytest.raises(RuntimeError) as raised:
        failing()
    assert not getattr(raised.value, "__notes__", ())


def test_a_fault_of_ours_does_not_hide_the_programs_error(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("unplace.diagnosis.postmortem.failed_backward", lambda *_, **__: 1 / 0)
    with Diagnosed(), pytest.raises(RuntimeError, match="modified by an inplace operation"):
        failing()
    assert "unplace: internal error: ZeroDivisionError" in capfd.readouterr().err


def test_an_error_of_each_line_is_explained_once() -> None:
    with Diagnosed() as diagnosed:
        for _ in range(5):
            with pytest.raises(RuntimeError):
                failing()
    assert len(diagnosed.diagnoses) == 1


def test_a_graph_from_before_is_said_to_be_from_before() -> None:
    y = torch.ones(3, requires_grad=True).exp()
    with Diagnosed() as diagnosed:
        y += 1
        with pytest.raises(RuntimeError):
            y.sum().backward()
    (diagnosis,) = diagnosed.diagnoses
    assert diagnosis.incident.saved is not None
    assert (diagnosis.incident.saved.op, diagnosis.incident.saved.place.line) == ("exp", 0)
    assert len(diagnosis.incident.writes) == 1


def test_gradients_and_random_numbers_are_those_without_observation() -> None:
    def train() -> list[torch.Tensor]:
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(inplace=True), nn.Dropout(), nn.Linear(8, 2))
        optimizer = torch.optim.Adam(net.parameters(), foreach=True)
        for _ in range(3):
            optimizer.zero_grad()
            net(torch.rand(5, 4)).pow(2).sum().backward()
            optimizer.step()
        versions = torch.tensor([parameter._version for parameter in net.parameters()])
        return [*(parameter.detach() for parameter in net.parameters()), versions, torch.rand(3)]

    plain = train()
    for silent in (False, True):
        with Diagnosed(silent=silent):
            observed = train()
        assert all(torch.equal(one, other) for one, other in zip(plain, observed, strict=True))


def test_memory_does_not_grow_with_iterations() -> None:
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Linear(8, 2))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    state = torch.zeros(4)

    def objects(iterations: int) -> int:
        for _ in range(iterations):
            optimizer.zero_grad()
            net(torch.rand(5, 4) + state).sum().backward()
            optimizer.step()
            state.mul_(0.9)
        gc.collect()
        return len(gc.get_objects())

    with Diagnosed():
        before = objects(5)
        assert objects(100) <= before + 20


def test_loader_workers() -> None:
    data = torch.utils.data.TensorDataset(torch.rand(8, 3))
    total = torch.zeros(3, requires_grad=True)
    with Diagnosed() as diagnosed:
        for (batch,) in torch.utils.data.DataLoader(data, batch_size=4, num_workers=2):
            y = (batch * total).exp()
            y += 1
            with pytest.raises(RuntimeError):
                y.sum().backward()
    (diagnosis,) = diagnosed.diagnoses
    assert diagnosis.advice.cause == "out-of-place"


def test_cell_magic(capsys: pytest.CaptureFixture[str]) -> None:
    interactiveshell = pytest.importorskip("IPython.core.interactiveshell")
    shell = interactiveshell.InteractiveShell()
    shell.run_line_magic("load_ext", "unplace")
    shell.run_cell("import torch\nx = torch.ones(3, requires_grad=True)")
    shell.run_cell("%%diagnose\ny = x.exp()\ny += 1\ny.sum().backward()")
    output = capsys.readouterr()
    assert ":2  y += 1" in output.out + output.err
