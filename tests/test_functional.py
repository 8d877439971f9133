"""`rewrite --functional`: no operator with a mutable schema is left, and nothing computes anything else.

Each form of `functional_forms` is rewritten and run: under a dispatch mode that lists mutable operators, against the
original, under `torch.func.vmap`, and through `torch.export`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from functional_forms import FORMS, REFUSED, Form, Refused
from unplace.cli import main
from unplace.config.options import Options, from_python
from unplace.diagnostics.findings import FileReport, Status
from unplace.transform.rewriter import rewrite_text

torch = pytest.importorskip("torch")

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from unplace.verification.examples import Program, maker  # noqa: E402
from unplace.verification.proof import Verdict, prove  # noqa: E402

each_form = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
BATCH = 2


class Mutable(TorchDispatchMode):
    """Lists the operators that run and write one of their arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def __torch_dispatch__(self, operator: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if operator._schema.is_mutable:
            self.found.append(str(operator))
        return operator(*args, **(kwargs or {}))


@cache
def rewritten(text: str) -> FileReport:
    return rewrite_text(text, "f.py", Options(functional=True))


def program(text: str) -> Program:
    torch.set_num_threads(1)
    return maker(text, "f.py")()


def mutable(text: str, *, recorded: bool = True) -> list[str]:
    """Return the mutable operators between the inputs and the outputs of a program."""
    made = program(text)
    with Mutable() as mode, torch.set_grad_enabled(recorded):
        made.call()
    return mode.found


def batched(text: str, index: int | None) -> tuple[Any, ...]:
    """Return the arguments of a program with a batch of `x`, or those of one of its samples, without gradients."""
    x, *others = program(text).arguments
    batch = torch.stack([x.detach() * (0.9**n) for n in range(BATCH)])
    plain = [other.detach() if isinstance(other, torch.Tensor) else other for other in others]
    return (batch if index is None else batch[index], *plain)


def tensors(result: Any) -> list[Any]:
    return [result] if isinstance(result, torch.Tensor) else list(result)


def test_there_are_many_forms() -> None:
    assert len(FORMS) >= 150
    assert len({form.name for form in FORMS}) == len(FORMS)


@each_form
def test_every_write_is_rewritten_once(form: Form) -> None:
    report = rewritten(form.source)
    assert report.changed
    assert {finding.status for finding in report.findings} == {Status.REWRITTEN}, report.findings
    assert not rewritten(report.after).changed


@each_form
def test_no_mutable_operator_is_left(form: Form) -> None:
    assert mutable(form.source, recorded=False), "the original writes nothing"
    assert mutable(rewritten(form.source).after) == []


@each_form
def test_values_and_gradients_are_the_same(form: Form) -> None:
    proof = prove(maker(form.source, "before.py"), maker(rewritten(form.source).after, "after.py"))
    assert proof.verdict is Verdict.EQUAL, "\n".join(map(str, (*proof.differences, proof.obstacle)))


@pytest.mark.parametrize("form", [form for form in FORMS if form.vmap], ids=lambda form: form.name)
def test_it_runs_under_vmap(form: Form) -> None:
    after = program(rewritten(form.source).after).function
    batch = torch.func.vmap(after, in_dims=(0, *[None] * 5))(*batched(form.source, None))
    before = program(form.source).function
    samples = zip(*(tensors(before(*batched(form.source, n))) for n in range(BATCH)), strict=True)
    for found, wanted in zip(tensors(batch), samples, strict=True):
        torch.testing.assert_close(found, torch.stack(wanted), check_dtype=True, equal_nan=True)


@each_form
def test_it_can_be_exported(form: Form) -> None:
    after = program(rewritten(form.source).after)

    class Module(torch.nn.Module):
        def forward(self, *args: Any) -> Any:
            return after.function(*args)

    arguments = batched(form.source, 0)
    exported = torch.export.export(Module(), arguments, strict=False)
    operators = {node.target for node in exported.graph.nodes if node.op == "call_function"}
    operators.discard(torch.ops.aten.detach_.default)  # torch.tensor() brings that along
    assert [str(o) for o in operators if isinstance(o, torch._ops.OpOverload) and o._schema.is_mutable] == []
    torch.manual_seed(0)
    results = exported.module()(*arguments)
    before = program(form.source)
    torch.manual_seed(0)
    for found, value in zip(tensors(results), tensors(before.function(*batched(form.source, 0))), strict=True):
        torch.testing.assert_close(found, value, equal_nan=True)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.form.name)
def test_what_no_function_does_is_refused_with_the_reason(case: Refused) -> None:
    report = rewritten(case.form.source)
    assert not report.changed
    assert [finding.status for finding in report.findings] == [Status.REFUSED]
    assert case.reason in report.findings[0].message


def test_an_old_torch_has_no_scatters() -> None:
    text = FORMS[0].source
    report = rewrite_text(text, "f.py", from_python(functional=True, target_torch="1.10"))
    assert not report.changed
    assert "came with torch 1.11" in report.findings[0].message
    assert rewrite_text(text, "f.py", from_python(functional=True, target_torch="1.11")).changed


def test_an_old_torch_draws_as_functions_do() -> None:
    text = next(form.source for form in FORMS if form.name == "other: uniform_ of a range")
    assert not rewrite_text(text, "f.py", from_python(functional=True, target_torch="1.13")).changed


def test_the_command_rewrites_and_check_has_no_such_option(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.py"
    path.write_text(FORMS[0].source, "utf-8")
    assert main(["rewrite", "--functional", "--isolated", str(path)]) == 0
    assert "select_scatter" in path.read_text("utf-8")
    assert main(["check", "--functional", str(path)]) == 2
    assert "No such option" in capfd.readouterr().err


def test_the_page_shows_what_is_written() -> None:
    page = (Path(__file__).parents[1] / "docs/rewrite.md").read_text("utf-8")
    shown = [line[4:] for line in page.partition("## Without a store")[2].split("\n") if line.startswith("    ")]
    width = shown[0].rindex("def f(")
    head = "import torch\nfrom torch import Tensor\n\n\n"
    before, after = (
        head + "\n".join(part.rstrip() for part in parts) + "\n"
        for parts in ([line[:width] for line in shown[:9]], [line[width:] for line in shown[:9]])
    )
    assert rewritten(before).after == after


def test_without_the_option_the_store_stays() -> None:
    assert "_scatter" not in rewrite_text(FORMS[0].source, "f.py", Options()).after


def test_the_mode_sees_a_write() -> None:
    assert mutable("import torch\ndef f(x):\n    x[0] = 1\ndef example(): return f, (torch.ones(3),)\n") != []
