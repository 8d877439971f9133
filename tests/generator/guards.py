"""Helpers that write their argument and may raise then, called where the exception is caught."""

from __future__ import annotations

import sys

from generator.snippets import change, define, emit, given, method, result, watch
from generator.writer import Writer

RAISES = (
    'raise ValueError("late")',
    'if k > 0:\n        raise ValueError("late")',
    "if t.sum() > 0.1307:\n        raise ValueError",
    'int("late")',
    'assert k < 1, "late"',
    "[0][k + 1]",
    'if k:\n        raise RuntimeError("late")',
)
QUIET = """
@contextmanager
def NAME():
    try:
        yield
    except Exception:
        pass
"""
QUIET_CLASS = """
class NAME:
    def __enter__(self):
        return self

    def __exit__(self, *details):
        return True
"""
ATTEMPT = """
def NAME(f, *arguments):
    try:
        return f(*arguments)
    except Exception:
        return None
"""


def _late(w: Writer) -> str:
    """A function that writes, raises perhaps, and writes again."""
    annotated = w.chance(0.5)
    header = "t: torch.Tensor, k: int = 0" if annotated else w.pick(["t, k", "t, k=0"])
    lines = [f"def NAME({header}):", f"    {change(w, 't')}"]
    lines += [f"    {w.pick(RAISES)}"] if w.chance(0.85) else []
    lines += [f"    {change(w, 't')}"] if w.chance(0.5) else []
    lines += [f"    return {w.pick(['t', 't * 2', 't.sum()'])}"] if w.chance(0.4) else []
    name = define(w, w.pick(["_fill", "_mark", "_late", "note"]), "\n".join(lines))
    if w.chance(0.3):
        through = w.pick(["NAME(t, k)", "t = NAME(t, k)", "NAME(t[0], k)"]).replace("NAME", name)
        inner = f"    {through}\n    {change(w, 't')}" + ("\n    return t" if w.chance(0.5) else "")
        return define(w, "_outer", f"def NAME(t, k):\n{inner}")
    return name


def guarded(w: Writer) -> bool:
    """`with suppress(ValueError): _late(y, 1)`, `try: ... except* ...`, `try: ... finally: ...`."""
    if w.depth > 1:
        return False
    y, name = given(w), _late(w)
    call = w.pick([f"{name}({y}, {{k}})"] * 4 + [f"{name}({y}[0], {{k}})", f"{name}({y}.view_as({y}), {{k}})"])
    inner = [call.format(k=w.pick(["0", "1", "2"]))]
    if w.chance(0.3):
        inner = [*([change(w, y)] if w.chance(0.5) else []), *inner, change(w, y)]
    block = "\n".join(f"    {line}" for line in inner)
    kinds = ["suppress", "try", "star", "finally", "loop", "manager", "attempt", "else"]
    kind = w.pick(kinds if sys.version_info >= (3, 11) else [k for k in kinds if k != "star"])
    caught = w.pick(["Exception", "(ValueError, AssertionError, IndexError, RuntimeError)", "Exception as error"])
    after = w.pick(["pass", "pass", change(w, y), f"{y} = {y} * 0.5"])
    if kind == "suppress":
        emit(w, f"with {w.pick(['contextlib.suppress', 'suppress'])}(Exception):\n{block}")
    elif kind == "try":
        emit(w, f"try:\n{block}\nexcept {caught}:\n    {after}")
    elif kind == "star":
        emit(w, f"try:\n{block}\nexcept* Exception:\n    {after}")
    elif kind == "finally":
        emit(
            w,
            "with suppress(Exception):\n    try:\n"
            + block.replace("    ", "        ")
            + f"\n    finally:\n        {after}",
        )
    elif kind == "loop":
        emit(w, f"for k in range(3):\n    with suppress(Exception):\n        {call.format(k='k')}\n    {after}")
    elif kind == "manager":
        emit(w, f"with {define(w, 'Quiet', w.pick([QUIET, QUIET_CLASS]))}():\n{block}")
    elif kind == "attempt":
        emit(w, f"{define(w, 'attempt', ATTEMPT)}({name}, {y}, {w.pick('01')})")
    else:
        emit(w, f"try:\n{block}\nexcept {caught}:\n    {after}\nelse:\n    {change(w, y)}")
    watch(w, y)
    return True


def open_write(w: Writer) -> bool:
    """A write in a guarded block itself, before and after something that raises."""
    if w.depth > 1:
        return False
    y = given(w)
    seen = result(w, f"{y}.view(-1)[:1]", (1,)) if w.chance(0.2) and (p := w.lookup(y)) and p.dense else y
    first = w.pick([change(w, y), f"{y} = {method(w, y)}"])
    test = w.pick([f"if {y}.sum() > 0.1371:\n        raise ValueError", 'int("late")', f"{y}.view(7, 11)"])
    header, footer = w.pick(
        [
            ("with suppress(Exception):", ""),
            ("try:", "except Exception:\n    pass"),
            ("try:", "except Exception:\n    {a}"),
            *[("try:", "except* Exception:\n    {a}")] * (sys.version_info >= (3, 11)),
        ]
    )
    emit(w, f"{header}\n    {first}\n    {test}\n    {change(w, y)}\n{footer.format(a=change(w, y))}")
    watch(w, y, seen)
    return True
