#!/usr/bin/env python3
"""Regenerate everything that depends on the release of torch: that of `constraints.txt`, which has to be installed.

python scripts/support_torch.py                   # all steps
python scripts/support_torch.py table operators   # some of them
python scripts/support_torch.py --stubs FOLDER    # with the stubs of older releases, see scripts/releases.py
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
"""The one place that names the release."""

COMPANIONS = "numpy pandas polars scipy sympy xarray pillow networkx torch_geometric"
"""What the step `names` compares tensors with."""

COMMANDS = (ROOT / "README.md", ROOT / ".ci/run")

STEPS: dict[str, tuple[str, ...]] = {
    "table": ("generate_torchapi.py",),  # codemods/unplace/torchapi/table.json
    "releases": ("releases.py",),  # codemods/unplace/torchapi/releases.json
    "names": ("shared_names.py",),  # codemods/unplace/torchapi/shared_names.py, with what else is called so
    "operators": ("operator_table.py",),  # docs/operators.md
    "pages": ("console_blocks.py", "--write"),  # what commands print, on all pages that show it
    "commands": (),  # the command that installs torch, in README.md and .ci/run
}


def pinned() -> str:
    """Return the release that the constraints name, as "1.2.3"."""
    (version,) = re.findall(r"^torch==(.+)$", CONSTRAINTS.read_text("utf-8"), re.MULTILINE)
    return str(version)


def named(text: str, version: str) -> str:
    """Name the release in a text that says which torch to install: `torch==1.2.3`, "build of torch 1.2.3"."""
    text = re.sub(r"\btorch==\d+(?:\.\d+)+", f"torch=={version}", text)
    return re.sub(r"(\bbuild of torch )\d+(?:\.\d+)+", rf"\g<1>{version}", text)


def main(run: Callable[[list[str]], int] | None = None) -> int:
    """Run the steps one after the other, until one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("steps", nargs="*", help=f"by default all: {', '.join(STEPS)}")
    parser.add_argument("--stubs", type=Path, help="folder with the stubs of older releases")
    arguments = parser.parse_args()
    unknown = [step for step in arguments.steps if step not in STEPS]
    if unknown:
        parser.error(f"no such step: {', '.join(unknown)}")
    version, installed = pinned(), importlib.metadata.version("torch").partition("+")[0]
    if version != installed:
        print(f"constraints.txt names torch {version}, installed is {installed}: pip install torch -c constraints.txt")
        return 1
    for step in arguments.steps or STEPS:
        print(f"== {step}", flush=True)
        if step == "commands":
            for page in COMMANDS:
                page.write_text(named(page.read_text("utf-8"), version), "utf-8")
            continue
        script, *options = STEPS[step]
        stubs = [str(arguments.stubs)] if step == "releases" and arguments.stubs is not None else []
        code = (run or _run)([str(ROOT / "scripts" / script), *options, *stubs])
        if code:
            print(f"{script} failed" + (f"; it needs: pip install {COMPANIONS}" if step == "names" else ""))
            return code
    return 0


def _run(command: list[str]) -> int:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "codemods")}
    return subprocess.run([sys.executable, *command], env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
