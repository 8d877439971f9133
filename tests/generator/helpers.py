"""Ways to hand a tensor to a helper that writes it; namesakes among methods; memory whose layout is its purpose."""

from __future__ import annotations

from generator.kinds import Plain, Tensor
from generator.snippets import change, define, emit, given, method, result, watch
from generator.writer import Writer

SHAPES = (
    # the helper, and how it is called with a tensor {y}
    ("def NAME(t, *a):\n    {c}\n    return t", "{f}({y}, 2)"),
    ("def NAME(t, *a):\n    t.mul_(*a)", "{f}({y}, 2)"),
    ("def NAME(*a):\n    t, k = a\n    {c}", "{f}({y}, 2)"),
    ("def NAME(*a):\n    t = a[0]\n    {c}\n    return t", "{f}({y})"),
    ("def NAME(t, k=1):\n    {c}", "{f}(*[{y}, 2])"),
    ("def NAME(t, k=1):\n    {c}\n    return t", "{f}(k=2, t={y})"),
    ("def NAME(t, k=1):\n    {c}", '{f}(**{{"t": {y}, "k": 2}})'),
    ("def NAME(**k):\n    t = k['t']\n    {c}", "{f}(t={y})"),
    ("def NAME(*, t):\n    {c}\n    return t", "{f}(t={y})"),
    ("def NAME(t, /, k):\n    {c}", "{f}({y}, k=1)"),
    ("def NAME(k, t=None):\n    {c}\n    return t", "{f}(1, {y})"),
    ("def NAME(pair):\n    t, k = pair\n    {c}", "{f}(({y}, 1))"),
    ("def NAME(d):\n    t = d['t']\n    {c}\n    return d", '{f}({{"t": {y}}})'),
    ("def NAME(ts):\n    ts[0].mul_(2)\n    return ts", "{f}([{y}])"),
    ("def NAME(t, inplace=False):\n    return t.mul_(2) if inplace else t * 2", "{f}({y}, {b})"),
    ("def NAME(t, inplace=True):\n    if not inplace:\n        t = t.clone()\n    {c}\n    return t", "{f}({y}, {b})"),
    ("class NAME:\n    @staticmethod\n    def step(t):\n        {c}", "{f}.step({y})"),
    ("class NAME:\n    @classmethod\n    def step(cls, t):\n        {c}\n        return t", "{f}.step({y})"),
    ("class NAME:\n    def __call__(self, t):\n        {c}", "{f}()({y})"),
    ("class NAME:\n    def step(self, t):\n        {c}\n        return self", "{f}().step({y}).step({y})"),
    ("def NAME(t):\n    {c}\n    yield t", "list({f}({y}))"),
    ("def NAME(f):\n    def inner(t):\n        {c}\n        return f(t)\n    return inner", "{f}(torch.sigmoid)({y})"),
    ("def NAME(t):\n    {c}\n    return t", "functools.partial({f}, {y})()"),
    ("def NAME(t):\n    {c}\n    return t", "(lambda f: f({y}))({f})"),
    ("def NAME(t):\n    {c}\n    return t", "[f({y}) for f in [{f}, {f}]]"),
    ("def NAME(t):\n    {c}\n    return t", "{{'a': {f}}}['a']({y})"),
    ("def NAME(t: 'torch.Tensor | None' = None):\n    if t is not None:\n        {c}\n    return t", "{f}({y})"),
    ("def NAME(t):\n    s = t.view_as(t)\n    s.mul_(2)\n    return s", "{f}({y})"),
    ("def NAME(t):\n    s = t\n    {c}\n    s.add_(1)", "{f}({y})"),
    ("def NAME(t):\n    def inner():\n        s = t\n        s.mul_(2)\n    inner()\n    return t", "{f}({y})"),
)  # fmt: skip


def call_shape(w: Writer) -> bool:
    """`_touch(y, 2)` with `*a`, `_touch(**{"t": y})`, static methods, decorators, generators, flags `inplace`."""
    y = given(w)
    text, call = w.pick(SHAPES)
    written = text.replace("{c}", change(w, "t"))
    name = define(w, w.pick(["_touch", "_pass", "touch_"]) if text.startswith("def") else "Touch", written)
    call = call.format(f=name, y=y, b=w.pick(["True", "False", "inplace=True", "not False"]))
    returns = text.count("return t") and call.startswith((f"{name}(", "functools", "(lambda"))
    if returns and w.chance(0.4):
        out = result(w, call)
        watch(w, out)
    else:
        w.emit(call)
    if w.chance(0.3):
        w.emit(change(w, y))
    watch(w, y)
    return True


def namesakes(w: Writer) -> bool:
    """Methods of one name in two classes, with other parameters, of which one writes what the other reads."""
    y, z = given(w), given(w)
    first = define(w, "Writes", f"class NAME:\n    def update(self, t, k):\n        {change(w, 't')}\n        return k")
    second = define(
        w,
        "Reads",
        f"class NAME:\n    def __init__(self):\n        self.n, self.h = 0, None\n\n"
        f"    def update(self, k, t):\n        self.n += 1\n        self.h = t\n"
        f"        {w.pick(['k', 't'])}.mul_(2)\n        return t * k",
    )
    a, b = w.fresh("object"), w.fresh("object")
    emit(w, f"{a}, {b} = {first}(), {second}()")
    calls = [
        f"{a}.update({y}, {z})",
        f"{b}.update({z}, {y})",
        f"for m in ({a}, {b}):\n    m.update({y}, {z})",
        f"{b}.update({y} * 1, {z})",
    ]
    for call in w.rng.sample(calls, 2):
        emit(w, call)
    watch(w, y, z)
    return True


def layouts(w: Writer) -> bool:
    """`out = torch.empty_strided(...); out.copy_(y)`, whose strides the program reports."""
    y, out, seen = given(w), w.fresh("tensor"), w.fresh("plain")
    r, c = w.rows, w.columns
    starts = [f"torch.empty_strided(({r}, {c}), ({c + 2}, 1))", f"torch.empty_strided(({r}, {c}), (1, {r}))"]
    starts += [f"torch.zeros({r * c}).as_strided(({r}, {c}), (1, {r}))"]
    start = w.pick(starts)
    emit(w, f"{out} = {start}\n{out}.copy_({y})")
    if w.chance(0.6):
        emit(w, change(w, out))
    emit(w, f"{seen} = list({out}.stride())")
    w.bind(out, Tensor((r, c)), y, dense=False)
    w.bind(seen, Plain("numbers"), grad=False)
    watch(w, out, seen, y)
    return True


def looked_up(w: Writer) -> bool:
    """`rows = F.embedding(n, y); rows += 1; n += 1`: what shares memory with the indices, and what doesn't."""
    y, n, rows = given(w), w.fresh("tensor"), w.fresh("tensor")
    taken = [
        f"F.embedding({n}, {y})",
        f"{y}[{n}]",
        f"torch.index_select({y}, 0, {n})",
        f"torch.gather({y}, 0, {n}[:, None])",
    ]
    taken += [f"{y}.take_along_dim({n}[:, None], 0)", f"F.one_hot({n}, {w.rows}).float()"]
    take = w.pick(taken)
    emit(w, f"{n} = torch.tensor([0, 1])\n{rows} = {take}")
    for line in w.rng.sample(
        [change(w, rows), f"{n} += 0", f"{n}.mul_(1)", change(w, y), method(w, rows), f"{n}[0] = 1"], 2
    ):
        w.emit(line)
    total = result(w, f"{rows}.sum() + {n}.sum()", ())
    watch(w, total, y)
    return True
