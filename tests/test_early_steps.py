"""Steps of optimizers before a backward that needs the old weights: reported where torch raises, and nowhere else."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from unplace.analysis.project.files import Project
from unplace.config.options import Options
from unplace.diagnostics.findings import Finding, Harm, Status
from unplace.transform.rewriter import rewrite_text

torch = pytest.importorskip("torch")

PROGRAMS = sorted((Path(__file__).parent / "early_steps").glob("*.py"))


def steps(text: str) -> list[Finding]:
    """Return the findings about steps of optimizers."""
    found = rewrite_text(text, "train.py", Options())
    assert found.after == text or all(finding.code != "UNP009" for finding in found.findings if finding.edits)
    return [finding for finding in found.findings if finding.code == "UNP009"]


def raises(path: Path) -> bool:
    """Run a program, and tell whether backward finds weights that a step has overwritten."""
    torch.manual_seed(0)
    try:
        runpy.run_path(str(path))
    except RuntimeError as error:
        if "modified by an inplace operation" in str(error):
            return True
        raise
    return False


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_the_report_is_what_torch_says(path: Path) -> None:
    found = steps(path.read_text("utf-8"))
    assert all(finding.status is Status.REFUSED for finding in found)
    assert any(finding.harm is Harm.HARMFUL for finding in found) == raises(path)


def test_programs_of_both_kinds_are_there() -> None:
    harmful = sum(bool(steps(path.read_text("utf-8"))) for path in PROGRAMS)
    assert min(harmful, len(PROGRAMS) - harmful) >= 10


def test_an_optimizer_from_elsewhere_is_possible_harm() -> None:
    (found,) = steps(
        "import torch\n\n\n"
        "def update(critic, critic_opt, actor_opt, x):\n"
        "    value = critic(x)\n"
        "    critic_opt.zero_grad()\n"
        "    value.mean().backward(retain_graph=True)\n"
        "    critic_opt.step()\n"
        "    value.sum().backward()\n"
        "    actor_opt.step()\n"
    )
    assert (found.line, found.harm) == (8, Harm.POSSIBLE)
    assert str(found.message).startswith("if `critic_opt` has the parameters of `critic`, ")


def test_a_step_is_ignored_by_a_comment() -> None:
    path = Path(__file__).parent / "early_steps" / "critic_before_actor.py"
    text = path.read_text("utf-8")
    (found,) = steps(text)
    lines = text.splitlines(keepends=True)
    lines[found.line - 1] = lines[found.line - 1].rstrip("\n") + "  # unplace: ignore[UNP009]\n"
    assert not steps("".join(lines))


def test_a_function_named_backward_is_none() -> None:
    assert not steps(
        "from torch.autograd import backward\n\n\n"
        "def update(net, opt, x):\n"
        "    loss = net(x).sum()\n"
        "    opt.zero_grad()\n"
        "    backward(loss)\n"
        "    opt.step()\n"
    )


NET = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 4), nn.Linear(4, 1)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))


def clip(net: Net):
    for p in net.parameters():
        p.data.clamp_(-0.01, 0.01)


def train(x: torch.Tensor):
    net = Net()
    score = net(x)
    score.mean().backward(retain_graph=True)
    CHANGE
    (score**2).sum().backward()
"""
LOADED = "net.load_state_dict({k: 0.9 * v for k, v in net.state_dict().items()})"
WITHOUT_GRAD = "with torch.no_grad():\n        "


@pytest.mark.parametrize(
    ("change", "line", "code"),
    [
        (f"{WITHOUT_GRAD}for p in net.parameters():\n            p -= 0.1 * p.grad", "p -= 0.1", "UNP001"),
        (f"{WITHOUT_GRAD}net.b.weight.mul_(0.9)", "net.b.weight", "UNP002"),
        (f"{WITHOUT_GRAD}net.b.bias.mul_(0.9)", "", ""),
        (f"{WITHOUT_GRAD}net.a.weight.mul_(0.9)", "", ""),
        ("clip(net)", "p.data", "UNP002"),
        ("clip(Net())", "", ""),
        (LOADED, "load_state_dict", "UNP009"),
        (f"score = net(x)\n    {LOADED}\n    score = net(x)", "", ""),
    ],
    ids=["by_hand", "read", "bias", "first_layer", "data", "of_another", "loaded", "forward_again"],
)
def test_any_change_of_weights_that_a_backward_needs_is_harmful(change: str, line: str, code: str) -> None:
    text = NET.replace("CHANGE", change)
    found = [f for f in rewrite_text(text, "train.py", Options()).findings if f.harm is Harm.HARMFUL]
    assert [f.code for f in found] == [code] * bool(code)
    assert all(line in text.splitlines()[f.line - 1] and not f.edits for f in found)


CRITIC_AND_ACTOR = """
import torch
from torch import nn

torch.manual_seed(0)
actor, critic = (nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 3)) for _ in range(2))
actor_opt, critic_opt = torch.optim.SGD(actor.parameters(), 0.1), torch.optim.SGD(critic.parameters(), 0.1)
for _ in range(3):
    x = torch.randn(5, 3)
    value = critic(x)
    logits = actor(x)
    critic_opt.zero_grad()
    value.pow(2).mean().backward(retain_graph=True)
    EARLY
    actor_opt.zero_grad()
    LOSS.backward()
    LATE
    actor_opt.step()
weights = [p.detach() for net in (actor, critic) for p in net.parameters()]
"""
THROUGH_BOTH = "(logits * value).mean()"


def actor_critic(loss: str = THROUGH_BOTH, early: str = "", late: str = "critic_opt.step()") -> str:
    """Return a program whose critic steps before or behind the actor's backward."""
    return CRITIC_AND_ACTOR.replace("LOSS", loss).replace("EARLY", early).replace("LATE", late)


def trained(text: str) -> list[torch.Tensor]:
    names: dict[str, list[torch.Tensor]] = {}
    exec(text, names)
    return names["weights"]


def test_a_step_that_uses_the_gradient_of_another_loss_is_possible_harm() -> None:
    text = actor_critic()
    (found,) = steps(text)
    assert (found.harm, text.splitlines()[found.line - 1]) == (Harm.POSSIBLE, "    critic_opt.step()")
    assert "also uses what the backward in line 16 adds to its gradients" in str(found.message)
    early = actor_critic(early="critic_opt.step()", late="")
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        wanted = trained(early)
    assert not all(map(torch.equal, trained(text), wanted))
    for program in (text, early):
        repaired = rewrite_text(program, "train.py", Options(unsafe=True)).after
        assert "(logits * value).mean().backward(inputs=list(actor.parameters()))" in repaired
        assert all(map(torch.equal, trained(repaired), wanted))


@pytest.mark.parametrize(
    "text",
    [
        actor_critic("(logits * value.detach()).mean()"),
        actor_critic()
        .replace("    actor_opt.zero_grad()\n", "")
        .replace("x = torch", "actor_opt.zero_grad()\n    x = torch"),
        actor_critic(early="critic_opt.step()", late="critic_opt.zero_grad()", loss="(logits * critic(x)).mean()"),
    ],
    ids=["detached", "losses_added_on_purpose", "in_turn"],
)
def test_gradients_that_belong_together_are_no_finding(text: str) -> None:
    assert not steps(text)
    trained(text)


HELPERS = """
def update_params(optim, loss, retain_graph=False):
    optim.zero_grad()
    loss.backward(retain_graph=retain_graph)
    optim.step()
"""
AGENT = """
import torch
from torch import nn
from helpers import update_params


class Agent:
    def __init__(self):
        self.policy = nn.Linear(3, 2)
        self.critic = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1))
        self.q_optim = torch.optim.Adam(self.critic.parameters())
        self.policy_optim = torch.optim.Adam(self.policy.parameters())

    def learn(self, state, action, target):
        q_loss = (self.critic(torch.cat([state, action], 1)) - target).pow(2).mean()
        policy_loss = -self.critic(torch.cat([state, self.policy(state)], 1)).mean()
        update_params(self.q_optim, q_loss)
        update_params(self.policy_optim, policy_loss)
"""
LATER = "        policy_loss = -self.critic(torch.cat([state, self.policy(state)], 1)).mean()\n"
STEP = "        update_params(self.q_optim, q_loss)\n"


@pytest.mark.parametrize("agent", [AGENT, AGENT.replace(LATER + STEP, STEP + LATER)], ids=["early", "in_time"])
def test_a_step_in_another_file_is_reported_at_the_call(tmp_path: Path, agent: str) -> None:
    (tmp_path / "helpers.py").write_text(HELPERS)
    path = tmp_path / "agent.py"
    path.write_text(agent)
    project = Project([str(path), str(tmp_path / "helpers.py")])
    for _ in range(2):  # the second time, the answer is remembered
        report = rewrite_text(agent, str(path), Options(), project)
        assert project.basis(str(path)).files == (str(tmp_path / "helpers.py"),)
        found = [finding for finding in report.findings if finding.code == "UNP009"]
        assert [agent.splitlines()[finding.line - 1] for finding in found] == [STEP.rstrip()] * (agent is AGENT)
