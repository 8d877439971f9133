"""Whether autograd records at a point: by switches, by tests, and by how the code in sight enters a function."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from unplace.config.options import Options
from unplace.diagnostics.catalogue import Assumption
from unplace.diagnostics.findings import Finding, Harm, Status
from unplace.transform.rewriter import rewrite_text

HEAD = "import contextlib\nfrom functools import partial\n\nimport torch\nfrom torch import nn\n\n\n"


def last(source: str, **options: bool) -> Finding:
    """What is found about the last write of a file."""
    return rewrite_text(HEAD + dedent(source).lstrip(), "model.py", Options(**options)).findings[-1]


def of_body(body: str, parameters: str = "x: torch.Tensor, train, stack, other") -> Finding:
    return last(f"def f({parameters}):\n{indent(dedent(body).strip(), '    ')}\n")


# -- switches ---------------------------------------------------------------------------------------------------------

PERHAPS_OFF = {
    "a flag": "h = x.sin()\nwith torch.set_grad_enabled(train):\n    h += 1\nreturn h",
    "one of two": "h = x.sin()\nwith torch.no_grad() if train else torch.enable_grad():\n    h += 1\nreturn h",
    "for the rest": "h = x.sin()\ntorch.set_grad_enabled(train)\nh += 1\nreturn h",
    "on one way": "h = x.sin()\nif train:\n    torch.set_grad_enabled(False)\nh += 1\nreturn h",
    "another switch": (
        "with torch.set_grad_enabled(train):\n    h = x.sin()\n"
        "with torch.set_grad_enabled(not train):\n    h += 1\nreturn h"
    ),
}
OFF = {
    "entered": "h = x * 2\nstack.enter_context(torch.no_grad())\nh += 1\nreturn h",
    "by hand": "h = x * 2\ntorch.no_grad().__enter__()\nh += 1\nreturn h",
    "for good": "h = x * 2\ntorch.set_grad_enabled(False)\nh += 1\nreturn h",
}
ON = {
    "after a block": "with torch.no_grad():\n    n = x.sum()\nh = x.exp()\nh += 1\nreturn h * n",
    "after a break": (
        "for n in x:\n    with torch.no_grad():\n        if n.sum() > 0:\n            break\n"
        "h = x.exp()\nh += 1\nreturn h"
    ),
    "after an error": (
        "try:\n    with torch.no_grad():\n        n = other(x)\nexcept ValueError:\n    n = 1\n"
        "h = x.exp()\nh += 1\nreturn h * n"
    ),
    "after a decorated function": (
        "@torch.set_grad_enabled(False)\ndef inner(y):\n    return y\nh = x.exp()\nh += 1\nreturn inner(h)"
    ),
    "inside the same switch": "with torch.set_grad_enabled(train):\n    h = x.exp()\n    h += 1\nreturn h",
}


@pytest.mark.parametrize("body", PERHAPS_OFF.values(), ids=PERHAPS_OFF)
def test_what_was_made_outside_a_switch_may_have_a_graph(body: str) -> None:
    assumed = [reason.kind for reason in of_body(body).assumed]
    assert Assumption.NO_GRAPH_WHERE_OFF in assumed


@pytest.mark.parametrize("body", OFF.values(), ids=OFF)
def test_what_is_written_where_recording_is_off_stays(body: str) -> None:
    assert "doesn't record under torch.no_grad" in of_body(body).message


@pytest.mark.parametrize("body", ON.values(), ids=ON)
def test_recording_is_on_again_behind_a_block(body: str) -> None:
    found = of_body(body)
    assert (found.status, found.assumptions, found.saved_by is not None) == (Status.REWRITTEN, (), True)


# -- tests ------------------------------------------------------------------------------------------------------------

GUARDED = {
    "asked": "if torch.is_grad_enabled():\n    return x * 2\nreturn x.mul_(2)",
    "one of two": "if not (torch.is_grad_enabled() and x.requires_grad):\n    return x.mul_(2)\nreturn x * 2",
    "by a name": "quiet = not x.requires_grad\nreturn x.mul_(2) if quiet else x * 2",
    "by a name of two": (
        "needed = torch.is_grad_enabled()\nneeded = needed and train\nif not needed:\n    return x * 2\n"
        "if torch.is_grad_enabled():\n    return x * 3\nreturn x.mul_(2)"
    ),
}


@pytest.mark.parametrize("body", GUARDED.values(), ids=GUARDED)
def test_a_write_that_the_code_keeps_from_autograd_stays(body: str) -> None:
    assert of_body(body).message == "a condition keeps autograd from recording the write to `x`"


def test_a_name_that_was_bound_anew_tells_nothing_of_the_old_tensor() -> None:
    body = "off = not x.requires_grad\nx = other(x).exp()\nif off:\n    x.mul_(2)\nreturn x"
    assert "keeps autograd" not in of_body(body).message


def test_a_name_may_stand_for_itself() -> None:
    assert of_body("train = train or other\nother = other or train\nif train:\n    x = x.exp()\nx += 1\nreturn x")


# -- entries ----------------------------------------------------------------------------------------------------------

BLOCK = """
class Block(nn.Module):
    def __init__(self, dim, inplace=False, device=None):
        super().__init__()
        self.inplace = inplace
        self.linear = nn.Linear(dim, dim, device=device)

    def forward(self, x):
        y = self.linear(x).exp()
        if self.inplace:
            y += 1
        return y


class Net(nn.Module):
    def __init__(self, {parameters}):
        super().__init__()
        options = {{"device": "cpu"}}
        self.block = {made}

    def forward(self, x):
        return self.block(x)
"""
NEVER = {
    "by default": "Block(3)",
    "false": "Block(3, inplace=False)",
    "other keywords": "Block(3, **options)",
    "among layers": "nn.Sequential(Block(3), Block(3))",
}
PERHAPS = {
    "true": "Block(3, inplace=True)",
    "a parameter": "Block(3, flag)",
    "keywords": "Block(3, **kwargs)",
    "a class that is handed on": "partial(Block, 3)(flag)",
}


@pytest.mark.parametrize("made", NEVER.values(), ids=NEVER)
def test_a_branch_is_dead_where_no_construction_sets_its_flag(made: str) -> None:
    assert last(BLOCK.format(made=made, parameters="flag, **kwargs")).harm is not Harm.HARMFUL


@pytest.mark.parametrize("made", PERHAPS.values(), ids=PERHAPS)
def test_a_branch_lives_where_a_construction_may_set_its_flag(made: str) -> None:
    assert last(BLOCK.format(made=made, parameters="flag, **kwargs")).harm is Harm.HARMFUL


def test_a_function_counts_in_the_variants_that_its_callers_are_called_in() -> None:
    source = """
    def inner(y, inplace):
        if inplace:
            y += 1
        return y


    def outer(x, inplace=False):
        return inner(x.exp(), inplace)


    outer(torch.ones(3, requires_grad=True){})
    """
    assert last(source.format("")).harm is not Harm.HARMFUL
    assert last(source.format(", True")).harm is Harm.HARMFUL


def test_what_is_only_called_without_recording_does_no_harm() -> None:
    source = """
    def inner(y):
        y += 1
        return y


    x = torch.ones(3, requires_grad=True)
    with {}:
        inner(x.exp())
    """
    assert last(source.format("torch.no_grad()")).harm is not Harm.HARMFUL
    assert last(source.format("torch.enable_grad()")).harm is Harm.HARMFUL
