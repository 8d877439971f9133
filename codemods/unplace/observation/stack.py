"""Values on the stack of a running function: `x` of `x + f(x)` while `f` runs, though nothing loads it later."""

from __future__ import annotations

import dis
import sys
from dataclasses import dataclass
from functools import cache
from types import CodeType

from unplace.observation.liveness import Flow

_NAMES = ("LOAD_FAST", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_CLASSDEREF")
_PUSHES_NOTHING = (
    *("STORE_", "DELETE_", "POP_", "JUMP", "RESUME", "PRECALL", "KW_NAMES", "EXTENDED", "NOP", "CACHE", "MAKE_CELL"),
    *("LIST_", "SET_", "MAP_", "DICT_", "RETURN_VALUE", "RAISE", "RERAISE", "COPY_FREE", "GEN_START", "END_"),
)
_HOLDS_NO_TENSOR = (
    *("LOAD_CONST", "PUSH_NULL", "MAKE_FUNCTION", "LOAD_BUILD_CLASS", "LOAD_CLOSURE", "GET_ITER", "FOR_ITER"),
    *("UNARY_", "COMPARE_OP", "CONTAINS_OP", "IS_OP", "BUILD_", "FORMAT_", "IMPORT_", "BEFORE_WITH", "PUSH_EXC"),
    "RETURN_GENERATOR",
)
"""The beginnings of instructions whose results are new tensors, containers (which the collector knows), or neither."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits on the stack: names and attributes (`self.h`), and whether there are results of calls as well."""

    names: frozenset[str] = frozenset()
    others: bool = False


@cache
def waiting(code: CodeType, offset: int) -> Waiting:
    """Return what waits on the stack of code for the end of the call at an offset."""
    flow = Flow.of(code)
    here = flow.at(offset)
    after = _depths(flow)
    depth = after.get(here)
    if depth is None:
        return Waiting(others=True)
    names: set[str] = set()
    others = False
    for slot in range(depth - _pushed(flow.instructions[here])):
        maker = next((i for i in range(here - 1, -1, -1) if i in after and _writes(flow, after, i, slot)), None)
        if maker is None or _is_joined(flow, maker, here):
            others = True
            continue
        name = _name(flow, maker)
        if name is not None and name.startswith("."):  # the iterator of a comprehension, which the collector knows
            continue
        if name is not None:
            names.add(name)
        elif not _is_harmless(flow.instructions[maker]):
            others = True
    return Waiting(frozenset(names), others)


def _writes(flow: Flow, after: dict[int, int], position: int, slot: int) -> bool:
    return after[position] - _pushed(flow.instructions[position]) <= slot < after[position]


def _is_joined(flow: Flow, maker: int, here: int) -> bool:
    """Tell whether another way leads around the maker of a value, as in `x if x else 0`; loops lead back behind it."""
    return any(maker < following <= here for after in flow.following[:maker] for following in after)


@cache
def _depths(flow: Flow) -> dict[int, int]:
    """Return the depth of the stack behind each instruction that can be reached, where it goes on to the next one."""
    before, after, todo = {0: 0}, dict[int, int](), [0]
    while todo:
        position = todo.pop()
        each = flow.instructions[position]
        after[position] = max(before[position] + _effect(each, jumps=False), 0)
        for following in flow.following[position]:
            if following >= len(flow.instructions) or following in before:
                continue
            jumps = following != position + 1
            before[following] = max(before[position] + _effect(each, jumps=jumps), 0)
            todo.append(following)
    return after


def _effect(each: dis.Instruction, *, jumps: bool) -> int:
    if each.opname == "RETURN_GENERATOR":
        return 1
    argument = each.arg if each.opcode >= dis.HAVE_ARGUMENT else None
    return dis.stack_effect(each.opcode, argument, jump=jumps)


def _pushed(each: dis.Instruction) -> int:
    """Return how many values an instruction leaves that it has put there itself."""
    if each.opname.startswith(_PUSHES_NOTHING):
        return 0
    if each.opname == "SWAP":
        return each.arg or 0
    if each.opname == "BEFORE_WITH" or _is_method(each):
        return 2
    return max(_effect(each, jumps=False), 1)


def _name(flow: Flow, position: int) -> str | None:
    """Return what an instruction has loaded: `x`, `self.h`, or the object of a method, `x` of `x.add`."""
    if _is_method(flow.instructions[position]):
        position -= 1
    path: list[str] = []
    while position and flow.instructions[position].opname == "LOAD_ATTR":
        path.insert(0, str(flow.instructions[position].argval))
        position -= 1
    each = flow.instructions[position]
    is_name = each.opname.startswith(_NAMES) and isinstance(each.argval, str)
    return ".".join([each.argval, *path]) if is_name else None


def _is_method(each: dis.Instruction) -> bool:
    is_marked = sys.version_info >= (3, 12) and each.opname == "LOAD_ATTR" and bool((each.arg or 0) & 1)
    return each.opname == "LOAD_METHOD" or is_marked


def _is_harmless(each: dis.Instruction) -> bool:
    if each.opname.startswith("BINARY_") and each.opname != "BINARY_SUBSCR":
        return not each.argrepr.endswith("=")
    return each.opname.startswith(_HOLDS_NO_TENSOR)
