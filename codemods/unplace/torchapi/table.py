"""Tells what torch's operators do, without importing torch: a generated table and its look-up.

The table, ``table.json``, is written by ``scripts/generate_torchapi.py`` from an installed torch and names its version.
Names are canonical: ``torch.nn.functional.relu``, ``torch.add``, ``torch.nn.ReLU``; methods and attributes of
``torch.Tensor`` go by their bare name. A look-up of a name that the table does not know gives None, never an error.

Where a fact comes from:

- names: ``dir()`` of ``torch.Tensor`` and of the public namespaces.
- parameters, results: the type stubs that torch ships, the schemas of ``native_functions.yaml``, and Python signatures.
- saved tensors: ``derivatives.yaml``, read with torchgen, the guard "only if the gradient of X is needed" included.
  An operator without a formula of its own was run on torch's own sample inputs, and autograd's saved-tensor hooks
  told what it kept.
- views: alias annotations in the schemas, corrected by running the samples on contiguous and transposed inputs.
- dtypes of in-place forms: each one was run beside its functional form on narrow, wide and mixed dtypes.

Everything uncertain is on the careful side: `View.MAYBE`, ``saves`` containing ``'*'``, `Result.UNKNOWN`.
Facts were measured on the CPU.

Look-ups are cached: the same name gives the same object, so records compare and hash by identity.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

if TYPE_CHECKING:
    TORCH_VERSION: str
    """The torch release that the table describes, without the build suffix, as '1.2.3'."""


class Result(Enum):
    """The kind of object that a call or an attribute returns."""

    TENSOR = "tensor"
    TENSORS = "tensors"
    """A tuple or list of tensors, named tuples such as that of ``torch.max(x, 0)`` included."""
    NUMBER = "number"
    BOOL = "bool"
    SHAPE = "shape"
    """A ``torch.Size`` or a tuple of ints."""
    OTHER = "other"
    """Known, and none of these: dtype, device, str, list of numbers, NumPy array, None, ..."""
    UNKNOWN = "unknown"


class View(Enum):
    """How the memory of a result relates to that of an argument."""

    NEVER = "never"
    """Always fresh memory."""
    ALWAYS = "always"
    """A different tensor object on the same memory."""
    MAYBE = "maybe"
    """Depends on layout, dtype or arguments; may even be the argument itself."""
    MULTI = "multi"
    """A sequence of views; see `Operator.writable`."""


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """A method, function or attribute that does not write in place.

    A method and the function of the same name are two operators, because their parameters have different names.
    """

    name: str
    """As looked up, without a namespace for methods and attributes: 'add', 'torch.add'."""
    result: Result
    """The kind of result when no parameter of `result_when` is given. Source: stubs and schemas, checked on samples."""
    view: View
    """Source: alias annotations of the schemas, corrected by running samples."""
    view_of: str | None
    """Name of the parameter that the view looks at. None beside a view means: memory that cannot be named
    (a gradient, several arguments, a buffer from outside)."""
    saves: frozenset[str]
    """The values that autograd keeps for backward: parameter names and 'result'; '*' when not known. A name may be one
    that only another overload has ('other' of ``max``). Source: derivatives.yaml; for composites, hooks on samples.
    """
    guard: Mapping[str, str]
    """Saved parameter -> the parameter whose gradient must be needed for it to be saved; absent: always.
    Source: the formulas of derivatives.yaml."""
    parameters: tuple[str, ...]
    """Positional parameters in order, the receiver of a method first. Source: stubs, schemas, signatures."""
    outs: int
    """How many tensors ``out=`` takes; 0: no ``out=``. Source: the out variants of native_functions.yaml."""
    random: bool
    """It can draw from a random generator. Source: the tag nondeterministic_seeded; samples that moved one."""
    numeric_scalars_free: bool
    """It saves nothing when all arguments besides the receiver are Python numbers (``mul``, ``add``, ``div``)."""
    elementwise: bool
    """The value at an index depends only on the values of the arguments at that (broadcast) index.
    Source: the tag pointwise, checked by changing one element of a sample."""
    result_bool: bool
    """It always gives a bool tensor. Source: samples in five dtypes."""
    saves_with_numbers: frozenset[str]
    """`saves`, when all arguments besides the receiver are Python numbers: ``x ** 2`` keeps x, not the result.
    Measured."""
    saves_members: frozenset[int]
    """The positions of the results that autograd keeps where a call gives several tensors, such as the indices of
    ``max(x, 0)``. If `result` is TENSORS, 'result' in `saves` stands for these. If it is TENSOR, 'result' in `saves`
    applies to calls that give one tensor only, and these positions to calls that give several (see `result_when`).
    """
    saves_with_option: Mapping[str, frozenset[str]]
    """`saves`, narrowed by the call's one string argument ('' when none is given): ``F.pad`` keeps nothing in the modes
    'constant' and 'circular'. Options that are not listed: `saves`. Measured."""
    result_when: Mapping[str, Result]
    """Parameter -> the kind of result when that parameter is given, and is neither None nor False: ``size(0)``,
    ``max(x, 0)``, ``nonzero(as_tuple=True)``. The second argument of max and min is ``dim`` only when it is not a
    tensor; ``atleast_1d`` and its kin give TENSORS for a tuple or for several arguments, which no parameter tells.
    """
    writable: bool
    """Pieces of a `View.MULTI` may be written in place while a graph is recorded. Measured."""
    variadic: bool
    """The last of `parameters` takes all further positional arguments: ``view(2, 3)``, ``einsum(*args)``."""
    writes: frozenset[str]
    """Parameters that the call may write although its name does not say so: ``running_mean`` of batch_norm."""

    @property
    def short(self) -> str:
        """The last part of the name: 'add' of 'torch.add'."""
        return self.name.rsplit(".", 1)[-1]

    def saved(self, *, with_numbers: bool) -> frozenset[str]:
        """Return `saves`, given whether all arguments besides the receiver are Python numbers."""
        return self.saves_with_numbers if with_numbers else self.saves


@dataclass(frozen=True, slots=True, eq=False)
class InplaceMethod:
    """An in-place method ``Tensor.foo_``."""

    name: str
    functional: str | None
    """The method that computes the same without writing, or None."""
    reason: str | None
    """For users: why there is no functional method, or why the call is left as it is."""
    kind: str
    """'value' (has a plain counterpart), 'fill' (zero_, fill_), 'copy' (copy_), 'random', 'metadata' (transpose_,
    squeeze_, ...: the functional form is a view), 'flag' (requires_grad_, share_memory_: no value changes), 'detach',
    'storage' (set_, resize_, apply_, ...) or 'diagonal' (fill_diagonal_)."""
    dtype: str
    """The effect of rebinding to the functional form on the dtype, in programs where the in-place form runs. Measured:

    'same': nothing. 'promotes': a wider tensor operand of the same category widens it (a 0-dim operand only where the
    receiver is 0-dim too). 'bool': it always becomes bool. 'accumulates': a receiver of bool or narrow integers becomes
    int64 (cumsum_, cumprod_). 'unknown': not measured. Without a functional form: 'same', and it says nothing."""
    saves_old_self: bool
    """Autograd can keep a clone of the old value. Source: derivatives.yaml, and hooks."""
    saves_result: bool
    """Autograd can keep the receiver itself, as it is after the write."""
    parameters: tuple[str, ...]
    """Positional parameters, the receiver first."""


@dataclass(frozen=True, slots=True, eq=False)
class InplaceFunction:
    """A free function that writes its first argument: ``torch.relu_``, ``torch.nn.init.ones_``, ``_foreach_add_``."""

    name: str
    functional: str | None
    """Qualified name of the function that computes the same without writing, or None."""
    reason: str | None
    """As `InplaceMethod.reason`."""
    kind: str
    """As `InplaceMethod.kind`; also 'initialiser' (torch.nn.init), 'gradient' (clip_grad_norm_, ...) and 'foreach'
    (lists of tensors), which are kept."""
    dtype: str
    """As `InplaceMethod.dtype`."""
    parameters: tuple[str, ...]
    """Positional parameters in order; the first is written."""


@dataclass(frozen=True, slots=True, eq=False)
class ModuleClass:
    """A class of ``torch.nn``."""

    name: str
    inplace: int | None
    """Position of ``inplace`` in the constructor, not counting self; None: it has no such parameter."""
    ignores_inplace: bool
    """It has the parameter and writes nothing all the same (AlphaDropout). Measured."""
    view: View
    """How the result of a call relates to the memory of the call's first input, with ``inplace=False``. Measured."""
    result: Result
    """The kind of a call's result. Measured; containers are `Result.UNKNOWN`."""
    saves_input: bool
    """Autograd keeps the first input, or may. Measured with hooks on torch's own module samples."""
    saves_result: bool
    """Autograd keeps the result, or may. Measured likewise."""
    is_container: bool
    """True for a module that holds other modules or parameters, and computes nothing itself."""
    saves: frozenset[str]
    """As `Operator.saves`, with the parameters of a call. Parameters and buffers of the module itself are not named."""
    forward: tuple[str, ...]
    """Positional parameters of a call, without self. Source: the signature of ``forward``."""
    parameters: tuple[str, ...]
    """Positional parameters of the constructor, without self."""


Row = dict[str, Any]
_NONE: Mapping[str, str] = MappingProxyType({})


@cache
def _table() -> dict[str, Any]:
    """Return the whole table; read it on the first call."""
    table: dict[str, Any] = json.loads(Path(__file__).with_name("table.json").read_bytes())
    return table


def _row(section: str, name: str) -> Row | None:
    row: Row | None = _table()[section].get(name)
    return row


def _operator(name: str, row: Row) -> Operator:
    saves = frozenset(row.get("saves", ()))
    with_numbers = frozenset(row["numbers"]) if "numbers" in row else saves
    when = row.get("result_when")
    return Operator(
        name=name,
        result=Result(row.get("result", "tensor")),
        view=View(row.get("view", "never")),
        view_of=row.get("view_of"),
        saves=saves,
        guard=MappingProxyType(row["guard"]) if "guard" in row else _NONE,
        parameters=tuple(row.get("parameters", "").split()),
        outs=row.get("outs", 0),
        random=row.get("random", False),
        numeric_scalars_free=not with_numbers,
        elementwise=row.get("elementwise", False),
        result_bool=row.get("result_bool", False),
        saves_with_numbers=with_numbers,
        saves_members=frozenset(row.get("members", ())),
        saves_with_option=MappingProxyType({key: frozenset(names) for key, names in row.get("options", _NONE).items()}),
        result_when=MappingProxyType({key: Result(value) for key, value in when.items()} if when else {}),
        writable=row.get("writable", True),
        variadic=row.get("variadic", False),
        writes=frozenset(row.get("writes", ())),
    )


_TWICE = (
    ("torch.functional.", "torch."),
    ("torch.nn.parameter.", "torch.nn."),
    ("torch.foreach.", "torch._foreach_"),  # from 2.15 on
)


@cache
def _canonical(qualified: str) -> str:
    """Return the name under which the table knows `qualified`: torch exposes some names at a second place too."""
    for place, canonical in _TWICE:
        if qualified.startswith(place):
            return canonical + qualified[len(place) :]
    if qualified.startswith("torch.nn.modules."):
        return "torch.nn." + qualified.rpartition(".")[2]
    return qualified


@cache
def tensor_method(name: str) -> Operator | None:
    """Return the method ``Tensor.name``; None for any other name, and for in-place methods (see `inplace_method`)."""
    row = _row("methods", name)
    return None if row is None else _operator(name, row)


@cache
def tensor_attribute(name: str) -> Operator | None:
    """Return the attribute ``Tensor.name`` (``T``, ``shape``, ``grad``, ...), or None. Its one parameter is 'self'."""
    row = _row("attributes", name)
    return None if row is None else _operator(name, row)


@cache
def is_tensor_member(name: str) -> bool:
    """Tell whether tensors have a method or attribute of this name."""
    return any(table(name) is not None for table in (tensor_method, tensor_attribute, inplace_method))


def function(qualified: str) -> Operator | None:
    """Return the function of that qualified name, or None; also a class that builds tensors, and 'torch.Tensor.add'."""
    if qualified.startswith("torch.Tensor."):
        return tensor_method(qualified[len("torch.Tensor.") :])
    return _function(_canonical(qualified))


@cache
def _function(name: str) -> Operator | None:
    row = _row("functions", name)
    return None if row is None else _operator(name, row)


def has_name(qualified: str) -> bool:
    """Tell whether the tables know a function, an in-place function or a module class of that qualified name."""
    tables = (function, inplace_function, inplace_flag, module)
    return any(table(qualified) is not None for table in tables)


@cache
def inplace_method(name: str) -> InplaceMethod | None:
    """Return the in-place method ``Tensor.name``, or None."""
    row = _row("inplace_methods", name)
    if row is None:
        return None
    return InplaceMethod(
        name=name,
        functional=row.get("functional"),
        reason=row.get("reason"),
        kind=row["kind"],
        dtype=row["dtype"],
        saves_old_self=row.get("saves_old_self", False),
        saves_result=row.get("saves_result", False),
        parameters=tuple(row["parameters"].split()),
    )


def inplace_function(qualified: str) -> InplaceFunction | None:
    """Return the free function of that qualified name that writes its first argument, or None."""
    return _inplace_function(_canonical(qualified))


@cache
def _inplace_function(name: str) -> InplaceFunction | None:
    row = _row("inplace_functions", name)
    if row is None:
        return None
    return InplaceFunction(
        name=name,
        functional=row.get("functional"),
        reason=row.get("reason"),
        kind=row["kind"],
        dtype=row["dtype"],
        parameters=tuple(row["parameters"].split()),
    )


@cache
def inplace_names() -> frozenset[str]:
    """Return the last parts of the names of the free functions that write their first argument."""
    return frozenset(name.rsplit(".", 1)[-1] for name in _table()["inplace_functions"])


def inplace_flag(qualified: str) -> int | None:
    """Return the position, from 0, of a function's parameter ``inplace``, or None. Source: ``inspect.signature``."""
    position: int | None = _table()["inplace_flags"].get(_canonical(qualified))
    return position


@cache
def flag_names() -> frozenset[str]:
    """Return the last parts of the names of the functions and modules with a parameter ``inplace``."""
    table = _table()
    named = (*table["inplace_flags"], *(name for name, row in table["modules"].items() if "inplace" in row))
    return frozenset(name.rsplit(".", 1)[-1] for name in named)


def module(qualified: str) -> ModuleClass | None:
    """Return the class of ``torch.nn`` of that qualified name, or None."""
    return _module(_canonical(qualified))


IDENTITY = "torch.nn.Identity"
"""The module that returns its argument, of whatever type, unchanged."""


def takes_tensor(qualified: str) -> bool:
    """Tell whether the first argument of a torch function, or of a call of a torch module, has to be a tensor."""
    if inplace_flag(qualified) is not None:
        return True
    operator = function(qualified)
    if operator is not None:
        return bool(operator.parameters) and operator.parameters[0] in ("self", "input")
    found = module(qualified)
    return found is not None and found.result is Result.TENSOR and qualified != IDENTITY


def is_registered_name(name: str) -> bool:
    """Tell by its name whether an attribute of a module that torch defines is a parameter or buffer."""
    prefixes = ("weight", "bias", "running_", "in_proj_", "num_batches_")
    return name.startswith(prefixes) or name.endswith("weight") or name == "_random_samples"


FORWARD_HOOKS = frozenset(
    [
        *("register_forward_hook", "register_forward_pre_hook"),
        *("register_module_forward_hook", "register_module_forward_pre_hook"),
    ]
)
"""Those of `HOOKS` whose hook gets the arguments of a module, or its result, and may keep them."""

FULL_BACKWARD_HOOKS = frozenset(["register_full_backward_hook", "register_module_full_backward_hook"])
"""Those of `HOOKS` for which torch makes a view of the output of a module, which it lets nobody write."""

HOOKS = (FORWARD_HOOKS | FULL_BACKWARD_HOOKS) | {
    *("register_hook", "register_prehook", "register_full_backward_pre_hook", "register_backward_hook"),
}
"""The methods and functions that register a hook whose value, unless it is None, takes the place of its argument."""


def is_buffer_name(name: str) -> bool:
    """Tell by its name whether an attribute of a module that torch defines is a buffer."""
    return name.startswith(("running_", "num_batches_"))


def saves_result_in_place(qualified: str) -> bool:
    """Tell whether autograd keeps the result of an in-place function, or of a function or module with `inplace=True`.

    Measured: `F.leaky_relu` keeps its input, but in place its result.
    """
    return _canonical(qualified) in _saving_in_place()


@cache
def _saving_in_place() -> frozenset[str]:
    return frozenset(_table()["inplace_results"])


@cache
def _module(name: str) -> ModuleClass | None:
    row = _row("modules", name)
    if row is None:
        return None
    saves = frozenset(row.get("saves", ()))
    forward = tuple(row.get("forward", "").split())
    return ModuleClass(
        name=name,
        inplace=row.get("inplace"),
        ignores_inplace=row.get("ignores_inplace", False),
        view=View(row.get("view", "never")),
        result=Result(row.get("result", "tensor")),
        saves_input=bool(saves & {"*", *forward[:1]}),
        saves_result=bool(saves & {"*", "result"}),
        is_container=row.get("is_container", False),
        parameters=tuple(row.get("parameters", "").split()),
        saves=saves,
        forward=forward,
    )


def augmented_functional(operator: str) -> Operator | None:
    """Return the functional form of ``x OP v`` with a tensor x: the method behind the operator. Takes '+' and '+='."""
    method = _table()["operators"].get(operator.removesuffix("="))
    return None if method is None else tensor_method(method)


@cache
def reflected_functional(operator: str) -> Operator | None:
    """Return the functional form of ``number OP x`` with a tensor x: parameters ('self', 'other'), self being x.

    Measured: ``2 * x`` keeps nothing; ``2 / x`` keeps its result's reciprocal part, ``2 ** x`` its result.
    """
    name = operator.removesuffix("=")
    row = _row("reflected", name)
    return None if row is None else _operator(name, row)


def is_in_namespace(qualified: str) -> bool:
    """Tell whether the name is a public name of one of torch's namespaces in the table."""
    namespace, _, name = _canonical(qualified).rpartition(".")
    if namespace == "torch.Tensor":
        return any(_row(section, name) is not None for section in ("methods", "attributes", "inplace_methods"))
    return name in _namespaces().get(namespace, ())


@cache
def _namespaces() -> dict[str, frozenset[str]]:
    return {space: frozenset(names.split()) for space, names in _table()["namespaces"].items()}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> str:
        """Read TORCH_VERSION from the table when it is first asked for."""
        if name == "TORCH_VERSION":
            return _table()["torch"]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
