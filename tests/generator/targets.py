"""Attributes that can't be bound to any tensor: properties, slots, parameters, buffers, fields of tuples."""

from __future__ import annotations

from generator.kinds import Tensor
from generator.snippets import change, define, emit, given, method, watch
from generator.writer import Writer

INIT = "class NAME:\n    def __init__(self, h):\n        self._h, self.seen = h, 0\n\n"
GETTER = "    @property\n    def h(self):\n        return self._h{view}\n\n"
SETTER = "    @h.setter\n    def h(self, value):\n        self._h, self.seen = value{change}, self.seen + 1\n\n"
PLAIN = GETTER.replace("{view}", "")
HOLDERS = (
    INIT + PLAIN + SETTER.replace("{change}", "") + "{more}",
    INIT + PLAIN + "{more}",
    INIT + GETTER + "{more}",
    INIT + PLAIN + SETTER.replace("{change}", " * 2") + "{more}",
    'class NAME:\n    __slots__ = ("h",)\n\n    def __init__(self, h):\n        self.h = h\n\n{more}',
    'class NAME:\n    __slots__ = ["h"]\n\n    def __init__(self, h):\n        self.h = h\n\n{more}',
    "class NAME(NamedTuple):\n    h: torch.Tensor\n\n{more}",
    "@dataclass(frozen=True)\nclass NAME:\n    h: torch.Tensor\n\n{more}",
    "@dataclass\nclass NAME:\n    h: torch.Tensor\n\n{more}",
    # attributes that are made when they are asked for
    "class NAME:\n    def __init__(self, h):\n        self.kept = {{'h': h}}\n\n    def __getattr__(self, name):\n"
    "        return self.__dict__['kept'][name]\n\n{more}",
    "class NAME:\n    def __init__(self, h):\n        self.__dict__['h'] = h\n\n"
    "    def __setattr__(self, name, value):\n        raise AttributeError(name)\n\n{more}",
)
VIEWS = ("[0]", ".view(-1)", " * 2", "[:, 0]", ".t()", ".detach()")


def holder(w: Writer) -> bool:
    """`box.h *= 2` where `h` is a property, a slot, a field of a tuple or of something frozen."""
    y, name = given(w), w.fresh("object")
    template = w.pick(HOLDERS)
    inner = w.pick(["self.h.mul_(2)", "self.h[0] = 0.5", "self.h.add_(k)", "self.h.exp_().add_(k)", "self.h *= k"])
    if any(word in template for word in ("frozen", "NamedTuple", "raise Attr")) or template.count("h.setter") == 0:
        inner = inner.replace("self.h *= k", "self.h.mul_(k)")
    more = f"    def shift(self, k=2):\n        {inner}\n        return self"
    made = define(
        w, "Held", template.format(more=more, view=w.pick([v for v in VIEWS if v != ".view(-1)" or _dense(w, y)]))
    )
    source = w.pick([y, y, f"{y} * 1", f"torch.tanh({y})"])
    writes = [
        f"{name}.shift()",
        f"{name}.shift(3).shift()",
        method(w, f"{name}.h"),
        f"{name}.h[0] = 0.5",
        f"{name}.h[...] += 1",
    ]
    if "setter" in template or "slots" in template or "@dataclass\n" in template:
        writes += [f"{name}.h *= 2", f"{name}.h += {y}"] * 2
    emit(w, f"{name} = {made}({source})")
    for _ in range(w.pick([1, 1, 2])):
        w.emit(w.pick(writes))
    out = w.fresh("tensor")
    emit(w, f"{out} = {name}.h.sum()" + w.pick(["", f" + {y}.sum()"]))
    w.bind(out, Tensor(()), y)
    watch(w, y, out)
    return True


def _dense(w: Writer, name: str) -> bool:
    place = w.lookup(name)
    return place is not None and place.dense


def tensor_attribute(w: Writer) -> bool:
    """`y.T.mul_(2)`, `y.mT[0] = 1`, `y.real += 1`, `y.data.T.add_(1)`: attributes of the tensor itself."""
    y = given(w)
    forms = [
        f"{y}.T.mul_(2)",
        f"{y}.T[0] = 0.5",
        f"{y}.mT[0] += 1",
        f"{y}.T.add_({y}.T)",
        f"{y}.real.mul_(2)",
        f"{y}.mT.exp_()",
    ]
    forms += [f"{y}.T[0, 1:] *= 2", f"{y}.t().sub_(1)", f"{y}.H.mul_(2)", f"{y}.mH[0] = 0.5"]
    w.emit(w.pick(forms))
    watch(w, y)
    return True


MODULE_WRITES = (
    "self.running.mul_(0.9)", "self.running *= 0.9", "self.running.mul_(0.9).add_({y}.detach().mean(0), alpha=0.1)",
    "self.running[0] = 0.5", "self.running.data = {y}.detach().mean(0)", "self.running += {y}.mean(0).detach()",
    "self.seen.add_(1)", "self.seen += 1", 'getattr(self, "running").mul_(0.9)',
    "self.running.copy_({y}.detach()[0])",
    'self._buffers["running"].mul_(0.9)', "self.linear.weight.data.mul_(0.5)",
    "self.linear.bias.data = {y}.detach().mean(0)",
    "self.scale.data.clamp_(0, 1)", "self.linear.weight.data[0] = 0.25", "self.norm.num_batches_tracked.add_(1)",
    "self.norm.running_mean.mul_(0.5)", "self.norm.bias.data += 1", "self.scale.data *= 0.5",
    "torch.mul(self.running, 0.5, out=self.running)",
)  # fmt: skip
UNRECORDED = (
    "self.scale *= 2", "self.linear.weight.mul_(0.9)", "self.scale.clamp_(0, 1)", "self.linear.bias.zero_()",
    "self.scale[0] = 0.5",
    "self.linear.weight.view(-1)[0] += 1", "self.linear.bias.copy_({y}.mean(0))", "self.scale -= 0.1 * self.scale",
    "for p in self.parameters():\n    p.mul_(0.9)", "self.linear.weight.T.mul_(2)",
)  # fmt: skip


def module_state(w: Writer) -> bool:
    """`self.running.mul_(0.9)`, `self.scale.data *= 0.5`, and parameters under no_grad, in a module's `forward`."""
    if w.lookup("self.running") is None or w.depth > 1:
        return False
    y = given(w)
    if w.chance(0.1):
        emit(w, "for p in self.parameters():\n    if p.grad is not None:\n        p -= 0.1 * p.grad")
    elif w.chance(0.4):
        lines = w.pick(UNRECORDED).format(y=y).replace("\n", "\n    ")
        emit(w, f"with torch.no_grad():\n    {lines}")
    else:
        emit(w, w.pick(MODULE_WRITES).format(y=y))
    if w.chance(0.6):
        emit(
            w, w.pick([f"{y} = {y} * self.running", f"{y} = {y} - self.scale", f"{y} = self.linear({y})", change(w, y)])
        )
    return True


GETTING = """class NAME:
    def __init__(self, h):
        self.h = h

    def state(self):
        return self.h

    @property
    def hidden(self):
        return self.h

    def clear(self):
        self.h = {other}

    def reset(self):
        self.clear()

    def taken(self):
        h = self.h
        self.h = {other}
        return h
"""


def getter(w: Writer) -> bool:
    """`h = cell.state(); h *= 2`: the tensor in an attribute by way of methods, some of which replace it."""
    y, name, first, second = given(w), w.fresh("object"), w.fresh("tensor"), w.fresh("tensor")
    made = define(w, "Getting", GETTING.format(other=w.pick(["self.h * 2", "torch.tanh(self.h)", "self.h.exp() + 1"])))
    emit(w, f"{name} = {made}({w.pick([y, f'{y} * 1', f'torch.sigmoid({y})'])})")
    ways = [f"{name}.state()", f"{name}.hidden", f"{name}.h", f"{name}.taken()", f"{name}.state().view(-1)[1:]"]
    emit(w, f"{first} = {w.pick(ways[:4])}")
    for _ in range(w.pick([0, 1, 2])):
        w.emit(w.pick([f"{name}.reset()", f"{name}.clear()", f"{name}.taken()", change(w, f"{name}.h")]))
    emit(w, f"{second} = {w.pick(ways)}")
    for _ in range(w.pick([1, 1, 2])):
        w.emit(
            w.pick([f"{second} *= 2", f"{second}.mul_(2)", f"{first} += 1", f"{name}.h += 1", f"{name}.state().sin_()"])
        )
    out = w.fresh("tensor")
    emit(w, f"{out} = {second}.sum() + ({first} * {name}.h).sum()")
    w.bind(out, Tensor(()), y)
    watch(w, y, out)
    return True
