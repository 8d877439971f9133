"""Measures on real packages whether a rewrite keeps every dtype, in low precision and where precisions are mixed.

The package is copied twice, one copy is rewritten by default, and both run the same cases: its models or functions
with random weights, under CPU autocast in bfloat16, and cast to bfloat16. Compared are the dtypes of the results, and
those of every local variable of the functions that have rewritten lines. Nothing is downloaded, nothing in the
installed packages is changed:

    PYTHONPATH=codemods python scripts/measure_dtypes.py timm torchvision kornia --folder /tmp/dtypes

`--rewriter` is the interpreter that has unplace, where the one that has the packages doesn't.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

SIDES = ("original", "rewritten")


def prepare(package: str, folder: Path, rewriter: str) -> dict[str, list[int]]:
    """Copy a package twice and rewrite one copy; the rewritten lines of the original by file."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        sys.exit(f"measure_dtypes.py: the package {package} isn't installed; install it or leave it out")
    for side in SIDES:
        shutil.rmtree(folder / side / package, ignore_errors=True)
        shutil.copytree(Path(spec.origin).parent, folder / side / package)
    command = [rewriter, "-m", "unplace", "rewrite", "--isolated", "--output-format", "json", package]
    done = subprocess.run(command, cwd=folder / "rewritten", capture_output=True, text=True)
    report = json.loads(done.stdout)
    found: dict[str, list[int]] = {}
    for site in report["sites"]:
        if site["status"] == "rewritten":
            found.setdefault(site["path"], []).append(site["line"])
    return found


def functions_of(path: Path, lines: list[int]) -> set[str]:
    """The qualified names of the functions that have one of these lines."""
    found: set[str] = set()

    def walk(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = f"{name}{child.name}"
                if not isinstance(child, ast.ClassDef):
                    end = child.end_lineno or child.lineno
                    found.update({inner} if any(child.lineno <= line <= end for line in lines) else ())
                    inner += ".<locals>"
                inner += "."
            walk(child, inner)

    walk(ast.parse(path.read_text("utf-8")), "")
    return found


def run_side(package: str, folder: Path, side: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run a side in a process of its own; what it saw."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(folder / side), str(Path(__file__).parent)]),
        "HF_HUB_OFFLINE": "1",
        "PYTORCH_JIT": "0",
        "OMP_NUM_THREADS": "1",
    }
    output = folder / f"{package}-{side}.json"
    watched, runner = folder / f"{package}-watched.json", Path(__file__).parent / "dtypes_observer.py"
    command = [sys.executable, str(runner), package, str(folder / side), str(watched), str(output)]
    command += [str(options.count), str(options.seconds)]
    subprocess.run(command, check=True, env=environment, cwd=folder)
    return json.loads(output.read_text("utf-8"))  # type: ignore[no-any-return]


def compare(package: str, seen: dict[str, dict[str, Any]], rewritten: dict[str, list[int]]) -> bool:
    """Print what differs between the two sides and the figures; whether nothing differs."""
    before, after = (seen[side]["cases"] for side in SIDES)
    differences = []
    finished = [case for case in before if case in after and before[case]["ran"] and after[case]["ran"]]
    for case in finished:
        if before[case]["result"] != after[case]["result"]:
            differences.append(f"{case}: {before[case]['result']} became {after[case]['result']}")
        for variable, dtypes in before[case]["variables"].items():
            other = after[case]["variables"].get(variable, dtypes)
            if other != dtypes:
                differences.append(f"{case}: {variable}: {dtypes} became {other}")
    ran = {(file, line) for file, lines in seen["original"]["lines"].items() for line in lines}
    everything = {(file, line) for file, lines in rewritten.items() for line in lines}
    modes = Counter(case.split(":")[0] for case in finished)
    for case in before:
        if case in after and before[case]["ran"] != after[case]["ran"]:
            print(f"{package}: {case} ran or came to its end on one side only")
    print(f"{package}: {', '.join(f'{count} ran {mode}' for mode, count in sorted(modes.items()))}")
    print(
        f"  rewritten lines: {len(everything)}, of which ran: {len(everything & ran)}; differences: {len(differences)}"
    )
    for difference in differences:
        print(f"    {difference}")
    return not differences


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="+", choices=("timm", "torchvision", "kornia"))
    parser.add_argument("--folder", type=Path, required=True, help="where the copies are made")
    parser.add_argument("--count", type=int, default=40, help="how many models or functions of each package")
    parser.add_argument("--seconds", type=float, default=15.0, help="how long a case may run")
    parser.add_argument("--rewriter", default=sys.executable, help="the Python that has unplace")
    options = parser.parse_args()
    folder = options.folder.resolve()
    is_right = True
    for package in options.packages:
        rewritten = prepare(package, folder, options.rewriter)
        watched = {f: sorted(functions_of(folder / "original" / f, lines)) for f, lines in rewritten.items() if lines}
        (folder / f"{package}-watched.json").write_text(json.dumps(watched), "utf-8")
        seen = {side: run_side(package, folder, side, options) for side in SIDES}
        is_right &= compare(package, seen, rewritten)
    sys.exit(not is_right)


if __name__ == "__main__":
    main()
