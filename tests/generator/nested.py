"""Blocks in blocks: guards that swallow, `match`, loops with early ends, `:=` in headers, with writes in between."""

from __future__ import annotations

import sys
from textwrap import indent

from generator.guards import QUIET, QUIET_CLASS
from generator.snippets import change, define, emit, given, made, method, watch
from generator.writer import Writer

NUMBERS = ("0.1371", "-0.3071", "0.9041")
RAISES = (
    'raise ValueError("late")',
    "if {y}.sum() > {n}: raise ValueError",
    'int("late")',
    "assert {y}.sum() < {n}",
    "{y}.view(7, 11)",
)
PATTERNS = ("0", "1 | 2", "int()", "None", "[_, *_]", "float() | str()")


def nest(w: Writer) -> bool:
    """`with suppress(E): ...` around `try: ... except* E: ...` around `match k: ...`, over a tensor and its view."""
    if w.depth > 1:
        return False
    y = given(w)
    z = made(w)
    if w.chance(0.5):
        w.emit(f"{z} = {y}{w.pick(['', '', '.view(-1)', '[0]'])}")
        place = w.lookup(z)
        assert place is not None
        place.writable = place.dense = False
    emit(w, "\n".join(_compound(w, y, z, 2, guarded=False, loop="")))
    watch(w, y, z)
    return True


def _block(w: Writer, y: str, z: str, depth: int, *, guarded: bool, loop: str) -> str:
    lines: list[str] = []
    for _ in range(w.rng.randint(1, 3)):
        if depth and w.chance(0.45):
            lines += _compound(w, y, z, depth - 1, guarded=guarded, loop=loop)
        else:
            lines += [_leaf(w, y, z, guarded=guarded, loop=loop)]
    return indent("\n".join(lines), "    ")


def _leaf(w: Writer, y: str, z: str, *, guarded: bool, loop: str) -> str:
    roll = w.rng.random()
    test = f"{y}.sum() > {w.pick(NUMBERS)}"
    if guarded and roll < 0.25:
        return w.pick(RAISES).format(y=y, n=w.pick(NUMBERS))
    if loop and roll < 0.4:
        return f"if {w.pick([f'{loop} % 2 == 0', test])}: {w.pick(['continue', 'break'])}"
    if roll < 0.5:
        name = w.fresh("view")
        part = w.pick(["[0]", "[-1:]", ".view_as({y})", " * 2"]).format(y=y)
        return f"if ({name} := {y}{part}).sum() > {w.pick(NUMBERS)}: {change(w, name)}"
    if roll < 0.62:
        return w.pick([f"{y} = {y} * 0.5", f"{y} = {method(w, y)}", f"{y} = {y} + {z}.sum()"])
    return change(w, y)


def _compound(w: Writer, y: str, z: str, depth: int, *, guarded: bool, loop: str) -> list[str]:
    def block(*, inside: bool = guarded, of: str = loop) -> str:
        return _block(w, y, z, depth, guarded=inside, loop=of)

    kinds = ["with", "try", "try", "match", "match", "match", "for", "while", "if"] + ["star"] * (
        sys.version_info >= (3, 11)
    )
    kind = w.pick(kinds)
    if kind == "with":
        return [f"with {_managers(w)}:", block(inside=True)]
    if kind == "try":
        return _attempt(w, block(inside=True), block(), block(), block() if w.chance(0.3) else "")
    if kind == "star":  # no `break` or `continue` may leave its handler
        first = ["except* ValueError:", block(of="")] if w.chance(0.4) else []
        return ["try:", block(inside=True), *first, "except* Exception:", block(of="")]
    if kind == "match":
        return _match(w, loop, y, block(), block(), block())
    if kind == "for":
        name = w.fresh("int")
        return [f"for {name} in range({w.pick('23')}):", block(of=name)]
    if kind == "while":
        name = w.fresh("int")
        return [f"{name} = 0", f"while ({name} := {name} + 1) < 3:", block(of=name)]
    return [f"if {y}.sum() > {w.pick(NUMBERS)}:", block(), "else:", block()]


def _managers(w: Writer) -> str:
    quiet = f"{define(w, 'Silent', w.pick([QUIET, QUIET_CLASS]))}()" if w.chance(0.3) else "suppress(Exception)"
    return w.pick(
        [quiet, quiet, f"contextlib.nullcontext(), {quiet}", f"{quiet} as done", f"{quiet}, torch.enable_grad()"]
    )


def _attempt(w: Writer, body: str, caught: str, other: str, last: str) -> list[str]:
    error = w.pick(["Exception", "(ValueError, AssertionError, RuntimeError)", "Exception as error"])
    lines = ["try:", body]
    if w.chance(0.4):
        lines += ["except KeyError:", other]
    lines += [f"except {error}:", caught]
    if w.chance(0.2):
        lines += ["else:", other]
    return [*lines, "finally:", last] if last else lines


def _match(w: Writer, loop: str, y: str, first: str, second: str, third: str) -> list[str]:
    subject = w.pick([loop, f"{loop} % 2"] if loop else ["1", "[0, 1]", f"{y}.dim()", f"{y}.shape[0]"])
    lines = [f"match {subject}:", f"    case {w.pick(PATTERNS)}:", indent(first, "    ")]
    if w.chance(0.5):
        name = w.fresh("int")
        lines += [f"    case {name} if {y}.sum() > {w.pick(NUMBERS)}:", indent(second, "    ")]
    return [*lines, "    case _:", indent(third, "    ")] if w.chance(0.7) else lines
