"""The principle of `rewrite`: what it leaves; a store into own memory is written out, never cloned."""

from __future__ import annotations

import textwrap

import pytest

from unplace.config.options import Options
from unplace.diagnostics.findings import FileReport, Harm, Status
from unplace.transform.rewriter import first_round, rewrite_text

HEAD = "import torch\nfrom torch import Tensor, nn\n\n\n"


def function(body: str, arguments: str = "x: Tensor, w: Tensor, i: int, mask: Tensor") -> str:
    return f"{HEAD}def f({arguments}):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"


def rewritten(body: str, options: Options | None = None) -> str:
    report = rewrite_text(function(body), "f.py", options or Options())
    return textwrap.dedent(report.after.partition("):\n")[2]).strip()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y[1:] *= 2", "y[1:] = y[1:] * 2"),
        ("y[i] += w.sum()", "y[i] = y[i] + w.sum()"),
        ("y[1:]*=2  # twice", "y[1:]=y[1:]*2  # twice"),
        ("y[1:] -= w - 1", "y[1:] = y[1:] - (w - 1)"),
        ("y[1:] *= w", "y[1:] = y[1:].clone() * w"),
        ("y[x > 0] *= w", "y[x > 0] *= w"),  # a plain store under a mask takes one dtype, and that of `w` isn't known
        ("y[y > 0] /= 2", "y[y > 0] = y[y > 0] / 2"),
        ("y[0][1] += 2", "y[0][1] = y[0][1] + 2"),
        ("y[0].add_(1).mul_(2)", "y[0] = y[0].add(1).mul(2)"),
        ("y[0].mul_(w)", "y[0] = y[0].clone().mul(w)"),
        ("y[0].zero_()", "y[0] = 0"),
        ("y[:, 0].fill_(w.max())", "y[:, 0] = w.max()"),
        ("y[0].copy_(w)", "y[0] = w"),
        ("y.eq_(w)", "y[...] = y.eq(w)"),
        ("y[torch.arange(i)] += 1", "y[torch.arange(i)] = y[torch.arange(i)] + 1"),
    ],
)
def test_a_store_into_own_memory_is_written_out(before: str, after: str) -> None:
    body = "y = x * 3\n{}\nreturn y"
    assert rewritten(body.format(before)) == body.format(after)
    alone = first_round(function(body.format(before)), "f.py", Options())
    assert after in alone.after, "the first round alone, as an editor offers it, is right"


@pytest.mark.parametrize(
    "kept",
    [
        "y = x.clone()\ny[0] = 5.0",
        "y = x * 2\ny[mask] = 0.0",
        "y = torch.zeros(3)\nfor k in range(3):\n    y[k] = x[k]",
        "y = torch.empty(3).normal_()",
        "y = torch.empty(3)\ny.uniform_(-1, 1)",
    ],
)
def test_the_normal_form_stays(kept: str) -> None:
    report = rewrite_text(function(f"{kept}\nreturn y"), "f.py", Options())
    assert not report.changed
    assert {f.status for f in report.findings} == {Status.KEPT}
    assert all(f.message.startswith("normal form: ") for f in report.findings)


@pytest.mark.parametrize(
    "refused",
    [
        "y[next(k)] += 1",
        "y[torch.randint(3, ())] += 1",
        "y[k := i] += 1",
        "y[i] += (i := i + 1)",
    ],
)
def test_an_index_that_cannot_be_evaluated_twice_is_refused(refused: str) -> None:
    text = function(f"y = x * 3\nk = iter(range(9))\n{refused}\nreturn y")
    (finding,) = rewrite_text(text, "f.py", Options()).findings
    assert finding.status is Status.REFUSED
    assert "can't be evaluated twice" in finding.message


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("mask |= x > 0", "mask = mask | (x > 0)"),
        ("idx += 1", "idx = idx + 1"),
        ("table.triu_(1)", "table = table.triu(1)"),
        ("table.scatter_(0, idx[:, None], 1.0)", "table = table.scatter(0, idx[:, None], 1.0)"),
        ("table.zero_()", "table = torch.zeros_like(table)"),
        ("table = nn.functional.leaky_relu(table, inplace=True)", "table = nn.functional.leaky_relu(table)"),
        ("table = table.add_(1).mul_(2)", "table = table.add(1).mul(2)"),
    ],
)
def test_integers_masks_tables_and_new_tensors_are_rewritten(before: str, after: str) -> None:
    made = "mask = x < 1\nidx = torch.arange(3)\ntable = torch.ones(3, 3)"
    assert rewritten(f"{made}\n{before}\nreturn mask, idx, table") == f"{made}\n{after}\nreturn mask, idx, table"


CARRIED = "shown = x * 2\nfor m in masks:\n    shown.masked_fill_(m, 0.0)\nreturn shown"


def report_on(body: str, options: Options) -> FileReport:
    return rewrite_text(function(body, "x: Tensor, masks: list[Tensor]"), "f.py", options)


def test_a_part_in_every_round_costs_a_copy_which_all_pays() -> None:
    (kept,) = report_on(CARRIED, Options()).findings
    assert (kept.status, kept.message[:5]) == (Status.KEPT, "cost:")
    paid = report_on(CARRIED, Options(every=True))
    assert "    shown = shown.masked_fill(m, 0.0)\n" in paid.after


def test_a_tensor_of_each_round_costs_nothing_more() -> None:
    body = "for m in masks:\n    shown = x * 2\n    shown.masked_fill_(m, 0.0)\n    x = x + shown\nreturn x"
    assert "shown = shown.masked_fill(m, 0.0)" in report_on(body, Options()).after


def test_a_fix_of_harm_alone_leaves_the_harmless() -> None:
    body = "y = x.exp()\ny += 1\nz = x * 2\nz += 1\nreturn y + z"
    caller = "\n\ndef train():\n    f(torch.ones(3, requires_grad=True) * 1, None, 0, None)\n"
    report = rewrite_text(function(body) + caller, "f.py", Options(only=frozenset({Harm.HARMFUL})))
    assert [f.harm for f in report.findings] == [Harm.HARMFUL]
    assert "y = y + 1" in report.after
    assert "z += 1" in report.after
