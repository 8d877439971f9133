"""Measures whether the word `harmful` is true: the verdicts against what writes do to autograd at run time.

Run with an interpreter that has torch and the packages; nothing is downloaded, nothing in the packages is changed:

    PYTHONPATH=codemods python scripts/measure_harm.py observe timm --folder /tmp/harm --seconds 300
    PYTHONPATH=codemods python scripts/measure_harm.py programs tests/failures --folder /tmp/harm
    PYTHONPATH=codemods:tests python scripts/measure_harm.py generate /tmp/generated --count 200 --folder /tmp/harm
    PYTHONPATH=codemods python scripts/measure_harm.py compare timm tests/failures --folder /tmp/harm

`observe` runs a package as `measure_kinds.py` does, but with tensors that require gradients, and `programs` runs the
scripts of a folder, for which `generate` writes programs of `tests/generator`, of the forms that real code has. For
each write that runs they note whether it overwrote a tensor that autograd had saved, whether a backward asked for that,
and whether torch refused the write. `compare` prints the false alarms, which are writes that are called harmful and
overwrote nothing on any run, and the misses, which hurt and aren't called harmful.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from measure_kinds import confine, driver_of, package_folder


def observe(options: argparse.Namespace) -> None:
    """Run a package under observation and write what was seen; prints what became of the cases."""
    confine()
    import kinds_exercise
    import torch
    from harm_observer import Harms

    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    kinds_exercise.tensor = _with_graph(kinds_exercise.tensor)
    kinds_exercise.wrapped = _differentiated(kinds_exercise.wrapped)
    (package,) = options.targets
    harms = Harms(package_folder(package))
    harms.install()
    session = kinds_exercise.Session(options.seconds, options.seed)
    folder = _made(options.folder)
    with tempfile.TemporaryDirectory() as elsewhere:
        os.chdir(elsewhere)  # a guessed file name may be written
        try:
            with harms:
                driver_of(package, None)(session)
        finally:
            os.chdir(folder)
            harms.dump(_observed(folder, package))
    for outcome, count in sorted(session.outcomes.items()):
        print(f"{count:7} {outcome}")


def _with_graph(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return a maker of tensors that have a graph, as those have that a layer returns."""

    def made(shape: tuple[int, ...], *, integer: bool = False) -> Any:
        tensor = make(shape, integer=integer)
        return tensor if integer else tensor.requires_grad_() * 1.0

    return made


def _differentiated(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return a call that runs backward through the result, too, where that works."""

    def called(function: Callable[..., Any], arguments: Any) -> Any:
        import kinds_exercise

        result = call(function, arguments)
        with suppress(RuntimeError):  # what is returned has no graph, or one that has been freed
            kinds_exercise.backward(result[0])
        return result

    return called


def generate(options: argparse.Namespace) -> None:
    """Write generated programs into a folder, and run them as `programs` does."""
    from generator.programs import generate as generated

    (target,) = options.targets
    folder = _made(Path(target))
    for seed in range(options.seed, options.seed + options.count):
        (folder / f"{seed}.py").write_text(generated(seed, real_code=True), encoding="utf-8")
    programs(options)


def programs(options: argparse.Namespace) -> None:
    """Run the scripts of folders, each with its `example()` and a backward, if it has one."""
    confine()
    import torch
    from harm_observer import Harms

    from unplace.verification.examples import as_program

    torch.set_num_threads(1)
    folder = _made(options.folder)
    for target in options.targets:
        harms = Harms(Path(target).resolve())
        harms.install()
        for path in sorted(Path(target).resolve().glob("*.py")):
            _run(path, harms, as_program)
        harms.dump(_observed(folder, target))


def _run(path: Path, harms: Any, as_program: Callable[..., Any]) -> None:
    from kinds_exercise import backward

    names: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
    try:
        with harms:
            exec(compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True), names)
            if "example" in names:
                backward(as_program(names["example"](), str(path)).call())
    except (Exception, SystemExit) as error:
        print(f"{path.name}: {type(error).__name__}: {str(error).partition(chr(10))[0][:90]}")


def compare(options: argparse.Namespace) -> None:
    """Print the comparison for each package or folder, and for all of them."""
    from harm_report import Judged, judged, render

    from unplace.analysis.project.files import Project

    everything: list[Judged] = []
    for target in options.targets:
        is_package = not Path(target).is_dir()
        paths = sorted(package_folder(target).rglob("*.py")) if is_package else []
        writes = judged(_observed(options.folder, target), Project(map(str, paths)) if is_package else None)
        everything += writes
        print(render(target, writes))
    if len(options.targets) > 1:
        print("\n".join(line for line in render("all", everything).splitlines() if not line.startswith("  ")))


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


def _observed(folder: Path, target: str) -> Path:
    return folder / f"{target.strip('/').replace('/', '.')}.harm.json"


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = {"observe": observe, "programs": programs, "generate": generate, "compare": compare}
    parser.add_argument("command", choices=commands)
    parser.add_argument("targets", nargs="+", help="packages, or folders of scripts")
    parser.add_argument("--folder", type=Path, required=True, help="where the observations are kept")
    parser.add_argument("--seconds", type=float, default=300.0, help="how long a package may run")
    parser.add_argument("--seed", type=int, default=0, help="the order of the cases; the first generated program")
    parser.add_argument("--count", type=int, default=200, help="how many programs are generated")
    options = parser.parse_args()
    if options.command == "observe" and len(options.targets) > 1:
        parser.error("observe one package at a time: each needs a fresh interpreter")
    commands[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
