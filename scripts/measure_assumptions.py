"""Measures how often the assumptions of rewrites hold in the world: what runs of real packages say about each.

Packages are run with their own tests, or by guesses, from the folder above their source, where `unplace observe` notes
what their in-place operations work on; nothing is downloaded, nothing in the packages is changed:

    cd captum-0.9.0 && unplace observe --output /tmp/odds/captum.json -- pytest -q tests
    cd packages && unplace observe --output /tmp/odds/timm.json -- .../scripts/measure_assumptions.py exercise timm
    PYTHONPATH=codemods python scripts/measure_assumptions.py count /tmp/odds/*.json
    PYTHONPATH=codemods python scripts/measure_assumptions.py add /tmp/odds/*.json

A place is an operation that ran on a tensor, with an assumption that its rewrite rests on. It is confirmed or violated
where the runs settle that, and open otherwise. That something is a tensor is also confirmed where it was a number or
another object that can't be changed: a new one does as well. `count` prints the places by assumption, with those that
were violated; `add` adds those of packages that weren't counted before to `unplace.diagnostics.measured`.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kinds_observer import Stand
from measure_kinds import confine, driver_of

from unplace.config.options import Options
from unplace.diagnostics.catalogue import Assumption, Contradiction, Observed
from unplace.diagnostics.findings import Finding, Status
from unplace.diagnostics.measured import PLACES
from unplace.diagnostics.reasons import Reason
from unplace.diagnostics.refusals import Refusal
from unplace.observation.facts import read

_TABLE = Path(__file__).parents[1] / "codemods/unplace/diagnostics/measured.py"
_HEAD = '''"""Counts where the assumptions of rewrites held; written by `scripts/measure_assumptions.py`."""

PLACES = {{
{lines}
}}
"""By assumption, the places that runs settled, and those of them where it was violated."""
'''
_UNCHANGING = frozenset(
    ["NoneType", "bool", "bytes", "complex", "float", "float32", "float64", "int", "int64", "str", "tuple"]
)
"""The types of objects that no augmented assignment changes."""

_IN_THE_WAY = (Refusal.SHARES, Refusal.SHARES_CHANGED, Refusal.STILL_HELD)
"""What is said where a name of the function has the memory in a run, and is read later."""
_Places = dict[tuple[int, int, str], Finding]


@dataclass(slots=True)
class Tally:
    """The places of an assumption that runs confirmed, those that they violated, and those that they left open."""

    confirmed: int = 0
    violated: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    @property
    def settled(self) -> int:
        """The number of places that runs settled."""
        return self.confirmed + len(self.violated)


def exercise(package: str, seconds: float, stubs: Sequence[str]) -> None:
    """Run a package by its own driver or by guesses; prints what became of the cases."""
    confine()
    sys.meta_path.append(Stand(stubs))
    import torch
    from kinds_exercise import Session

    torch.manual_seed(0)
    torch.set_num_threads(1)
    session = Session(seconds, seed=0)
    driver_of(package, None)(session)
    for outcome, count in sorted(session.outcomes.items()):
        print(f"{count:7} {outcome}")


def counted(files: Sequence[Path]) -> Mapping[str, Tally]:
    """Count the places by the code of the assumption."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for file in files:
        for place, assumption, found in _settled(file):
            tally = tallies[assumption.kind.code]
            if found is None:
                tally.open.append(f"{file.stem}: {place}: {assumption}")
            elif found is True:
                tally.confirmed += 1
            else:
                tally.violated.append(f"{file.stem}: {place}: {assumption}: {found}")
    return tallies


def _settled(file: Path) -> Iterator[tuple[str, Reason, Reason | bool | None]]:
    """Yield each place that ran, an assumption, and what the runs said: True, what contradicts it, or nothing."""
    facts = read(file)
    paths = [str(Path(facts.root, path)) for path in sorted(facts.by_file) if Path(facts.root, path).exists()]
    options = Options(unsafe=True)
    without, with_facts = _findings(paths, options), _findings(paths, replace(options, facts=facts))
    for path, findings in without.items():
        for place, finding in findings.items():
            seen = with_facts[path].get(place)
            if seen is None:
                continue
            where, ran = f"{Path(path).resolve().relative_to(facts.root)}:{place[0]}", _always_on_tensors(seen)
            for assumption in (reason for assumed in finding.assumed for reason in assumed.every()):
                if assumption.kind is Assumption.TENSOR:
                    yield where, assumption, True if ran else _other_type(seen)
                elif ran and isinstance(assumption.kind, Assumption):
                    yield where, assumption, _said(seen, assumption)


def _always_on_tensors(seen: Finding) -> bool:
    return any(told.kind in (Observed.RAN, Observed.RAN_ONCE) for told in seen.ran)


def _other_type(seen: Finding) -> Reason | bool | None:
    """Return what else than a tensor was changed; True for what can't be changed, so that a new object does as well."""
    if seen.reason.kind is not Refusal.OBSERVED_OTHERWISE:
        return None
    found = dict(seen.reason.parts)["found"]
    if not isinstance(found, Reason) or found.kind is not Contradiction.TYPE:
        return None
    return True if dict(found.parts)["type"] in _UNCHANGING else found


def _findings(paths: Sequence[str], options: Options) -> dict[str, _Places]:
    from unplace.runs.many import rewrite_files

    found: dict[str, _Places] = {}
    for outcome in rewrite_files(paths, options, None):
        found[outcome.path] = {(f.line, f.column, f.code): f for f in outcome.findings}
    return found


def _said(seen: Finding, assumption: Reason) -> Reason | bool | None:
    if seen.reason.kind is Refusal.OBSERVED_OTHERWISE:
        parts = dict(seen.reason.parts)
        is_this = isinstance(parts["assumption"], Reason) and parts["assumption"].kind is assumption.kind
        return parts["found"] if is_this and isinstance(parts["found"], Reason) else None
    if any(told.kind is not assumption.kind and told.holds(assumption) for told in seen.assumed):
        return True
    is_left = seen.status is not Status.REWRITTEN and assumption not in seen.assumed
    return seen.reason if is_left and seen.reason.kind in _IN_THE_WAY else None


def add(tallies: Mapping[str, Tally]) -> None:
    """Add places to the table."""
    places = dict(PLACES)
    for code, tally in tallies.items():
        settled, violated = places.get(code, (0, 0))
        places[code] = settled + tally.settled, violated + len(tally.violated)
    lines = [f'    "{code}": {counts},' for code, counts in sorted(places.items()) if counts[0]]
    _TABLE.write_text(_HEAD.format(lines="\n".join(lines)), encoding="utf-8")


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("exercise", "count", "add"))
    parser.add_argument("what", nargs="+", help="a package to exercise, or files of facts, one for each package")
    parser.add_argument("--seconds", type=float, default=200.0, help="how long a package may run")
    parser.add_argument("--stub", nargs="*", default=(), help="packages that are missing and only imported")
    options = parser.parse_args()
    if options.command == "exercise":
        exercise(options.what[0], options.seconds, options.stub)
        return
    files = [Path(name) for name in options.what]
    tallies = counted(files)
    if options.command == "add":
        add(tallies)
        return
    for code, tally in sorted(tallies.items(), key=lambda item: -item[1].settled):
        print(f"{code:28} held in {tally.confirmed:6,} of {tally.settled:6,}, {len(tally.open):6,} open")
    for tally in tallies.values():
        print(*(f"violated: {place}" for place in tally.violated), *(f"open: {p}" for p in tally.open), sep="\n")


if __name__ == "__main__":
    main()
