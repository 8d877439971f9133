"""Chooses the fixtures of the quick tier: greedily those whose rewriting runs most lines that none before them ran.

    pip install coverage
    PYTHONPATH=codemods:tests python scripts/quick_fixtures.py

A person runs it where fixtures were added. It writes `tests/fixtures/quick.txt`, which `tests/conftest.py` reads; all
other fixtures belong to the full tier.
"""

from __future__ import annotations

from pathlib import Path

from coverage import Coverage

from test_fixtures import CASES, Case

ROOT = Path(__file__).parents[1]
LIST = ROOT / "tests/fixtures/quick.txt"
COUNT = 250

Lines = frozenset[tuple[str, int]]


def lines_run(case: Case) -> Lines:
    """Return the lines of the package, by path and number, that rewriting a fixture runs."""
    coverage = Coverage(data_file=None, source=[str(ROOT / "codemods/unplace")])
    coverage.start()
    case.rewrite(case.before)
    coverage.stop()
    data = coverage.get_data()
    return frozenset((path, line) for path in data.measured_files() for line in data.lines(path) or ())


def chosen(found: dict[str, Lines], count: int) -> list[str]:
    """Return the names of so many fixtures, in the order in which each adds most lines."""
    names: list[str] = []
    known: set[tuple[str, int]] = set()
    while len(names) < count and found:
        name = max(sorted(found), key=lambda each: len(found[each] - known))
        known |= found.pop(name)
        names.append(name)
    return names


def main() -> None:
    """Write the list."""
    names = chosen({case.name: lines_run(case) for case in CASES}, COUNT)
    LIST.write_text("".join(f"{name}\n" for name in sorted(names)), encoding="utf-8")


if __name__ == "__main__":
    main()
