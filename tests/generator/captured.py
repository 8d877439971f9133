"""Writes in lambdas, callbacks and expressions whose value nobody wants."""

from __future__ import annotations

from generator.snippets import change, define, emit, given, method, watch
from generator.writer import Writer

EACH = """
def NAME(f, ts):
    for t in ts:
        f(t)
"""
APPLIES = """
class NAME:
    def __init__(self, h):
        self.h = h

    def apply_(self, f):
        f(self.h)
        return self

    def map_(self, f):
        self.h = f(self.h)
        return self
"""


def callback(w: Writer) -> bool:
    """`touch = lambda k: p.mul_(k); touch(2)`, `list(map(lambda q: q.mul_(2.0), [p]))`, `each(torch.relu_, [p])`."""
    p = given(w)
    q = given(w)
    f, each = w.fresh("function"), "each"
    body = method(w, "q_")
    forms = [
        f"{f} = lambda k: {p}.mul_(k)\n{f}(2)",
        f"{f} = lambda: {method(w, p)}\n{f}()\n{f}()",
        f"list(map(lambda q_: {body}, [{p}]))",
        f"list(map(lambda q_: {body}, ({p}, {q})))",
        f"for _ in map(lambda q_: {body}, [{p}, {q}]):\n    pass",
        f"sorted([{p}, {q}], key=lambda q_: float({body}.sum()))",
        f"any({method(w, 't_')}.sum() > 99 for t_ in ({p}, {q}))",
        f'{f} = {{"a": lambda: {method(w, p)}, "b": lambda q_: {body}}}\n{f}["a"]()\n{f}["b"]({q})',
        f"{f} = lambda t_={p}: {method(w, 't_')}\n{f}()",
        f"{f} = [lambda: {method(w, p)}, lambda: {method(w, q)}]\nfor g_ in {f}:\n    g_()",
        f"{f} = functools.partial(lambda q_, k: q_.mul_(k), {p})\n{f}(3)",
        f"{f} = {p}.{w.pick(['mul_', 'add_', 'sub_'])}\n{f}(2)",
        f"all([{method(w, p)}.sum() < 99, {method(w, q)}.sum() < 99])",
        f"_ = {method(w, p)}, {method(w, q)}",
        f"{method(w, p)}.sum() > 0.1171 and {method(w, q)}",
        f"{method(w, p)} if {q}.sum() > 0.1171 else {method(w, q)}",
        f"[{method(w, p)} for _ in range(2)]",
        f"next(iter([{method(w, p)}]))",
        f"def {f}(k=2):\n    {change(w, p, assigns=False)}\n    return k\n{f}()",
        f"def {f}():\n    nonlocal_ = {p}\n    {change(w, 'nonlocal_')}\n{f}()",
    ]
    if w.chance(0.3):
        each = define(w, "each", EACH)
        second = w.pick(
            ["torch.relu_", "torch.Tensor.exp_", "F.relu_", f"lambda q_: {body}", f"lambda _: {method(w, p)}"]
        )
        forms = [f"{each}({second}, [{p}, {q}])", f"{each}(lambda k: {p}.mul_(k), [2, 3])"]
    elif w.chance(0.2):
        holder, made = w.fresh("object"), define(w, "Applies", APPLIES)
        call = w.pick(
            [f".apply_(lambda q_: {body})", f".apply_(lambda q_: {body}).map_(lambda t_: t_ * 2)", ".map_(torch.exp_)"]
        )
        forms = [f"{holder} = {made}({p})\n{holder}{call}\n{q} = {q} + {holder}.h"]
    emit(w, w.pick(forms))
    watch(w, p, q)
    return True
