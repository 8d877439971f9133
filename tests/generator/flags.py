"""The flags of layers that work in place, which code reads, prints and changes."""

from __future__ import annotations

from generator.kinds import Plain, Tensor
from generator.snippets import change, define, emit, given, watch
from generator.writer import Writer

NET = """
class NAME(nn.Module):
    def __init__(self{parameter}):
        super().__init__()
        self.lin = nn.Linear({c}, {c})
        self.act = {act}

    def forward(self, x):
        y = self.lin(x)
        z = {call}
        return {end}
"""
ACTS = (
    ("", "nn.ReLU(inplace=True)"),
    ("", "nn.ReLU(True)"),
    (", inplace=True", "nn.ReLU(inplace=inplace)"),
    (", kw=dict(inplace=True)", "nn.ReLU(**kw)"),
    ("", "nn.ELU(inplace=True)"),
    ("", "_Own(inplace=True)"),
    (", **kw", "nn.ReLU(**{'inplace': True, **kw})"),
)
OWN = "class _Own(nn.ReLU):\n    pass"
READS = (
    "{z} = {n}.act.inplace",
    "{z} = repr({n})",
    "{z} = str({n}.act)",
    "{z} = f'{{{n}}}'",
    "{z} = '%s' % {n}.act",
    "{z} = [m_.inplace for m_ in {n}.modules() if isinstance(m_, nn.ReLU)]",
    "{z} = vars({n}.act)['inplace']",
    "{z} = [getattr(m_, 'inplace', False) for m_ in {n}.modules()]",
    "{z} = {n}.act.extra_repr()",
    "{z} = any(getattr(m_, 'inplace', 0) for m_ in {n}.children())",
    "{z} = {n}.act.__dict__.get('inplace')",
    "{z} = []\n{n}.apply(lambda m_: {z}.append(getattr(m_, 'inplace', None)))",
    "{z} = [m_.extra_repr() for m_ in {n}.modules()]",
    "{z} = io.StringIO()\nprint({n}, file={z})\n{z} = {z}.getvalue()",
    "{z} = operator.attrgetter('act.inplace')({n})",
    "{z} = 'inplace=True' in repr({n})",
    "{z} = hash(repr({n}.act)) == hash('ReLU(inplace=True)')",
    "{z} = 1 if {n}.act.inplace else 2",
)
CHANGES = (
    "{n}.act.inplace = False",
    "{n}.act.inplace = not {n}.act.inplace",
    "setattr({n}.act, 'inplace', False)",
    "for m_ in {n}.modules():\n    if hasattr(m_, 'inplace'):\n        m_.inplace = not m_.inplace",
    "for m_ in {n}.modules():\n    m_.inplace = False",
    "vars({n}.act)['inplace'] = False",
    "{f}({n})",
    "{n}.apply({f})",
    "{n}.act.__dict__.update(inplace=False)",
    "{n}.act.__setstate__({{**{n}.act.__dict__, 'inplace': False}})",
    "{n} = copy.deepcopy({n})",
    "{n}.act = copy.deepcopy({n}.act)",
    "{n}.act = nn.ReLU(not {n}.act.inplace)",
)
OFF = "def NAME(m):\n    for q in m.modules():\n        if isinstance(q, nn.ReLU):\n            q.inplace = False"


def net(w: Writer) -> bool:
    """A net with a layer that works in place, whose flag is read or changed before it is called."""
    if w.depth > 1:
        return False
    y, n, z, h = given(w), w.fresh("object"), w.fresh("plain"), w.fresh("tensor")
    parameter, act = w.pick(ACTS)
    if "_Own" in act:
        act = act.replace("_Own", define(w, "Own", OWN.replace("_Own", "NAME")))
    name = define(
        w,
        "Flags",
        NET.format(c=w.columns, parameter=parameter, act=act, call=w.pick(["self.act(y)", "self.act(y) * 2"]),
                   end=w.pick(["z", "y + z", "y", "y, z"]) if w.chance(0.7) else "y * z"),
    )  # fmt: skip
    emit(w, f"{n} = {name}()")
    values = {"n": n, "z": z}
    emit(w, f"{z} = None")
    if w.chance(0.5):
        form = w.pick(CHANGES)
        emit(w, form.format(**values, f=define(w, "off", OFF) if "{f}" in form else ""))
    if w.chance(0.7):
        emit(w, w.pick(READS).format(**values))
    emit(w, f"{h} = {n}({y})" if w.chance(0.7) else f"{h} = {n}.act({y}), {y} * 1")
    w.bind(h, Plain("seen"))
    w.bind(z, Plain("seen"))
    watch(w, h, z, y)
    return True


def alone(w: Writer) -> bool:
    """One activation by itself, toggled, called twice, copied."""
    if w.depth > 1:
        return False
    y, n, h = given(w), w.fresh("object"), w.fresh("tensor")
    emit(w, f"{n} = {w.pick(['nn.ReLU(inplace=True)', 'nn.ReLU(True)', 'nn.Hardtanh(inplace=True)'])}")
    emit(
        w,
        w.pick(
            [
                f"{n}.inplace = False",
                f"{n}.inplace = {y}.sum() > 0.1",
                f"{n} = copy.deepcopy({n})",
                f"setattr({n}, 'inplace', False)",
                f"{n}.__dict__['inplace'] = False",
                f"keep_ = {n}.inplace",
            ]
        ),
    )
    emit(w, f"{h} = {n}({y})")
    if w.chance(0.5):
        emit(w, change(w, w.pick([h, y])))
    w.bind(h, Tensor((w.rows, w.columns)), dense=False, writable=False)
    watch(w, h, y)
    return True
