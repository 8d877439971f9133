"""Real in-place failures, as they are asked about in forums: how many come out fixed, and that none comes out wrong.

Each script under `tests/failures/` says in its docstring what torch says about it (see `tests/failures/README.md`).
`expected.json` there records what becomes of each: fixed in default mode (`safe`), with `--unsafe` (`unsafe`), or not
(`refused`). A script that isn't fixed may go on failing, but what its forward computes must not change.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from failure_classes import CLASSES, counted, table
from judging import Outcome, Verdict, assumes_no_gradient, assumes_that_no_caller_looks, judge
from unplace.config.options import Options
from unplace.diagnostics.findings import FileReport
from unplace.torchapi import TORCH_VERSION
from unplace.transform.rewriter import rewrite_text
from unplace.verification.compare import compare_gradients
from unplace.verification.examples import maker
from unplace.verification.observe import observe
from unplace.verification.reference import finite_differences, forward_only

FAILURES = Path(__file__).parent / "failures"
DOCS = Path(__file__).parents[1] / "docs"
SILENT = "nothing, the gradient is wrong"
RUN_BY_NEWER_RELEASES = {"vmap_masked_relu"}
"""Scripts that fail with the torch of the tables; `vmap` of torch 2.15 stores a number under a batched mask."""
FIXED_BY_DEFAULT = 0.85
FIXED_WITH_UNSAFE = 0.96
"""The least shares of all scripts; raise them when a gap is closed."""


@dataclass(frozen=True)
class Failure:
    """A script exactly as it is on disk, and what torch says about it (`SILENT`: no error, a wrong gradient)."""

    name: str
    text: str
    complaint: str

    @property
    def is_silent(self) -> bool:
        return self.complaint == SILENT


def load(path: Path) -> Failure:
    text = path.read_bytes().decode()
    complaint = re.search(r"^Torch: (.+)$", text, re.MULTILINE)
    assert complaint is not None, f"{path} doesn't say what torch says"
    return Failure(path.stem, text, complaint[1])


EXPECTED: dict[str, str] = json.loads((FAILURES / "expected.json").read_text("utf-8"))
CASES = [load(path) for path in sorted(FAILURES.glob("*.py"))]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def verdicts(case: Failure) -> tuple[Verdict, Verdict]:
    """What becomes of a script by default and with `--unsafe`; a second run changes nothing."""
    safe, unsafe = (rewrite_text(case.text, f"{case.name}.py", Options(unsafe=unsafe)) for unsafe in (False, True))
    for report, options in ((safe, Options()), (unsafe, Options(unsafe=True))):
        again = rewrite_text(report.after, f"{case.name}.py", options) if report.changed else report
        assert again.after == report.after
    found = verdict(case, safe)
    return found, found if unsafe.after == safe.after else verdict(case, unsafe)


def verdict(case: Failure, report: FileReport) -> Verdict:
    """Judge the rewritten script."""
    if not report.changed:
        return Verdict(Outcome.NOT_FIXED, ("not changed",))
    before, after = maker(case.text, f"{case.name}.py"), maker(report.after, f"{case.name}.py")
    looks = not assumes_that_no_caller_looks(report.findings)
    differentiates = not assumes_no_gradient(report.findings)
    return judge(before, after, is_silent=case.is_silent, callers_look=looks, differentiates=differentiates)


def category(by_default: Verdict, with_unsafe: Verdict) -> str:
    """The word of `expected.json`."""
    if by_default.outcome is Outcome.FIXED:
        return "safe"
    return "unsafe" if with_unsafe.outcome is Outcome.FIXED else "refused"


# -- the scripts fail ------------------------------------------------------------------------------------------------


@each_case
def test_the_script_fails_as_it_says(case: Failure) -> None:
    program = maker(case.text, case.name)
    seen = observe(program)
    error = seen.error or seen.backward_error
    assert forward_only(program).error is None
    if error is None and case.name in RUN_BY_NEWER_RELEASES:
        assert torch.__version__.partition("+")[0] != TORCH_VERSION
        return
    if not case.is_silent:
        assert case.complaint in (error or "no error")
        return
    assert error is None
    assert list(compare_gradients(finite_differences(program), observe(program, backward=False, wide=True).gradients))


# -- none comes out wrong, and most come out fixed --------------------------------------------------------------------


@each_case
def test_what_becomes_of_the_script(case: Failure) -> None:
    found = verdicts(case)
    for seen in found:
        assert seen.outcome is not Outcome.WRONG, "\n".join(seen.details)
    assert category(*found) == EXPECTED[case.name]


def test_most_scripts_are_fixed() -> None:
    assert set(EXPECTED) == {case.name for case in CASES}
    words = list(EXPECTED.values())
    assert words.count("safe") >= FIXED_BY_DEFAULT * len(words)
    assert words.count("safe") + words.count("unsafe") >= FIXED_WITH_UNSAFE * len(words)


def test_every_class_has_programs() -> None:
    counts = {name: words.total() for name, words in counted().items()}
    assert all(counts[name] >= 15 for name in CLASSES), counts


def test_the_table_in_the_documentation_is_that_of_the_programs() -> None:
    assert table() in (DOCS / "how-it-works.md").read_text("utf-8")


# -- the judge itself can say each of its words ----------------------------------------------------------------------

HEAD = "import torch\n\n\ndef f(x, y):\n"
TAIL = "\n    return h\n\n\ndef example(): return f, (torch.tensor([0.5, 1.5], requires_grad=True), torch.ones(2))\n"


@pytest.mark.parametrize(
    ("complaint", "before", "after", "callers_look", "outcome"),
    [
        ("modified by", "h = x.exp(); h += 1", "h = x.exp(); h = h + 1", True, Outcome.FIXED),
        ("modified by", "h = x.exp(); h += 1", "h = x.exp(); h.add_(1)", True, Outcome.NOT_FIXED),
        ("modified by", "h = x.exp(); h += 1", "h = x.exp(); h.add_(2)", True, Outcome.WRONG),
        ("modified by", "h = x.exp(); h += 1", "h = x.exp(); h = h + 2", True, Outcome.WRONG),
        ("modified by", "h = x.exp(); h += 1", "h = x.exp(); h = h + x - x.detach() + 1", True, Outcome.WRONG),
        ("modified by", "h = x.exp(); h += 1", "h = x.exp(); h = j + 1", True, Outcome.WRONG),
        ("modified by", "h = x.exp(); h += 1; y += 1", "h = x.exp(); h = h + 1; y = y + 1", True, Outcome.WRONG),
        ("modified by", "h = x.exp(); h += 1; y += 1", "h = x.exp(); h = h + 1; y = y + 1", False, Outcome.FIXED),
        (SILENT, "h = x * x; h.data[0] = 2.0", "h = x * x; h = h * torch.tensor([0.0, 1.0])", True, Outcome.WRONG),
        (SILENT, "h = x * x; h.data *= x", "h = x * x; h = h * x", True, Outcome.FIXED),
        (SILENT, "h = x * x; h.data *= x", "h = x * x; h.data = h.data * x", True, Outcome.NOT_FIXED),
        (SILENT, "h = x * x; h.data *= x", "h = x * x; h = h.detach() * x", True, Outcome.WRONG),
    ],
)
def test_the_judge(complaint: str, before: str, after: str, callers_look: bool, outcome: Outcome) -> None:
    case = Failure("case", f"{HEAD}    {before}{TAIL}", complaint)
    rewritten = maker(f"{HEAD}    {after}{TAIL}", "after.py")
    original = maker(case.text, "before.py")
    found = judge(original, rewritten, is_silent=case.is_silent, callers_look=callers_look)
    assert found.outcome is outcome, found.details
