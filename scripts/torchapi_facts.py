"""Joins what schemas, stubs, formulas, hand-kept notes and measurements say about one operator into its row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torchapi_measure import Measured
from torchapi_native import Native, Saves
from torchapi_notes import (
    ALWAYS,
    BY_OPTION,
    ELEMENTWISE,
    MAYBE,
    MULTI,
    NEWER_RELEASES,
    OTHER_BACKENDS,
    RANDOM,
    RESULT_WHEN,
    UNANNOTATED_MAYBE,
    WRITES,
)
from torchapi_signatures import Signature

Row = dict[str, Any]
TENSORS = {"tensor", "tensors", "unknown"}
DEFAULTS: Row = {
    "elementwise": False,
    "outs": 0,
    "parameters": "",
    "random": False,
    "result": "tensor",
    "result_bool": False,
    "saves": [],
    "variadic": False,
    "view": "never",
    "writable": True,
    "writes": [],
}


@dataclass(frozen=True)
class Facts:
    """Everything gathered about one operator; `base` is its native name, '' for none."""

    key: str
    name: str
    base: str
    main: Signature
    overloads: tuple[Signature, ...]
    measured: Measured
    receiver: str

    def python(self, native_name: str) -> str:
        """The name that Python uses for a parameter of the schema."""
        return self.receiver if native_name == "self" else native_name


def operator_row(facts: Facts, native: Native) -> Row:
    """The row of one operator, defaults left out."""
    result, when = _result(facts)
    row: Row = {"parameters": " ".join(facts.main.positional), "result": result}
    if when:
        row["result_when"] = when
    _views(facts, native, result, row)
    _saves(facts, native, result, row)
    tags = native.tags(facts.base) if facts.base else set()
    measured = facts.measured
    is_function = facts.receiver == "input"
    row["outs"] = native.outs(facts.base) if is_function and facts.base and _takes_out(facts) else 0
    row["random"] = "any:nondeterministic_seeded" in tags or measured.random or facts.name in RANDOM
    pointwise = "pointwise" in tags or measured.is_ufunc or facts.key in ELEMENTWISE
    if facts.name not in RESULT_WHEN or facts.key == "Tensor.where":  # max(x) reduces, max(x, y) is pointwise
        pointwise |= "any:pointwise" in tags and measured.elementwise is True
    row["elementwise"] = pointwise and measured.elementwise is not False and not row["random"] and result == "tensor"
    row["result_bool"] = measured.runs > 0 and measured.only_bool and set(measured.results) == {"tensor"}
    row["variadic"] = facts.main.variadic
    written = [facts.python(name) for name in native.written(facts.base)] if facts.base else []
    row["writes"] = sorted({*written, *WRITES.get(facts.key, ())})
    return {key: value for key, value in row.items() if value != DEFAULTS.get(key, None) and value is not None}


def _result(facts: Facts) -> tuple[str, dict[str, str]]:
    """The result, and parameters that change it."""
    if facts.key == "Tensor.where":
        return "tensor", {}
    if facts.name in RESULT_WHEN:
        first, when = RESULT_WHEN[facts.name]
        known = {*facts.main.positional, *facts.main.keywords, *(n for s in facts.overloads for n in s.keywords)}
        return first, {name: kind for name, kind in when.items() if name in known}
    seen = set(facts.measured.results)
    if len(seen) == 1:
        return seen.pop(), {}
    return ("unknown" if seen else facts.main.result), {}


def _takes_out(facts: Facts) -> bool:
    """Measured; where no sample ran, by the stub."""
    if facts.measured.takes_out is None:
        return any("out" in signature.keywords for signature in facts.overloads)
    return facts.measured.takes_out


def _views(facts: Facts, native: Native, result: str, row: Row) -> None:
    """Fills in view, view_of and writable."""
    measured = facts.measured
    aliased = [facts.python(name) for name in native.aliased(facts.base)] if facts.base else []
    shares = sorted(measured.shares, key=lambda name: -measured.shares[name])
    if not aliased and not shares:
        row["view"] = _unaliased(facts, native, result)
        if row["view"] == "maybe" and facts.name in MAYBE | UNANNOTATED_MAYBE and facts.main.positional:
            row["view_of"] = facts.main.positional[0]
        return
    if result not in TENSORS:
        row["view"] = "always" if facts.name in ALWAYS else "never"
        return
    known = [name for name in (*aliased, *shares) if name in facts.main.positional]
    row["view_of"] = next(iter((*known, *facts.main.positional)), None)
    if facts.name in MULTI:
        row["view"] = "multi"
        allowed = MULTI[facts.name]
        row["writable"] = bool(measured.writable) if allowed is None else allowed
    elif (
        facts.name in MAYBE | UNANNOTATED_MAYBE
        or result != "tensor"
        or measured.same_object
        or measured.shared_runs < measured.runs
        or (not aliased and facts.name not in ALWAYS)
    ):
        row["view"] = "maybe"
    else:
        row["view"] = "always"


def _unaliased(facts: Facts, native: Native, result: str) -> str:
    """The view of an operator for which neither a schema nor a sample shows sharing."""
    if result not in TENSORS:
        return "never"
    if facts.name in MAYBE | UNANNOTATED_MAYBE or result == "unknown":
        return "maybe"
    if facts.measured.runs:
        return "never"
    schemas = native.of_kind(facts.base, "functional") if facts.base else []
    composite = any(f.has_composite_implicit_autograd_kernel for f in schemas)
    return "never" if schemas and not composite else "maybe"


def _saves(facts: Facts, native: Native, result: str, row: Row) -> None:
    """Fills in saves, guard, members and numbers."""
    if result not in TENSORS:
        return
    measured = facts.measured
    schemas = native.of_kind(facts.base, "functional") if facts.base else []
    formula, composite = native.saves(schemas)
    saves = Saves({}, formula.result, set(formula.members))
    for name, guard in formula.inputs.items():
        saves.inputs[facts.python(name)] = facts.python(guard) if guard else ""
    unknown = False
    if composite or not schemas:
        integers_only = measured.runs > 0 and measured.float_runs == 0
        unknown = not (measured.graph_runs or measured.plain_runs or integers_only)
        for name in facts.main.tensors - measured.seen - {"out"} if measured.graph_runs else ():
            saves.inputs[name] = ""
    saves.join(measured.saves)
    for name in (*OTHER_BACKENDS.get(facts.name, ()), *NEWER_RELEASES.get(facts.name, ())):
        if name == "result":
            saves.result = True
            saves.members |= {0} if result == "tensors" else set()
        else:
            saves.inputs[facts.python(name)] = ""
    names = {*saves.inputs, *_at_same_position(facts, set(saves.inputs))}
    if saves.result or (saves.members and result != "tensor"):
        names.add("result")
    row["saves"] = sorted(names | ({"*"} if unknown else set()))
    row["guard"] = {name: guard for name, guard in sorted(saves.inputs.items()) if guard} or None
    if saves.members:
        row["members"] = sorted(saves.members)
    row["options"] = _options(facts, row) or None
    told = facts.name in RESULT_WHEN or facts.name in NEWER_RELEASES
    if measured.numbers is not None and not told and sorted(measured.numbers) != row["saves"]:
        row["numbers"] = sorted(measured.numbers)


def _options(facts: Facts, row: Row) -> dict[str, list[str]] | None:
    """What is kept by the value of the call's only string argument ('' = none given), where that makes a difference."""
    if facts.name not in BY_OPTION or "*" in row["saves"]:
        return None
    return {option: sorted(names) for option, names in facts.measured.options.items() if sorted(names) != row["saves"]}


def _at_same_position(facts: Facts, names: set[str]) -> set[str]:
    """Names that overloads use for one place, when one of them is kept: 'dim' and 'other' of max."""
    main, found = facts.main.positional, set()
    for signature in facts.overloads:
        for position, name in enumerate(signature.positional[: len(main)]):
            if name in signature.tensors and name != main[position] and names & {name, main[position]}:
                found |= {name, main[position]}
    return found
