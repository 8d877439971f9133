"""What `--unsafe` may not assume: that nobody else holds or reads a tensor, where code in sight does."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.test_project import outcomes, program_of, prove, write

from unplace.diagnostics.findings import Finding, Harm, Status

BEGIN = "    import torch\n    from torch import nn\n"
EXAMPLE = """

    def example():
        return f, (torch.rand(2, requires_grad=True),)
"""
STATE = """
    STATE = torch.zeros(2)

    def step(x: torch.Tensor) -> torch.Tensor:
        y = STATE.exp()
        STATE.mul_(0.5).add_(x.detach())
        return STATE * x * y
"""
BOX = """
    class Box:
        def __init__(self, h):
            self.h = h

        def step(self, x: torch.Tensor):
            self.h.mul_(2)
            return x * self.h
"""
MARK = """
    def _mark(t, k=0):
        t *= 2
        return t
"""
CONTRADICTED = {
    "a name that another file imports": (
        STATE,
        """
        from .tools import STATE, step

        def f(x):
            return step(x) + step(x * x), STATE
        """,
    ),
    "all names of a file": (
        STATE,
        """
        from .tools import *

        def f(x):
            return step(x) + step(x * x), STATE
        """,
    ),
    "a global tensor that another file holds in a name": (
        STATE,
        """
        from . import tools

        def f(x):
            state = tools.STATE
            return tools.step(x) + tools.step(x * x), state
        """,
    ),
    "a global tensor with two names": (
        STATE.replace("    def step", "    HALF = STATE[:1]\n\n    def step"),
        """
        from . import tools

        def f(x):
            return tools.step(x) + tools.step(x * x), tools.HALF
        """,
    ),
    "what another file gives to the object": (
        BOX,
        """
        from .tools import Box

        def f(x):
            mix = torch.exp(x.detach())
            box = Box(mix)
            return box.step(x), mix
        """,
    ),
    "what another file takes from the object": (
        BOX,
        """
        from .tools import Box

        def f(x):
            box = Box(torch.exp(x.detach()))
            held = box.h[:1]
            return box.step(x), held
        """,
    ),
    "the argument of an inner function": (
        "",
        """
        def f(x):
            def mark(t, k=0):
                t *= 2
                return t.sum()

            def outer(t):
                t = mark(t)
                return t

            mix = x.exp()
            return outer(mix), mix
        """,
    ),
    "an argument of unknown kind that is passed on": (
        MARK,
        """
        from .tools import _mark

        def _outer(t, k):
            t = _mark(t, k)
            t *= 2
            return t

        def f(x):
            mix = torch.tanh(x)
            _outer(mix.view_as(mix), 0)
            return mix
        """,
    ),
    "an element of a list display": (
        "",
        """
        def _first(ts):
            ts[0] += 1

        def f(x):
            mix = torch.exp(x)
            _first([mix])
            return mix
        """,
    ),
    "an element of a dictionary that is passed on": (
        "",
        """
        def _first(ts):
            ts["a"].mul_(2)

        def _passing(p):
            _first({"a": p})

        def f(x):
            mix = torch.exp(x)
            _passing(mix)
            return mix
        """,
    ),
    "a list where the code asks for one": (
        """
    class Net(nn.Module):
        def forward(self, x, state):
            if isinstance(state, list):
                state[0] += 1
                state += [state[0]]
            return x * state[0].sum()
        """,
        """
        from .tools import Net

        def f(x):
            return Net()(x, [x.sigmoid()])
        """,
    ),
}


def rewritten(folder: Path, tools: str, main: str) -> list[Finding]:
    """The findings of both files with `--unsafe`, after a proof through torch that nothing became wrong."""
    files = {"tools.py": BEGIN + tools, "main.py": BEGIN + main.replace("\n    ", "\n") + EXAMPLE}
    found = outcomes(write(folder / "before", files), unsafe=True)
    write(folder / "after", files)
    for file, outcome in found.items():
        if outcome.change is not None:
            (folder / "after" / "pkg" / file).write_bytes(outcome.change.after.data)
    proof = prove(program_of(folder / "before"), program_of(folder / "after"))
    assert not proof.is_worse, proof.differences
    return [finding for outcome in found.values() for finding in outcome.findings]


@pytest.mark.parametrize("case", CONTRADICTED)
def test_code_in_sight_contradicts_an_assumption(case: str, tmp_path: Path) -> None:
    findings = rewritten(tmp_path, *CONTRADICTED[case])
    assert findings
    told = [words for f in findings if f.status is Status.REWRITTEN for words in f.assumptions]
    assert not [words for words in told if "no caller reads" in words or "nothing else holds" in words]


def test_a_global_tensor_that_is_looked_up_anew_is_rebound(tmp_path: Path) -> None:
    main = """
        from . import tools

        def f(x):
            return tools.step(x) + tools.step(x * x), tools.STATE
    """
    findings = rewritten(tmp_path, STATE, main)
    assert {finding.status for finding in findings} == {Status.REWRITTEN}


def test_an_object_whose_tensor_nobody_else_takes_is_rebound(tmp_path: Path) -> None:
    main = """
        from .tools import Box

        def f(x):
            box = Box(torch.exp(x.detach()))
            return box.step(x), box.h
    """
    (finding,) = rewritten(tmp_path, BOX, main)
    assert finding.status is Status.REWRITTEN
    assert finding.assumptions[:1] == ("nothing else holds the tensor in `self.h`",)


def test_a_write_of_unknown_kind_is_harmful_where_a_caller_saved_a_tensor(tmp_path: Path) -> None:
    main = """
        def mark(t, k=0):
            t *= 2
            return t.sum()

        def f(x):
            y = x.exp()
            mark(y)
            return y

        def train():
            f(torch.rand(2, requires_grad=True))
    """
    (finding,) = rewritten(tmp_path, "", main)
    assert (finding.status, finding.harm) == (Status.REWRITTEN, Harm.HARMFUL)
