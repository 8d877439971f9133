"""Each program under `examples/` fails or loses a gradient, and works after the default rewrite; torch proves it."""

from __future__ import annotations

import runpy
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from unplace.cli import main
from unplace.verification.examples import maker
from unplace.verification.proof import Route, Verdict, prove

EXAMPLES = Path(__file__).parents[1] / "examples"
ERROR = "modified by an inplace operation"

# A small call of each, for the proof: there every element of every parameter is moved twice.
CALLS = {
    "attention": "CausalAttention(4), (torch.randn(2, 3, 4),)",
    "coupling": "Coupling(4), (torch.randn(2, 4),)",
    "layer_norm": "LayerNorm(4), (torch.randn(2, 4, requires_grad=True),)",
    "residual_block": "ResidualBlock(4), (torch.randn(2, 4, requires_grad=True),)",
    "rnn_state": "Recurrent(2, 3), (torch.randn(4, 2, 2),)",
}
SILENT = {"rnn_state"}  # wrong without an error

each_example = pytest.mark.parametrize("name", sorted(CALLS))
Rewritten = Callable[[str], Path]


@pytest.fixture
def rewritten(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Rewritten:
    def rewrite(name: str) -> Path:
        copy = Path(shutil.copy(EXAMPLES / f"{name}.py", tmp_path))
        assert main(["rewrite", str(copy)]) == 0
        assert "refused" not in capfd.readouterr().out
        return copy

    torch.set_num_threads(1)
    return rewrite


def run(script: Path) -> dict[str, Any]:
    return runpy.run_path(str(script), run_name="__main__")


def with_example(script: Path) -> str:
    call = CALLS[script.stem]
    return f"{script.read_text('utf-8')}\n\ndef example():\n    torch.manual_seed(0)\n    return {call}\n"


def test_every_example_is_tested() -> None:
    assert sorted(CALLS) == sorted(path.stem for path in EXAMPLES.glob("*.py"))


@each_example
def test_it_is_broken_before(name: str) -> None:
    script = EXAMPLES / f"{name}.py"
    if name not in SILENT:
        with pytest.raises(RuntimeError, match=ERROR):
            run(script)
        return
    gradients = [parameter.grad for parameter in run(script)["model"].parameters()]
    assert any(gradient is None for gradient in gradients)
    assert any(gradient is not None for gradient in gradients)


@each_example
def test_it_works_after_the_default_rewrite(name: str, rewritten: Rewritten, capfd: pytest.CaptureFixture[str]) -> None:
    gradients = [parameter.grad for parameter in run(rewritten(name))["model"].parameters()]
    assert all(gradient is not None and gradient.isfinite().all() for gradient in gradients)
    assert capfd.readouterr().out.startswith("loss ")


@each_example
def test_torch_proves_the_rewrite(name: str, rewritten: Rewritten) -> None:
    before, after = (with_example(script) for script in (EXAMPLES / f"{name}.py", rewritten(name)))
    proof = prove(maker(before, "before.py"), maker(after, "after.py"), repairs_gradient=name in SILENT)
    assert proof.verdict is Verdict.EQUAL, proof
    assert proof.route is Route.FINITE_DIFFERENCES
    assert (proof.original_error is None) == (name in SILENT)


@each_example
def test_a_second_rewrite_changes_nothing(name: str, rewritten: Rewritten) -> None:
    script = rewritten(name)
    once = script.read_bytes()
    assert main(["rewrite", "--check", str(script)]) == 0
    assert script.read_bytes() == once
