"""Calls that `observe` describes: they are made again to prove edits, and to show that a line raises."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from unplace.files.discovery import shown  # noqa: E402
from unplace.observation.facts import MOST_CALLS, read  # noqa: E402
from unplace.observation.specifications import CannotDescribeError, Constructed, Program  # noqa: E402
from unplace.verification.loading import locate  # noqa: E402
from unplace.verification.observed_calls import CallJudge, ObservedCall  # noqa: E402
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


def loss(cell, x):
    return normalise(torch.exp(cell(x))).sum()


if __name__ == "__main__":
    cell = Cell(4)
    x = torch.randn(2, 4)
    cell(x, x[:, 0] > 0)
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
    for value in (object(), lambda: 0, torch.randn(2).to_sparse(), type("Own", (), {})()):
        with pytest.raises(CannotDescribeError):
            program.expression(value)
    layer = program.expression(torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU()), "net")
    assert program.lines[-1].startswith(f"{layer} = torch.nn.Sequential(torch.nn.Linear(in_features=2")


def test_facts_have_the_calls_and_no_values_of_tensors(observed: Path) -> None:
    calls = read(observed / "unplace-facts.json").calls["net.py"]
    by_name = {function.name: list(programs) for function, programs in calls.items()}
    assert CELL in by_name["Cell.forward"]
    assert len(by_name["Cell.forward"]) <= MOST_CALLS
    assert "t = torch.randn(2, 4, requires_grad=True)" in by_name["normalise"][0]
    assert "normalise(t * 1, 1e-06)" in by_name["normalise"][0]  # it had a graph


def test_edits_are_proved_by_the_calls(observed: Path) -> None:
    words = ("rewrite", "--facts", "unplace-facts.json", "--verify-observed", "--check", "--output-format", "json")
    done = unplace(observed, *words, "net.py")
    calls = json.loads(done.stdout)["verification"]["calls"]
    assert {call["function"] for call in calls if call["obstacle"] is None} == {"Cell.forward", "normalise"}
    assert "2 edited functions of 2 that runs reached proved by running, in 3 calls" in done.stderr


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ("h = h + 2 * x", "Cell.forward as it was observed: output"),
        ("h = h.detach() + x", "Cell.forward as it was observed: gradient"),
        ("h = h + x.detach()", None),
    ],
)
def test_a_wrong_edit_is_found(observed: Path, wrong: str, complaint: str | None) -> None:
    file = observed / "net.py"
    program = observed / "observed_call.py"
    program.write_text(CELL.replace("torch.rand(2) > 0.5", "torch.arange(2) > 0"), "utf-8")
    with scratch_copy(observed, [file]) as scratch:
        scratch.write({file: NET.replace("h += x", wrong).encode()})
        call = ObservedCall(file, "Cell.forward", program)
        judgement = CallJudge(call, scratch, [observed], time.monotonic() + 100).judgement()
    program.unlink()
    if complaint is None:
        assert judgement.complaint is None
    else:
        assert judgement.complaint is not None
        assert judgement.complaint.startswith(complaint)


def test_a_call_that_cannot_be_made_proves_nothing(observed: Path) -> None:
    program = observed / "observed_call.py"
    program.write_text(CELL.replace("Cell(4,", "Cell(4, 5, 6,"), "utf-8")
    with scratch_copy(observed, [observed / "net.py"]) as scratch:
        call = ObservedCall(observed / "net.py", "Cell.forward", program)
        found = CallJudge(call, scratch, [observed], time.monotonic() + 100).judgement()
        late = CallJudge(call, scratch, [observed], 0.0).judgement()
    program.unlink()
    assert found.complaint is None
    assert found.obstacle is not None
    assert late.obstacle == "no time was left"
    assert locate(observed / "net.py").name == "net"


def test_a_line_is_shown_to_raise(observed: Path, tmp_path: Path) -> None:
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
    assert shown(str(tmp_path))


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


def test_observed_calls_need_facts(observed: Path) -> None:
    done = unplace(observed, "rewrite", "--verify-observed", "net.py")
    assert done.returncode == 2
    assert "--facts" in done.stderr


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
