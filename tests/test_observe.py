"""`unplace observe`: what a run shows, that it changes no result, and what the facts let a rewrite do."""

from __future__ import annotations

import builtins
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest
import torch

from unplace.config.options import Options
from unplace.diagnostics.catalogue import Purpose
from unplace.diagnostics.findings import Applicability, Harm, Status
from unplace.editor.analyst import Analyst
from unplace.editor.document import Document
from unplace.observation import facts, saves
from unplace.observation.effort import UNLIMITED, Effort
from unplace.observation.facts import FactsError, Observations, OperationFacts
from unplace.observation.held import HolderKind
from unplace.observation.instrument import NAME, instrumented
from unplace.observation.keys import Function
from unplace.observation.liveness import is_read_after
from unplace.observation.memory import memory_key, memory_of
from unplace.observation.recorder import Recorder
from unplace.observation.saves import is_refused, is_unshared
from unplace.reporting import sentences
from unplace.transform.rewriter import rewrite_text

ROOT = Path("/project")
FILE = ROOT / "model.py"


@pytest.fixture(autouse=True)
def no_other_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look through all graphs: those that other tests have left in the process are as large as those of a program."""
    monkeypatch.setattr(saves, "_NODES", 10_000_000)


def ran(source: str, drive: Callable[[ModuleType], Any], effort: Effort = UNLIMITED) -> tuple[Observations, Any]:
    """Run a module instrumented, and return the facts and what `drive` returns."""
    recorder = Recorder(str(ROOT), effort)
    module = ModuleType("model")
    setattr(builtins, NAME, recorder)
    try:
        exec(compile(instrumented(source, "model.py", recorder.register), str(FILE), "exec"), vars(module))
        return recorder.observations, drive(module)
    finally:
        delattr(builtins, NAME)
        recorder.close()


def of_line(observed: Observations, source: str, line: int) -> OperationFacts:
    """The facts about the only operation of a line."""
    ((_, found),) = observed.about(str(FILE), source)._by_line[line]
    return found


def rewritten(source: str, observed: Observations, **options: Any) -> tuple[str, list[Any]]:
    report = rewrite_text(source, str(FILE), Options(facts=observed, **options))
    return report.after, list(report.findings)


# What a run shows

SCALE = """\
import torch

def scale(u, k):
    u *= k
    return u
"""


def test_what_ran_is_counted() -> None:
    def drive(model: ModuleType) -> None:
        x = torch.rand(3, requires_grad=True)
        for _ in range(5):
            model.scale(x.exp(), 2)
        model.scale(torch.zeros(3).float(), torch.zeros(3).double())
        with pytest.raises(RuntimeError):
            model.scale(x, 2)

    found = of_line(ran(SCALE, drive)[0], SCALE, 4)
    assert (found.runs, found.tensors, found.recorded, found.leaves, found.wider) == (7, 7, 6, 1, 1)


def test_what_is_no_tensor_is_counted_by_its_type() -> None:
    def drive(model: ModuleType) -> None:
        model.scale(2, 3)
        model.scale([1], 3)

    found = of_line(ran(SCALE, drive)[0], SCALE, 4)
    assert (found.runs, found.tensors, dict(found.types)) == (2, 0, {"int": 1, "list": 1})


@pytest.mark.parametrize(
    ("statement", "runs"),
    [
        ("x += 1", 1),
        ("x[0] = 1", 1),
        ("x[0] += 1", 1),
        ("x.add_(1)", 1),
        ("x.mul_(2).add_(1)", 2),
        ("torch.relu_(x)", 1),
        ("torch.exp(x, out=x)", 1),
        ("torch.nn.functional.relu(x, inplace=True)", 1),
        ("torch.nn.ReLU(inplace=True)(x)", 1),
        ("torch.nn.Dropout(0.5, inplace=True)(x)", 1),
        ("x.data = x * 2", 1),
        ("x[0], x[1] = 1, 2", 2),
        ("x[0] = x[1] = 2", 2),
        ("holder.x += 1", 1),
        ("holder.x[0] = 1", 1),
        ("holder.x.add_(1, alpha=2)", 1),
        ("x.view(-1).add_(1)", 1),
        ("x.addcmul_(x.clone(), *[x.clone()])", 1),
        ("x.uniform_(*(0, 1))", 1),
    ],
)
def test_each_form_is_seen(statement: str, runs: int) -> None:
    source = f"import torch\ndef f(x, holder):\n    {statement}\n    return x\n"

    def drive(model: ModuleType) -> torch.Tensor:
        torch.manual_seed(1)
        holder = ModuleType("holder")
        holder.x = torch.ones(3)  # type: ignore[attr-defined]
        found: torch.Tensor = model.f(torch.rand(3), holder) + holder.x
        return found

    observed, result = ran(source, drive)
    model = ModuleType("model")
    exec(source, vars(model))
    assert torch.equal(result, drive(model))
    seen = [each for _, each in observed.about(str(FILE), source)._by_line[3]]
    assert (sum(each.tensors for each in seen), sum(each.runs for each in seen)) == (runs, runs)


def test_observing_changes_no_result() -> None:
    source = """\
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU(inplace=True), torch.nn.Dropout(0.5))
        self.register_buffer("seen", torch.zeros(()))
    def forward(self, x):
        self.seen += 1
        y = self.layers(x)
        y = y * torch.rand_like(y)
        y += 1
        y[y > 1.5] = 0.5
        return y.mul_(2)
"""

    def drive(model: ModuleType) -> list[torch.Tensor]:
        torch.manual_seed(3)
        net = model.Net()
        net(torch.rand(5, 4)).sum().backward()
        return [*net.state_dict().values(), *(p.grad for p in net.parameters()), torch.rand(3)]

    plain = ModuleType("model")
    exec(source, vars(plain))
    assert all(map(torch.equal, ran(source, drive)[1], drive(plain)))


# Who else can read the memory


def holders(drive: Callable[[ModuleType], Any], source: str = SCALE, line: int = 4) -> OperationFacts:
    return of_line(ran(source, drive)[0], source, line)


def test_an_argument_that_no_caller_reads_again_is_held_alone() -> None:
    def drive(model: ModuleType) -> torch.Tensor:
        x = torch.ones(3)
        x = model.scale(x, 2)
        model.scale(torch.ones(3), 2)
        return x

    found = holders(drive)
    assert (found.alone, dict(found.holders)) == (found.examined, {})


def test_a_caller_that_reads_its_argument_is_named() -> None:
    def drive(model: ModuleType) -> torch.Tensor:
        x = torch.ones(3)
        y = model.scale(x[:2], 2)
        return x.sum() + y.sum()

    found = holders(drive)
    (holder,) = found.holders
    assert found.alone == 0
    assert holder[:3] == (HolderKind.CALLER, "x", "drive")


def test_attributes_lists_and_closures_hold() -> None:
    class Box:
        kept: Any = None

    def drive(model: ModuleType) -> Any:
        box, kept = Box(), []
        box.kept = torch.ones(3)
        model.scale(box.kept, 2)
        kept.append(torch.ones(3))
        everything = {"a": kept}
        model.scale(kept[0], 2)
        shared = torch.ones(3)
        model.scale(shared, 2)
        return lambda: (shared, box, everything)

    found = holders(drive)
    assert found.alone == 0
    assert any(holder.name in ("Box", "box") for holder in found.holders)


def test_what_autograd_saved_holds_nothing() -> None:
    def drive(model: ModuleType) -> None:
        x = torch.ones(3, requires_grad=True)
        model.scale(x.exp(), 2)

    assert holders(drive).alone == 1


def test_names_of_the_same_function_are_shares() -> None:
    source = "def f(x):\n    first = x[0]\n    x += 1\n    return first\n"
    found = holders(lambda model: model.f(torch.ones(3)), source, 3)
    assert dict(found.shares) == {"first": 1}


@pytest.mark.parametrize(
    ("body", "is_read"),
    [
        ("x = g()", False),
        ("g(); x = 1; return x", False),
        ("g(); return x", True),
        ("for i in range(2):\n  x = i\n  g()", False),
        ("for i in range(2):\n  g()\n  y = x", True),
        ("if g():\n  return x", True),
        ("try:\n  g()\nexcept ValueError:\n  return x", True),
        ("try:\n  g()\nfinally:\n  print(x)", True),
        ("g()\nreturn lambda: x", True),
        ("h = lambda: x\ng()", True),
        ("if not x:\n  return g()\nreturn lambda: x", False),
        ("g(); del x", False),
        ("g(); return locals()", True),
        ("with open('/dev/null') as x:\n  pass\ng()", False),
        ("g(); a, b = x, 1", True),
        ("while g():\n  x = 2", False),
        ("while g():\n  x += 2", True),
    ],
)
def test_liveness_in_bytecode(body: str, is_read: bool) -> None:
    seen: list[bool] = []

    def g() -> bool:
        caller: FrameType | None = sys._getframe(1)
        assert caller is not None
        if not seen:
            seen.append(is_read_after(caller.f_code, caller.f_lasti, "x"))
        return False

    space: dict[str, Any] = {"g": g}
    exec("def f(x=0):\n" + "\n".join(f"  {line}" for line in body.split("\n")), space)
    space["f"]()
    assert seen == [is_read]


def test_a_caller_whose_value_waits_on_the_stack_is_named() -> None:
    def drive(model: ModuleType) -> torch.Tensor:
        def added(x: torch.Tensor) -> torch.Tensor:
            total: torch.Tensor = x + model.scale(x, 2)
            return total

        return added(torch.ones(3))

    observed, _ = ran(SCALE, drive)
    assert [each[:3] for each in of_line(observed, SCALE, 4).holders] == [(HolderKind.CALLER, "x", "added")]
    assert rewritten(SCALE, observed)[0] == SCALE


NO_SEARCH = Effort(free=0.0, first=0.0, again=0.0)
OPERATIONS = (
    *("y += k", "y[0] = k", "y[0] += k", "y[:] += k", "y[0, :1] += k", "y.neg_()", "y.add_(k)", "y.add_(k, alpha=2)"),
    *(
        "y.addcmul_(k, k)",
        "torch.relu_(y)",
        "torch.add(k, k[None, None], out=y)",
        "F.relu(y, inplace=True)",
        "box.y += k",
    ),
    *("torch.nn.ReLU(inplace=True)(y)", "y.mul_(2).add_(k)"),
)
EXPLAINED = [each for each in OPERATIONS if not any(part in each for part in ("ReLU", ").add_", "] +="))]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize(
    "kept",
    [
        *("keep.append(y)", "keep.append((y,))", "box.kept = y", "keep.append({'y': y})", "keep.append(lambda: y)"),
        *("keep.append(iter([y]))", "keep.append(zip([y], [1]))", "keep.append(y.neg_)", "keep.append(y[0])"),
        *("keep.append(partial(print, y))", "keep.append(each for each in [y])", "keep.append(y.detach())"),
        *("global g; g = y", "keep.append(weakref.WeakValueDictionary(y=y)); keep.append([y])"),
    ],
)
def test_references_never_hide_a_holder(operation: str, kept: str) -> None:
    """Nothing is known of the holders without a search, unless there is none."""
    source = (
        "import torch, weakref\nimport torch.nn.functional as F\nfrom functools import partial\n"
        f"def f(keep, box):\n    y, k = torch.zeros(1, 1), torch.ones(())\n    {kept}\n    box.y = torch.zeros(1)\n"
        f"    {operation}\n"
    )

    class Box: ...

    def drive(model: ModuleType) -> Any:
        kept, box = [], Box()
        model.f(kept, box)
        return kept

    observed, _ = ran(source, drive, NO_SEARCH)
    found = [facts for extents in observed.about(str(FILE), source)._by_line.values() for _, facts in extents]
    written = [facts for facts in found if facts.tensors]
    assert written
    assert operation == "box.y += k" or not any(facts.alone for facts in written)


@pytest.mark.parametrize("operation", EXPLAINED)
def test_references_tell_that_a_tensor_is_held_alone(operation: str) -> None:
    source = (
        "import torch\nimport torch.nn.functional as F\n"
        "def f(y, k, box):\n    " + operation + "\n    return y\ndef caller(box):\n"
        "    return f(torch.zeros(1, 1), torch.ones(()), box)\n"
    )

    def drive(model: ModuleType) -> None:
        box = ModuleType("box")
        box.y = torch.zeros(1, 1)  # type: ignore[attr-defined]
        model.caller(box)

    observed, _ = ran(source, drive, NO_SEARCH)
    ((_, found),) = observed.about(str(FILE), source)._by_line[4]
    assert (found.alone, found.examined) == (1, 1)


def test_an_operation_that_an_earlier_run_missed_comes_first() -> None:
    """A run without time for it counts nothing, and the next one leaves its time to what was missed."""
    kept = "import torch\nclass K: t = []\ndef f():\n    y = torch.ones(1)\n    K.t.append(y)\n    y += 1\n"

    def times(known: Observations | None, effort: Effort) -> Observations:
        recorder = Recorder(str(ROOT), effort, known)
        space: dict[str, Any] = {NAME: recorder}
        try:
            exec(compile(instrumented(kept, "model.py", recorder.register), str(FILE), "exec"), space)
            for _ in range(2):
                space["f"]()
        finally:
            recorder.close()
        return recorder.observations

    assert of_line(times(None, NO_SEARCH), kept, 6).examined == 0
    first = times(None, UNLIMITED)
    assert of_line(first, kept, 6).kept == of_line(first, kept, 6).examined == 2
    only_first = Effort(free=0.0, first=1000.0, again=0.0)
    assert of_line(times(None, only_first), kept, 6).examined == 1
    assert of_line(times(first, only_first), kept, 6).examined == 0


# What writes do to autograd

BROKEN = """\
import torch
def f(x, k):
    y = torch.tanh(x)
    y += k
    return y
"""


def broke(model: ModuleType) -> None:
    x = torch.rand(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        model.f(x, 1).sum().backward()
    model.f(x, 1)


def test_a_write_that_makes_backward_fail_is_told_with_what_had_saved() -> None:
    found = of_line(ran(BROKEN, broke)[0], BROKEN, 4)
    assert (dict(found.raised), dict(found.overwrote)) == ({"tanh": 1}, {"tanh": 2})
    assert (found.searched, found.unsaved, found.refused) == (2, 0, 0)


def test_a_write_that_overwrites_nothing_is_told() -> None:
    source = "def f(x):\n    y = x * 2\n    y += 1\n    y[:2].mul_(3)\n    return y\n"
    observed, _ = ran(source, lambda model: [model.f(torch.rand(3, requires_grad=True)) for _ in range(50)])
    for line in (3, 4):
        found = of_line(observed, source, line)
        assert found.searched == found.unsaved >= 3
        assert not found.is_harmful


def test_savers_are_found_beside_large_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saves, "_NODES", 20_000)
    large = torch.ones(1, requires_grad=True)
    for _ in range(30_000):
        large = large + 1
    found = of_line(ran(BROKEN, broke)[0], BROKEN, 4)
    assert dict(found.overwrote) == {"tanh": 2}
    source = "def f(x):\n    z = x.view(-1)\n    x += 1\n    return z\n"
    found = of_line(ran(source, lambda model: model.f(torch.rand(3)))[0], source, 3)
    assert (found.searched, found.unsaved) == (0, 0), "what wasn't looked through shows nothing"
    del large


def test_what_a_view_overwrites_is_seen() -> None:
    source = "def f(x):\n    y = x.exp()\n    z = y.view(-1)[1:]\n    z.add_(1)\n    return y\n"
    found = of_line(ran(source, lambda model: model.f(torch.rand(3, requires_grad=True)))[0], source, 4)
    assert dict(found.overwrote) == {"exp": 1}


def test_of_two_writes_the_one_that_came_before_the_save_is_not_blamed() -> None:
    source = "def f(x):\n    y = x * 2\n    y += 1\n    z = y * y\n    y *= 2\n    return z\n"

    def drive(model: ModuleType) -> None:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            model.f(torch.rand(3, requires_grad=True)).sum().backward()

    observed, _ = ran(source, drive)
    assert [dict(of_line(observed, source, line).raised) for line in (3, 5)] == [{}, {"mul": 1}]


REFUSED = {
    "a leaf": "x.requires_grad_()",
    "a view of a leaf": "x.requires_grad_()[1:]",
    "a row of unbind": "(x.requires_grad_() * 2).unbind()[0]",
    "a piece of chunk": "(x.requires_grad_() * 2).chunk(2)[1]",
    "a result": "x.requires_grad_() * 2",
    "a view of a result": "(x.requires_grad_() * 2)[1:]",
    "no gradient": "x[1:]",
    "a split without gradient": "x.chunk(2)[0]",
}


@pytest.mark.parametrize("made", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("write", ["y += 1", "y.mul_(2)", "y[...] = 0", "torch.relu_(y)"])
def test_what_torch_refuses_is_known_before(made: str, write: str) -> None:
    space: dict[str, Any] = {"torch": torch, "x": torch.rand(4, 2)}
    exec(f"y = {made}", space)
    takes_part, expected = space["y"].requires_grad, is_refused(space["y"])
    try:
        exec(write, space)
    except RuntimeError:
        assert (takes_part, expected) == (True, True)
    else:
        assert not (takes_part and expected)


def test_a_write_that_torch_refuses_is_told() -> None:
    source = "import torch\ndef f(x, mode):\n    with torch.set_grad_enabled(mode):\n        x += 1\n"

    def drive(model: ModuleType) -> None:
        x = torch.rand(3, requires_grad=True)
        model.f(x, False)
        with pytest.raises(RuntimeError, match="a leaf Variable"):
            model.f(x, True)

    found = of_line(ran(source, drive)[0], source, 4)
    assert (found.refused, found.recorded, found.off, found.parameters) == (1, 1, 1, 2)


def test_what_a_context_keeps_is_saved_for_backward_and_held_by_nobody() -> None:
    source = """\
import torch
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.y = x.exp()
        return ctx.y
    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.y
def f(x):
    y = Exp.apply(x)
    y += 1
    return y
"""
    found = of_line(ran(source, lambda model: model.f(torch.rand(3, requires_grad=True)))[0], source, 12)
    assert (found.alone, dict(found.overwrote)) == (1, {"Exp": 1})


def test_the_report_tells_observed_harm() -> None:
    unseen = BROKEN.replace("torch.tanh(x)", "act(x)").replace("torch\n", "torch\nfrom somewhere import act\n")
    observed, _ = ran(unseen.replace("from somewhere import act", "act = torch.tanh"), broke)
    after, (finding,) = rewritten(unseen, observed)
    assert "y = y + k" in after
    assert (finding.harm, finding.is_observed_harmful) == (Harm.HARMFUL, True)
    assert sentences.headline(finding) == "augmented assignment broke autograd in a run: saved by tanh()"
    assert "observed harmful" in sentences.full(finding)
    assert str(finding.ran[-1]) == "backward failed once because of it: `tanh` had saved the tensor"
    _, (finding,) = rewritten(BROKEN, ran(BROKEN, broke)[0])
    assert sentences.headline(finding).endswith("saved by tanh() in line 3")


# What the facts let a rewrite do


def driven(model: ModuleType) -> None:
    for _ in range(4):
        model.scale(torch.rand(3), 2)


def test_what_runs_confirm_is_rewritten_and_says_so() -> None:
    observed, _ = ran(SCALE, driven)
    assert rewrite_text(SCALE, str(FILE), Options()).after == SCALE
    after, (finding,) = rewritten(SCALE, observed)
    assert after == SCALE.replace("u *= k", "u = u * k")
    assert finding.applicability is Applicability.OBSERVED
    told = r"in (the observed run|[2-4] observed runs): no caller reads the argument `u` after the call"
    assert any(re.fullmatch(told, each) for each in finding.assumptions)


@pytest.mark.parametrize("unsafe", [False, True])
def test_what_a_run_contradicts_is_refused_even_with_unsafe(unsafe: bool) -> None:
    def drive(model: ModuleType) -> torch.Tensor:
        x = torch.rand(3)
        model.scale(x, 2)
        return x

    observed, _ = ran(SCALE, drive)
    after, (finding,) = rewritten(SCALE, observed, unsafe=unsafe)
    assert (after, finding.status) == (SCALE, Status.REFUSED)
    assert "a run contradicts an assumption" in finding.message
    assert "`x` of drive()" in finding.message


def test_a_wider_operand_forbids_the_edit() -> None:
    source = "import torch\ndef f(x: torch.Tensor, k):\n    y = x.exp()\n    y += k\n    return y\n"
    observed, _ = ran(source, lambda model: model.f(torch.rand(2), torch.rand(2).double()))
    assert rewritten(source, Observations(str(ROOT)))[0] == source.replace("y += k", "y = y + k")
    after, (finding,) = rewritten(source, observed)
    assert after == source.replace("x.exp()", "x.exp().clone()")
    assert finding.message.startswith("the write stays")


def test_reports_say_how_often_an_operation_ran() -> None:
    source = SCALE + "\ndef unused(x: torch.Tensor):\n    y = x.exp()\n    y += 1\n    return y\n"

    def drive(model: ModuleType) -> None:
        for _ in range(3):
            model.scale(torch.zeros(3), 2)
        model.scale(torch.rand(3, requires_grad=True).exp(), 2)
        model.scale(1.0, 2)

    after, found = rewritten(source, ran(source, drive)[0], unsafe=True)
    assert "y = y + 1" in after
    assert [[str(told) for told in finding.ran] for finding in found] == [
        [
            "ran 5 times, 4 times on a tensor",
            "autograd recorded it once",
            "it overwrote what `exp` had saved, once (4 runs looked at)",
        ],
        ["never ran"],
    ]
    assert sentences.advice_lines(found[1])[0] == ("in the runs", "never ran")
    assert all(not finding.ran for finding in rewrite_text(source, str(FILE), Options()).findings)


def test_the_editor_takes_the_facts_of_the_configuration(tmp_path: Path) -> None:
    def drive(model: ModuleType) -> None:
        for _ in range(3):
            model.scale(torch.rand(3, requires_grad=True).exp(), 2)

    Observations(str(tmp_path), by_file=ran(SCALE, drive)[0].by_file).write(tmp_path / "seen.json")
    path = tmp_path / "model.py"
    document = Document(SCALE, path.as_uri(), str(path), 1)

    def titles() -> list[str]:
        return [action["title"] for action in Analyst().actions(document, [tmp_path], (3, 4), (3, 4), ["quickfix"])]

    assert "Rewrite as `u = u * k`" not in titles()
    (tmp_path / "unplace.toml").write_text('facts = "seen.json"\n')
    assert titles()[0] == "Rewrite as `u = u * k`"
    hovered = Analyst().hover(document, [tmp_path], (3, 4), as_markdown=True)
    assert hovered is not None
    assert "**observed** ran 3 times, always on a tensor  \nautograd recorded it 3 times" in hovered


def test_what_runs_show_to_be_meant_is_kept() -> None:
    source = """\
import torch
table = torch.eye(3).expand(1, 3, 3)[0]
table[0, 1] = 2.0
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(3))
def fill(net, name):
    getattr(net, name).data.copy_(torch.zeros(3))
def decay(x: torch.Tensor):
    x *= 0.5
"""

    def drive(model: ModuleType) -> torch.Tensor:
        model.fill(model.Net(), "w")
        x = torch.ones(3)
        with torch.no_grad():
            model.decay(x)
        return x

    observed, _ = ran(source, drive)
    after, found = rewritten(source, observed, unsafe=True)
    assert after == source
    kinds = {finding.line: finding.reason.kind for finding in found}
    assert (kinds[9], kinds[11]) == (Purpose.OBSERVED_LEAF, Purpose.OBSERVED_OFF)
    assert kinds.get(3, Purpose.OBSERVED_HARMLESS) is Purpose.OBSERVED_HARMLESS


def test_facts_of_a_function_that_changed_are_left_out() -> None:
    source = SCALE + "\n\ndef shift(v, k):\n    v += k\n    return v\n"

    def drive(model: ModuleType) -> None:
        driven(model)
        model.shift(torch.rand(3), 1)

    observed, _ = ran(source, drive)
    changed = "# a line above\n" + source.replace("v += k", "v += k + 1")
    after, _ = rewritten(changed, observed)
    assert after == changed.replace("u *= k", "u = u * k")


def test_a_layer_that_a_caller_chose_is_known_by_what_was_made() -> None:
    source = """\
import torch
class Block(torch.nn.Module):
    def __init__(self, act_layer):
        super().__init__()
        self.lin = torch.nn.Linear(3, 3)
        self.act = act_layer(inplace=True)
    def forward(self, x):
        x = self.lin(x)
        return self.act(x)
"""
    observed, _ = ran(source, lambda model: model.Block(torch.nn.ReLU)(torch.rand(2, 3)))
    assert rewritten(source, Observations(str(ROOT)))[0] == source
    after, (finding,) = rewritten(source, observed)
    assert after == source.replace("inplace=True", "inplace=False")
    assert finding.applicability is Applicability.OBSERVED


# The file


def test_facts_add_up_and_survive_the_file(tmp_path: Path) -> None:
    observed, _ = ran(SCALE, driven)
    again, _ = ran(SCALE, driven)
    observed.add(again)
    observed.write(tmp_path / "facts.json")
    text = (tmp_path / "facts.json").read_text("utf-8")
    read = facts.read(tmp_path / "facts.json")
    assert read.by_file == observed.by_file
    assert of_line(Observations(str(ROOT), by_file=read.by_file), SCALE, 4).runs == 8
    assert str(Path.home()) not in text


def test_facts_of_runs_in_other_folders_add_up() -> None:
    observed, inner = Observations("/project"), Observations("/project/package")
    inner.of("model.py", (Function("f", "0"), "1:0-1:5")).runs = 2
    observed.add(inner)
    assert [*observed.by_file] == ["package/model.py"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"unplace": 2}', '{"unplace": 2, "root": ".", "files": 3}'])
def test_a_file_without_facts_is_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "facts.json"
    path.write_text(text)
    with pytest.raises(FactsError, match="holds no facts of `unplace observe`"):
        facts.read(path)


# The command

PROGRAM = """\
import sys, threading, torch
from torch.utils.data import DataLoader, Dataset
import tools

class Data(Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return tools.shift(torch.rand(3), 1)

def step(x):
    y = x.exp()
    y += 1
    return y

if __name__ == "__main__":
    for batch in DataLoader(Data(), batch_size=2, num_workers=1):
        step(batch)
    thread = threading.Thread(target=step, args=(torch.rand(3),))
    thread.start()
    thread.join()
    print(sys.argv[1:], __file__.endswith("train.py"), torch.compile(step)(torch.zeros(1)).item())
    raise SystemExit(3)
"""
TOOLS = "import torch\ndef shift(v, k):\n    v += k\n    return v\n"


def test_the_command_runs_the_program_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    (tmp_path / "tools.py").write_text(TOOLS)
    command = [sys.executable, "-m", "unplace", "observe", "--output", "seen.json", "train.py", "--epochs", "1"]
    for runs in (1, 2):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
        assert (done.returncode, done.stdout) == (3, "['--epochs', '1'] True 2.0\n"), done.stderr
        assert done.stderr.endswith("The facts are in seen.json.\n")
        files = json.loads((tmp_path / "seen.json").read_text("utf-8"))["files"]
        counts = {
            (file, name): place.get("runs", 0)
            for file, functions in files.items()
            for name, digests in functions.items()
            for places in digests.values()
            for place in places.values()
        }
        assert counts == {("tools.py", "shift"): 4 * runs, ("train.py", "step"): 4 * runs}
    assert not list(tmp_path.rglob("*.pyc"))


def test_tests_and_their_worker_processes_are_observed(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "test_tools.py").write_text(
        "import torch, tools\n"
        "def test_one():\n    assert tools.shift(torch.zeros(2), 1).sum() == 2\n"
        "def test_two():\n    assert tools.shift(torch.zeros(2), 1).sum() == 3\n"
    )
    command = [sys.executable, "-m", "unplace", "observe", "-m", "pytest", "-q", "-n", "1", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, "1 failed, 1 passed" in done.stdout) == (1, True), done.stdout + done.stderr
    rewrite = [sys.executable, "-m", "unplace", "rewrite", "--facts", "unplace-facts.json", "tools.py"]
    done = subprocess.run(rewrite, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert (tmp_path / "tools.py").read_text() == TOOLS.replace("v += k", "v = v + k"), done.stdout + done.stderr


@pytest.mark.parametrize(
    "program",
    [
        "def f(x):\n    x += None\n\nf(1)\n",
        "import torch\ny = torch.ones(2, requires_grad=True).exp()\ny += 1\ny.sum().backward()\n",
    ],
)
def test_an_exception_of_the_program_is_shown_as_python_does(program: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(program)
    told = [
        subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
        for command in ([sys.executable, "train.py"], [sys.executable, "-m", "unplace", "observe", "train.py"])
    ]
    assert told[0].returncode == told[1].returncode == 1
    assert told[1].stderr.startswith(told[0].stderr), told[1].stderr


def test_a_program_without_torch_does_without(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import sys\nx = 1\nx += 2\nprint(x, 'torch' in sys.modules)\n")
    command = [sys.executable, "-m", "unplace", "observe", "train.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (0, "3 False\n"), done.stderr


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "unplace", "observe", "nothing.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 2
    assert "nothing.py: no such file, and no such command" in " ".join(done.stderr.split())
    assert not (tmp_path / "unplace-facts.json").exists()


def test_parameters_that_have_no_memory_yet_are_no_holders() -> None:
    waiting = torch.nn.LazyLinear(2)
    assert memory_key(waiting.weight) is memory_of(waiting.weight) is None
    assert not is_unshared(waiting.weight)
