"""Functions under `vmap`, which fill tensors that have the batch dimension, or don't."""

from __future__ import annotations

from generator.snippets import define, emit, given, watch
from generator.writer import Writer

FUNCTION = """
def NAME(r, c):
    out = {maker}
    {first}
    {second}
    {third}
    return {returned}
"""
HELPER = """
def NAME(t, v):
    {write}
"""
METHOD = """
class NAME:
    def __init__(self, c):
        self.c = c

    def __call__(self, r):
        return {function}(r, self.c)
"""
MAKERS = (
    *("torch.zeros(4)", "torch.zeros(4)", "torch.ones(r.shape)", "torch.empty(4).fill_(0.5)", "torch.full((4,), 0.25)"),
    *("torch.zeros(4, dtype=r.dtype, device=r.device)", "torch.zeros_like(c)", "c.new_ones(4)", "c.clone()", "c * 2"),
    *("torch.eye(4)[1]", "torch.eye(4)", "torch.arange(4.0)", "torch.zeros(4).double()", "torch.ones(4) + c"),
    *("torch.zeros_like(r)", "r.new_zeros(4)", "r.clone()", "r.exp()", "c", "r", "torch.where(c > 0, c, r)"),
)
WRITES = (
    *("out[0] = r[0]", "out[..., 1:] = r[1:]", "out[-1] += r[0] * c[0]", "out += r", "out *= c", "out[..., 2] = 0.5"),
    *("out[...] = r * 2", "out.mul_(r)", "out.copy_(r * c)", "out[..., :2].add_(r[:2])", "out[0] = c[0]"),
    *("for i in range(1, 4): out[i] = out[i - 1] * r[i]", "for i in range(4): out[i] += r[i] ** 2", "out.exp_()"),
    *("out[r > 0.2013] = 0.1", "out.masked_fill_(c > 0, 0.5)", "v = out[..., 1:]; v *= r[1:]", "put(out, r)"),
    *("out = out.sigmoid(); out[0] = r[1]", "out.index_add_(0, torch.tensor([0, 2]), r[:2])", "put(out, c)", "pass"),
    *("out[torch.tensor([0, 3])] = r[:2]", "out[r.argmax()] = 1.5", "out = out + r; out -= 0.5", "put(out[0], r[1])"),
)
RETURNED = ("out", "out", "out * r", "out.sum()", "torch.tanh(out)", "(out, r * 2)[0]")
CALLS = (
    "torch.vmap(NAME, in_dims=(0, None))({x}, {x}[0])",
    "torch.func.vmap(NAME)({x}, {x} * 2)",
    "torch.vmap(lambda r: NAME(r, {x}[-1]))({x})",
    "torch.vmap(functools.partial(NAME, c={x}[0]))({x})",
    "torch.vmap(torch.func.grad(lambda r, c: NAME(r, c).sum()), in_dims=(0, None))({x}, {x}[0].detach())",
    "torch.vmap(torch.vmap(NAME, in_dims=(0, None)), in_dims=(None, 0))({x}, {x} + 1)",
    "torch.vmap(lambda r: torch.vmap(lambda c: NAME(c, r))({x}))({x})",
    "torch.vmap(torch.func.jacrev(NAME), in_dims=(0, None))({x}, {x}[0])",
    "torch.vmap(NAME, in_dims=(None, 0))({x}[0], {x})",
    "torch.vmap(Held({x}[0]))({x})",
    "torch.func.jacrev(NAME)({x}[0], {x}[-1])",
)


def mapped(w: Writer) -> bool:
    """`y = torch.vmap(f)(x)`, where `f` fills a tensor."""
    x, y = given(w), w.fresh("tensor")
    first, second, third = (w.pick(WRITES) for _ in range(3))
    parts = {"maker": w.pick(MAKERS), "first": first, "second": second, "third": third}
    text = FUNCTION.format(**parts, returned=w.pick(RETURNED))
    if "put(" in text:
        write = w.pick(("t[0] = v[0]", "t += v", "t.mul_(v)", "t[...] = v", "t[..., -1] *= v.sum()"))
        text = text.replace("put(", define(w, "_put", HELPER.format(write=write)) + "(")
    function = define(w, "fill", text)
    call = w.pick(CALLS)
    if "Held" in call:
        call = call.replace("Held", define(w, "Held", METHOD.format(function=function)))
    emit(w, f"{y} = {call.replace('NAME', function).format(x=x)}")
    if w.chance(0.2):
        emit(w, f"{y} = {y}.sum() + {function}({x}[0], {x}[-1]).sum()")
    emit(w, f"{x} = {x} + {y}.sum()")
    watch(w, x, y)
    return True
