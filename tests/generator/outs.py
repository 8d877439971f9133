"""`out=` handed through, and two ways to one tensor: names, attributes, slots of lists, helpers in helpers."""

from __future__ import annotations

from generator.kinds import Tensor
from generator.snippets import change, define, emit, given, method, watch
from generator.writer import Writer

WITH_OUT = (
    "def NAME(t, out=None):\n    return torch.add(t, 1, out=out)",
    "def NAME(t, out):\n    torch.mul(t, 2, out=out)\n    return out",
    "def NAME(t, out=None):\n    out = torch.sigmoid(t, out=out)\n    return out * 2",
    "def NAME(t, out=None):\n    if out is None:\n        out = torch.empty_like(t)\n"
    "    torch.tanh(t, out=out)\n    return out",
    "def NAME(t, out=None):\n    r = torch.cumsum(t, 0, out=out)\n    r += 1\n    return r",
    "def NAME(t, out):\n    torch.sub(t, 1, out=out)",
    "def NAME(t, *, out=None, k=2):\n    return torch.mul(t, k, out=out)",
    "def NAME(t, **kwargs):\n    return torch.add(t, 1, **kwargs)",
)


def handed_out(w: Writer) -> bool:
    """`def f(t, out=None): return torch.add(t, 1, out=out)`, called with a tensor and with a part of one."""
    if w.depth > 1:
        return False
    y, buffer, name = given(w), w.fresh("tensor"), w.fresh("tensor")
    function = define(w, w.pick(["_add_out", "scaled", "_into"]), w.pick(WITH_OUT))
    if w.chance(0.3):
        function = define(w, "_through", f"def NAME(t, out=None):\n    return {function}(t, out=out)")
    start = w.pick([f"torch.zeros_like({y})", f"torch.full(({w.rows}, {w.columns}), 0.3)", f"{y}.detach().clone()"])
    place = w.pick(
        [buffer, buffer, f"{buffer}[0]", f"{buffer}.view({w.rows}, {w.columns})", f"{buffer}.view_as({buffer})"]
    )
    source = f"{y}.detach()[0]" if place.endswith("[0]") else f"{y}.detach()"
    call = w.pick([f"{function}({source}, out={place})", f"{name} = {function}({source}, out={place})"])
    emit(w, f"{buffer} = {start}\n{name} = {buffer}\n{call}")
    if w.chance(0.4):
        emit(w, w.pick([f"{y} = {y} + {buffer}", change(w, buffer), f"torch.add({buffer}, 1, out={buffer})"]))
    w.bind(buffer, Tensor((w.rows, w.columns)), grad=False)
    watch(w, buffer, name)
    if "None" not in w.lines[-1] and not call.startswith(name):
        w.bind(name, Tensor((w.rows, w.columns)), grad=False)
    return True


def nested_calls(w: Writer) -> bool:
    """`_outer(_outer(y))`, `y = f(y) + g(y)`, helpers that hand on what they get, and that call themselves."""
    y = given(w)
    inner = define(w, "_inner", f"def NAME(t{w.pick(['', ': torch.Tensor'])}):\n    {change(w, 't')}\n    return t")
    quiet = define(w, "_quiet", f"def NAME(t):\n    {change(w, 't')}")
    outer = define(
        w,
        w.pick(["_outer", "outer"]),
        w.pick(
            [
                f"def NAME(t):\n    {quiet}(t)\n    return t",
                f"def NAME(t):\n    {quiet}(t)\n    {quiet}(t)",
                f"def NAME(t, k=2):\n    {change(w, 't')}\n    return NAME(t, k - 1) if k else t",
                f"def NAME(t):\n    s = {inner}(t)\n    {change(w, 's')}\n    return t",
                f"def NAME(t):\n    return {inner}({inner}(t)) * 2",
                f"def NAME(t):\n    {quiet}(t[0])\n    return t",
                f"def NAME(ts):\n    for t in ts:\n        {quiet}(t)",
                f"def NAME(*ts):\n    return [{inner}(t) for t in ts]",
            ]
        ),
    )
    argument = f"[{y}]" if "(ts):" in w.preamble[-5] + w.preamble[-4] else y
    calls = [f"{outer}({argument})"] * 3 + [
        f"{inner}({inner}({y}))",
        f"{y} = {inner}({y}) + {inner}({y})",
        f"{y} = {inner}({y} * 1)",
    ]
    calls += [
        f"{inner}({y})[0] += 1",
        f"{y} = {inner}({y}).clone()",
        f"{quiet}({inner}({y}))",
        f"{inner}({y}).add_(1)",
        f"{quiet}({y}); {quiet}({y})",
    ]
    emit(w, w.pick(calls))
    watch(w, y)
    return True


def twins(w: Writer) -> bool:
    """One tensor in two names, attributes, slots of a list or of a dict, written through one of them."""
    y, name, other = given(w), w.fresh("list"), w.fresh("tensor")
    self_ = w.lookup("self.scale") is not None
    forms = [
        (f"{name} = [{y}, {y}]", f"{name}[0]", f"{name}[1]"),
        (f'{name} = {{"a": {y}, "b": {y}}}', f'{name}["a"]', f'{name}["b"]'),
        (f"{name} = ({y}, {y}[0])", f"{name}[0]", f"{name}[1]"),
        (f"{name} = [{y}]\n{name}.append({name}[0])", f"{name}[-1]", f"{name}[0]"),
        (f"{name} = [{y}] * 3", f"{name}[1]", f"{name}[2]"),
        (f"{name} = {{0: {y}}}\n{name}[1] = {name}.get(0)", f"{name}[1]", f"{name}[0]"),
        (f"{name} = [[{y}], [{y}]]", f"{name}[0][0]", f"{name}[1][0]"),
    ]
    if self_:
        forms += [
            (f"self.a = self.b = {y}", "self.a", "self.b"),
            (f"self.a = {y}\nself.b = self.a", "self.b", "self.a"),
        ] * 2
        forms += [(f"self.memory = [{y}]\nself.last = self.memory[-1]", "self.last", "self.memory[0]")]
    text, first, second = w.pick(forms)
    emit(w, f"{text}\n{change(w, first, assigns='(' not in text)}")
    if w.chance(0.4):
        emit(w, w.pick([change(w, y), method(w, second)]))
    emit(w, f"{other} = {second} * 1" if w.chance(0.5) else f"{other} = {first}.sum() + {second}.sum()")
    watch(w, other, y)
    w.bind(other, Tensor((w.rows, w.columns), "other"), dense=False)
    return True
