"""Which loops become a list and `torch.stack`, and which don't: each condition of `rules/collect.py` alone.

What the rewritten programs compute is proved by the fixtures `UNP005/collected_*` and `UNP005/steps_*`.
"""

from __future__ import annotations

import textwrap

import pytest

from unplace.config.options import Options
from unplace.diagnostics.findings import Status
from unplace.transform.rewriter import rewrite_text

HEAD = "import torch\n\n\ndef run(x: torch.Tensor, w: torch.Tensor, n: int, m: int, cell, self):\n"
LOOP = """
    out = torch.zeros(n, 2)
    out[0] = x[0]
    for t in range(1, n):
        out[t] = torch.tanh(out[t - 1] @ w)
    return out
"""


def indented(body: str) -> str:
    return HEAD + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"


def is_collected(body: str, *, unsafe: bool = True) -> bool:
    return "torch.stack(out_steps" in rewrite_text(indented(body), "run.py", Options(unsafe=unsafe)).after


def change(old: str, new: str) -> str:
    """The loop above with one thing changed."""
    assert LOOP.count(old) == 1, old
    return LOOP.replace(old, new)


def test_the_loop_is_collected_with_unsafe_only() -> None:
    assert is_collected(LOOP)
    assert not is_collected(LOOP, unsafe=False)


def test_the_assumptions_are_named() -> None:
    report = rewrite_text(indented(LOOP), "run.py", Options(unsafe=True))
    (finding,) = [f for f in report.findings if f.status is Status.REWRITTEN]
    assert finding.assumptions == ("what is stored in line 8 has the shape, dtype and device of a slot of `out`",)


@pytest.mark.parametrize(
    ("made", "header"),
    [
        ("torch.zeros(n, 2)", "for t in range(1, n, 1):"),
        ("torch.zeros((n, 2))", "for t in range(1, n):"),
        ("torch.zeros(size=(n, 2), device=x.device)", "for t in range(1, n):"),
        ("torch.full([n, 2], 0.5)", "for t in range(1, n):"),
        ("torch.zeros(len(x), 2)", "for t in range(1, x.shape[0]):"),
        ("torch.zeros(x.shape[0], 2)", "for t in range(1, x.size(0)):"),
        ("torch.zeros_like(x)", "for t in range(1, len(x)):"),
        ("torch.zeros(x.shape)", "for t in range(1, len(x)):"),
        ("x.new_empty(x.size())", "for t in range(1, len(x)):"),
        ("torch.zeros(n + 1, 2)", "for t in range(1, n + 1):"),
        ("torch.zeros(n - 1, 2)", "for t in range(1, n - 1):"),
        ("torch.zeros(5, 2)", "for t in range(1, 5):"),
        ("torch.zeros(n, 2)", "for t in range(1, len(out)):"),
        ("torch.zeros(self.steps, 2)", "for t in range(1, self.steps):"),
    ],
)
def test_sizes_that_agree(made: str, header: str) -> None:
    body = change("torch.zeros(n, 2)", made).replace("for t in range(1, n):", header)
    assert is_collected(body)


@pytest.mark.parametrize(
    ("made", "header"),
    [
        ("torch.zeros(n, 2)", "for t in range(1, m):"),
        ("torch.zeros(n, 2)", "for t in range(1, n - 1):"),
        ("torch.zeros(n, 2)", "for t in range(1, n, 2):"),
        ("torch.zeros(n, 2)", "for t in range(m, n):"),
        ("torch.zeros(n * 1, 2)", "for t in range(1, m):"),
        ("torch.zeros(len(w), 2)", "for t in range(1, len(x)):"),
        ("torch.zeros_like(x)", "for t in range(1, x.size(-1)):"),
        ("torch.zeros(x.shape)", "for t in range(1, n):"),
        ("torch.zeros(*x.shape)", "for t in range(1, len(x)):"),
        ("torch.zeros(n, 2, requires_grad=True)", "for t in range(1, n):"),
        ("cell(n, 2)", "for t in range(1, n):"),
        ("torch.zeros(n, 2)", "n = m\n    for t in range(1, n):"),
        ("torch.zeros(self.steps, 2)", "self.steps = m\n    for t in range(1, self.steps):"),
        ("torch.zeros(n, 2)", "while n:\n        n -= 1\n    for t in range(1, n):"),
    ],
)
def test_sizes_that_may_differ(made: str, header: str) -> None:
    body = change("torch.zeros(n, 2)", made).replace("for t in range(1, n):", header)
    assert not is_collected(body)


@pytest.mark.parametrize(
    "lines",
    [
        "out[t] = torch.tanh(out[t] @ w)",
        "out[t] = torch.tanh(out[t + 1] @ w)",
        "out[t] = torch.tanh(out[t - 2] @ w)",
        "out[t] = torch.tanh(out[-1] @ w)",
        "out[t] = torch.tanh(out[m] @ w)",
        "out[t] = torch.tanh(out[1] @ w)",
        "out[t] = torch.tanh(out[:t].sum(0) @ w)",
        "out[t] = torch.tanh(out[..., 0][:2] @ w)",
        "out[t] = torch.tanh(out.sum(0) @ w)",
        "out[t] = torch.tanh(cell(out) @ w)",
        "out[t] = torch.stack([(out[j] @ w).sum() for j in range(t)]).sum() + x[t]",
        "out[t, 0] = torch.tanh(out[t - 1] @ w).sum()",
        "out[t:t + 1] = torch.tanh(out[t - 1] @ w)",
        "out[t] += torch.tanh(out[t - 1] @ w)",
        "out[t] = m",
        "out[t] = w",
        "out[t] = torch.tanh(out[t - 1] @ w)\n        if m: break",
        "if m: continue\n        out[t] = torch.tanh(out[t - 1] @ w)",
        "if m: out[t] = torch.tanh(out[t - 1] @ w)",
        "with cell: out[t] = torch.tanh(out[t - 1] @ w)",
        "for _ in range(m): out[t] = torch.tanh(out[t - 1] @ w)",
        "out[t] = torch.tanh(out[t - 1] @ w)\n        out[t] = out[t] * 2",
        "out[t] = torch.tanh(out[t - 1] @ w)\n        out[0] = 1.0",
        "out[t] = torch.tanh(out[t - 1] @ w)\n        t = 0",
        "out[t] = torch.tanh(out[t - 1] @ w)\n        out = out * 2",
        "out[t] = torch.tanh(out[t - 1] @ w)\n        h = out[t - 1]\n        h += 1",
        "out[t] = h = torch.tanh(out[t - 1] @ w)",
        "out[t] = torch.tanh(out[t - 1] @ w)\n    else:\n        m = 0",
        "out[t] = torch.tanh(out[t - 1] @ w)\n        if m: return out",
        "out[t] = torch.tanh(out[t - 1] @ w)\n        yield out",
        "h = torch.tanh(out[t - 1] @ w)\n        out[t] = h\n        h += 1",
    ],
)
def test_loops_that_stay(lines: str) -> None:
    assert not is_collected(change("out[t] = torch.tanh(out[t - 1] @ w)", lines))


@pytest.mark.parametrize(
    "lines",
    [
        "out[t] = torch.tanh(out[t - 1] @ w)\n        cell(out[t])",
        "out[t] = torch.tanh(out[0] @ w)",
        "out[t] = torch.tanh((out[t - 2] if t > 1 else x[0]) @ w)",
        "out[t] = torch.tanh((x[0] if t == 1 else out[t - 2]) @ w)",
        "if t >= 2 and m:\n            w = w * out[t - 2].sin()\n        out[t] = torch.tanh(out[t - 1] @ w)",
        "for _ in range(m):\n            if m: break\n        out[t] = torch.tanh(out[t - 1] @ w)",
        "h = torch.tanh(out[t - 1] @ w)\n        h = h + 1\n        out[t] = h",
        "if m: raise ValueError\n        out[t] = torch.tanh(out[t - 1] @ w)",
        "out[t, :] = torch.tanh(out[t - 1, ...] @ w)",
    ],
)
def test_loops_that_are_collected(lines: str) -> None:
    assert is_collected(change("out[t] = torch.tanh(out[t - 1] @ w)", lines))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("out[0] = x[0]", "view = out[1:]"),
        ("out[0] = x[0]", "cell.kept = out"),
        ("out[0] = x[0]", "kept = [out]"),
        ("out[0] = x[0]", "inner = lambda: out"),
        ("out[0] = x[0]", "out.t_()"),
        ("out = torch.zeros", "out = kept = torch.zeros"),
        ("out = torch.zeros", "global out\n    out = torch.zeros"),
    ],
)
def test_tensors_that_others_see(old: str, new: str) -> None:
    body = change(old, new).replace(
        "return out", "return out, " + ("view" if "view" in new else "kept" if "kept =" in new else "n")
    )
    assert not is_collected(body)


@pytest.mark.parametrize(
    "around",
    [
        "try:\n{}\nexcept ValueError:\n    pass",
        "with cell:\n{}",
        "with torch.autocast('cuda'):\n{}",
        "with torch.no_grad():\n{}",
    ],
)
def test_blocks_that_may_end_halfway(around: str) -> None:
    loop = textwrap.dedent(LOOP).replace("return out", "").strip("\n")
    body = around.format(textwrap.indent(loop, "    ")) + "\nreturn out"
    assert not is_collected(body)
    assert is_collected(f"if m:\n{textwrap.indent(loop, '    ')}\nreturn out")


@pytest.mark.parametrize(
    ("value", "is_proved"),
    [
        ("light[i - 1] * (1 - alpha[i])", True),
        ("light[i - 1] * (1 - alpha[i]) + 2 * light[i - 1]", True),
        ("light[i - 1] * alpha[i - 1, :]", True),
        ("light[i - 1] * 0.5 * light[i - 1]", False),  # of integers: a float
        ("light[i - 1] * light[i - 1] / 2", False),
        ("light[i - 1] * alpha[i, 0]", False),
        ("light[i - 1] * alpha", False),
        ("light[i - 1] * w[i]", False),
        ("light[i - 1] * w", False),
        ("torch.exp(light[i - 1]) * alpha[i]", False),
    ],
)
def test_what_is_stored_is_proved_to_be_a_slot(value: str, is_proved: bool) -> None:
    body = f"""
        light = torch.empty_like(alpha)
        light[0] = alpha[0]
        for i in range(1, len(alpha)):
            light[i] = {value}
        return light
    """
    source = f"import torch\n\ndef run(alpha: torch.Tensor, w):\n{textwrap.indent(textwrap.dedent(body), '    ')}"
    assert ("stack(" in rewrite_text(source, "run.py", Options()).after) is is_proved


def test_the_name_is_new_and_torch_is_written_as_the_file_does() -> None:
    source = indented("out_steps = n\n" + textwrap.dedent(LOOP).strip()).replace("import torch", "import torch as th")
    after = rewrite_text(source.replace("torch.", "th."), "run.py", Options(unsafe=True)).after
    assert "out = th.stack(out_steps_2)" in after


def test_without_a_name_for_torch_the_loop_stays() -> None:
    source = indented(LOOP).replace("import torch\n", "import torch\nfrom torch import zeros, tanh, Tensor\n")
    source = source.replace("import torch\n", "", 1).replace("torch.", "")
    after = rewrite_text(source, "run.py", Options(unsafe=True)).after
    assert "stack" not in after
    assert ".clone()" in after


def test_what_another_rewrite_changes_is_collected_in_the_next_round() -> None:
    lines = "out[t] = torch.tanh(out[t - 1] @ w)\n        s = s.exp()\n        s += out[t]"
    body = change("out[t] = torch.tanh(out[t - 1] @ w)", lines).replace("for t", "s = x[0]\n    for t")
    after = rewrite_text(indented(body), "run.py", Options(unsafe=True)).after
    assert "s = s + out_steps[t]" in after  # what a constructor makes may be wider
    assert "out = torch.stack(out_steps)" in after
