"""Every fixture under `tests/fixtures/` says what a file becomes; here the rewriter must agree and torch must prove it.

See `tests/fixtures/README.md` for the files of a fixture. The two halves are independent: the comparison of texts runs
the rewriter and no torch, the proof runs `before.py` and `after.py` through torch and no rewriter. In the proof no
gradient and a gradient of zeros count as equal (`x.zero_()` sends zeros back, `torch.zeros_like(x)` nothing).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from failure_classes import CLASSES
from unplace.config.options import Options
from unplace.diagnostics.findings import FileReport
from unplace.transform.rewriter import rewrite_text

HAS_TORCH = find_spec("torch") is not None
if HAS_TORCH:  # elsewhere, texts are compared and nothing is proved
    import torch

    from unplace.verification.examples import maker
    from unplace.verification.observe import observe
    from unplace.verification.proof import Route, Verdict, prove

needs_torch = pytest.mark.skipif(not HAS_TORCH, reason="needs torch")

FIXTURES = Path(__file__).parent / "fixtures"


@dataclass(frozen=True)
class Case:
    """One fixture: its texts exactly as they are on disk, its options, the findings it expects (None: not stated)."""

    name: str
    before: str
    after: str
    unsafe: bool = False
    repairs_gradient: bool = False
    raises: str | None = None
    about: str | None = None
    expected: list[dict[str, Any]] | None = field(default=None, hash=False)

    @property
    def changes(self) -> bool:
        return self.before != self.after

    def rewrite(self, text: str) -> FileReport:
        return rewrite_text(text, f"{self.name}/before.py", Options(unsafe=self.unsafe))


@cache
def load(folder: Path) -> Case:
    texts = {name: (folder / f"{name}.py").read_bytes().decode("utf-8") for name in ("before", "after")}
    options = json.loads(path.read_text("utf-8")) if (path := folder / "case.json").exists() else {}
    expected = json.loads(path.read_text("utf-8")) if (path := folder / "expected.json").exists() else None
    return Case(name=folder.relative_to(FIXTURES).as_posix(), expected=expected, **texts, **options)


CASES = [load(path.parent) for path in sorted(FIXTURES.glob("*/*/before.py"))]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
each_rewritten = pytest.mark.parametrize("case", [c for c in CASES if c.changes], ids=lambda case: case.name)
each_unchanged = pytest.mark.parametrize("case", [c for c in CASES if not c.changes], ids=lambda case: case.name)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    if HAS_TORCH:
        torch.set_num_threads(1)


# -- the rewriter writes what a careful person wrote ----------------------------------------------------------------


@each_case
def test_rewriting_before_gives_after_and_the_stated_findings(case: Case) -> None:
    report = case.rewrite(case.before)
    assert report.after.split("\n") == case.after.split("\n")
    findings = sorted(report.findings, key=lambda finding: (finding.line, finding.column))
    if case.expected is None:
        assert case.changes, "an unchanged fixture states its findings"
        return
    assert [finding.line for finding in findings] == [wanted["line"] for wanted in case.expected], findings
    for finding, wanted in zip(findings, case.expected, strict=True):
        assert finding.code == wanted["code"], finding
        assert re.fullmatch(wanted["status"], finding.status.value), finding
        assert re.search(wanted.get("message", ""), finding.message), finding


@each_rewritten
def test_rewriting_after_changes_nothing(case: Case) -> None:
    assert case.rewrite(case.after).after.split("\n") == case.after.split("\n")


@pytest.mark.parametrize("name", CLASSES)
def test_each_class_of_failures_has_fixtures_of_every_kind(name: str) -> None:
    found = [case for case in CASES if case.about in CLASSES[name]]
    unchanged = [{finding["status"] for finding in case.expected or ()} for case in found if not case.changes]
    assert len(found) >= 10
    assert any(case.changes for case in found), "none is rewritten"
    assert any("refused" in statuses for statuses in unchanged), "none is refused"
    assert any(statuses == {"kept"} for statuses in unchanged), "none is kept"


def test_a_fixture_is_about_a_class_of_failures() -> None:
    words = {word for words in CLASSES.values() for word in words}
    assert {case.about for case in CASES if case.about is not None} <= words


# -- torch proves that it is right ----------------------------------------------------------------------------------


@each_rewritten
@needs_torch
def test_proof(case: Case) -> None:
    before, after = maker(case.before, "before.py"), maker(case.after, "after.py")
    proof = prove(before, after, repairs_gradient=case.repairs_gradient)
    assert proof.verdict is Verdict.EQUAL, "\n".join(map(str, (*proof.differences, proof.obstacle)))
    if case.raises is None:
        assert proof.original_error is None, proof.original_error
    else:
        assert re.search(case.raises, proof.original_error or "no error"), proof.original_error


@each_unchanged
@needs_torch
def test_example_of_an_unchanged_fixture_runs(case: Case) -> None:
    seen = observe(maker(case.before, "before.py"))
    error = seen.error or seen.backward_error
    assert re.search(case.raises, error or "no error") if case.raises else error is None, error


# -- the proof itself can fail --------------------------------------------------------------------------------------

HEAD = "import torch\n"
TAIL = "def example(): return f, (torch.tensor([0.5, 1.5, 2.5], requires_grad=True),)\n"


def proof_of(before: str, after: str) -> list[str]:
    proof = prove(maker(HEAD + before + TAIL, "before.py"), maker(HEAD + after + TAIL, "after.py"))
    return [str(difference) for difference in proof.differences]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        pytest.param("def f(x): return x * 2\n", "def f(x): return x * 3\n", "3 of 3 elements", id="value"),
        pytest.param("def f(x): return x * 2\n", "def f(x): return x.double() * 2\n", "dtype is", id="dtype"),
        pytest.param("def f(x): return x * 2\n", "def f(x): return x[None] * 2\n", "shape is", id="shape"),
        pytest.param("def f(x): return x * 2\n", "def f(x): return (x * 2).detach()\n", "requires_grad", id="flag"),
        pytest.param("def f(x): return x * x\n", "def f(x): return x * x.detach()\n", "gradient of", id="gradient"),
        pytest.param("def f(x): return x * 2, 1\n", "def f(x): return x * 2, 2\n", "is 2 instead of 1", id="number"),
        pytest.param("def f(x): return [x * 2]\n", "def f(x): return x * 2\n", "is missing", id="structure"),
        pytest.param(
            "def f(x):\n    with torch.no_grad(): x += 1\n    return x * 2\n",
            "def f(x):\n    return (x + 1) * 2\n",
            "argument[0]: ",
            id="argument",
        ),
        pytest.param(
            "def f(x): return x * 2 + torch.rand(3) * 0\n", "def f(x): return x * 2\n", "random", id="random state"
        ),
        pytest.param(
            "def f(x):\n    y = x.exp(); y += 1; return y\n",
            "def f(x):\n    y = x.detach().exp() * x.exp() / x.exp().detach(); y = y + 1; return y * 1.5\n",
            "elements differ",
            id="value where the original's backward raises",
        ),
        pytest.param(
            "def f(x):\n    y = x.exp(); y += 1; return y\n",
            "def f(x):\n    y = x.detach().exp() + x - x.detach(); y = y + 1; return y\n",
            "gradient of argument[0]",
            id="gradient where the original's backward raises",
        ),
        pytest.param(
            "def f(x):\n    y = x.exp(); y += 1; return y\n",
            "def f(x):\n    y = x.exp(); y.add_(1); return y\n",
            "rewritten program: raises RuntimeError",
            id="still raises",
        ),
    ],
)
@needs_torch
def test_the_proof_sees_a_wrong_rewrite(before: str, after: str, message: str) -> None:
    found = proof_of(before, after)
    assert any(message in difference for difference in found), found


@needs_torch
def test_the_proof_names_the_largest_deviation() -> None:
    found = proof_of("def f(x): return x * 2\n", "def f(x): return x * 2 + torch.tensor([0., 1e-3, 1.])\n")
    assert found[0] == "output: 2 of 3 elements differ, most at [2]: 6.0 instead of 5.0"


@needs_torch
def test_no_gradient_equals_zero_gradient() -> None:
    before = "def f(x):\n    y = x * 2; y.zero_(); return y\n"
    assert proof_of(before, "def f(x):\n    y = x * 2; y = torch.zeros_like(y); return y\n") == []


@needs_torch
def test_leaves_made_by_the_code_count() -> None:
    source = HEAD + "def f():\n    w = torch.tensor([1.0, 2.0], requires_grad=True){write}\n    return w * w\n"
    source += "def example(): return f, ()\n"
    before, after = maker(source.format(write="; w[0] = 3.0"), "b"), maker(source.format(write=""), "a")
    right = maker(source.format(write="; w = w.clone(); w[0] = 3.0"), "r")
    assert prove(before, right).route is Route.FINITE_DIFFERENCES
    assert prove(before, right).differences == ()
    assert [str(d) for d in prove(before, after).differences][:1] == [
        "output: 1 of 2 elements differ, most at [0]: 1.0 instead of 9.0"
    ]


@needs_torch
def test_detached_reads_are_constants_for_finite_differences() -> None:
    before = "def f(x):\n    y = x.exp(); n = y.norm().item(); y /= n; return y * y.data\n"
    assert proof_of(before, "def f(x):\n    y = x.exp(); n = y.norm().item(); y = y / n; return y * y.data\n") == []
    assert proof_of(before, "def f(x):\n    y = x.exp(); n = y.norm().item(); y = y / n; return y * y\n") != []


@pytest.mark.parametrize(
    ("write", "repaired"),
    [
        ("y.data[0] = 5.0", "y = torch.cat([torch.full((1,), 5.0), y[1:]])"),
        ("y.data += x", "y = y + x"),
        ("y.data.clamp_(max=2.0)", "y = y.clamp(max=2.0)"),
    ],
)
@needs_torch
def test_writes_through_data_are_no_constants_for_finite_differences(write: str, repaired: str) -> None:
    before, after = (HEAD + f"def f(x):\n    y = x.exp(); {line}; return y * y\n" + TAIL for line in (write, repaired))
    right = prove(maker(before, "before.py"), maker(after, "after.py"), repairs_gradient=True)
    wrong = prove(maker(before, "before.py"), maker(before, "after.py"), repairs_gradient=True)
    assert not right.differences
    assert wrong.differences


@needs_torch
def test_a_program_that_differentiates_itself_is_judged_by_what_it_leaves_in_grad() -> None:
    before = "def f(x):\n    y = x * 2; y += 1; (y * y).sum().backward(); return y.detach()\n"
    assert proof_of(before, before.replace("y += 1", "y = y + 1")) == []
    assert any("gradient" in found for found in proof_of(before, before.replace("y * y)", "y * 3)")))
