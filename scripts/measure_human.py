#!/usr/bin/env python3
"""Compare the tool's edits with what people wrote: the pairs of tests/human.

python scripts/measure_human.py             # each pair, and how many of each kind, by default and with --unsafe
python scripts/measure_human.py --write     # put the kinds into tests/human/expected.json

A person runs it after a change of recipes. Whether an edit is right isn't asked here: tests/test_human.py runs it.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections import Counter
from difflib import SequenceMatcher
from pathlib import Path

from unplace.config.options import Options
from unplace.transform.rewriter import rewrite_text

PAIRS = Path(__file__).parents[1] / "tests/human"
MODES = {"default": Options(), "unsafe": Options(unsafe=True)}
KINDS = ("equal", "equal but for names", "same statements", "fewer lines", "as many lines", "more lines", "nothing")
"""What an edit is beside the human's, the closest first; `nothing` where the tool leaves the program as it is."""


class _Renamed(ast.NodeTransformer):
    """Numbers the names that only one version of a program has."""

    def __init__(self, known: set[str]) -> None:
        self._known = known
        self._numbers: dict[str, str] = {}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        """Number a name."""
        if node.id not in self._known:
            node.id = self._numbers.setdefault(node.id, f"name {len(self._numbers)}")
        return node


def names(source: str) -> set[str]:
    """Return all names of a program."""
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}


def lines(before: str, after: str) -> tuple[frozenset[int], int]:
    """Return which lines an edit changes, and how many lines its difference has."""
    matcher = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    blocks = [block for block in matcher.get_opcodes() if block[0] != "equal"]
    changed = {line for _, start, end, _, _ in blocks for line in range(start, max(end, start + 1))}
    return frozenset(changed), sum(max(end - start, last - first) for _, start, end, first, last in blocks)


def kind(before: str, human: str, tool: str) -> str:
    """Return what an edit of the tool is beside the human's."""
    if tool == before:
        return "nothing"
    if ast.dump(ast.parse(tool)) == ast.dump(ast.parse(human)):
        return "equal"
    known = names(before)
    if len({ast.dump(_Renamed(known).visit(ast.parse(source))) for source in (tool, human)}) == 1:
        return "equal but for names"
    (here, count), (there, wanted) = lines(before, tool), lines(before, human)
    if here == there:
        return "same statements"
    return "as many lines" if count == wanted else "fewer lines" if count < wanted else "more lines"


def measured() -> dict[str, dict[str, str]]:
    """Return the kind of each pair in each mode."""
    found: dict[str, dict[str, str]] = {}
    for folder in sorted(path for path in PAIRS.iterdir() if path.is_dir()):
        before, human = ((folder / name).read_text("utf-8") for name in ("before.py", "after.py"))
        found[folder.name] = {
            mode: kind(before, human, rewrite_text(before, "before.py", options).after)
            for mode, options in MODES.items()
        }
    return found


def main() -> None:
    """Print or write what becomes of each pair."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    found = measured()
    if parser.parse_args().write:
        (PAIRS / "expected.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    for name, kinds in found.items():
        print(f"{name:40} {kinds['default']:22} {kinds['unsafe']}")
    for mode in MODES:
        counts = Counter(kinds[mode] for kinds in found.values())
        print(f"{mode}: {', '.join(f'{counts[each]} {each}' for each in KINDS)}")


if __name__ == "__main__":
    main()
