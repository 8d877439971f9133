"""Runs a script instrumented, in a process that is observed: `python -m unplace.observation.script train.py ...`."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from types import TracebackType

from unplace.observation.importing import Instrumenting, run_script

_OWN = str(Path(__file__).parents[1]) + os.sep


def main(script: str, *arguments: str) -> None:
    """Run a script as Python would."""
    importing = next(each for each in sys.meta_path if isinstance(each, Instrumenting))
    sys.argv = [script, *arguments]
    sys.path[0] = str(Path(script).resolve().parent)
    path = str(Path(script).absolute())
    sys.excepthook = partial(_print_exception, path)
    run_script(path, importing)


def _print_exception(script: str, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an exception that nobody caught as Python does, from the script on, and without our own frames."""
    steps = []
    while trace is not None:
        steps.append(trace)
        trace = trace.tb_next
    names = [step.tb_frame.f_code.co_filename for step in steps]
    start = names.index(script) if script in names else 0
    kept = [step for step, name in zip(steps[start:], names[start:], strict=True) if not name.startswith(_OWN)]
    shown: TracebackType | None = None
    for step in reversed(kept):
        shown = TracebackType(shown, step.tb_frame, step.tb_lasti, step.tb_lineno)
    sys.__excepthook__(kind, error.with_traceback(shown), shown)


if __name__ == "__main__":
    main(*sys.argv[1:])
