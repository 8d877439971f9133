"""Functions of two objects of a class, which are one object or two: `mix(s, s, x)`, `mix(s, t, x)`, `s.mix(s, x)`."""

from __future__ import annotations

from generator.snippets import change, define, emit, given, watch
from generator.writer import Writer

STATE = """
class NAME:
    def __init__(self, h):
        self.h = h
        self.xs = [h * 2]
        self.d = {{"k": h.cos()}}

    def put(self, h):
        self.h = h

    def get(self):
        return self.h

    def push(self, h):
        self.xs.append(h)

    def mix(self, other, x):
        first, second = self, other
        {body}
"""
MIX = """
def NAME(first{kind}, second{kind}, x):
    {body}
"""
STORES = (
    "{o}.h = {v}",
    "{o}.put({v})",
    "{o}.xs.append({v})",
    "{o}.push({v})",
    "{o}.xs[-1] = {v}",
    "{o}.d['k'] = {v}",
    "{o}.h, kept = {v}, {o}.h",
    "setattr({o}, 'h', {v})",
    "for each in (first, second):\n        each.h = {v}",
)
READS = ("{o}.h", "{o}.get()", "{o}.xs[-1]", "{o}.d['k']", "[each.h for each in (first, second)][-1]")
PLACES = ("{o}.h", "{o}.xs[-1]", "{o}.d['k']", "{o}.h")
VALUES = ("x.sigmoid()", "torch.tanh(x)", "x.exp()", "x * 2", "first.h.sigmoid()", "second.h * second.h")


def mixed(w: Writer) -> bool:
    """`mix(s, s, x)`: stores, reads and writes of attributes, by two names that may stand for one object."""
    x, y, s, t = given(w), w.fresh("tensor"), w.fresh("object"), w.fresh("object")
    by_method = w.chance(0.3)
    lines = _lines(w)
    body = "\n    ".join(lines)
    indented = body.replace("\n", "\n    ") if by_method else "return x"
    of = define(w, "State", STATE.format(body=indented))
    emit(w, f"{s} = {of}({x})")
    emit(w, f"{t} = {w.pick([s, s, f'{of}({x} * 2)'])}")
    if by_method:
        emit(w, f"{y} = {s}.mix({t}, {x})")
    else:
        both = define(w, "both", MIX.format(kind=w.pick([f": {of}", f": {of}", ""]), body=body))
        emit(w, f"{y} = {both}({s}, {t}, {x})")
    emit(w, f"{x} = {x} * {s}.h + {y} + {t}.xs[-1] * {t}.d['k']")
    watch(w, x, y)
    return True


def _lines(w: Writer) -> list[str]:
    """Return the body of the function: a few statements, and what was read before."""
    lines, read = list[str](), list[str]()
    for _ in range(w.pick([3, 4, 5, 6])):
        one = w.pick(["first", "second"])
        kind = w.pick(["store", "store", "read", "write"])
        if kind == "store":
            lines.append(w.pick(STORES).format(o=one, v=w.pick(VALUES)))
        elif kind == "read":
            read.append(f"t{len(read)}")
            lines.append(f"{read[-1]} = {w.pick(READS).format(o=one)}")
        else:
            lines.append(change(w, w.pick(PLACES).format(o=one)))
    return [*lines, f"return {' + '.join([*read, 'x * first.h', 'second.h'])}"]
