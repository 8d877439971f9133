"""Own modules whose `forward` ends in an activation, called once and twice; an entry point that holds them.

They stand in lists and dictionaries, are added in loops and under computed names, get their activation from outside.
"""

from __future__ import annotations

from generator.classes import ACTIVATIONS
from generator.control import body, returned
from generator.inputs import choose
from generator.kinds import Function, Parameter, Tensor
from generator.snippets import change, define, emit, given, method, watch
from generator.writer import Writer

ENDS = (
    "return torch.relu(t)", "return self.act(t)", "return t.sigmoid()", "return torch.exp(t)",
    "return F.softmax(t, -1)", "return t",
    "t = self.act(t)\n        return t", "return self.act(self.fc(t))", "return t.tanh()",
    "return self.act(t) + 1", "return F.relu(t, inplace=True)",
    "t.mul_(2)\n        return t", "return self.drop(t)", "return t.view_as(t)", "return t, self.act(t)",
    "return self.fc(t).clamp(min=0)",
)  # fmt: skip
ACTS = (
    "nn.ReLU()",
    "nn.ReLU(inplace=True)",
    "nn.Sigmoid()",
    "nn.Tanh()",
    "nn.Softmax(-1)",
    "nn.Identity()",
    "nn.SiLU()",
    "nn.GELU()",
    "partial(nn.ReLU, inplace=True)()",
    'getattr(nn, "ReLU")(inplace=True)',
)
FLAGGED = (  # the end of a constructor, and that of forward
    ("", "self.act = nn.ReLU(inplace=inplace)", "self.act(t)"),
    ("", "self.act = nn.Sequential(self.fc, nn.SiLU(inplace=inplace))", "self.act(t)"),
    ("", "self.inplace = inplace", "F.relu(t, inplace=self.inplace)"),
    (", act=F.leaky_relu", "self.f, self.inplace = act, inplace", "self.f(t, inplace=self.inplace)"),
    ("", "self.act = nn.ReLU()\n        self.act.inplace = inplace", "self.act(t)"),
    ("", "self.act = nn.ReLU()\n        for m in self.modules():\n"
     "            if isinstance(m, nn.ReLU): m.inplace = True", "self.act(t)"),
    (', args={"inplace": True}', "self.act = nn.ReLU(**args)", "self.act(t)"),
    (", make=nn.ReLU", "self.act = make(inplace=True)", "self.act(t)"),
    ("", "self.act = {'a': nn.ReLU}['a'](**dict(inplace=inplace))", "self.act(t)"),
    (", act=partial(nn.ReLU, inplace=True)", "self.act = act()", "self.act(t)"),
    ("", "self.k = 2 if inplace else 3\n        self.act = nn.ReLU(inplace=inplace)", "self.act(t) * self.k"),
)  # fmt: skip
OUTER = """
class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def forward(self, x):
        return self.net(x, {passed})
"""


def block_class(w: Writer) -> tuple[str, bool]:
    """An nn.Module of its own; and whether it gives two tensors."""
    c, end = w.columns, w.pick(ENDS)
    word = w.pick(["t", "t", "t: torch.Tensor"])
    steps = w.pick(
        ["", "        t = self.fc(t)\n", "        t = t * 1\n", f"        t = self.fc(t)\n        {change(w, 't')}\n"]
    )
    act = w.pick(ACTS)
    parameter, held = ("", act) if w.chance(0.6) else (f", act={act}", "act")
    name = define(
        w,
        w.pick(["Block", "Gate", "Layer"]),
        f"class NAME(nn.Module):\n    def __init__(self{parameter}):\n        super().__init__()\n"
        f"        self.fc = nn.Linear({c}, {c})\n        self.act = {held}\n"
        "        self.drop = nn.Dropout(0.0)\n\n"
        f"    def forward(self, {word}):\n{steps}        {end}",
    )
    return derived(w, name, bool(parameter)), end.startswith("return t, ")


def flagged(w: Writer) -> bool:
    """A layer that works in place as a parameter, an attribute, `partial` or a later assignment says."""
    y, h = given(w), w.fresh("tensor")
    parameter, made, called = w.pick(FLAGGED)
    before = w.pick(["", "        t = t.exp()\n", "        t = self.fc(t)\n", f"        {change(w, 't')}\n"])
    name = define(
        w,
        "Flagged",
        f"class NAME(nn.Module):\n    def __init__(self{parameter}, inplace={w.pick(['True', 'True', 'False'])}):\n"
        f"        super().__init__()\n        self.fc = nn.Linear({w.columns}, {w.columns})\n        {made}\n\n"
        f"    def forward(self, t):\n{before}        return {called}",
    )
    block = f"{name}({w.pick(['', '', 'inplace=True', 'inplace=False'])})"
    after = w.pick([change(w, h), f"{h} = {h} + {y}", f"{h} = torch.sigmoid({h})"])
    emit(w, f"{h} = {block}({w.pick([y, f'{y} * 2', f'torch.exp({y})'])})\n{after}")
    w.bind(h, Tensor((w.rows, w.columns)), dense=False, writable=w.chance(0.5))
    watch(w, h, y)
    return True


def derived(w: Writer, name: str, has_act: bool) -> str:
    """The class, or one derived from it that hands on what it gets."""
    if w.chance(0.75):
        return name
    act = f"act={w.pick(ACTS)}" if has_act else ""
    above = "        return super().forward"
    methods = (
        f"    def forward(self, t):\n{above}(t)",
        f"    def forward(self, t):\n        t = t * 1\n        {change(w, 't')}\n{above}(t)",
        f"    def forward(self, *args):\n{above}(*args)",
    )
    first = f"    def __init__(self):\n        super().__init__({act})"
    body = "\n\n".join([first, *([w.pick(methods)] if w.chance(0.7) else [])])
    return define(w, "Derived", f"class NAME({name}):\n{body}")


def several(w: Writer, made: str) -> list[str]:
    """The lines of a constructor that put modules into a list, a dictionary, a Sequential and computed names."""
    one = f"{made}()"
    other = one if w.pairs else w.pick([one, one, w.pick(ACTS)])
    lists = (
        [f"self.blocks = nn.ModuleList([{one}, {other}])"],
        ["self.blocks = nn.ModuleList()", f"for _ in range(2): self.blocks.append({one})"],
        ["layers = []", f"for _ in range(2): layers.append({one})", "self.blocks = nn.ModuleList(layers)"],
        [f"layers = [{one}]", f"layers += [{other}]", "self.blocks = nn.ModuleList(layers)"],
    )
    start = w.pick(ACTIVATIONS)
    sequences = [f"nn.Sequential({start}, {one})", f"nn.Sequential(*[{start}, {one}])"]
    sequences += [] if w.pairs else [f"nn.Sequential(*[{one} for _ in range(2)])", "nn.Sequential(*self.blocks)"]
    return [
        *w.pick(lists), f"self.seq = {w.pick(sequences)}",
        f'self.heads = nn.ModuleDict({{"a": {one}, "b": {other}}})',
        f'for n in range(2): {w.pick(["setattr(self, ", "self.add_module("])}f"stage{{n}}", {one})',
    ]  # fmt: skip


def network(w: Writer) -> bool:
    """`h = block(x); h += x`, `for block in blocks: h = block(h); h *= 2`, once and twice."""
    y, h = given(w), w.fresh("tensor")
    own = w.lookup("self.running") is not None and w.chance(0.6)
    if own:
        block, blocks, seq, pick = "self.block", "self.blocks", "self.seq", "[0]" if w.pairs else ""
    else:
        made, pair = block_class(w)
        block, blocks, seq, pick = (
            w.fresh("object"),
            f"[{made}(), {made}()]",
            f"nn.Sequential(nn.Tanh(), {made}())",
            "[0]" if pair else "",
        )
        emit(w, f"{block} = {made}()")
    writes = [change(w, h), change(w, h), f"{h} += {y}", f"{h}.add_({y})", change(w, y), f"{h} *= torch.sigmoid({h})"]
    forms = [
        f"{h} = {block}({y}){pick}\n{w.pick(writes)}",
        f"{h} = {block}({y}){pick}\n{w.pick(writes)}\n{h} = {block}({h}){pick}\n{w.pick(writes)}",
        f"{h} = {block}({y}){pick} + {block}({y}){pick}\n{w.pick(writes)}",
        f"{h} = {block}({y}){pick}\n{w.pick(writes)}\n{y} = {block}({y}){pick}\n{change(w, y)}",
        f"{h} = {y}\nfor layer in {blocks}:\n    {h} = layer({h}){pick}\n    {w.pick(writes[:4])}",
        f"{h} = {y}\nfor n, layer in enumerate({blocks}):\n    {h} = layer({h}){pick}\n"
        f"    if n == 0: {w.pick(writes[:4])}",
        f"{h} = {seq}({y}){pick}\n{w.pick(writes)}",
        f"{h} = {block}({y}){pick}.{w.pick(['mul_(2)', 'view(-1)', 'relu_()'])}.view_as({y})\n{w.pick(writes)}",
        f"{h} = {method(w, f'{block}({y}){pick}')}\n{w.pick(writes)}",
        f"hs = [layer({y}){pick} for layer in {blocks}]\nhs[0] += hs[1]\n{h} = hs[0]\n{w.pick(writes[:4])}",
        f"{h} = {blocks}[-1]({y}){pick}\n{w.pick(writes)}",
    ]
    if own:
        forms += [
            f"{h} = {y}\nfor n in range(2):\n"
            f'    {h} = getattr(self, f"stage{{n}}")({h}){pick}\n    {w.pick(writes[:4])}',
            f"{h} = {y}\nfor key, layer in self.heads.items():\n    {h} = layer({h}){pick}\n    {w.pick(writes[:4])}",
            f'{h} = self.heads["b"]({y}){pick}\n{w.pick(writes)}',
            f"{h} = {y}\nfor one, other in zip(self.blocks, self.heads.values()):\n"
            f"    {h} = one({h}){pick} + other({h}){pick}\n    {w.pick(writes[:4])}",
            *(
                []
                if w.pairs
                else [f"{h} = {y}\nfor layer in self.seq:\n    {h} = layer({h})\n    {w.pick(writes[:4])}"]
            ),
        ]
    forms = [form for form in forms if "for " not in form or w.depth < 2]
    emit(w, w.pick(forms))
    w.bind(h, Tensor((w.rows, w.columns)), dense=False, writable=w.chance(0.5))
    watch(w, h, y)
    return True


def module(w: Writer) -> list[str]:
    """An nn.Module as entry point, with modules of its own and, perhaps, a container as input; its `example()`."""
    rows, columns = w.rows, w.columns
    made, w.pairs = block_class(w)
    wanted = choose(w) if w.chance(0.4) else None
    for line in ("class Net(nn.Module):", "    def __init__(self):", "        super().__init__()"):
        w.emit(line)
    for name, value in (
        ("linear", f"nn.Linear({columns}, {columns})"), ("act", w.pick(ACTIVATIONS)), ("block", f"{made}()"),
        ("norm", f"nn.BatchNorm1d({columns})"), ("scale", f"nn.Parameter(torch.ones({columns}))"),
    ):  # fmt: skip
        w.emit(f"        self.{name} = {value}")
    for line in several(w, made):
        w.emit(f"        {line}")
    w.emit(f'        self.register_buffer("running", torch.full(({columns},), 0.5))')
    w.emit(f'        self.register_buffer("seen", torch.tensor({w.pick(["0", "0.0"])}))')
    w.emit("")
    matrix = Tensor((rows, columns))
    w.functions += [Function("self.linear", (Parameter("t", matrix),), (matrix,)),
                    Function("self.act", (Parameter("t", matrix, True),), (matrix,), True)]  # fmt: skip
    w.indent += 1
    header = f"def forward(self, {w.pick(['x', 'x', 'x: torch.Tensor'])}{f', {wanted.name}' if wanted else ''}):"
    with w.function(header, [Parameter("x", matrix)]):
        w.bind("self.scale", Tensor((columns,)), writable=False)
        w.bind("self.running", Tensor((columns,)), grad=False, writable=False)
        w.taken.add(wanted.name if wanted else "")
        name = w.fresh("tensor")
        starts = ["self.linear(x)", "x * 2", "self.norm(x)", "x * self.scale", "torch.tanh(x)", "self.act(x * 1)"]
        w.emit(f"{name} = {w.pick(starts)}")
        w.bind(name, matrix, "self.linear(x)")
        if wanted:
            wanted.use(w, wanted.name)
        while w.budget > 0:
            body(w, 1)
        w.emit(f"return {returned(w)}")
    w.indent -= 1
    numbers = ", ".join("[" + ", ".join(w.entry() for _ in range(columns)) + "]" for _ in range(rows))
    tensor = f"torch.tensor([{numbers}], requires_grad=True)"
    if wanted is None:
        return ["def example():", "    torch.manual_seed(3)", f"    return Net(), ({tensor},)"]
    w.lines += ["", "", *OUTER.format(passed=wanted.passed).strip().splitlines()]
    return ["def example():", "    torch.manual_seed(3)", f"    return Outer(), ({tensor},)"]
