"""Has `diagnose --fix` repair the scripts under `tests/failures/`, each in this process, without `--unsafe`.

`PYTHONPATH=codemods:tests python -m diagnosing` prints how many come out repaired, and what becomes of the others.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path

import torch

from judging import Outcome, Verdict, assumes_no_gradient, assumes_that_no_caller_looks, judge
from metamorphic.corpus import Case, failures
from observing import observed, without_annotations
from unplace.diagnosis import observed_run
from unplace.diagnosis.launcher import Program
from unplace.diagnosis.repair import RepairError, repair
from unplace.loops.running import Runs
from unplace.loops.search import search
from unplace.observation.facts import Observations
from unplace.verification.examples import maker

STEP = """
if __name__ == "__main__":
    import observing

    observing.step(example)
"""
"""What runs a script's example as a training step does."""
CALL = """
if __name__ == "__main__":
    function, arguments = example()
    function(*arguments)
"""
"""What runs the example of a script that calls backward itself."""


def raising() -> list[Case]:
    """Return the scripts in which torch raises; in the others `diagnose --fix` finds no error."""
    return [case for case in failures() if not case.is_silent]


def diagnosed(case: Case) -> Verdict:
    """Have a script repaired, and return the verdict."""
    source = without_annotations(case)
    ran = CALL if ".backward(" in source else STEP
    with tempfile.TemporaryDirectory(prefix="unplace-") as folder:
        script = Path(folder, "model.py")
        script.write_text(source + ran, "utf-8")

        def observe() -> Observations:
            return observed(script.read_text("utf-8"), script)

        def run(limit: int | None, *, quiet: bool) -> observed_run.RunResult:
            torch.manual_seed(0)
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                return observed_run.observe(Program(str(script)), limit)

        try:
            with Runs() as runs:
                reorder = partial(search, Program(str(script)), runs)
                done = repair(run, observe, reorder, unsafe=False, tell=lambda text: None)
        except RepairError as error:
            return Verdict(Outcome.NOT_FIXED, (str(error),))
        after = script.read_text("utf-8").removesuffix(ran)
    return judge(
        maker(source, case.name),
        maker(after, case.name),
        callers_look=not assumes_that_no_caller_looks(done.findings),
        differentiates=not assumes_no_gradient(done.findings),
    )


def main(names: Iterable[str]) -> None:
    """Print what becomes of each script that isn't repaired, and the counts."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    wanted, counts = set(names), Counter[str]()
    for case in raising():
        if wanted and case.name not in wanted:
            continue
        verdict = diagnosed(case)
        counts[verdict.outcome.value] += 1
        if verdict.outcome is not Outcome.FIXED:
            sys.stdout.write(f"{case.name}: {verdict.outcome.value}: {'; '.join(verdict.details)[:600]}\n")
    total = sum(counts.values())
    shares = (f"{word} {count} of {total} ({count / total:.1%})" for word, count in sorted(counts.items()))
    sys.stdout.write(f"{', '.join(shares)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
