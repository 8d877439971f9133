"""Helper functions that write, return, keep or ignore their parameters; closures, lambdas, defaults, methods."""

from __future__ import annotations

from generator.control import body
from generator.expressions import call, operand, value
from generator.kinds import REAL, Function, Parameter, Plain, Tensor
from generator.writer import Writer


def _parameters(w: Writer, written: bool) -> list[Parameter]:
    kind = Tensor(w.shape())
    first = Parameter(w.pick(["h", "t", "state", "v", "acc"]), kind, written)
    parameters = [first]
    if w.chance(0.6):
        parameters.append(Parameter(w.pick(["k", "m", "bias", "u"]), Tensor(w.pick([kind.shape, kind.shape[-1:], ()]))))
    if w.chance(0.25):
        parameters.append(Parameter("flag", Plain("flag")))
    return parameters


def _signature(w: Writer, parameters: list[Parameter], first: str = "") -> str:
    annotated = w.chance(0.75)
    words = {"flag": "bool"}
    texts = [first] * bool(first)
    for parameter in parameters:
        word = words.get(getattr(parameter.kind, "word", ""), "torch.Tensor")
        texts.append(f"{parameter.name}: {word}" if annotated else parameter.name)
    return ", ".join(texts)


def _finish(w: Writer, parameters: list[Parameter]) -> tuple[tuple[Tensor, ...], bool]:
    """The return statement: a parameter, a view of it, something new, two things, nothing."""
    roll, main = w.rng.random(), parameters[0]
    assert isinstance(main.kind, Tensor)
    if roll < 0.2:
        return (), False
    if roll < 0.45:
        w.emit(f"return {main.name}")
        return (main.kind,), True
    if roll < 0.55 and main.kind.shape:
        w.emit(f"return {main.name}[{w.pick(['0', '-1'])}]")
        return (Tensor(main.kind.shape[1:]),), True
    shape = w.shape()
    made = value(w, shape, depth=2)
    if roll < 0.7:
        w.emit(f"return {made.text}, {main.name}")
        return (Tensor(shape), main.kind), True
    w.emit(f"return {made.text}")
    return (Tensor(shape),), made.text in {p.text for p in w.places()} or "[" in made.text or not made.dense


def helper(w: Writer) -> None:
    """A function of the module."""
    name, written = w.fresh("function"), w.chance(0.65)
    parameters = _parameters(w, written)
    with w.function(f"def {name}({_signature(w, parameters)}):", parameters):
        w.may_return = False
        if written:
            from generator.statements import write

            write(w)
        body(w, 2)
        result, shares = _finish(w, parameters)
    w.emit("")
    w.emit("")
    w.functions.append(Function(name, tuple(parameters), result, shares))


def call_function(w: Writer) -> bool:
    """`f(y)`, `z = f(y)`, `y = f(y)`, `a, b = f(y, k)`."""
    if not w.functions:
        return False
    function = w.pick(w.functions)
    text = call(w, function)
    if text is None:
        return False
    if not function.result or w.chance(0.15):
        w.emit(text)
        return True
    arguments = text[text.index("(") + 1 : -1].split(", ")
    names = []
    for kind in function.result:
        old = w.lookup(arguments[0])
        reuse = (
            old is not None and old.is_name and w.can_rebind(old, kind) and arguments[0] not in names and w.chance(0.4)
        )
        names.append(arguments[0] if reuse else w.fresh("tensor"))
    if len(set(names)) < len(names):
        return False
    w.emit(f"{', '.join(names)} = {text}")
    known = [w.lookup(argument) for argument in arguments]
    writable = not function.shares or all(place is None or place.writable for place in known)
    for name, kind in zip(names, function.result, strict=True):
        w.bind(name, kind, text, writable=writable, dense=False)
    return True


def closure(w: Writer) -> bool:
    """A nested function that writes, rebinds or reads what it captures."""
    if not w.straight or w.frames[-1] == 0 or len(w.frames) > 2:
        return False
    captured = w.recent([p for p in w.tensors(None, REAL, writable=True) if p.is_name and p.owner == w.frames[-1]])
    if captured is None or not isinstance(captured.kind, Tensor):
        return False
    name = w.fresh("function")
    parameters = _parameters(w, w.chance(0.2)) if w.chance(0.6) else []
    parameters = [p for p in parameters if p.name not in w.taken]
    if parameters and parameters[0].name not in ("h", "t", "state", "v", "acc"):
        parameters = []
    with w.function(f"def {name}({_signature(w, parameters)}):", parameters, nested=True):
        w.may_return = False
        if w.chance(0.4):
            w.emit(f"nonlocal {captured.text}")
            w.nonlocals[-1].add(captured.text)
        c = captured.text
        other = operand(w, captured.kind.shape)
        forms = [f"{c}.add_({other})", f"{c}.mul_(0.5)", f"{c}.tanh_()"] + [f"{c}[0] = 0.5", f"{c}[1:] *= 2"] * bool(
            captured.kind.shape
        )
        if c in w.nonlocals[-1]:
            forms += [f"{c} += {other}", f"{c} *= 0.5", f"{c} = {c} * 2"] * 2
        w.emit(w.pick(forms) if w.chance(0.8) else "pass")
        if w.chance(0.4):
            body(w, 1)
        result = _closing(w, captured.text, captured.kind)
    w.functions.append(Function(name, tuple(parameters), result, bool(result)))
    w.local_functions.append(name)
    return True


def _closing(w: Writer, captured: str, kind: Tensor) -> tuple[Tensor, ...]:
    roll = w.rng.random()
    if roll < 0.4:
        return ()
    if roll < 0.6:
        w.emit(f"return {captured}")
        return (kind,)
    shape = w.shape()
    w.emit(f"return {value(w, shape).text}")
    return (Tensor(shape),)


def small_function(w: Writer) -> bool:
    """`late = lambda: y.sum()`, `scale_ = lambda t: t.mul_(2)`, `def f(v, acc=torch.zeros(3))`, bound methods."""
    place = w.recent([p for p in w.tensors() if p.is_name])
    if place is None or not isinstance(place.kind, Tensor) or not w.straight or w.frames[-1] == 0:
        return False
    kind, name = place.kind, w.fresh("function")
    written = Parameter("t", kind, written=True)
    roll = w.rng.random()
    if roll < 0.3:
        w.emit(f"{name} = lambda: {w.pick(['{}.sum()', '{}.mean()', 'torch.tanh({}).sum()']).format(place.text)}")
        w.functions.append(Function(name, (), (Tensor(()),)))
    elif roll < 0.45:
        w.emit(f"{name} = {place.text}.sum")
        w.functions.append(Function(name, (), (Tensor(()),)))
    elif roll < 0.7:
        w.emit(f"{name} = lambda t: t.{w.pick(['mul_(2)', 'add_(1)', 'relu_()', 'clamp_(-1, 1)', 'sigmoid_()'])}")
        w.functions.append(Function(name, (written,), (kind,), shares=True))
    else:
        shown = w.pick([f"torch.zeros({', '.join(map(str, kind.shape)) or '()'})", f"{place.text}.detach().clone()"])
        with w.function(f"def {name}(v, memory={shown}):", [], nested=True):
            w.emit(w.pick(["memory += v", "memory.add_(v)", "memory.mul_(0.5).add_(v.detach())"]))
            w.emit(w.pick(["return memory * 1", "return memory", "return memory + v"]))
        w.functions.append(Function(name, (Parameter("v", kind),), (kind,), shares=True))
    w.local_functions.append(name)
    return True
