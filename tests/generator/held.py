"""State and side effects: records given to functions, meters, results left in attributes, custom functions."""

from __future__ import annotations

from generator.snippets import change, define, emit, given, method, watch
from generator.writer import Writer

FUNCTION = """
class NAME(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        {forward}

    @staticmethod
    def backward(ctx, grad):
        return grad * {factor}
"""
FORWARDS = (
    ("return x", "1"),
    ("return x.view_as(x)", "1"),
    ("return x.reshape(x.shape)", "1"),
    ("return (x * 2).view(x.shape)", "2"),
    ("return x * 2", "2"),
    ("y = x.exp()\n        ctx.save_for_backward(y)\n        return y", "ctx.saved_tensors[0]"),
    ("ctx.save_for_backward(x)\n        return x.exp()", "ctx.saved_tensors[0].exp()"),
    ("ctx.y = x.exp()\n        return ctx.y", "ctx.y"),
)
RECORDS = (
    "@dataclass\nclass NAME:\n    h: torch.Tensor\n    c: torch.Tensor\n",
    "class NAME(NamedTuple):\n    h: torch.Tensor\n    c: torch.Tensor\n",
    'NAME = namedtuple("NAME", ["h", "c"])\n',
    'NAME = namedtuple("NAME", "h c")\n',
)
STEPS = (
    "def NAME(s, k):\n    {write}\n    return s\n",
    "def NAME(s, k):\n    h = s.h\n    {local}\n    return s.c * h\n",
    "def NAME(s, k):\n    {write}\n    c = s.c * k\n    return {of}(s.h, c)\n",
    "def NAME(s, k):\n    h, c = s.h, s.c\n    {local}\n    return {of}(h, c)\n",
)
METER = """
class NAME:
    def __init__(self):
        self.seen, self.last = [], None

    def update(self, t):
        {write}
        {note}

    def __call__(self, t):
        flat = t.{view}
        {flat}
        {note}
"""
CELL = """
class NAME:
    def __init__(self, h):
        self._h = h

    @property
    def h(self):
        return self._h

    def step(self, x, keep=True):
        y = torch.{function}(x)
        {left}
        return {returned}

    def write(self):
        {write}
        return self.h * self._h
"""


def custom_function(w: Writer) -> bool:
    """`y = Same.apply(x)`, and a write to `y` or `x`."""
    x, y = given(w), w.fresh("tensor")
    forward, factor = w.pick(FORWARDS)
    of = define(w, "Custom", FUNCTION.format(forward=forward, factor=factor))
    emit(w, w.pick([f"{y} = {of}.apply({x})", f"{y} = {of}.apply({x} * 2)", f"{y} = {of}.apply({x}[:1])"]))
    written = w.pick([y, y, x])
    emit(w, w.pick([change(w, written), f"with torch.no_grad():\n    {method(w, written)}", change(w, written)]))
    emit(w, f"{x} = {x} + {y}")
    watch(w, x, y)
    return True


def record(w: Writer) -> bool:
    """`s = step(s, 2)`, where `step` writes a field of the record, which a name may hold, too."""
    x, other = given(w), given(w)
    of = define(w, "Record", w.pick(RECORDS))
    write = method(w, "s.h")
    step = define(w, "step", w.pick(STEPS).format(write=write, local=change(w, "h"), of=of))
    s, held = w.fresh("object"), w.fresh("tensor")
    emit(w, f"{s} = {of}({x}, {w.pick([other, f'{x}.exp()', f'torch.tanh({other})'])})")
    emit(w, f"{held} = {w.pick([f'{s}.h', f'{s}.c', f'{s}.h * 2', f'torch.sigmoid({s}.h)'])}")
    emit(w, w.pick([f"{held} = {held} + getattr(step, 'x', 0)", ""]).replace("step", step))
    emit(w, f"{s} = {step}({s}, 2)")
    emit(w, f"{s} = {s}.h + {s}.c if isinstance({s}, {of}) else {s}")
    emit(w, f"{x} = {x} * {s} + {held}")
    watch(w, x, held)
    return True


def meter(w: Writer) -> bool:
    """`meter.update(y)`: an object that writes what it records, before the tensor is read again or not."""
    y = given(w)
    note = w.pick(
        [
            "self.seen.append(float(t.detach().sum()))",
            "self.last = t.detach().sum()",
            "self.last = t * 1",
            "return None",
        ]
    )
    text = METER.format(
        write=change(w, "t"), note=note, flat=change(w, "flat"), view=w.pick(["view(-1)", "flatten()", "reshape(-1)"])
    )
    of, m = define(w, "Meter", text), w.fresh("object")
    emit(w, f"{m} = {of}()")
    for _ in range(w.pick([1, 1, 2])):
        emit(w, w.pick([f"{m}.update({y})", f"{m}({y})", f"{m}.update({y} * 2)"]))
    if w.chance(0.5):
        watch(w, y)
    return True


def left(w: Writer) -> bool:
    """`y = cell.step(x)`, which stays in an attribute that a property returns."""
    x, y, c = given(w), w.fresh("tensor"), w.fresh("object")
    text = CELL.format(
        function=w.pick(["tanh", "exp", "sigmoid", "relu"]),
        left=w.pick(["self._h = y", "if keep:\n            self._h = y", "self._h = y.view(-1)", "self.first = y[0]"]),
        returned=w.pick(["y", "self._h", "self.h", "y, self._h", "y * 1"]),
        write=w.pick([method(w, "self.h"), "self._h += 1", method(w, "self._h")]),
    )
    emit(w, f"{c} = {define(w, 'Carry', text)}({x})")
    emit(w, f"{y} = {c}.step({x}{w.pick(['', ', False', ', True'])})")
    emit(w, f"{y} = {y}[0] if isinstance({y}, tuple) else {y}")
    for _ in range(w.pick([1, 2])):
        emit(w, w.pick([change(w, y), f"{x} = {x} * {c}.write().sum()", method(w, f"{c}.h"), f"{c}._h.mul_(2)"]))
    emit(w, f"{x} = {x} + {c}.h.sum() * {y}")
    watch(w, x, y)
    return True


def factory(w: Writer) -> bool:
    """`inbox = defaultdict(lambda: torch.zeros(3))`, whose elements are written and held under other names."""
    x, inbox, held = given(w), w.fresh("object"), w.fresh("tensor")
    made = w.pick([f"torch.zeros_like({x})", f"{x} * 2", x, f"{x}[:]", "torch.zeros(3)[0]"])
    emit(w, f"{inbox} = defaultdict(lambda: {made})")
    emit(w, f"{held} = {inbox}[{w.pick(['0', '1'])}]{w.pick(['', ' * 2', '.exp()'])}")
    write = w.pick([f"{inbox}[k] += {x}.exp().sum()", f"{inbox}[k].mul_(2)", f"{inbox}[k] *= 2", f"{inbox}[1] -= 1"])
    emit(w, f"for k in {w.pick(['(0, 1)', 'range(2)', '[1, 1]'])}:\n    {write}")
    emit(w, f"{x} = {x} + {held} * {inbox}[1]")
    watch(w, x, held)
    return True
