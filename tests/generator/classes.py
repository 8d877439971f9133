"""Classes: modules with layers, buffers and state in attributes, and plain classes that hold tensors."""

from __future__ import annotations

from generator.control import body, returned
from generator.expressions import value
from generator.kinds import Function, Parameter, Tensor
from generator.writer import Writer, sizes

ACTIVATIONS = (
    "nn.ReLU(inplace=True)",
    "nn.Tanh()",
    "nn.ELU(inplace=True)",
    "nn.Sigmoid()",
    "nn.SiLU(inplace=True)",
    "nn.ReLU()",
)


def state_class(w: Writer) -> None:
    """A plain class with a tensor attribute and methods that write it."""
    shape = w.shape()
    other = "v: torch.Tensor" if w.chance(0.7) else "v"
    w.emit("class Memory:")
    w.emit(f"    def __init__(self, {other}):")
    w.emit(f"        self.h = {w.pick(['v', 'v * 1', 'v.clone()', f'torch.zeros({sizes(shape)})'])}")
    w.emit("        self.calls = 0")
    w.emit("")
    w.emit(f"    def update(self, {other}):")
    w.emit("        self.calls += 1")
    forms = [
        "self.h += v",
        "self.h.mul_(0.5)",
        "self.h = self.h * 0.9 + v",
        "self.h.add_(v)",
        "self.h *= torch.sigmoid(v)",
    ]
    forms += ["self.h[0] = 0.5", "self.h[self.h > 0.2] = 0"] * bool(shape)
    w.emit(f"        {w.pick(forms)}")
    if w.chance(0.4):
        w.emit(f"        {w.pick(forms)}")
    w.emit(f"        return {w.pick(['self.h', 'self.h * 2', 'self', 'torch.tanh(self.h)', 'None'])}")
    w.emit("")
    w.emit("")
    w.memory_shape = shape


def memory(w: Writer) -> bool:
    """Make, update and read such an object."""
    if w.memory_shape is None or w.frames[-1] == 0:
        return False
    known = [place for place in w.places() if place.text.endswith(".h") and place.text.startswith("memo")]
    if not known:
        start = value(w, w.memory_shape, depth=1)
        name = next(f"memo{number}" for number in range(1, 99) if f"memo{number}" not in w.taken)
        w.taken.add(name)
        w.emit(f"{name} = Memory({start.text})")
        w.bind(f"{name}.h", Tensor(w.memory_shape), start.text, writable=start.writable, dense=False)
        return True
    place = w.pick(known)
    if not place.writable:
        return False
    w.emit(f"{place.text[:-2]}.update({value(w, w.memory_shape, depth=1).text})")
    return True


def module(w: Writer) -> list[str]:
    """An nn.Module as entry point; gives its `example()`."""
    rows, columns = w.rows, w.columns
    tracked = w.chance(0.4)
    w.emit("class Net(nn.Module):")
    w.emit("    def __init__(self):")
    w.emit("        super().__init__()")
    w.emit(f"        self.linear = nn.Linear({columns}, {columns})")
    w.emit(f"        self.act = {w.pick(ACTIVATIONS)}")
    w.emit(f"        self.scale = nn.Parameter(torch.ones({columns}))")
    if tracked:
        w.emit(f'        self.register_buffer("mean", torch.zeros({columns}))')
    if sequential := w.chance(0.4):
        layers = w.rng.sample([f"nn.Linear({columns}, {columns})", *ACTIVATIONS[:4]], 3)
        w.emit(f"        self.body = nn.Sequential({', '.join(layers)})")
    w.emit("        self.state = None")
    w.emit("")
    matrix = Tensor((rows, columns))
    layer = Parameter("t", matrix)
    w.functions += [
        Function("self.linear", (layer,), (matrix,)),
        Function("self.act", (Parameter("t", matrix, True),), (matrix,), True),
    ]
    if sequential:
        w.functions.append(Function("self.body", (Parameter("t", matrix, True),), (matrix,), True))
    arguments = [Parameter("x", matrix)]
    w.indent += 1
    if w.chance(0.3):
        _method(w)
    with w.function(f"def forward(self, {'x: torch.Tensor' if w.chance(0.5) else 'x'}):", arguments):
        _attributes(w, tracked)
        while w.budget > 0:
            body(w, 1)
        w.emit(f"return {returned(w)}")
    w.indent -= 1
    numbers = [[w.entry() for _ in range(columns)] for _ in range(rows)]
    text = ", ".join(f"[{', '.join(row)}]" for row in numbers)
    return [
        "def example():",
        "    torch.manual_seed(3)",
        f"    return Net(), (torch.tensor([{text}], requires_grad=True),)",
    ]


def _method(w: Writer) -> None:
    """A method beside `forward` that gets a tensor."""
    written = w.chance(0.6)
    parameters = [Parameter("h", Tensor((w.rows, w.columns)), written)]
    with w.function("def mix(self, h: torch.Tensor):", parameters):
        w.may_return = False
        body(w, 2)
        kind = Tensor(w.shape())
        made = value(w, kind.shape, depth=2)
        w.emit(f"return {made.text}")
    w.emit("")
    w.functions.append(Function("self.mix", tuple(parameters), (kind,), True))


def _attributes(w: Writer, tracked: bool) -> None:
    w.bind("self.scale", Tensor((w.columns,)), writable=False)
    form = w.pick(["self.linear(x)", "x * 2", "x.clone()", "torch.tanh(x)", "x * self.scale", "self.linear(x) + x"])
    name = w.fresh("tensor")
    w.emit(f"{name} = {form}")
    w.bind(name, Tensor((w.rows, w.columns)), form)
    if tracked:
        w.bind("self.mean", Tensor((w.columns,)), grad=False)
        forms = [
            "self.mean.mul_(0.9).add_(0.1 * {}.detach().mean(0))",
            "self.mean += {}.detach().mean(0)",
            "self.mean = self.mean * 0.9",
        ]
        w.emit(w.pick(forms).format(name))
    if w.chance(0.5):
        shape = w.shape()
        made = value(w, shape, depth=1)
        w.emit(f"self.state = {made.text}")
        w.bind("self.state", Tensor(shape), made.text, writable=made.writable, dense=made.dense)
