"""Calls of names from outside: torch's functions, layers and optimizers, Python's builtins, other libraries."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from unplace import torchapi
from unplace.analysis.training.attributes import method_of
from unplace.analysis.training.machine import Machine, computed, saves_arguments, tensor
from unplace.analysis.training.methods import UNDIFFERENTIABLE, changed_in_place, demanded
from unplace.analysis.training.values import (
    NONE,
    UNKNOWN,
    Given,
    Instance,
    Items,
    Known,
    Layer,
    Made,
    Named,
    Needs,
    Optimizer,
    Outside,
    Parent,
    Table,
    Tensor,
    Thing,
    Unknown,
    Weights,
    copied,
    reset,
    weights_of,
)
from unplace.torchapi import modes, modules, results

OPTIMIZERS = modules.OPTIMIZERS
_WRAPPING = frozenset(["DataParallel", "DistributedDataParallel", "DDP", "initialize", "prepare", "setup", "compile"])
"""The last names of what returns the modules and optimizers that it gets, fit for a machine."""

_ALIKE = modules.RETURNING_ALIKE | {"script", "trace", "prepare_model", "convert_sync_batchnorm"}
_NORMS = re.compile(r"torch\.nn\.\w*(?:Norm(?:[123]d)?|PReLU)")
_PASSING = ("torch.", "einops.", "torchvision.", "opt_einsum.")
"""The packages whose functions give what has the graph of their arguments."""

_FEW = 4
"""The number of rounds of a loop that are executed one by one; of more, the first two."""


def called(machine: Machine, node: ast.Call, callee: Named, given: Given) -> Thing:
    """Return the result of calling a name from outside."""
    name = callee.qualified
    root, _, last = name.rpartition(".")
    if root == "builtins":
        work = _BUILTINS.get(last)
        return work(machine, node, given) if work is not None else tensor(machine, given.all())
    if last in _WRAPPING and given.positional:
        return given.positional[0] if len(given.positional) == 1 else Items(list(given.positional))
    if name.startswith("copy."):
        first = given.first() or UNKNOWN
        return copied(first) if last == "deepcopy" else first
    if last in _ALIKE and given.positional:
        return given.positional[0]
    if name.startswith("torch.optim.") and not name.startswith(modules.NO_OPTIMIZERS):
        return optimizer_of(given, node)
    if name.startswith("torch.nn.") and (layer := _layer(machine, name, last, given)) is not None:
        return layer
    if name in modes.GRADIENTS:
        return _differentiated(machine, node, last, given)
    if name.startswith(_PASSING):
        return _operation(machine, node, name, last, given)
    if last == "chain":
        return Items([item for thing in given.positional for item in machine.elements(thing)])
    if last in ("OrderedDict", "defaultdict"):
        return _table(machine, node, given)
    if last == "partial" and given.positional:
        return given.positional[0]
    return _from_elsewhere(name, given)


def optimizer_of(given: Given, node: ast.Call | None) -> Thing:
    """Return an optimizer of the parameters that a call gets."""
    found = [weights for thing in given.all() for weights in weights_of(thing)]
    for weights in found:
        weights.is_trained = True
    made = node.args[0] if node is not None and node.args else None
    return Optimizer(found, made) if found else Outside("optimizer", Weights(is_given=True))


def _from_elsewhere(name: str, given: Given) -> Thing:
    """Return what a function that isn't in sight gives: an optimizer, if it gets parameters, or a new object."""
    is_given_parameters = any(
        isinstance(thing, Items) and thing.items and all(_is_parameter(item) for item in thing.items)
        for thing in given.all()
    )
    if is_given_parameters:
        return optimizer_of(given, None)
    for thing in given.all():
        reset(thing)
    return Outside(name.rpartition(".")[2], Weights())


def _is_parameter(thing: Thing) -> bool:
    if isinstance(thing, Table):
        return "params" in thing.items
    return isinstance(thing, Tensor) and thing.leaf is not None


# -- torch -------------------------------------------------------------------------------------------------------------


def _layer(machine: Machine, name: str, last: str, given: Given) -> Thing | None:
    """Return a new module of torch; None for its functions."""
    if name == modules.SEQUENTIAL:
        parts = given.positional
        first = parts[0] if len(parts) == 1 else None
        listed = list(first.items.values()) if isinstance(first, Table) else parts
        return Items(listed, is_module=True, is_called=True)
    if name == modules.MODULE_DICT:
        first = given.first("modules")
        return Table(dict(first.items) if isinstance(first, Table) else {}, is_module=True)
    if name in modules.MODULE_CONTAINERS or name == modules.PARAMETER_LIST:
        first = given.first("modules")
        is_open = isinstance(first, Items) and first.is_open
        return Items(machine.elements(first) if first is not None else [], is_open, is_module=True)
    if name in modules.REGISTERED_CLASSES:
        flag = given.named.get("requires_grad")
        return Tensor(leaf=Weights(is_frozen=isinstance(flag, Known) and not flag.value))
    if torchapi.module(name) is None:
        return None
    if modules.has_weight(name):
        return Layer(name, Weights(), Needs(with_graph=True))
    always = modules.has_layers(name) or _NORMS.fullmatch(name) is not None
    return Layer(name, Weights() if always or "Embedding" in last else None, Needs(always))


def _differentiated(machine: Machine, node: ast.Call, last: str, given: Given) -> Thing:
    first = given.first("tensors") or given.first("outputs") or UNKNOWN
    if last == "backward":
        return demanded(machine, node, first, given)
    return tensor(machine, [first])


def _operation(machine: Machine, node: ast.Call, name: str, last: str, given: Given) -> Thing:
    """Return the result of one of torch's functions."""
    flag = given.named.get("requires_grad")
    if isinstance(flag, Known) and flag.value:
        return Tensor(leaf=Weights())
    first = given.first("input")
    if torchapi.inplace_function(name) is not None or (last.endswith("_") and not last.endswith("__")):
        if first is not None and "clip_grad" not in last:
            changed_in_place(machine, node, first, given.all()[1:])
        return first if first is not None else UNKNOWN
    if name.startswith("torch.nn.init.") or name in modes.KEEPING_FUNCTIONS or last.startswith("set_"):
        return Named(name)
    if results.is_constructor(last) or last.endswith("_like") or last in UNDIFFERENTIABLE | {"manual_seed"}:
        return Tensor()
    if not any(isinstance(thing, Tensor | Items | Table) for thing in given.all()):
        return Tensor() if torchapi.function(name) is not None else Outside(last, Weights())
    saves = saves_arguments(torchapi.function(name))
    parts = [part for thing in given.all() for part in (thing.items if isinstance(thing, Items) else [thing])]
    return computed(machine, node, [part for part in parts if not isinstance(part, Known)], saves=saves)


# -- Python ------------------------------------------------------------------------------------------------------------


def counted(number: object) -> Items:
    """Return the rounds of `range(number)`."""
    if isinstance(number, int) and number <= _FEW:
        return Items([Known(index) for index in range(number)])
    return Items([Unknown(0), Unknown(1)], is_open=True)


def _range(machine: Machine, node: ast.Call, given: Given) -> Thing:
    values = [thing.value if isinstance(thing, Known) else None for thing in given.positional]
    if len(values) == 1:
        return counted(values[0])
    start, stop, *step = values or [None, None]
    if not step and isinstance(start, int) and isinstance(stop, int) and stop - start <= _FEW:
        return Items([Known(index) for index in range(start, stop)])
    return counted(None)


def _zip(machine: Machine, node: ast.Call, given: Given) -> Thing:
    rows = [machine.elements(thing) for thing in given.positional]
    return Items([Items(list(row)) for row in zip(*rows, strict=False)], all(map(_is_open, given.positional)))


def _enumerate(machine: Machine, node: ast.Call, given: Given) -> Thing:
    first = given.first("iterable") or UNKNOWN
    is_open = _is_open(first)
    pairs = enumerate(machine.elements(first))
    return Items([Items([Unknown(i) if is_open else Known(i), each]) for i, each in pairs], is_open)


def _is_open(thing: Thing) -> bool:
    return not isinstance(thing, Items | Table) or (isinstance(thing, Items) and thing.is_open)


def _list(machine: Machine, node: ast.Call, given: Given) -> Thing:
    first = given.first()
    if first is None:
        return Items()
    return Items(list(machine.elements(first)), _is_open(first)) if isinstance(first, Items | Table) else first


def _reversed(machine: Machine, node: ast.Call, given: Given) -> Thing:
    first = given.first() or UNKNOWN
    return Items(first.items[::-1], first.is_open) if isinstance(first, Items) else first


def _table(machine: Machine, node: ast.Call, given: Given) -> Thing:
    first = given.first()
    made = Table(dict(first.items) if isinstance(first, Table) else {})
    for pair in first.items if isinstance(first, Items) else ():
        if isinstance(pair, Items) and len(pair.items) == 2 and isinstance(pair.items[0], Known):
            made.items[pair.items[0].value] = pair.items[1]
    made.items.update(given.named)
    return made


def _filter(machine: Machine, node: ast.Call, given: Given) -> Thing:
    return given.positional[1] if len(given.positional) > 1 else UNKNOWN


def _map(machine: Machine, node: ast.Call, given: Given) -> Thing:
    callee, *others = given.positional or [UNKNOWN]
    rows = zip(*map(machine.elements, others), strict=False)
    return Items([machine.call(node, callee, Given(list(row))) for row in rows], all(map(_is_open, others)))


def _isinstance(machine: Machine, node: ast.Call, given: Given) -> Thing:
    thing, kind = [*given.positional, UNKNOWN, UNKNOWN][:2]
    kinds = kind.items if isinstance(kind, Items) else [kind]
    names = {k.qualified for k in kinds if isinstance(k, Named)}
    if isinstance(thing, Instance):
        made = [k.of for k in kinds if isinstance(k, Made)]
        return Known(any(of in thing.of.linearized() for of in made)) if made else UNKNOWN
    if isinstance(thing, Tensor) and names:
        return Known("torch.Tensor" in names) if not names & {"builtins.tuple", "builtins.list"} else UNKNOWN
    if isinstance(thing, Items) and names:
        return Known(bool(names & {"builtins.tuple", "builtins.list"}))
    return UNKNOWN


def _attribute_named(machine: Machine, node: ast.Call, given: Given) -> Thing:
    owner, name, *default = [*given.positional, UNKNOWN, UNKNOWN][: max(2, len(given.positional))]
    if not isinstance(name, Known) or not isinstance(name.value, str):
        return _choice_of(owner)
    if default and isinstance(owner, Instance) and not _has(owner, name.value):
        return default[0]
    return machine.attribute(owner, name.value)


def _choice_of(owner: Thing) -> Thing:
    """Return what `getattr(torch.optim, name)` gives."""
    return Named(f"{owner.qualified}.chosen") if isinstance(owner, Named) else UNKNOWN


def _has_attribute(machine: Machine, node: ast.Call, given: Given) -> Thing:
    owner, name = [*given.positional, UNKNOWN, UNKNOWN][:2]
    if isinstance(owner, Instance) and isinstance(name, Known) and isinstance(name.value, str):
        return Known(_has(owner, name.value))
    return UNKNOWN


def _has(owner: Instance, name: str) -> bool:
    return name in owner.fields or method_of(owner.of, name) is not None


def _set_attribute(machine: Machine, node: ast.Call, given: Given) -> Thing:
    owner, name, value = [*given.positional, UNKNOWN, UNKNOWN, UNKNOWN][:3]
    if isinstance(owner, Instance) and isinstance(name, Known) and isinstance(name.value, str):
        owner.fields[name.value] = value
    return NONE


def _super(machine: Machine, node: ast.Call, given: Given) -> Thing:
    frame = machine.world.frames[-1]
    is_known = isinstance(frame.receiver, Instance) and frame.owner is not None
    return Parent(frame.receiver, frame.owner) if is_known else UNKNOWN  # type: ignore[arg-type]


def _next(machine: Machine, node: ast.Call, given: Given) -> Thing:
    elements = machine.elements(given.first() or UNKNOWN)
    return elements[0] if elements else UNKNOWN


def _first(machine: Machine, node: ast.Call, given: Given) -> Thing:
    return given.first() or UNKNOWN


def _number(machine: Machine, node: ast.Call, given: Given) -> Thing:
    return UNKNOWN


def _length(machine: Machine, node: ast.Call, given: Given) -> Thing:
    first = given.first()
    return Known(len(first.items)) if isinstance(first, Items | Table) and not _is_open(first) else UNKNOWN


_BUILTINS: dict[str, Callable[[Machine, ast.Call, Given], Thing]] = {
    **dict.fromkeys(["float", "int", "bool", "str", "repr", "print", "id", "round", "type"], _number),
    **dict.fromkeys(["list", "tuple", "set", "sorted"], _list),
    "range": _range,
    "zip": _zip,
    "enumerate": _enumerate,
    "reversed": _reversed,
    "dict": _table,
    "filter": _filter,
    "map": _map,
    "isinstance": _isinstance,
    "getattr": _attribute_named,
    "hasattr": _has_attribute,
    "setattr": _set_attribute,
    "super": _super,
    "next": _next,
    "iter": _first,
    "len": _length,
}
