"""The programs that are transformed: the fixtures, the failures, and generated ones."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from generator.programs import generate

TESTS = Path(__file__).parents[1]


@dataclass(frozen=True)
class Case:
    """A program in one file. `is_silent`: torch raises nothing, but the gradient is wrong."""

    name: str
    text: str
    is_silent: bool = False
    is_generated: bool = False

    def is_in_sample(self, transformation: str, one_of: int) -> bool:
        """Whether it is one of a sample of a corpus for a transformation, always the same one."""
        return zlib.crc32(f"{self.name} {transformation}".encode()) % one_of == 0


def failures() -> Iterator[Case]:
    """The scripts under `tests/failures/`."""
    for path in sorted((TESTS / "failures").glob("*.py")):
        text = path.read_bytes().decode()
        yield Case(path.stem, text, "Torch: nothing, the gradient is wrong" in text)


def fixtures() -> Iterator[Case]:
    """The programs before rewriting under `tests/fixtures/`, less those that are about comments."""
    for path in sorted((TESTS / "fixtures").glob("*/*/before.py")):
        options = json.loads(case.read_text("utf-8")) if (case := path.parent / "case.json").exists() else {}
        text = path.read_bytes().decode()
        if not re.search(r"#\s*unplace:", text):
            name = path.parent.relative_to(TESTS / "fixtures").as_posix()
            yield Case(name, text, options.get("repairs_gradient", False))


def generated(seeds: range) -> Iterator[Case]:
    """Generated programs that speak real code."""
    for seed in seeds:
        yield Case(f"seed {seed}", generate(seed, "real"), is_generated=True)
