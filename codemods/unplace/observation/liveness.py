"""Liveness of local names in bytecode: whether a running function may read a name again."""

from __future__ import annotations

import dis
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from inspect import CO_OPTIMIZED
from itertools import pairwise
from types import CodeType

_ENDS = ("RETURN_", "RAISE_", "RERAISE")
_ALWAYS_JUMPS = frozenset({"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_ABSOLUTE"})
_CAPTURES = frozenset({"LOAD_CLOSURE", "LOAD_FAST"})
"""The instructions that give a name to an inner function; the second does so from Python 3.13 on."""


@cache
def is_read_after(code: CodeType, offset: int, name: str) -> bool:
    """Tell whether code may read a name after the instruction at an offset, before it binds the name anew.

    So it does if an inner function that has the name may be around, or if code asks for all its names. Names of
    modules and classes are read where any function in them mentions the name.
    """
    if name in code.co_freevars or {"locals", "eval", "exec", "vars"} & set(code.co_names):
        return True
    if not code.co_flags & CO_OPTIMIZED and any(_mentions(inner, name) for inner in _inner(code)):
        return True
    flow = Flow.of(code)
    here = flow.at(offset)
    if name in code.co_cellvars and any(flow.reaches(maker, here) for maker in flow.reads(name, _CAPTURES)):
        return True
    return flow.is_read_after(here, name)


@dataclass(frozen=True, eq=False)
class Flow:
    """The instructions of a function, and which may follow which; handlers may follow all that they protect.

    There is one for each code, and it is compared by identity: Python 3.13 makes instructions that have no hash.
    """

    instructions: tuple[dis.Instruction, ...]
    following: tuple[tuple[int, ...], ...]

    @staticmethod
    @cache
    def of(code: CodeType) -> Flow:
        """Read the bytecode of a function."""
        instructions = tuple(dis.get_instructions(code))
        index = {each.offset: position for position, each in enumerate(instructions)}
        handlers = _handlers(code, instructions)
        found = []
        for position, each in enumerate(instructions):
            ends = each.opname.startswith(_ENDS) or each.opname in _ALWAYS_JUMPS
            after = [] if ends else [position + 1]
            if each.opcode in dis.hasjrel or each.opcode in dis.hasjabs:
                after.append(index[each.argval])
            after += [index[target] for start, end, target in handlers if start <= each.offset < end]
            found.append(tuple(after))
        return Flow(instructions, tuple(found))

    def at(self, offset: int) -> int:
        """Return the position of the instruction at an offset; a call that is under way may point behind its own."""
        return bisect_right(self.instructions, offset, key=lambda each: each.offset) - 1

    def reads(self, name: str, opnames: frozenset[str]) -> list[int]:
        """Return the positions of the instructions of some kinds that read a name."""
        return [i for i, each in enumerate(self.instructions) if each.opname in opnames and _effect(each, name)]

    def reaches(self, start: int, end: int) -> bool:
        """Tell whether one instruction may be followed by another one."""
        return any(position == end for position in self._after(start, lambda _: False))

    def is_read_after(self, start: int, name: str) -> bool:
        """Tell whether a name may be read after an instruction, before it is bound or deleted."""
        after = self._after(start, lambda position: _effect(self.instructions[position], name) is False)
        return any(_effect(self.instructions[position], name) for position in after)

    def _after(self, start: int, stops: Callable[[int], bool]) -> Iterator[int]:
        """Yield the positions that may follow one, each once; none beyond those that stop."""
        todo, seen = list(self.following[start]), set[int]()
        while todo:
            position = todo.pop()
            if position not in seen and position < len(self.instructions):
                seen.add(position)
                yield position
                todo += () if stops(position) else self.following[position]


def _handlers(code: CodeType, instructions: tuple[dis.Instruction, ...]) -> list[tuple[int, int, int]]:
    """Return start, end and handler of each part that is protected; before Python 3.11, that is taken to be all."""
    entries = getattr(dis.Bytecode(code), "exception_entries", None)
    if entries is not None:
        return [(entry.start, entry.end, entry.target) for entry in entries]
    end = len(code.co_code)
    return [(0, end, each.argval) for each in instructions if each.opname.startswith("SETUP_")]


def _inner(code: CodeType) -> Iterator[CodeType]:
    return (each for each in code.co_consts if isinstance(each, CodeType))


def _mentions(code: CodeType, name: str) -> bool:
    return name in (*code.co_names, *code.co_freevars) or any(_mentions(inner, name) for inner in _inner(code))


def _effect(each: dis.Instruction, name: str) -> bool | None:
    """Tell whether an instruction reads (True) or binds or deletes (False) a name; None where it does neither."""
    names = each.argval if isinstance(each.argval, tuple) else (each.argval,)
    if name not in names:
        return None
    for part, named in zip(_parts(each.opname), names, strict=False):
        if named == name and part in ("LOAD", "STORE", "DELETE"):
            return part == "LOAD"
    return None


def _parts(opname: str) -> tuple[str, ...]:
    """Return what an instruction does to each of its names: `STORE_FAST_LOAD_FAST` stores the first, loads the second.

    What isn't about local or global names gives nothing.
    """
    words = opname.split("_")
    kinds = ("FAST", "NAME", "GLOBAL", "DEREF", "CLASSDEREF", "CLOSURE", "CLASSDICT")
    return tuple(first for first, second in pairwise(words) if second in kinds)
