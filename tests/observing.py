"""Observes the scripts under `tests/failures/` in one run, and rewrites them with the facts, without `--unsafe`.

`PYTHONPATH=codemods:tests python -m observing` prints how many come out repaired, and what becomes of the others.
"""

from __future__ import annotations

import builtins
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from judging import Outcome, Verdict, assumes_no_gradient, assumes_that_no_caller_looks, judge
from metamorphic.corpus import Case, failures
from metamorphic.transformations import plain, transformed
from unplace.config.options import Options
from unplace.diagnostics.findings import Finding
from unplace.observation.effort import UNLIMITED
from unplace.observation.facts import Observations
from unplace.observation.instrument import NAME, instrumented
from unplace.observation.recorder import Recorder
from unplace.transform.rewriter import rewrite_text
from unplace.verification.examples import MODULE_NAME, as_program, maker

ROOT = Path("/project")
FILE = ROOT / "model.py"
ROUNDS = 3
"""The number of runs of a script, with a rewrite after each."""


def without_annotations(case: Case) -> str:
    """Return a script without its annotations."""
    return (transformed(case.text, "stripped") or plain(case.text)).main


def observed(source: str, file: Path = FILE) -> Observations:
    """Run a script's example once, as a training step would, and return the facts."""
    recorder = Recorder(str(file.parent), UNLIMITED)
    module = ModuleType(MODULE_NAME)
    outer = sys.modules.get(MODULE_NAME)
    sys.modules[MODULE_NAME] = module
    setattr(builtins, NAME, recorder)
    try:
        exec(compile(instrumented(source, file.name, recorder.register), str(file), "exec"), vars(module))
        with suppress(RuntimeError):
            step(module.example)
    finally:
        delattr(builtins, NAME)
        recorder.close()
        del sys.modules[MODULE_NAME]
        if outer is not None:
            sys.modules[MODULE_NAME] = outer
    return recorder.observations


def step(example: Callable[[], Any]) -> None:
    """Call the example and differentiate its result; a function that returns no tensor is called for its arguments."""
    program = as_program(example(), str(FILE))
    result = program.call()
    outputs = [each for each in _tensors(result) if each.requires_grad]
    if not outputs and result is None:
        outputs = [each for each in _tensors(program.arguments) if each.grad_fn is not None]
    if outputs:
        torch.autograd.backward([each.abs().sum() for each in outputs])


def _tensors(value: object) -> Iterable[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _tensors(each)


def repaired(case: Case) -> tuple[Verdict, str]:
    """Observe a script and rewrite it, round after round; return the verdict and the reasons for what stays.

    What stands behind the line at which torch raised is only seen by the next run.
    """
    source = after = without_annotations(case)
    findings: list[Finding] = []
    reasons = ""
    for _ in range(ROUNDS):
        report = rewrite_text(after, str(FILE), Options(facts=observed(after)))
        findings += report.findings
        reasons = "; ".join(f"{f.line}: {f.status.value} {f.message}" for f in report.findings)
        if not report.changed:
            break
        after = report.after
    if after == source:
        return Verdict(Outcome.NOT_FIXED, ("not changed",)), reasons
    verdict = judge(
        maker(source, case.name),
        maker(after, case.name),
        is_silent=case.is_silent,
        callers_look=not assumes_that_no_caller_looks(findings),
        differentiates=not assumes_no_gradient(findings),
    )
    return verdict, reasons


def main(names: Iterable[str]) -> None:
    """Print what becomes of each script that isn't repaired, and the counts."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    wanted, counts = set(names), Counter[str]()
    for case in failures():
        if wanted and case.name not in wanted:
            continue
        verdict, reasons = repaired(case)
        counts[verdict.outcome.value] += 1
        if verdict.outcome is not Outcome.FIXED:
            told = "; ".join(verdict.details)[:200]
            sys.stdout.write(f"{case.name}: {verdict.outcome.value}: {told}\n    {reasons[:1000]}\n")
    total = sum(counts.values())
    shares = (f"{word} {count} of {total} ({count / total:.1%})" for word, count in sorted(counts.items()))
    sys.stdout.write(f"{', '.join(shares)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
