"""Calls that may return their argument, a view of it or a copy, and conversions that may have nothing to convert."""

from __future__ import annotations

from generator.kinds import Tensor
from generator.snippets import change, define, emit, given, watch
from generator.writer import Writer

CALLS = (
    "lambda t: t", "lambda t: t * 2", "lambda t: t.view(t.shape)", "lambda t: t.clone()", "lambda t: t.exp()",
    "lambda t: t.flip(0)", "lambda t: t[:, :1]", "lambda t: t.reshape(t.shape) + 1", "lambda t: t.detach()",
    "lambda t, kept=[]: kept.append(t) or t * 3", "lambda t, kept=[]: kept.append(t * 2) or kept[-1]",
)  # fmt: skip
PAIRS = (
    "lambda a, b: (a, b * 2)", "lambda a, b: (b, a)", "lambda a, b: (a * 2, a + b)", "lambda a, b: [a + b] * 2",
    "lambda a, b: (a[:], b.exp())",
)  # fmt: skip
MASKS = ("lambda t: t > 0.2017", "lambda t: t.detach() < 0.1013", "lambda t: torch.zeros_like(t, dtype=torch.bool)")
CONVERTED = (
    "{y}.to(torch.float32)", "{y}.float()", "{y}.contiguous()", "{y}.t().contiguous().t()", "F.dropout({y}, 0.0)",
    "{y}.double().float()", "{y}.type_as(x)", "{y}.to({y}.device)", "{y}[torch.arange(len({y}))]", "{y}.reshape(-1)",
    'torch.einsum("ij->ij", {y})', "{y}.to(x.dtype)", "torch.dropout({y}, 0.5, False)",
)  # fmt: skip


def _hidden(w: Writer, stem: str, text: str) -> str:
    """The name of a function that no analysis can follow."""
    return define(w, stem, f'NAME = eval("{text}")')


def call(w: Writer) -> bool:
    """`r = f(y); r += 1`, `r = f(y); y += 1`, `y += f(y)`, `y.masked_fill_(f(y), 0.0)`: both may be read later."""
    if w.depth > 1:
        return False
    y, r = given(w), w.fresh("tensor")
    f = _hidden(w, w.pick(["encode", "block", "norm"]), w.pick(CALLS))
    roll = w.rng.random()
    if roll < 0.3:
        emit(w, f"{r} = {f}({y})\n{change(w, r, stores=False)}")
    elif roll < 0.55:
        emit(w, f"{r} = {f}({y})\n{change(w, y)}")
    elif roll < 0.7:
        emit(w, f"{r} = {f}({y})\n{w.pick([f'{y} += {r}', f'{y}.mul_({r})', f'{y}.sub_({r})', f'{y} *= {f}({r})'])}")
    elif roll < 0.85:
        emit(w, f"{r} = {y} * 1\n{w.pick([f'{r} += {f}({y})', f'{r}.sub_({f}({r}))', f'{y} += {f}({f}({y}))'])}")
    else:
        mask = _hidden(w, "make_mask", w.pick(MASKS))
        emit(w, f"{r} = {mask}({y})\n{w.pick([f'{y}.masked_fill_({r}, 0.0)', f'{y}.masked_fill_({mask}({y}), 0.5)'])}")
    if w.chance(0.3):
        emit(w, change(w, w.pick([y, y, r]), stores=False) if roll < 0.85 else change(w, y))
    watch(w, y, r)
    return True


def pair(w: Writer) -> bool:
    """`a, b = f(y, z); a += 1`, `both = f(y, z); y *= 2`: which of them is which, the text doesn't say."""
    if w.depth > 1:
        return False
    y, z, a, b = given(w), given(w), w.fresh("tensor"), w.fresh("tensor")
    f = _hidden(w, w.pick(["step", "attend"]), w.pick(PAIRS))
    taken = w.pick([f"{a}, {b} = {f}({y}, {z})", f"both = {f}({y}, {z})\n{a} = both[0]\n{b} = both[1]"])
    emit(w, f"{taken}\n{change(w, w.pick([a, b, y, z]), stores=False)}")
    if w.chance(0.4):
        emit(w, w.pick([change(w, b, stores=False), f"{a} += {b}", f"{y} += {a}", f"{z}.mul_({b})"]))
    watch(w, y, z, a, b)
    return True


def converted(w: Writer) -> bool:
    """`r = y.float(); r += 1`, `r = y.contiguous(); y[0] = 0.5`: what there is to convert, the values say."""
    y, r = given(w), w.fresh("tensor")
    text = w.pick(CONVERTED).format(y=y)
    emit(w, f"{r} = {text}\n{change(w, w.pick([r, y]))}")
    if w.chance(0.3):
        emit(w, w.pick([change(w, r), change(w, y)]))
    w.bind(r, Tensor((w.rows * w.columns,) if "reshape" in text else (w.rows, w.columns)), text, dense=False)
    watch(w, y, r)
    return True
