"""Training loops after public reports, under `tests/loops/`: each fails, and its repair trains as it should have.

Lines that end with `#-` are those of the failing program alone, and those that begin with `#+` of its healthy version.
"""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import patch

import pytest

from unplace.config.options import Options
from unplace.diagnostics.findings import Harm
from unplace.transform.rewriter import rewrite_text

torch = pytest.importorskip("torch")

from torch.autograd.graph import allow_mutation_on_saved_tensors  # noqa: E402

from unplace.diagnosis import Diagnosed, Diagnosis  # noqa: E402
from unplace.diagnosis.launcher import Program  # noqa: E402
from unplace.loops.edits import stepping_later  # noqa: E402
from unplace.loops.events import Log  # noqa: E402
from unplace.loops.proof import agrees, goal_of  # noqa: E402
from unplace.loops.recording import Request  # noqa: E402
from unplace.loops.running import Runs  # noqa: E402
from unplace.loops.scene import scenes  # noqa: E402
from unplace.loops.search import Found, search  # noqa: E402

PROGRAMS = sorted((Path(__file__).parent / "loops").glob("*.py"))
PROVED = {
    "restrict": (
        "a2c_two_networks aae accelerate_distill amp_scaler curiosity cyclegan domain_adversarial dreamer "
        "dueling_agents fabric_two_heads gan_sample_not_detached lightning_gan maddpg sac_alpha vae_gan "
        "zip_of_updates"
    ),
    "swap": "ddpg_actor_after_critic hypernetwork maml_order sac_helper sac_losses_together",
    "write later": "ema_teacher",
    "restrict and move": "gan_losses_first gan_one_score pix2pix_d_first weight_clamp",
}
"""The repairs that are made by default, and of which programs."""
CHOSEN = {
    "detach": "gru_hidden lstm_state memory_dictionary rnn_in_agent running_loss spiking truncated_window",
    "compute again": "ppo_epochs reptile_inner style_transfer",
}
"""The repairs that are offered for people to choose. In the other programs it takes a decision about the method."""
WRITES = {"ema_teacher": "t.mul_"}
"""What wrote, where that was no step."""
QUICK = {"gan_one_score", "sac_helper", "dreamer", "lstm_state", "reptile_inner", "contrastive_queue"}
each_program = pytest.mark.parametrize(
    "path",
    [pytest.param(path, id=path.stem, marks=[] if path.stem in QUICK else pytest.mark.slow) for path in PROGRAMS],
)


def failing(path: Path) -> str:
    lines = path.read_text("utf-8").splitlines()
    return "".join(f"{line.removesuffix('  #-')}\n" for line in lines if not line.lstrip().startswith("#+ "))


def healthy(path: Path) -> str:
    lines = path.read_text("utf-8").splitlines()
    return "".join(re.sub(r"^(\s*)#\+ ", r"\1", f"{line}\n") for line in lines if not line.endswith("  #-"))


def trained(script: Path, *, keeps: bool = False) -> list[torch.Tensor]:
    """Run a program in this process, and return the weights of all optimizers at its end."""
    made: list[torch.optim.Optimizer] = []
    make = torch.optim.Optimizer.__init__

    def noting(optimizer: torch.optim.Optimizer, *args: object, **kwargs: object) -> None:
        make(optimizer, *args, **kwargs)
        made.append(optimizer)

    torch.manual_seed(0)
    kept = allow_mutation_on_saved_tensors() if keeps else nullcontext()
    with patch.object(torch.optim.Optimizer, "__init__", noting), kept:
        runpy.run_path(str(script), run_name="__main__")
    groups = [group for optimizer in made for group in optimizer.param_groups]
    return [weight.detach().clone() for group in groups for weight in group["params"]]


@pytest.fixture(scope="module")
def runs() -> Iterator[Runs]:
    with Runs() as started:
        yield started


def found(script: Path, runs: Runs, write: str = "") -> Found:
    program = Program(str(script))
    failed = runs(Request(program, keeps=False))
    assert failed.failed_at is not None
    lines = enumerate(script.read_text("utf-8").splitlines(), 1)
    return search(program, runs, failed.failed_at, [(str(script), n) for n, line in lines if write and write in line])


def repair_in(table: dict[str, str], name: str) -> tuple[str, ...] | None:
    return next(((repair,) for repair, names in table.items() if name in names.split()), None)


@each_program
def test_a_repair_trains_as_the_original_would(path: Path, runs: Runs, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(failing(path), "utf-8")
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        trained(script)
    repair = found(script, runs, WRITES.get(path.stem, ""))
    assert script.read_text("utf-8") == failing(path), "the search puts all files back"
    assert (repair.proved.names if repair.proved else None) == repair_in(PROVED, path.stem)
    assert (repair.chosen.names if repair.chosen else None) == repair_in(CHOSEN, path.stem)
    wanted = trained(script, keeps=True)
    offered = repair.proved or repair.chosen
    if offered is None:
        return
    (change,) = offered.changes.values()
    script.write_bytes(change.after.data)
    weights = trained(script)
    if repair.proved is not None:
        assert all(map(torch.equal, weights, wanted))


def diagnosed(script: Path, monkeypatch: pytest.MonkeyPatch) -> Diagnosis:
    """Return the diagnosis of a program that fails in this process."""
    monkeypatch.setattr("sys.argv", ["unplace"])
    monkeypatch.setattr("sys.path", [*sys.path])
    monkeypatch.chdir(script.parent)
    with Diagnosed() as run, pytest.raises(RuntimeError):
        Program(str(script)).run()
    return run.diagnoses[0]


@pytest.mark.filterwarnings("ignore")
def test_the_calls_of_a_helper_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "train.py"
    script.write_text(failing(Path(__file__).parent / "loops" / "sac_helper.py"), "utf-8")
    lines = script.read_text("utf-8").splitlines()
    first, second = (n for n, line in enumerate(lines, 1) if line.startswith("    update_params("))
    text = diagnosed(script, monkeypatch).advice.text
    assert f"`Adam.step()` (train.py:9, called from train.py:{first}) changes weights" in text
    assert f"the backward (train.py:8, called from train.py:{second}) still goes through them" in text


@pytest.mark.filterwarnings("ignore")
def test_lines_of_installed_packages_are_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site-packages" / "trainers.py"
    package.parent.mkdir()
    package.write_text(
        "def backward(loss, **options):\n    loss.backward(**options)\n\n\ndef step(opt):\n    opt.step()\n"
    )
    monkeypatch.setattr("sys.path", [*sys.path, str(package.parent)])
    script = tmp_path / "train.py"
    script.write_text(
        "import torch\nimport trainers\nnet = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))\n"
        "opt = torch.optim.SGD(net.parameters(), 0.1)\nout = net(torch.ones(2))\n"
        "trainers.backward(out.sum(), retain_graph=True)\ntrainers.step(opt)\ntrainers.backward(out.mean())\n"
    )
    incident = diagnosed(script, monkeypatch).incident
    places = [incident.raised_at, *(write.place for write in incident.writes)]
    assert {(Path(place.path).name, place.line) for place in places} == {("train.py", 8), ("train.py", 7)}


@each_program
def test_a_healthy_loop_is_no_finding(path: Path, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(healthy(path), "utf-8")
    trained(script)
    findings = rewrite_text(healthy(path), str(script), Options()).findings
    assert not [f for f in findings if f.code == "UNP009" and f.harm in (Harm.HARMFUL, Harm.POSSIBLE)]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_check_sees_what_changes_the_weights(path: Path) -> None:
    text = failing(path)
    lines = text.splitlines()
    found = [f for f in rewrite_text(text, "train.py", Options()).findings if f.harm is Harm.HARMFUL]
    assert found
    assert all(".step(" in lines[f.line - 1] or WRITES.get(path.stem, "?") in lines[f.line - 1] for f in found)


SHOWN = {
    "restrict": (
        "a2c_two_networks aae amp_scaler curiosity cyclegan domain_adversarial dreamer dueling_agents ema_teacher "
        "gan_sample_not_detached maddpg sac_alpha vae_gan zip_of_updates"
    ),
    "swap": "ddpg_actor_after_critic hypernetwork maml_order sac_helper sac_losses_together",
    "restrict and move": "gan_losses_first gan_one_score pix2pix_d_first",
}
"""The repairs that the text alone shows, and of which programs."""


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_repair_that_the_text_shows_trains_alike(path: Path, tmp_path: Path) -> None:
    script, text = tmp_path / "train.py", failing(path)
    script.write_text(text, "utf-8")
    wanted = trained(script, keeps=True)
    assert rewrite_text(text, str(script), Options()).after == text
    after = rewrite_text(text, str(script), Options(unsafe=True)).after
    repair = repair_in(SHOWN, path.stem)
    assert (after != text) == (repair is not None)
    assert ("inputs=" in after) == (repair not in (None, ("swap",)))
    script.write_text(after, "utf-8")
    if after != text:
        assert all(map(torch.equal, trained(script), wanted))


@pytest.mark.parametrize("name", ["gan_one_score", "ddpg_actor_after_critic", "gan_losses_first"])
def test_a_plain_move_of_the_step_is_no_repair(name: str, runs: Runs, tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(failing(Path(__file__).parent / "loops" / f"{name}.py"), "utf-8")
    program = Program(str(script))
    failed = runs(Request(program, keeps=False))
    reference = runs(Request(program, keeps=True, asked=failed.failed_at))
    log = Log(reference.events, 0, failed_at=failed.failed_at)
    (scene, *_) = scenes(log, {str(script): script.read_text("utf-8")}, ())
    (moved,) = stepping_later(scene, scene.texts)
    script.write_text(moved[str(script)], "utf-8")
    live = runs(Request(program, keeps=False, until=goal_of(reference)))
    assert not live.error
    assert not agrees(reference, live)


PAIR = """\
import torch
from torch import nn

a = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 3))
b = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 3))
c = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
opt_a, opt_b, opt_c = (torch.optim.SGD(m.parameters(), lr=0.1) for m in (a, b, c))
for i in range(ROUNDS):
    h = a(torch.randn(5, 3))
    ZERO
    h.pow(2).mean().backward(retain_graph=True)
    opt_a.step()
    opt_b.zero_grad()
    c(b(h)).mean().backward()
    opt_b.step()
    RARELY
"""


@pytest.mark.parametrize(
    ("rounds", "zero", "rarely", "names"),
    [
        ("4", "opt_a.zero_grad()", "", ("swap",)),
        ("8", "i % 4 or opt_a.zero_grad()", "", None),
        ("1", "", "", None),
        ("40", "opt_a.zero_grad()", "i % 30 < 29 or opt_c.step()", ("swap",)),
        ("20", "opt_a.zero_grad()", "opt_c.step() if i == 19 else None", ("swap",)),
    ],
    ids=["not_stepped_yet", "accumulated", "one_round_alone", "stepped_rarely", "stepped_at_the_end"],
)
def test_gradients_that_others_use_are_kept(
    rounds: str, zero: str, rarely: str, names: tuple[str, ...] | None, runs: Runs, tmp_path: Path
) -> None:
    script = tmp_path / "train.py"
    script.write_text(PAIR.replace("ROUNDS", rounds).replace("ZERO", zero).replace("RARELY", rarely), "utf-8")
    repair = found(script, runs)
    assert (repair.proved.names if repair.proved else None) == names
    if repair.proved is not None:
        wanted = trained(script, keeps=True)
        (change,) = repair.proved.changes.values()
        script.write_bytes(change.after.data)
        assert all(map(torch.equal, trained(script), wanted))
