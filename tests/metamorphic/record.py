"""Records what becomes of the scattered failures: `PYTHONPATH=codemods:tests python -m metamorphic.record`."""

from __future__ import annotations

import json
from pathlib import Path

from metamorphic.corpus import TESTS, Case, failures
from metamorphic.sources import Sources
from metamorphic.transformations import SCATTERED, transformed
from metamorphic.verdicts import judged

EXPECTED = TESTS / "failures" / f"{SCATTERED}.json"


def category(case: Case, variant: Sources) -> str:
    """What becomes of a variant, in the words of `tests/failures/expected.json`."""
    if judged(variant, case, variant.rewritten(), with_unsafe=False).is_fixed:
        return "safe"
    with_unsafe = judged(variant, case, variant.rewritten(unsafe=True), with_unsafe=True)
    return "unsafe" if with_unsafe.is_fixed else "refused"


def main(path: Path) -> None:
    """Write the category of each scattered failure."""
    variants = {case: transformed(case.text, SCATTERED) for case in failures()}
    found = {case.name: category(case, variant) for case, variant in variants.items() if variant is not None}
    path.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main(EXPECTED)
