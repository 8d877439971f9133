"""Runs a script instrumented, in a process that is observed: `python -m unplace.observation.script train.py ...`."""

from __future__ import annotations

import sys
from pathlib import Path

from unplace.observation.importing import Instrumenting, run_script


def main(script: str, *arguments: str) -> None:
    """Run a script as Python would."""
    importing = next(each for each in sys.meta_path if isinstance(each, Instrumenting))
    sys.argv = [script, *arguments]
    sys.path[0] = str(Path(script).resolve().parent)
    run_script(script, importing)


if __name__ == "__main__":
    main(*sys.argv[1:])
