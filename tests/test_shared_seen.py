"""What runs show where the source can't tell: who calls a function, what shares memory, what torch refuses."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from test_observe import ran, rewritten
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.findings import Applicability
from unplace.observation.facts import HERE, OUTSIDE, Observations, OperationFacts
from unplace.observation.keys import Function
from unplace.transform.observed import Called, Seen

X = torch.tensor([0.3, -0.8])


def grown() -> torch.Tensor:
    return X.clone().requires_grad_()


def result(source: str, drive: Callable[[ModuleType], Any]) -> tuple[str, Any]:
    """Return the source after a run and a rewrite with its facts, and the only finding."""

    def driven(model: ModuleType) -> None:
        with suppress(RuntimeError):
            drive(model)

    after, findings = rewritten(source, ran(source, driven)[0])
    (finding,) = findings
    return after, finding


IDENTITY = """\
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, is_same):
        super().__init__()
        self.short = nn.Identity() if is_same else nn.Linear(2, 2)

    def forward(self, x):
        h = x.tanh()
        s = self.short(h)
        s += 1
        return h * s
"""


def test_names_of_one_tensor_are_rebound_together() -> None:
    after, finding = result(IDENTITY, lambda model: model.Net(True)(grown()).sum().backward())
    assert "        s = h = s + 1\n" in after
    assert finding.applicability is Applicability.OBSERVED
    assert "in the observed run: `h` and `s` are the same tensor" in finding.assumptions


GIVEN = """\
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, short):
        super().__init__()
        self.short = short

    def forward(self, x):
        h = x.tanh()
        s = self.short(h)
        s += 1
        return h * s
"""


@pytest.mark.parametrize("short", [torch.nn.Identity(), torch.nn.Linear(2, 2)])
def test_a_layer_from_outside_may_return_what_it_is_given(short: torch.nn.Module) -> None:
    after, finding = result(GIVEN, lambda model: model.Net(short)(grown()).sum().backward())
    is_same = isinstance(short, torch.nn.Identity)
    assert ("        s = h = s + 1\n" if is_same else "        s = s + 1\n") in after
    assert finding.applicability is Applicability.OBSERVED


def test_a_layer_that_returns_its_argument_at_times_is_left_alone() -> None:
    def drive(model: ModuleType) -> None:
        model.Net(torch.nn.Linear(2, 2))(grown())
        model.Net(torch.nn.Identity())(grown()).sum().backward()

    after, _ = result(GIVEN, drive)
    assert after == GIVEN


def test_nobody_has_seen_a_write_that_torch_refused() -> None:
    kept = X.clone().requires_grad_()

    def drive(model: ModuleType) -> None:
        model.Net(lambda h: kept)(grown())

    after, finding = result(GIVEN, drive)
    assert "        s = s + 1\n" in after
    assert finding.applicability is Applicability.OBSERVED


def test_runs_that_differ_leave_it_open_which_tensors_are_one() -> None:
    def drive(model: ModuleType) -> None:
        model.Net(False)(grown())
        model.Net(True)(grown()).sum().backward()

    after, _ = result(IDENTITY, drive)
    assert after == IDENTITY


KEY = """\
import torch

def ranked(feats, w):
    acts = [torch.sigmoid(f) for f in feats]
    scores = map(lambda a: a.mul_(w).sum(), acts)
    return sum(s * s for s in scores){end}
"""


def test_the_callers_of_a_function_that_is_handed_on_are_seen() -> None:
    source = KEY.format(end="")
    after, finding = result(source, lambda model: model.ranked([grown(), X], grown()).backward())
    assert "lambda a: a.mul(w).sum()" in after
    assert "in 2 observed runs: no caller reads the argument `a` after the call" in finding.assumptions


def test_a_caller_that_reads_what_it_handed_on_is_seen() -> None:
    source = KEY.format(end=" + acts[0].sum()")
    after, _ = result(source, lambda model: model.ranked([grown(), X], grown()).backward())
    assert after == source


FUSE = """\
import torch

def fuse(weights, *feats):
    w = torch.softmax(weights, dim=0)
    total = 0
    for i, f in enumerate(feats):
        f *= w[i]
        total = total + f
    return total
"""


def test_elements_that_were_different_tensors_are_rebound() -> None:
    after, finding = result(FUSE, lambda model: model.fuse(grown(), grown().exp(), grown().exp()).sum().backward())
    assert "        f = f * w[i]\n" in after
    assert "in 2 observed runs: no two elements of `feats` are the same tensor" in finding.assumptions


def test_an_element_that_came_twice_is_written_in_place() -> None:
    def drive(model: ModuleType) -> None:
        y = grown().exp()
        model.fuse(grown(), y, y).sum().backward()

    after, finding = result(FUSE, drive)
    assert after == FUSE
    assert "two of them were, in 2 of 2 runs" in finding.message


CACHE = """\
import torch

def step(x, cache):
    for i in range(2):
        if "sum" in cache[i]:
            cache[i]["sum"] += x
        else:
            cache[i]["sum"] = {first}
        x = x + cache[i]["sum"] ** 2
    return x

def run(x):
    cache = [{{}} for _ in range(2)]
    return step(x, cache) + step(x, cache)
"""


def test_an_element_that_nothing_else_holds_is_replaced() -> None:
    source = CACHE.format(first="x.tanh()")
    after, finding = result(source, lambda model: model.run(grown()).sum().backward())
    assert '            cache[i]["sum"] = cache[i]["sum"] + x\n' in after
    assert finding.applicability is Applicability.OBSERVED


def test_a_tensor_under_two_keys_is_written_in_place() -> None:
    source = CACHE.format(first='cache[i]["last"] = x.tanh()')
    after, finding = result(source, lambda model: model.run(grown()).sum().backward())
    assert after == source
    assert "another element of its container can read it" in finding.message


INIT = """\
import torch

def start(layers, names):
    for name in names:
        bias = getattr(layers, name)
        n = bias.size(0)
        low, high = n // 4, n // 2
        bias[low:high].{write}
"""


def test_a_change_of_a_parameter_that_torch_refused_is_put_under_no_grad() -> None:
    source = INIT.format(write="fill_(1.0)")
    after, finding = result(source, lambda model: model.start(torch.nn.LSTM(2, 2), ["bias_ih_l0"]))
    assert "        with torch.no_grad():\n            bias[low:high].fill_(1.0)\n" in after
    assert finding.applicability is Applicability.OBSERVED


def test_a_change_of_a_parameter_by_values_with_a_gradient_is_left_alone() -> None:
    source = INIT.format(write="copy_(layers.weight_ih_l0[low:high, 0])")
    after, _ = result(source, lambda model: model.start(torch.nn.LSTM(2, 2), ["bias_ih_l0"]))
    assert after == source


FORKS = """\
import torch

def fuse(x, same):
    y = x[0] if same else x[0].sigmoid()
    y += x[1:].sum(0) if not same else x[0]
    return y
"""


@pytest.mark.parametrize(("same", "is_rewritten"), [(False, True), (True, False)])
def test_operands_that_runs_show_apart_are_read_before_the_write(same: bool, is_rewritten: bool) -> None:
    def drive(model: ModuleType) -> None:
        model.fuse(torch.stack([grown(), grown()]) * 1, same).sum().backward()

    after, _ = result(FORKS, drive)
    assert (after != FORKS) is is_rewritten


UTILS = "def shift(h, by):\n    h += by\n"
MAIN = """\
import torch
from utils import shift

def f(x):
    h = torch.sigmoid(x)
    shift(h, 1.0)
    return h * 2

if __name__ == "__main__":
    total = f(torch.rand(3, requires_grad=True)).sum()
    try:
        total.backward()
    except RuntimeError:
        pass
"""


def test_a_run_knows_the_callers_in_other_files_which_take_the_new_tensor(tmp_path: Path) -> None:
    (tmp_path / "utils.py").write_text(UTILS)
    (tmp_path / "main.py").write_text(MAIN)
    for words in (["observe", "main.py"], ["rewrite", "--facts", "unplace-facts.json", "utils.py", "main.py"]):
        command = [sys.executable, "-m", "unplace", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "utils.py").read_text() == "def shift(h, by):\n    h = h + by\n    return h\n"
    assert (tmp_path / "main.py").read_text() == MAIN.replace("    shift(", "    h = shift(")


@pytest.mark.parametrize(
    ("callers", "is_here", "is_in_run"),
    [
        ([HERE], True, True),
        ([HERE, "main.py"], False, True),
        ([HERE, "tests/test_main.py"], False, False),
        ([OUTSIDE], False, False),
    ],
)
def test_callers_have_to_be_in_sight(callers: list[str], is_here: bool, is_in_run: bool) -> None:
    facts = OperationFacts(runs=2, tensors=2, examined=2, callers=Counter(callers))
    seen = Seen(facts, "h", Called("shift", lambda file: file == "main.py"))
    assert (seen.confirmed(Assumption.NO_OTHER_CALLS(name="shift")) is not None) is is_here
    assert (seen.confirmed(Assumption.NO_CALLS_OUTSIDE(name="shift")) is not None) is is_in_run
    assert seen.confirmed(Assumption.NO_OTHER_CALLS(name="another")) is None


def test_facts_name_no_files_outside_of_the_project() -> None:
    facts = OperationFacts(callers=Counter(["main.py"]))
    inner, outer = Observations("/project/package"), Observations("/project")
    inner.of("utils.py", (Function("shift", "0"), "1:0-1:5")).add(facts)
    outer.add(inner)
    assert outer.by_file["package/utils.py"].popitem()[1].callers == {"package/main.py": 1}
    other = Observations("/project/other")
    other.add(inner)
    assert other.by_file.popitem()[1].popitem()[1].callers == {OUTSIDE: 1}
