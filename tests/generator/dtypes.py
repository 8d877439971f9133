"""Operands of other dtypes: what callers pass, autocast, default dtypes, NumPy, modules that are cast."""

from __future__ import annotations

from generator.kinds import Plain
from generator.snippets import define, emit, given, watch
from generator.writer import Writer

BODIES = (
    "t += k\n    return t",
    "t.add_(k)\n    return t",
    "t *= k\n    return t",
    "t.mul_(k)\n    return t * 1",
    "t.copy_(k)\n    return t",
    "t[0] = k[0]\n    return t",
    "t[:1] += k[:1]\n    return t",
    "t.lerp_(k.to(t.dtype), 0.5)\n    return t",
    "u = t * 1\n    u += k\n    return u",
    "u = t.clone()\n    u.sub_(k)\n    return u, t",
    "t.addcmul_(k, k)\n    return t",
    "t = t.exp()\n    t /= k\n    return t",
    "t.clamp_(max=0.5)\n    t -= k\n    return t",
    "t[t > 0.2039] = 0\n    t += k\n    return t",
)
CASTS = (
    "{y}",
    "{y} * 1",
    "{y}.double()",
    "{y}.half()",
    "{y}.bfloat16()",
    "{y}.detach().double()",
    "{y}.to(torch.float64)",
    "{y}.float()",
    "torch.ones({c}, dtype=torch.float64)",
    "torch.ones({c})",
    "torch.ones({c}, dtype=torch.float16)",
    "torch.from_numpy(np.ones({c}))",
    "torch.tensor(np.arange({c}) + 1.0)",
    "torch.as_tensor(np.float64(2.0))",
    "torch.arange({c})",
    "torch.tensor(2.0, dtype=torch.float64)",
    "{y} > 0.1",
    "torch.tensor([2.0] * {c}).double()",
    "{y}.sum().double()",
    "{y}.long()",
)
FIRST = (
    "{y} * 1",
    "{y} * 2",
    "{y}.half()",
    "{y}.bfloat16()",
    "{y}.double()",
    "{y}.exp()",
    "torch.zeros({r}, {c})",
    "torch.zeros({r}, {c}, dtype=torch.float16)",
    "{y}.detach().bfloat16()",
)
REGIONS = (
    'with torch.autocast("cpu", dtype=torch.bfloat16):\n    {call}',
    'with torch.amp.autocast("cpu", torch.bfloat16):\n    {call}',
    'ctx_ = torch.autocast("cpu", torch.bfloat16)\nwith ctx_:\n    {call}',
    "with {amp}():\n    {call}",
    'ctx_ = torch.autocast("cpu", torch.bfloat16)\nctx_.__enter__()\n{call}\nctx_.__exit__(None, None, None)',
    'with ExitStack() as stack_:\n    stack_.enter_context(torch.autocast("cpu", torch.bfloat16))\n    {call}',
    'with torch.autocast("cpu", dtype=torch.bfloat16, enabled={flag}):\n    {call}',
    "{call}",
)
AMP = (
    'def NAME(on=True):\n    return torch.autocast("cpu", torch.bfloat16, enabled=on)',
    '@contextmanager\ndef NAME():\n    with torch.autocast("cpu", torch.bfloat16):\n        yield',
)
LAYERS = (
    "y = self.lin(x)\n        y += x\n        return y",
    "y = self.lin(x)\n        y *= self.scale\n        return y",
    "y = x @ self.lin.weight\n        y.add_(self.scale)\n        return y",
    "y = F.linear(x, self.lin.weight)\n        y[0] = x[0]\n        y += self.lin.bias\n        return y",
    "y = self.lin(x).relu_()\n        y -= y.mean()\n        return y, x",
    "h = self.scale * x\n        h += self.lin(x)\n        return h",
    "y = self.lin(x)\n        y /= y.sum(-1, keepdim=True)\n        return y",
    "y = torch.zeros_like(x)\n        y += self.lin(x)\n        return y",
)


def cast_by_callers(w: Writer) -> bool:
    """`_mix(y, y.double())`: a function of the file whose callers in sight give it several dtypes."""
    y, z = given(w), w.fresh("plain")
    f = define(w, w.pick(["_mix", "_mix", "mix"]), f"def NAME(t, k):\n    {w.pick(BODIES)}")
    if w.chance(0.2):
        f = define(w, "_Mixer", f"class NAME:\n    def go(self, t, k):\n        return {f}(t, k)") + "().go"
    calls = [
        f"{f}({w.pick(FIRST)}, {w.pick(CASTS)})".format(y=y, r=w.rows, c=w.columns) for _ in range(w.pick([1, 2, 2]))
    ]
    text = ", ".join(calls)
    if w.chance(0.3):
        text = f"[{f}(u_, k_) for u_, k_ in [({y} * 1, {w.pick(CASTS)}), ({y} * 2, {w.pick(CASTS)})]]".format(
            y=y, r=w.rows, c=w.columns
        )
    emit(w, f"{z} = {text}")
    _seen(w, y, z)
    return True


def in_sight(w: Writer) -> bool:
    """A net that is called under autocast, or cast as a whole, or after the default dtype was changed."""
    if w.depth > 1:
        return False
    y, n, z = given(w), w.fresh("object"), w.fresh("plain")
    decorated = '    @torch.autocast("cpu", torch.bfloat16)\n' if w.chance(0.15) else ""
    name = define(
        w,
        "Mixed",
        f"class NAME(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        self.lin = nn.Linear({w.columns}, {w.columns})\n"
        f"        self.scale = nn.Parameter(torch.ones({w.columns}))\n\n"
        f"{decorated}    def forward(self, x):\n        {w.pick(LAYERS)}",
    )
    roll = w.rng.random()
    region, call = w.pick(REGIONS), f"{z} = {n}({y})"
    if roll < 0.6:
        emit(w, f"{n} = {name}()")
    elif roll < 0.75:
        emit(w, f"{n} = {name}(){w.pick(['.double()', '.bfloat16()', '.to(torch.float64)', '.half()'])}")
        same = f"to({n}.scale.dtype)"
        region, call = "{call}", f"{z} = {n}({y}.{w.pick([same, same, 'double()', 'bfloat16()'])})"
    elif roll < 0.88:
        emit(w, f"{n} = {name}()\n{n}.{w.pick(['lin', 'lin.weight.data', 'lin'])}.to(torch.bfloat16)")
        emit(w, f"{n}.scale.data = {n}.scale.data.double()")
    else:
        emit(w, f"old_ = torch.get_default_dtype()\ntorch.set_default_dtype(torch.float64)\n{n} = {name}()")
        emit(w, "torch.set_default_dtype(old_)")
        call = f"{z} = {n}({y}.double())"
    amp = define(w, "amp", w.pick(AMP)) if "{amp}" in region else ""
    emit(w, region.format(call=call, amp=amp, flag=w.pick(["True", f"bool({y}.sum() > 0.1)"])))
    _seen(w, y, z)
    return True


def _seen(w: Writer, y: str, z: str) -> None:
    w.bind(z, Plain("seen"))
    watch(w, y, z)
