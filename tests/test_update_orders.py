"""Updates that `--unsafe` reorders train as the original would whose backwards use what was saved for them."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest

from test_loops import trained
from unplace.config.options import Options
from unplace.transform.rewriter import rewrite_text

torch = pytest.importorskip("torch")

HEAD = """\
import torch
from torch import nn

def net(*more):
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), *more, nn.Linear(4, 3))

def plain(loss):
    loss.backward(retain_graph=True)

a, b, c = net(), net(), net(nn.Dropout(0.3))
opt_a = torch.optim.SGD(a.parameters(), lr=0.1)
opt_b = torch.optim.SGD(OWNED, lr=0.1)
opt_c = torch.optim.SGD(c.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(opt_a, 1, 0.5)
kept, factor = {}, torch.ones(3)
for i in range(3):
    x = torch.randn(5, 3)
"""
A_GOES_LATER = """\
    h = b(x)
    score = a(h)
    loss_a = score.pow(2).mean()
    loss_b = score.abs().mean()
    opt_a.zero_grad()
    loss_a.backward(retain_graph=True)
    opt_a.step()
    opt_b.zero_grad()
    loss_b.backward()
    opt_b.step()
"""
B_GOES_FIRST = A_GOES_LATER.replace("loss_a = score", "loss_a = a(h.detach())").replace("(retain_graph=True)", "()")
HANDED_ON = (
    A_GOES_LATER.replace("h = b(x)", "h = a(x)")
    .replace("score = a(h)", "score = b(h)")
    .replace("score.pow(2)", "(h * score.detach()).pow(2)")
)
BETWEEN = """\
print(float(loss_a))
loss_b = loss_b * 2
loss_b = nn.functional.dropout(loss_b.view(1))
loss_b = loss_b * float(a[0].weight.sum())
loss_b = loss_b * float(b[0].weight.sum())
loss_b = loss_b * torch.rand(1).item()
loss_b = loss_b + kept.get("loss", 0); kept["loss"] = float(loss_b)
y = a(x)
y = c(x)
c(x).mean().backward()
b(x).mean().backward()
a(x).mean().backward()
opt_a.zero_grad()
a.zero_grad()
opt_b.zero_grad()
opt_c.step()
scheduler.step()
opt_a.param_groups[0]["lr"] *= 0.9
nn.utils.clip_grad_norm_(a.parameters(), 0.01)
nn.utils.clip_grad_norm_(b.parameters(), 0.01)
factor.mul_(2); loss_b = loss_b * factor.sum()
i % 2 or opt_a.zero_grad()
torch.manual_seed(i)""".splitlines()


def program(loop: str, *, owned: str = "b.parameters()") -> str:
    return HEAD.replace("OWNED", owned) + loop


def rewritten(text: str) -> str:
    return rewrite_text(text, "train.py", Options(unsafe=True)).after


def trains_alike(text: str, after: str, folder: Path) -> bool:
    """Tell whether a rewritten program ends with the weights and the random state of the original."""
    results = []
    for version, keeps in ((text, True), (after, False)):
        script = folder / "train.py"
        script.write_text(version, "utf-8")
        with contextlib.redirect_stdout(io.StringIO()):
            results.append([*trained(script, keeps=keeps), torch.get_rng_state()])
    return all(map(torch.equal, *results))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("line", BETWEEN)
@pytest.mark.parametrize("loop", [A_GOES_LATER, B_GOES_FIRST, HANDED_ON], ids=["later", "first", "handed_on"])
def test_what_stands_between_is_passed_only_where_it_may_be(loop: str, line: str, tmp_path: Path) -> None:
    assert rewritten(program(loop)) != program(loop)
    lines = loop.splitlines(keepends=True)
    for place in range(4, len(lines) + 1):
        text = program("".join([*lines[:place], f"    {line}\n", *lines[place:]]))
        after = rewritten(text)
        if after != text:
            assert trains_alike(text, after, tmp_path), after


def changed(loop: str, *replacements: tuple[str, str]) -> str:
    for old, new in replacements:
        assert loop.count(old) == 1
        loop = loop.replace(old, new)
    return loop


SHARED = "[*b.parameters(), *c.parameters()]"
STEP_A, STEP_B = ("    opt_a.step()\n", "    opt_b.step()\n")
WRONG = {
    "one_backward_for_both": program(
        changed(
            A_GOES_LATER,
            ("loss_a.backward(retain_graph=True)", "plain(loss_a)"),
            ("loss_b.backward()", "plain(loss_b)"),
        )
    ),
    "weights_of_two_optimizers": program(
        changed(A_GOES_LATER, ("h = b(x)", "h = c(a(x))"), ("a(h)", "b(h)"), (STEP_A, f"{STEP_A}    opt_c.step()\n")),
        owned=SHARED,
    ),
    "gradients_used_by_others": program(
        changed(B_GOES_FIRST, ("score = a(h)", "score = a(c(h))"), (STEP_B, f"{STEP_B}    opt_c.step()\n"))
    ),
    "gradients_of_the_first_update_used_later": program(
        changed(B_GOES_FIRST, ("a(h.detach())", "a(c(h.detach()))"), (STEP_B, f"{STEP_B}    opt_c.step()\n"))
    ),
    "more_is_cleared": program(
        changed(
            B_GOES_FIRST,
            ("a(h.detach())", "a(c(h.detach()))"),
            ("    opt_b.zero_grad()\n", "    opt_b.zero_grad()\n    opt_c.zero_grad()\n"),
            (STEP_B, f"{STEP_B}    opt_c.step()\n"),
        )
    ),
    "another_step_in_the_later_update": program(
        changed(B_GOES_FIRST, ("    loss_b.b", "    opt_c.step()\n    loss_b.b"), ("a(h.detach())", "a(c(h.detach()))"))
    ),
    "the_first_backward_needs_the_later_weights": program(
        changed(B_GOES_FIRST, ("a(h.detach())", "a(h)"), ("loss_a.backward()", "loss_a.backward(retain_graph=True)"))
    ),
    "gradients_of_both": program(
        changed(
            B_GOES_FIRST,
            ("a(h.detach())", "a(x + b[2].bias[0])"),
            ("    opt_b.zero_grad()\n", ""),
            ("    h = b(x)\n", "    opt_b.zero_grad()\n    h = b(x)\n"),
        )
    ),
    "not_cleared_before": program(changed(B_GOES_FIRST, ("    opt_a.zero_grad()\n", ""))),
    "cleared_at_the_end": program(
        changed(B_GOES_FIRST, ("    opt_a.zero_grad()\n", ""), (STEP_B, f"{STEP_B}    opt_a.zero_grad()\n"))
    ),
    "a_third_backward": program(
        changed(B_GOES_FIRST, ("loss_b.backward()", "loss_b.backward(retain_graph=True)"))
        + "    opt_c.zero_grad()\n    (score + c(x)).sum().backward()\n    opt_c.step()\n"
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_where_the_order_matters_it_stays(text: str, tmp_path: Path) -> None:
    after = rewritten(text)
    assert after == text or trains_alike(text, after, tmp_path), after


def test_comments_and_empty_lines_go_along() -> None:
    commented = B_GOES_FIRST.replace("    opt_b.zero_grad()", "\n    # the other one\n    opt_b.zero_grad()")
    commented = commented.replace("    opt_a.zero_grad()", "    # one\n    opt_a.zero_grad()")
    first, second = commented.split("    # one\n")[1].split("\n    # the other one\n")
    after = rewritten(program(commented))
    assert after.endswith(f"    # the other one\n{second}\n    # one\n{first}")
