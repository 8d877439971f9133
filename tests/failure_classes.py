"""Counts what becomes of the failing programs, class by class: `PYTHONPATH=codemods:tests python -m failure_classes`.

The first word of a program's name tells its class. The table is that of docs/how-it-works.md.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

EXPECTED = Path(__file__).parent / "failures" / "expected.json"
CLASSES = {
    "functions under `vmap`": ("vmap",),
    "parameters and leaves; tensors behind `.data`": ("param", "leaf", "data"),
    "rows and pieces of tensors": ("rows", "chunk", "split", "unbind", "zip"),
    "custom autograd functions": ("custom",),
    "state in containers, objects and generators": ("state",),
    "side effects on something else": ("effect",),
    "`.to()`, `.contiguous()`, `.reshape()` of the same tensor": ("same",),
    "headers, comprehensions, walrus, `match`, closures": ("place",),
    "nested loops, several stores, disjoint slices": ("grid", "two", "slices"),
    "modules and activations": ("module",),
}
"""The classes, each with the words with which the names of its programs start; all others are the last row."""

OTHERS = "all others"


def counted() -> dict[str, Counter[str]]:
    """Return how many programs of each class come out `safe`, `unsafe` and `refused`."""
    named = {word: name for name, words in CLASSES.items() for word in words}
    found = {name: Counter[str]() for name in (*CLASSES, OTHERS)}
    for program, word in json.loads(EXPECTED.read_text("utf-8")).items():
        found[named.get(program.partition("_")[0], OTHERS)][word] += 1
    return found


def table() -> str:
    """Return the table in Markdown: how many programs, and what share is repaired by default and with `--unsafe`."""
    rows = [*counted().items()]
    rows.append(("**together**", sum((words for _, words in rows), Counter[str]())))
    lines = ["| class | programs | by default | with `--unsafe` |", "| --- | --- | --- | --- |"]
    for name, words in rows:
        total = words.total()
        safe, all_fixed = words["safe"] / total, (words["safe"] + words["unsafe"]) / total
        lines.append(f"| {name} | {total} | {safe:.0%} | {all_fixed:.0%} |".replace("%", " %"))
    return "\n".join(lines)


if __name__ == "__main__":
    print(table())  # noqa: T201
