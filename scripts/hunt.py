"""Hunts for wrong rewrites: generates tensor programs, rewrites them and compares both through torch.

    PYTHONPATH=codemods python scripts/hunt.py --count 5000 --seed 0 --jobs 2 --keep /tmp/wrong

Exit status 1 if a program was found that is wrong. With `--unsafe` a rewrite rests on the assumptions that are printed
with it, and the program is run to see which of them hold: a difference is wrong where all do. It is excused where it is
gone without the edits whose assumptions don't hold, and undecided where that takes edits of which it can't be said.
A kept program is a folder with `before.py`, `after.py` (shrunk), `original.py` and `report.txt`.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from generator.oracle import Fault, Result, Verdict, judge
from generator.programs import DIALECTS, generate
from generator.shrink import shrink
from generator.unsafe import Judgement, Outcome, judge_unsafe
from generator.variants import VARIANTS
from unplace.diagnostics.findings import Harm, Status

CHUNK = 25


@dataclass
class Tally:
    """Numbers of a hunt, and what was wrong."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    discards: Counter[str] = field(default_factory=Counter)
    unsafe_reasons: Counter[str] = field(default_factory=Counter)
    wrong: list[tuple[int, str, str]] = field(default_factory=list)
    unsafe_wrong: list[tuple[int, str, str]] = field(default_factory=list)
    unexplained: list[int] = field(default_factory=list)
    introduced: Counter[str] = field(default_factory=Counter)
    undecided: Counter[str] = field(default_factory=Counter)
    excused: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Take the numbers of another one in."""
        for name in ("counts", "faults", "reasons", "unsafe_reasons", "discards", "undecided", "excused", "introduced"):
            getattr(self, name).update(getattr(other, name))
        self.wrong += other.wrong
        self.unsafe_wrong += other.unsafe_wrong
        self.unexplained += other.unexplained

    def only_unsafe(self) -> list[tuple[int, str, str]]:
        """What is wrong with `--unsafe` and right without."""
        wrong = {seed for seed, _, _ in self.wrong}
        return [entry for entry in self.unsafe_wrong if entry[0] not in wrong]

    def take(self, seed: int, verdict: Verdict) -> None:
        """Count the verdict on one program in default mode."""
        self.counts["generated"] += 1
        if verdict.result is Result.DISCARDED:
            self.counts["discarded"] += 1
            self.discards[general(verdict.details[0])] += 1
            return
        self.counts["run"] += 1
        self.counts["changed"] += verdict.changed
        self.counts["failing"] += verdict.complaint is not None
        self.counts["fixed"] += verdict.fixed
        self.counts["unclear"] += verdict.unclear
        self.introduced.update(verdict.introduced)
        if verdict.unexplained:
            self.unexplained.append(seed)
        if verdict.report is not None:
            for finding in verdict.report.findings:
                self.counts[f"findings {finding.status.value}"] += 1
        if verdict.result is Result.WRONG:
            assert verdict.fault is not None
            self.faults[verdict.fault.value] += 1
            self.wrong.append((seed, verdict.fault.value, verdict.details[0]))
        elif verdict.complaint is not None and not verdict.fixed:
            self.reasons.update(reasons(verdict))

    def take_unsafe(self, seed: int, judgement: Judgement) -> None:
        """Count the judgement of one program with `--unsafe`."""
        verdict = judgement.first
        if judgement.outcome is Outcome.WRONG and any(seed == other for other, _, _ in self.wrong):
            self.counts["--unsafe: wrong, as by default"] += 1
        else:
            self.counts[f"--unsafe: {judgement.outcome.value}"] += 1
        self.undecided.update(
            {general(words) for words in judgement.open} if judgement.outcome is Outcome.UNDECIDED else ()
        )
        self.excused.update({general(words) for words in judgement.false})
        self.counts["fixed with --unsafe"] += verdict.fixed
        self.counts["fixed with --unsafe, but for an argument that no caller is assumed to read"] += (
            verdict.fixed and verdict.assumed
        )
        if judgement.outcome in (Outcome.WRONG, Outcome.CONTRADICTED):
            verdict = judgement.verdict if judgement.outcome is Outcome.WRONG else judgement.first
            assert verdict.fault is not None
            word = "" if judgement.outcome is Outcome.WRONG else " (its assumption is none: the file contradicts it)"
            self.unsafe_wrong.append((seed, verdict.fault.value + word, verdict.details[0]))
        elif verdict.complaint is not None and not verdict.fixed:
            self.unsafe_reasons.update(reasons(verdict))


def general(message: str) -> str:
    """An assumption without its names and numbers, so that equal ones are counted together."""
    message = re.sub(r"`[^`]*`", "`_`", message)
    return re.sub(r"\b\d+(\.\d+)?(e-?\d+)?\b", "N", message)[:160]


def reasons(verdict: Verdict) -> set[str]:
    """Why the harmful sites of a program stay."""
    findings = verdict.report.findings if verdict.report is not None else ()
    left = [finding for finding in findings if finding.status is not Status.REWRITTEN]
    harmful = [finding for finding in left if finding.harm is not Harm.HARMLESS] or left
    if not harmful:
        return {"no finding is left (a site that wasn't found, or one that isn't in place)"}
    return {f"{finding.code} {finding.status.value}: {finding.reason.opened[:160]}" for finding in harmful}


def kind_of(verdict: Verdict) -> str:
    """What autograd says about the original, in a word, and the exception of the rewritten program, if any."""
    complaint = verdict.complaint or ""
    said = "nothing" if not complaint else "leaf" if "leaf" in complaint else "changed"
    raised = re.findall(r"raises (\w+)", verdict.details[0]) if verdict.details else []
    return f"{said} {raised}"


def written(seed: int, dialect: str) -> str:
    """The program of a seed."""
    return generate(seed, dialect)


def hunt(seeds: range, unsafe: bool, dialect: str, compiled: int) -> Tally:
    """Judge the programs of some seeds; each of so many (0: none) is compiled, too."""
    torch.set_num_threads(1)
    tally = Tally()
    for seed in seeds:
        text = written(seed, dialect)
        verdict = judge(text, compiled=bool(compiled) and seed % compiled == 0)
        tally.take(seed, verdict)
        if unsafe and verdict.result is not Result.DISCARDED:
            tally.take_unsafe(seed, judge_unsafe(text))
    return tally


def keep(seed: int, folder: Path, seconds: float, dialect: str, unsafe: bool) -> str:
    """Shrink a program that is wrong, with or without `--unsafe`, and save it; gives the lines for the report."""
    text = written(seed, dialect)
    bad = Outcome.WRONG
    if unsafe:
        judgement = judge_unsafe(text)
        bad = judgement.outcome
        text = judgement.text if bad is Outcome.WRONG else text
    first = judge(text, unsafe=unsafe)
    compiled = first.fault is None
    if compiled:
        first = judge(text, unsafe=unsafe, compiled=True)
    known = [first.variant] if first.variant in VARIANTS else []
    fault, variant, complaint = first.fault, first.variant, kind_of(first)
    if fault is None:
        return f"== seed {seed} is not wrong any more"

    def still_wrong(candidate: str) -> bool:
        try:
            judgement = judge_unsafe(candidate, known) if unsafe else None
            verdict = judgement.first if judgement is not None else judge(candidate, variants=known, compiled=compiled)
        except Exception:
            return False
        is_wrong = judgement is None or judgement.outcome is bad
        return is_wrong and (verdict.fault, verdict.variant) == (fault, variant) and kind_of(verdict) == complaint

    small = shrink(text, still_wrong, seconds)
    verdict = judge(small, unsafe=unsafe, variants=known, compiled=compiled)
    place = folder / f"{fault.value.replace(' ', '_')}-{seed}{'-unsafe' if unsafe else ''}"
    place.mkdir(parents=True, exist_ok=True)
    (place / "original.py").write_text(text, "utf-8")
    (place / "before.py").write_text(small, "utf-8")
    (place / "after.py").write_text(verdict.after, "utf-8")
    findings = verdict.report.findings if verdict.report is not None else ()
    assumed = dict.fromkeys(a for f in findings if f.status is Status.REWRITTEN for a in f.assumptions)
    lines = "\n".join(
        [
            fault.value,
            *verdict.details,
            f"autograd on the original: {verdict.complaint}",
            *(f"assumed: {a}" for a in assumed),
        ]
    )
    (place / "report.txt").write_text(lines + "\n", "utf-8")
    return f"== {place.name}\n{lines}\n{small}"


def chunks(first: int, count: int) -> Iterator[range]:
    """The seeds in small portions."""
    for start in range(first, first + count, CHUNK):
        yield range(start, min(start + CHUNK, first + count))


def _job(arguments: tuple[range, bool, str, int]) -> Tally:
    return hunt(*arguments)


def _keep_job(arguments: tuple[int, Path, float, str, bool]) -> str:
    torch.set_num_threads(1)
    return keep(*arguments)


def report(tally: Tally, seconds: float) -> str:
    """What a person wants to read."""
    counts = tally.counts
    lines = [f"{counts['generated']} programs in {seconds:.0f} s, {counts['discarded']} discarded"]
    lines += [f"{counts['run']} run, {counts['changed']} changed, {counts['failing']} fail in autograd originally"]
    lines += [f"{counts['unclear']} with gradients that no reference can judge (writes behind autograd's back)"]
    found = sorted(tally.unexplained)
    lines += [f"{len(found)} still fail although all that is left is called harmless {found[:20]}"]
    lines += [f"in-place operations in place of others: {dict(tally.introduced.most_common()) or 'none'}"]
    failing = max(counts["failing"], 1)
    for name in ("fixed", *(name for name in counts if name.startswith("fixed with"))):
        if name in counts:
            lines.append(f"  {name}: {counts[name]} ({100 * counts[name] / failing:.1f} %)")
    lines += [f"{name}: {counts[name]}" for name in sorted(counts) if name.startswith(("findings", "--unsafe"))]
    lines += [f"{fault.value}: {tally.faults[fault.value]}" for fault in Fault]
    lines += ["", "why originally failing programs stay so:"]
    lines += [f"{number:6} {reason}" for reason, number in tally.reasons.most_common(25)]
    if tally.unsafe_reasons:
        lines += ["", "why they stay so with --unsafe:"]
        lines += [f"{number:6} {reason}" for reason, number in tally.unsafe_reasons.most_common(25)]
    lines += ["", "discarded because:", *(f"{number:6} {reason}" for reason, number in tally.discards.most_common(6))]
    lines += ["", "wrong:", *(f"{len(seeds):6} {name} {seeds[:6]}" for name, seeds in groups(tally.wrong))]
    for title, words in (("can't be decided", tally.undecided), ("don't hold", tally.excused)):
        lines += ["", f"assumptions that {title}:"] if words else []
        lines += [f"{number:6} {text}" for text, number in words.most_common(12)]
    if tally.unsafe_wrong:
        lines += ["", "wrong with --unsafe, and all assumptions hold or the file contradicts them:"]
        lines += [f"{len(seeds):6} {name} {seeds[:6]}" for name, seeds in groups(tally.only_unsafe())]
    return "\n".join(lines)


def groups(wrong: Sequence[tuple[int, str, str]]) -> list[tuple[str, list[int]]]:
    """The wrong programs by what differs, the largest group first; all that isn't idempotent is one group, the last."""
    found: dict[str, list[int]] = {}
    for seed, fault, detail in wrong:
        repeated = fault == Fault.REPEATED.value
        found.setdefault(fault if repeated else f"{fault}: {general(detail)}", []).append(seed)
    return sorted(found.items(), key=lambda group: (group[0] == Fault.REPEATED.value, -len(group[1])))


def main() -> int:
    """Run the hunt that the command line asks for."""
    parser = argparse.ArgumentParser(description="Hunt for wrong rewrites with generated programs.")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the first seed; programs have the seeds that follow")
    parser.add_argument("--unsafe", action="store_true", help="count what --unsafe repairs as well")
    dialects = parser.add_mutually_exclusive_group()
    dialects.add_argument("--forms", action="store_true", help="generate the forms of code of generator/forms.py, too")
    dialects.add_argument("--real", action="store_true", help="generate mostly the forms of code of generator/real.py")
    dialects.add_argument("--hunted", action="store_true", help="... or of generator/hunted.py")
    parser.add_argument("--compiled", type=int, default=0, metavar="N", help="run every N-th under torch.compile, too")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="shrink wrong programs and save them here")
    parser.add_argument("--most", type=int, default=40, help="how many wrong programs to shrink")
    parser.add_argument("--each", type=int, default=6, help="... and how many that differ in the same way")
    parser.add_argument("--seconds", type=float, default=20.0, help="time for shrinking one program")
    options = parser.parse_args()
    dialect = next((name for name in DIALECTS if vars(options).get(name)), "plain")
    start, tally = time.monotonic(), Tally()
    with get_context("spawn").Pool(options.jobs) as pool:
        for part in pool.imap_unordered(
            _job,
            [(seeds, options.unsafe, dialect, options.compiled) for seeds in chunks(options.seed, options.count)],
        ):
            tally.add(part)
        tally.wrong.sort()
        tally.unsafe_wrong.sort()
        print(report(tally, time.monotonic() - start), flush=True)
        if options.keep is not None:
            tasks = [
                (seed, options.keep, options.seconds, dialect, unsafe)
                for unsafe, wrong in ((False, tally.wrong), (True, tally.only_unsafe()))
                for seed in [seed for _, seeds in groups(wrong) for seed in seeds[: options.each]][: options.most]
            ]
            for text in pool.imap(_keep_job, tasks):
                print(text, flush=True)
    return 1 if tally.wrong or tally.unsafe_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
