"""Explains a failure: what saved the value, what wrote to it, what that means, and the fix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from unplace import torchapi
from unplace.diagnosis.advice import Advice, advise, at
from unplace.diagnosis.fixes import Fix, fix_of
from unplace.diagnosis.incident import Incident, Saved
from unplace.diagnosis.noted_writes import Write
from unplace.diagnosis.places import Place
from unplace.files.discovery import shown
from unplace.observation.errors import Kind
from unplace.reporting.sentences import safety

_FIXABLE_ELSEWHERE = frozenset({"hidden-state", "old-values", "optimizer-step", "shared-graph"})
"""The causes that rewriting the write doesn't remove."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The explanation of a failure: the facts, the story in sentences, the advice, and the fix."""

    incident: Incident
    story: tuple[str, ...]
    advice: Advice
    fix: Fix

    @property
    def is_silent(self) -> bool:
        """True where there was no error."""
        return self.incident.kind in (Kind.CHANGED, Kind.CUT)

    @property
    def text(self) -> str:
        """The diagnosis as text, in several lines."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"unplace: {self.incident.error}" if self.is_silent else "unplace: which line it was"
        rows = [("saved by", self.incident.saved.place)] if self.incident.saved else []
        rows += [("culprit", place) for place in dict.fromkeys(write.place for write in self.incident.writes)]
        width = max((len(at(place)) for _, place in rows), default=0)
        for name, place in rows:
            yield f"  {name:<8}  {at(place):<{width}}  {place.source}".rstrip()
        yield from (f"  {sentence}" for sentence in self.story)
        yield f"  What to do: {self.advice.text}"
        if self.fix.files:
            word = safety(self.fix.applicability, self.fix.assumptions)
            yield f"  The fix{f' ({word})' if word else ''}, as `unplace rewrite` makes it:"
            yield from (f"    {line}" for line in self.fix.diff.splitlines())
            yield from (f"  It assumes: {assumption}" for assumption in self.fix.assumptions)
        yield from (f"  Not rewritten: {refusal}" for refusal in dict.fromkeys(self.fix.refusals))

    def document(self) -> dict[str, Any]:
        """Return the diagnosis as JSON values."""
        saved = self.incident.saved
        fix = {
            "applicability": self.fix.applicability.value,
            "assumptions": list(self.fix.assumptions),
            "diff": self.fix.diff,
        }
        return {
            "error": self.incident.error,
            "kind": self.incident.kind.value,
            "raised_at": _place(self.incident.raised_at),
            "saved_by": None if saved is None else {**_place(saved.place), "op": saved.op, "role": saved.role},
            "culprits": [{**_place(write.place), "op": write.op} for write in self.incident.writes],
            "cause": self.advice.cause,
            "advice": self.advice.text,
            "fix": fix if self.fix.files else None,
        }


def diagnose(incident: Incident) -> Diagnosis:
    """Explain a failure."""
    advice = advise(incident)
    is_elsewhere = advice.cause in _FIXABLE_ELSEWHERE
    fix = Fix((), ()) if is_elsewhere else fix_of(write.place for write in incident.writes)
    return Diagnosis(incident, tuple(_story(incident)), advice, fix)


def _place(place: Place) -> dict[str, Any]:
    return {"path": shown(place.path), "line": place.line}


def _story(incident: Incident) -> Iterator[str]:
    saved = incident.saved
    if incident.kind is Kind.OVERWRITTEN:
        if saved is not None:
            yield _keeping(saved)
        if incident.writes:
            yield _writing(incident)
        yield f"When backward ({at(incident.raised_at)}) came to it, the value that it needs was gone."
    elif incident.kind is Kind.DETACHED:
        if saved is not None:
            yield _keeping(saved)
        yield f"It was detached in place since, and backward ({at(incident.raised_at)}) can't tell whose it was."
    elif incident.kind is Kind.CHANGED:
        if saved is not None:
            yield _keeping(saved)
        yield _writing(incident) if incident.writes else "No write by torch was seen: it was NumPy or an extension."
        yield f"Backward ({at(incident.raised_at)}) uses what is there now, so its gradient is wrong."
    elif incident.kind is Kind.CUT:
        yield f"The store at {at(incident.raised_at)} replaces the values; backward goes on as if it hadn't."
    elif incident.kind is Kind.FREED:
        if saved is not None:
            yield f"`{saved.op}` ({at(saved.place)}) kept values for one backward."
        if incident.backward_between is not None:
            yield f"That was called at {at(incident.backward_between)}, and freed them."
        yield f"Then {at(incident.raised_at)} called backward on a graph with the same operation in it."
    else:
        if saved is not None:
            yield f"`{saved.op}` ({at(saved.place)}) made a view."
        owner = f" to the {incident.owner}" if incident.owner else ""
        for write in incident.writes:
            yield f"`{write.op}` ({at(write.place)}) is a write{owner} that torch can't make."


def _keeping(saved: Saved) -> str:
    inside = f", in the derivative of `{saved.inside}`" if saved.inside and saved.inside != "CheckpointFunction" else ""
    return f"`{saved.op}` ({at(saved.place)}{inside}) keeps {_what(saved)} for backward, because {_why(saved)}."


def _what(saved: Saved) -> str:
    if saved.is_function:
        return "a tensor with `save_for_backward`"
    if saved.op == "copy_slices":
        return "a value"
    if saved.is_own_result:
        return "its result"
    return {"self": "its input", "input": "its input", "": "a value"}.get(saved.role, f"its argument `{saved.role}`")


def _why(saved: Saved) -> str:
    if saved.op == "checkpoint":
        return "it runs its function again from there"
    operator = torchapi.function(f"torch.{saved.op}") or torchapi.tensor_method(saved.op)
    guarded = operator.guard.get(saved.role) if operator is not None else None
    if guarded is not None:
        return f"the gradient of `{guarded}` is computed from it"
    return "its derivative is computed from it"


def _writing(incident: Incident) -> str:
    names = [_writer(write) for write in incident.writes]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    owner = f", the {incident.owner}," if incident.owner else ""
    return f"{listed} wrote to that memory{owner} afterwards."


def _writer(write: Write) -> str:
    return f"`{write.optimizer}.step()` ({at(write.place)})" if write.optimizer else f"`{write.op}` ({at(write.place)})"
