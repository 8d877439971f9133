"""Runs a script instrumented, in a process that is observed: `python -m unplace.observation.script train.py ...`."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from types import TracebackType

from unplace.observation.importing import Instrumenting, run_script


def main(script: str, *arguments: str) -> None:
    """Run a script as Python would."""
    importing = next(each for each in sys.meta_path if isinstance(each, Instrumenting))
    sys.argv = [script, *arguments]
    sys.path[0] = str(Path(script).resolve().parent)
    path = str(Path(script).absolute())
    sys.excepthook = partial(_print_exception, path)
    run_script(path, importing)


def _print_exception(script: str, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print an exception that nobody caught as Python does, from the script on."""
    own = trace
    while own is not None and own.tb_frame.f_code.co_filename != script:
        own = own.tb_next
    own = own if own is not None else trace
    sys.__excepthook__(kind, error.with_traceback(own), own)


if __name__ == "__main__":
    main(*sys.argv[1:])
