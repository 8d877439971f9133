"""Calls that `observe` describes: they are made again to prove edits, and to show that a line raises."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from unplace.observation.facts import MOST_CALLS, read  # noqa: E402
from unplace.observation.specifications import CannotDescribeError, Constructed, Program  # noqa: E402
from unplace.verification.calling import CallJudge, Homes  # noqa: E402
from unplace.verification.judging import Judgement  # noqa: E402
from unplace.verification.observed_calls import Call  # noqa: E402
from unplace.verification.scratch import scratch_copy  # noqa: E402

NET = """\
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, n, act=torch.tanh):
        super().__init__()
        self.act = act
        self.linear = nn.Linear(n, n)

    def forward(self, x, mask=None):
        h = self.act(self.linear(x))
        h += x
        if mask is not None:
            h[mask] = 0
        return h


def normalise(t, eps=1e-6):
    t /= t.norm(dim=-1, keepdim=True) + eps
    return t


def late(y, adds=False):
    z = y * 2
    if adds:
        z = z.add_(1)
    return z


def loss(cell, x):
    return normalise(torch.exp(cell(x))).sum()


if __name__ == "__main__":
    cell = Cell(4)
    x = torch.randn(2, 4)
    cell(x, x[:, 0] > 0)
    for size in range(9):
        late(torch.ones(size), size > 5)
    loss(cell, x).backward()
"""
CELL = """\
import torch
from net import Cell


def example():
    cell = Cell(4, torch.tanh)
    x = torch.randn(2, 4)
    mask = torch.rand(2) > 0.5
    return lambda x, mask: cell(x, mask), (x, mask)
"""


def unplace(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder."""
    return subprocess.run(
        [sys.executable, "-m", "unplace", *words], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a program and the facts of a run."""
    folder = tmp_path_factory.mktemp("observed")
    (folder / "net.py").write_text(NET, "utf-8")
    assert "in-place operations" in unplace(folder, "observe", "net.py").stderr
    return folder


@pytest.mark.parametrize(
    "tensor",
    [
        torch.randn(2, 3),
        torch.randn(2, 3).t(),
        torch.randn(3, 1).expand(3, 4),
        torch.randn(2, 3, 4).permute(2, 0, 1),
        torch.randn(4, requires_grad=True),
        torch.randn((), dtype=torch.float64),
        torch.ones(2, dtype=torch.bool),
        torch.arange(3),
    ],
)
def test_a_tensor_is_made_again_as_it_lies_in_memory(tensor: torch.Tensor) -> None:
    program = Program(Constructed(), {})
    name = program.expression(tensor, "x")
    space: dict[str, object] = {"torch": torch}
    exec("\n".join(program.lines), space)
    made = space[name]
    assert isinstance(made, torch.Tensor)
    assert (made.shape, made.stride(), made.dtype) == (tensor.shape, tensor.stride(), tensor.dtype)
    assert made.requires_grad == tensor.requires_grad


def test_what_cannot_be_made_again_is_not_described() -> None:
    program = Program(Constructed(), {})
    for value in (iter([]), lambda: 0, torch.randn(2).to_sparse(), pathlib.PurePath("x")):
        with pytest.raises(CannotDescribeError):
            program.expression(value)
    layer = program.expression(torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU()), "net")
    assert program.lines[-1].startswith(f"{layer} = torch.nn.Sequential(torch.nn.Linear(in_features=2")


def test_facts_have_the_calls_and_no_values_of_tensors(observed: Path) -> None:
    calls = read(observed / "unplace-facts.json").calls["net.py"]
    by_name = {function.name: list(programs) for function, programs in calls.items()}
    assert CELL in by_name["Cell.forward"]
    assert len(by_name["Cell.forward"]) <= MOST_CALLS
    assert len(by_name["late"]) == 4  # three different ones, and the one that reaches the operation
    assert any("late(y, True)" in program for program in by_name["late"])
    assert "t = torch.randn(2, 4, requires_grad=True)" in by_name["normalise"][0]
    assert "normalise(t * 1, 1e-06)" in by_name["normalise"][0]  # it had a graph


def rewritten(folder: Path, *words: str) -> tuple[dict[str, Any], str]:
    """Rewrite and verify without writing; return the JSON report and what is said of it."""
    done = unplace(folder, "rewrite", "--verify-edits", "--check", "--output-format", "json", *words)
    assert done.stdout, done.stderr
    return json.loads(done.stdout), done.stderr


def test_edits_are_proved_by_the_calls(observed: Path) -> None:
    report, told = rewritten(observed, "--facts", "unplace-facts.json", "net.py")
    sites = {site["line"]: site.get("verified") for site in report["sites"] if site["status"] == "rewritten"}
    lines = NET.splitlines()
    proved = sites[lines.index("        h += x") + 1]
    assert re.fullmatch(r"proved by running \(\d+ calls, 3 specifications\)", proved)
    assert "3 edits of 3 proved by running, in" in told
    assert "not reached" not in told
    assert {call["function"] for call in report["verification"]["calls"]} == {
        "Cell.forward",
        "normalise",
        "late",
        "loss",
    }


def test_what_no_run_reached_is_called_as_its_signature_tells(tmp_path: Path) -> None:
    (tmp_path / "plain.py").write_text(PLAIN, "utf-8")
    report, told = rewritten(tmp_path, "plain.py")
    verified = {site["line"]: site["verified"] for site in report["sites"] if site["status"] == "rewritten"}
    assert verified[7].startswith("proved by running (")
    assert verified[14] == "not reached by any call that could be made again"
    assert "1 edit of 2 proved by running, in" in told
    assert "; 1 not reached" in told


PLAIN = """\
import torch


def squashed(x: torch.Tensor) -> torch.Tensor:
    y = torch.exp(x)
    if x.dim():
        y *= 2
    return y


class Late:
    def run(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.exp(x)
        y += 1
        return y
"""


def judged(folder: Path, file: Path, program: str, before: str, after: str) -> Judgement:
    """Judge an edit of one line by a call."""
    path = folder / "observed_call.py"
    path.write_text(program, "utf-8")
    source = file.read_text("utf-8")
    line = source[: source.index(before)].count("\n") + 1
    with scratch_copy(folder, [file]) as scratch:
        scratch.write({file: source.replace(before, after).encode()})
        homes = Homes()
        lines = {str(file.resolve()): frozenset([line])}
        call = Call(file, "f", path)
        try:
            return CallJudge(call, scratch, [folder], lines, homes, time.monotonic() + 100).judgement()
        finally:
            homes.close()
            path.unlink()


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ("h = h + 2 * x", "f as it was observed: output"),
        ("h = h.detach() + x", "f as it was observed: gradient"),
        ("h = h + (x if self.training else 2 * x)", "f as it was observed, eval: output"),
        ("h = h + x.detach()", "f as it was observed, with gradients of its arguments: gradient"),
        ("h = h + x * 1", None),
    ],
)
def test_a_wrong_edit_is_found(observed: Path, wrong: str, complaint: str | None) -> None:
    program = CELL.replace("torch.rand(2) > 0.5", "torch.arange(2) > 0")
    judgement = judged(observed, observed / "net.py", program, "h += x", wrong)
    assert (judgement.complaint is None) == (complaint is None), judgement
    assert str(judgement.complaint).startswith(str(complaint))
    assert (judgement.times > 0) == (complaint is None)


WRITES = """\
import torch


def f(x, m):
    y = x * 1
    y[m] = 0
    return y


def g(x):
    x += 1
    return x.sum()


def h(x):
    y = x + 1
    y *= 2
    open("left.txt", "w").write("here")
    return y


def k(x):
    y = x + 1
    y *= 3
    return y


def boxed(x, box):
    y = x * 2
    box.append(y)
    y += 50
    return y.sum()


def logs(x):
    y = torch.log(x)
    y -= 20
    return y.sum()


class Sum:
    def __init__(self):
        self.total = torch.zeros(4)

    def add(self, x):
        self.total += x.sum(0)
        return self.total
"""
WRITES_CALL = """\
import torch
from writes import Sum, boxed, f, g, h, k, logs


def example():
    x = torch.randn(3, 4)
    total = Sum()
    box = []
    return lambda x: CALL, (x,)
"""


@pytest.mark.parametrize(
    ("call", "before", "after", "told"),
    [
        ("f(x, x > 9)", "y[m] = 0", "y = y * 1", None),
        ("f(x, x > x.min())", "y[m] = 0", "y[0, 0] = 0", "f as it was observed: output: "),
        ("f(x, x > -9)", "y[m] = 0", "y = y * 0", None),
        ("total.add(x)", "self.total += x.sum(0)", "self.total = self.total + x.sum(0)", "twice in a row: output[0]"),
        ("k(x)", "y *= 3", "y = (y.view(-1) * 3).view_as(y)", "with other strides: rewritten program: raises"),
        ("k(x)", "y *= 3", "y = y * 3; x.mul_(2)", "argument[0] is written, which the original leaves alone"),
        ("boxed(x, box)", "y += 50", "y = y + 50", "f as it was observed: function.box[0]"),
        ("logs(x)", "y -= 20", "y = y + 20", "with positive numbers: output"),
        ("g(x)", "x += 1", "x = x + 1", "it writes its arguments no longer, which only calls of its callers prove"),
        ("h(x)", "y *= 2", "y = y * 2", "it writes a file, which a call that nobody wrote may not"),
        ("f(x, x > 0)", "x += 1", "x = x + 1", "it reaches no edit"),
    ],
)
def test_calls_are_made_in_variations(tmp_path: Path, call: str, before: str, after: str, told: str | None) -> None:
    (tmp_path / "writes.py").write_text(WRITES, "utf-8")
    found = judged(tmp_path, tmp_path / "writes.py", WRITES_CALL.replace("CALL", call), before, after)
    if told is None:
        assert found.times > 3
    else:
        assert told in (found.complaint or found.obstacle or "")
    assert not (tmp_path / "left.txt").exists()


def test_a_call_that_cannot_be_made_proves_nothing(observed: Path) -> None:
    found = judged(observed, observed / "net.py", CELL.replace("Cell(4,", "Cell(4, 5, 6,"), "h += x", "h = h + x")
    assert found.complaint is None
    assert "TypeError" in str(found.obstacle)
    assert found.times == 0


@pytest.mark.parametrize(
    ("action", "told"),
    [
        ("open('f.txt', 'w')", "writes a file"),
        ("os.remove('f.txt')", "removes a file"),
        ("subprocess.run(['true'])", "starts a program"),
        ("os.system('true')", "starts a program"),
        ("socket.create_connection(('127.0.0.1', 9), 1)", "uses the network"),
        ("open(__file__).read()", ""),
        ("tempfile.TemporaryFile().write(b'')", ""),
    ],
)
def test_side_effects_are_stopped(tmp_path: Path, action: str, told: str) -> None:
    script = tmp_path / "act.py"
    script.write_text(
        "import os, socket, subprocess, tempfile\n"
        "from unplace.verification.side_effects import forbid_side_effects\n"
        f"forbid_side_effects()\n{action}\n"
    )
    outside = tmp_path / "elsewhere"  # the folder of the test is a temporary one
    environment = {**os.environ, "TMPDIR": str(outside)}
    outside.mkdir()
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode == 0) == (not told), done.stderr
    assert told in done.stderr


def test_a_line_is_shown_to_raise(observed: Path) -> None:
    line = NET.splitlines().index("        h += x") + 1
    done = unplace(observed, "show", f"net.py:{line}")
    assert done.returncode == 0, done.stderr
    assert 8 <= len(done.stdout.splitlines()) <= 20
    script = observed / "script.py"
    script.write_text(done.stdout, "utf-8")
    raised = subprocess.run([sys.executable, script.name], cwd=observed, capture_output=True, text=True, check=False)
    script.unlink()
    assert "modified by an inplace operation" in raised.stderr
    assert f"net.py:{line}" in done.stdout


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("net.py:14",), 1, "because of this line"),
        (("net.py",), 2, "FILE:NAME"),
        (("other.py:3",), 2, "no FILE:LINE of a file that is there"),
        (("net.py:14", "--facts", "none.json"), 2, "no such file; `unplace observe` writes it"),
    ],
)
def test_what_cannot_be_shown(observed: Path, words: tuple[str, ...], code: int, told: str) -> None:
    done = unplace(observed, "show", *words)
    assert done.returncode == code
    assert told in done.stderr.replace("\n", " ")


FLOW = """\
import torch
from torch import nn


class Flow(nn.Module):
    def __init__(self, net, scale, x=None):
        super().__init__()
        self.net, self.scale = net, scale

    def forward(self, x):
        z = self.net(x)
        z += x * self.scale
        return z


class Kick:
    def __init__(self, flow):
        self.flow = flow

    def step(self, x):
        x = self.flow(x)
        x *= 2
        return x


if __name__ == "__main__":
    flow = Flow(nn.Sequential(nn.Linear(3, 3), nn.Sigmoid()), torch.rand(3), x=torch.rand(2))
    Kick(flow).step(torch.randn(5, 3)).sum().backward()
"""


def test_objects_are_constructed_from_what_they_got(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "flow.py").write_text(FLOW, "utf-8")
    assert "in-place operations" in unplace(tmp_path, "observe", "flow.py").stderr  # the run raises, as it would
    calls = read(tmp_path / "unplace-facts.json").calls["flow.py"]
    (program,) = next(programs for function, programs in calls.items() if function.name == "Kick.step")
    monkeypatch.syspath_prepend(str(tmp_path))
    space: dict[str, object] = {}
    exec(program, space)
    example = space["example"]
    assert callable(example)
    function, arguments = example()
    assert function(*arguments).shape == (5, 3)
    assert "flow = Flow(net, scale, x)" in program
    assert "x_2 = torch.randn(5, 3)" in program


def test_findings_are_shown_by_calls(observed: Path) -> None:
    words = ("check", "--facts", "unplace-facts.json", "--verify-findings", "--output-format", "json")
    sites = json.loads(unplace(observed, *words, "net.py").stdout)["sites"]
    verified = {site["line"]: site["verified"] for site in sites if site["harm"] == "harmful"}
    line = NET.splitlines().index("        h += x") + 1
    assert verified[line] == f"shown by running: `unplace show net.py:{line}` prints a script that raises because of it"
    assert unplace(observed, "check", "--fix", "--verify-findings", "net.py").returncode == 2
    assert (observed / "net.py").read_text("utf-8") == NET  # it needs facts before it writes
