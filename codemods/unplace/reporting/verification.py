"""Shows the result of a verification: to people a table for each comparison, to programs one JSON object.

    {
      "version": "0.1.0",                        of unplace
      "entry": "Net",
      "verdict": "equal",                        or "different", "undecided"
      "arguments": "Net(dim=4), (float32[2, 4])",   null where they were given
      "error": null,                             why nothing could be run; then there are no comparisons
      "comparisons": [
        {"mode": "train", "verdict": "equal", "gradients_from": "the original's own backward",
         "original_error": null, "rewritten_error": null, "obstacle": null, "differences": [],
         "quantities": [{"quantity": "outputs", "verdict": "equal", "compared": 1, "deviation": null}],
         "costs": {"with_backward": true, "seconds": [0.1, 0.1], "peak_bytes": [4096, 6144]}}
      ]
    }

`mode` is `train` or `eval` for modules and empty for others. A mode in which both versions raise the same error is
undecided; where that is evaluation, the verdict on the entry rests on training alone. `differences` have `place` and
`message`, a `deviation` `place`, `index`, `amount`, `expected` and `actual`; that of a quantity that is equal is
rounding. `costs` are null unless asked for; first before, then after. Numbers that JSON lacks (nan, infinities) are
strings.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

from unplace.diagnostics.catalogue import Verified
from unplace.files.discovery import shown
from unplace.reporting.styled import Span
from unplace.reporting.summary import number
from unplace.verification.checks import Check, Deviation
from unplace.verification.measuring import Cost
from unplace.verification.proof import Proof, Verdict
from unplace.verification.trial import Trial
from unplace.verification.versions import Comparison, Result
from unplace.version import __version__

STYLES = {Verdict.EQUAL: "green", Verdict.DIFFERENT: "red", Verdict.UNDECIDED: "yellow"}
SHOWN = 5
"""The largest number of differences listed per quantity; the JSON has them all."""


def lines(result: Result) -> Iterator[list[Span]]:
    """Yield a table for each mode."""
    if result.made is not None:
        yield [(f"arguments made from the signature: {result.made}", "dim")]
    for comparison in result.comparisons:
        proof = comparison.proof
        title = f"{result.entry}, {comparison.mode}" if comparison.mode else result.entry
        verdict = proof.verdict.value if comparison in result.counted else "not compared"
        yield [(title, "bold"), (": ", ""), (verdict, STYLES[proof.verdict])]
        yield from _table(proof)
        yield from _remarks(proof)
        if comparison.costs is not None:
            yield [(_ratios(*comparison.costs), "")]


def _table(proof: Proof) -> Iterator[list[Span]]:
    width = max((len(check.quantity.value) for check in proof.checks), default=0)
    for check in proof.checks:
        row = [
            (f"  {check.quantity.value:<{width}}  {check.count:>5}  ", ""),
            (_verdict(check).value, STYLES[_verdict(check)]),
        ]
        if check.deviation is not None:
            gap = " " * (len(Verdict.DIFFERENT.value) - len(_verdict(check).value) + 2)
            row.append((gap + _deviation(check.deviation), "" if check.differences else "dim"))
        yield row
    listed = {difference for check in proof.checks for difference in check.differences}
    others = [difference for difference in proof.differences if difference not in listed]
    for group in (*(check.differences for check in proof.checks), others):
        yield from ([(f"    {difference}", "red")] for difference in group[:SHOWN])
        if len(group) > SHOWN:
            yield [(f"    and {len(group) - SHOWN} more", "red")]


def _remarks(proof: Proof) -> Iterator[list[Span]]:
    if proof.original_error is not None and not proof.never_ran:
        yield [(f"  the original raises {proof.original_error.split(' Hint:')[0]}", "dim")]
    if proof.checks:
        yield [(f"  expected gradients: {proof.route.value}", "dim")]
    if proof.obstacle is not None:
        yield [(f"  {proof.obstacle}", "yellow")]


def _verdict(check: Check) -> Verdict:
    return Verdict.DIFFERENT if check.differences else Verdict.EQUAL


def _deviation(deviation: Deviation) -> str:
    index = str(list(deviation.index)) if deviation.index else ""
    return f"at most {deviation.amount:.2g}, at {deviation.place}{index}"


def _ratios(before: Cost, after: Cost) -> str:
    what = "forward and backward" if before.with_backward else "forward"
    time = _ratio(before.seconds, after.seconds)
    memory = _ratio(before.peak_bytes, after.peak_bytes)
    sizes = f"{before.peak_bytes:,} and {after.peak_bytes:,} bytes"
    times = f"{before.seconds * 1e3:.3g} and {after.seconds * 1e3:.3g} ms"
    return f"  {what}, after / before: time {time} ({times}), peak memory of tensors {memory} ({sizes})"


def _ratio(before: float, after: float) -> str:
    return f"{after / before:.2f}" if before else "unknown"


def document(result: Result) -> str:
    """Return the result as JSON text (ASCII only)."""
    return json.dumps({"version": __version__, **_entry(result)}, indent=2, allow_nan=False)


def failure(entry: str, reason: str) -> str:
    """Return the JSON text for an entry that could not be run."""
    empty: dict[str, Any] = {
        "entry": entry,
        "verdict": Verdict.UNDECIDED.value,
        "arguments": None,
        "error": reason,
        "comparisons": [],
    }
    return json.dumps({"version": __version__, **empty}, indent=2)


def _entry(result: Result) -> dict[str, Any]:
    return {
        "entry": result.entry,
        "verdict": result.verdict.value,
        "arguments": result.made,
        "error": None,
        "comparisons": [_comparison(comparison) for comparison in result.comparisons],
    }


def conclusions(trial: Trial) -> Iterator[str]:
    """Yield the conclusions of a trial: a line for each entry, and one for the operations that were left out."""
    for result in trial.results:
        modes = ", ".join(comparison.mode for comparison in result.counted if comparison.mode)
        yield f"{result.entry}{f' ({modes})' if modes else ''}: {_outcome(result)}"
        for comparison in result.comparisons:
            if comparison.costs is not None:
                yield f"{'  ' + comparison.mode if comparison.mode else ''}{_ratios(*comparison.costs)}"
    yield from _calls(trial)
    if trial.left_out:
        sites = sum(len(fix.findings) for fix, _ in trial.left_out)
        operations = f"{sites} operation{'' if sites == 1 else 's'}"
        yield f"Left out {operations} after {trial.runs} runs; the report says why."


def _calls(trial: Trial) -> Iterator[str]:
    """Yield what calls of functions said of the edits that are left, if any were made."""
    verdicts = [f.verified for outcome in trial.outcomes for f in outcome.findings if f.verified is not None]
    if not verdicts:
        return
    times = sum(each.judgement.times for each in trial.calls)
    counts = Counter(verdict.kind for verdict in verdicts)
    proved = (
        f"{number(counts[Verified.PROVED], 'edit')} of {len(verdicts)} proved by running, in {number(times, 'call')}"
    )
    others = {"not proved": counts[Verified.OPEN], "not reached": counts[Verified.NOT_REACHED]}
    yield "; ".join([proved, *(f"{count} {told}" for told, count in others.items() if count)])
    proving = {(each.call.file, each.call.function) for each in trial.calls if each.judgement.times}
    for call, judgement, reached in trial.calls:
        if reached and (call.file, call.function) not in proving:
            proving.add((call.file, call.function))  # told once
            yield f"  not proved: {call.function} in {shown(str(call.file))}: {judgement.obstacle}"


def _outcome(result: Result) -> str:
    """Return the verdict on an entry that no edit made worse."""
    errors = {comparison.proof.rewritten_error for comparison in result.comparisons} - {None}
    return f"not worse, and still raises {errors.pop()}" if errors else result.verdict.value


def summary(trial: Trial) -> dict[str, Any]:
    """Return a trial for JSON: `entries` are objects as above without `version`, `left_out` the edits that failed.

    `flaky` are the tests that judged nothing. `calls` are the calls of functions, each with how often it was compared,
    and with why it proved nothing, or null where it proved the edits that it reached.
    """
    return {
        "entries": [_entry(result) for result in trial.results],
        "left_out": [
            {"path": fix.path, "line": finding.line, "column": finding.column, "evidence": evidence}
            for fix, evidence in trial.left_out
            for finding in fix.findings
        ],
        "runs": trial.runs,
        "flaky": list(trial.flaky),
        "calls": [
            {
                "path": shown(str(each.call.file)),
                "function": each.call.function,
                "compared": each.judgement.times,
                "obstacle": each.judgement.obstacle,
            }
            for each in trial.calls
        ],
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    proof = comparison.proof
    return {
        "mode": comparison.mode,
        "verdict": proof.verdict.value,
        "gradients_from": proof.route.value,
        "original_error": proof.original_error,
        "rewritten_error": proof.rewritten_error,
        "obstacle": proof.obstacle,
        "differences": [{"place": found.place, "message": found.message} for found in proof.differences],
        "quantities": [_quantity(check) for check in proof.checks],
        "costs": None if comparison.costs is None else _costs(*comparison.costs),
    }


def _quantity(check: Check) -> dict[str, Any]:
    found = check.deviation
    return {
        "quantity": check.quantity.value,
        "verdict": _verdict(check).value,
        "compared": check.count,
        "deviation": None
        if found is None
        else {
            "place": found.place,
            "index": list(found.index),
            "amount": _number(found.amount),
            "expected": _number(found.expected),
            "actual": _number(found.actual),
        },
    }


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def _costs(before: Cost, after: Cost) -> dict[str, Any]:
    return {
        "with_backward": before.with_backward,
        "seconds": [before.seconds, after.seconds],
        "peak_bytes": [before.peak_bytes, after.peak_bytes],
    }
