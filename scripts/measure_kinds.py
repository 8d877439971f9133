"""Measures on real packages whether the analysis knows a tensor: its verdicts against the types seen at run time.

For every statement that would write in place if its object were a tensor (`x += v`, `x[i] = v`, `x.f_()`,
`x.data = v`) the analysis says that the object is a tensor, is none, or that it doesn't know. Run with an interpreter
that has torch and the packages; nothing is downloaded, nothing in the packages is changed:

    PYTHONPATH=codemods python scripts/measure_kinds.py observe kornia --folder /tmp/kinds --seconds 300
    PYTHONPATH=codemods python scripts/measure_kinds.py compare kornia --folder /tmp/kinds

`observe` runs the package with random weights and tiny inputs and writes `kornia.json`, the types of the objects by
file, line and column, and `kornia.writes.json`, the writes that torch carried out. A package is
run by its tests (`--tests FOLDER`), by the examples of its description and by guesses.
What doesn't fit into the time is left out, so run it again with another `--seed`: the counts add up, as long as the
package is the same. `compare` needs no second run of the package when only the analysis has changed.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import resource
import socket
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kinds_observer import Observer, Stand

if TYPE_CHECKING:
    from kinds_exercise import Session

_MEMORY = 10 * 2**30
_ENVIRONMENT = {
    "HF_HUB_OFFLINE": "1",
    "PYTORCH_JIT": "0",  # scripted functions run as Python, where they can be observed
    "TORCHDYNAMO_DISABLE": "1",
    "OMP_NUM_THREADS": "1",
    "TQDM_DISABLE": "1",
}


def observe(options: argparse.Namespace) -> None:
    """Run a package under observation and write what was seen; prints what became of the cases."""
    package, folder, seed = options.packages[0], options.folder, options.seed
    confine()
    folder.mkdir(parents=True, exist_ok=True)
    folder = folder.resolve()
    observer = Observer()
    observer.install(package)
    sys.meta_path.append(Stand(options.stub))
    import torch
    from kinds_exercise import Session
    from kinds_writes import Writes

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    writes = Writes(package_folder(package))
    writes.install()
    session = Session(options.seconds, seed)
    tests = options.tests.resolve() if options.tests is not None else None
    with tempfile.TemporaryDirectory() as elsewhere:
        os.chdir(elsewhere)  # a guessed file name may be written
        try:
            with writes:
                driver_of(package, tests)(session)
        finally:
            os.chdir(folder)
            observer.dump(folder / f"{package}.json")
            writes.dump(folder / f"{package}.writes.json")
    for outcome, count in sorted(session.outcomes.items()):
        print(f"{count:7} {outcome}")


def confine() -> None:
    """Keep a package from compiling, downloading, using all memory and writing byte code."""
    os.environ.update(_ENVIRONMENT)
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    warnings.simplefilter("ignore")
    socket.socket.connect = _refuse  # type: ignore[method-assign]
    sys.dont_write_bytecode = True


def driver_of(package: str, tests: Path | None) -> Callable[[Session], None]:
    """Return what runs a package."""
    from kinds_drive import drive  # imports torch

    return partial(drive, package=package, tests=tests)


def package_folder(package: str) -> Path:
    """Return the folder of an installed package."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        sys.exit(f"measure_kinds.py: the package {package} isn't installed; install it or leave it out")
    return Path(spec.origin).parent


def _refuse(*_: object) -> None:
    raise ConnectionError("no downloads here")


def compare(packages: list[str], folder: Path) -> None:
    """Print the comparison for each package and for all of them."""
    from kinds_report import Comparison, compared, render

    everything = Comparison()
    for package in packages:
        found = compared(package_folder(package), folder, package)
        everything.add(found)
        print(render(package, found))
    if len(packages) > 1:
        print(render("all", everything))


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("observe", "compare"))
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--folder", type=Path, required=True, help="where the observations are kept")
    parser.add_argument("--seconds", type=float, default=300.0, help="how long a package may run")
    parser.add_argument("--seed", type=int, default=0, help="the order of the cases")
    parser.add_argument("--tests", type=Path, help="a folder of tests that run the package")
    parser.add_argument("--stub", nargs="*", default=(), help="packages that are missing and only imported")
    options = parser.parse_args()
    if options.command == "compare":
        compare(options.packages, options.folder)
        return
    if len(options.packages) > 1:
        parser.error("observe one package at a time: each needs a fresh interpreter")
    observe(options)


if __name__ == "__main__":
    main()
