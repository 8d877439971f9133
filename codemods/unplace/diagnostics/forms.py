"""Defines the forms of in-place operations: one record for each, with all facts that the other rooms need about it.

The filters that spare files, functions and expressions the analysis, the analysis itself, the planner and the reports
read these records. A new form is a name in `Form` and a record in `WriteKind`; a rule adds its recipe.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any

from unplace.torchapi import members


class Form(str, Enum):
    """The form of an in-place operation, in the words of reports."""

    AUGMENTED = "augmented assignment"
    METHOD = "underscore method"
    DATA_STORE = ".data store"
    MASKED_STORE = "masked store"
    SUBSCRIPT_STORE = "subscript store"
    INPLACE_ARGUMENT = "inplace=True"
    FUNCTION = "underscore function"
    OUT_ARGUMENT = "out="
    OPTIMIZER_STEP = "optimizer step"


class Proof(Enum):
    """The evidence that a write to an object of unknown type is a write to a tensor."""

    FORM = "form"  # the form itself: only tensors have it
    NAME = "name"  # the method's name, if no other type has it
    OPERANDS = "operands"  # the operands: a tensor is combined with the target
    NONE = "none"


@dataclass(frozen=True, slots=True, eq=False)
class Spelling:
    """One way to write an in-place operation.

    `node` is the type of its syntax node. `target` returns the written expression by syntax alone, or None where a node
    isn't written so. `sign` is a regular expression that matches in every file that holds such an operation.
    `functions` are qualified names whose calls write their first argument. With `is_telling`, readers expect code of
    this form to be in place, and are told why it isn't. With `is_whole`, the whole tensor is written, rather than a
    part that an index names. `dtype` is the effect of the functional form on the dtype of the result, as in
    `torchapi.InplaceMethod.dtype`; None where the operation decides.
    """

    form: Form
    node: type[ast.AST]
    target: Callable[[Any], ast.expr | None]
    sign: bytes
    is_whole: bool = True
    is_statement: bool = False
    is_telling: bool = True
    proof: Proof = Proof.FORM
    dtype: str | None = None
    functions: frozenset[str] = frozenset()


def _augmented(node: Any) -> ast.expr | None:
    target: ast.expr = node.target
    return target


def _stored(node: Any) -> ast.expr | None:
    return node.value if isinstance(node.ctx, ast.Store) else None


def _data(node: Any) -> ast.expr | None:
    return node.value if node.attr == "data" and isinstance(node.ctx, ast.Store) else None


def _out(node: Any) -> ast.expr | None:
    for keyword in node.keywords:
        if keyword.arg == "out":
            written: ast.expr = keyword.value
            return written
    return None


def _method(node: Any) -> ast.expr | None:
    """Return the tensor of `x.add_(k)`, or the first argument of `relu_(x)`."""
    name = _called(node)
    if not name.endswith("_") or name.startswith("_"):
        return None
    return node.func.value if isinstance(node.func, ast.Attribute) else first_argument(node)


def _function(node: Any) -> ast.expr | None:
    """Return the first argument of `torch.relu_(x)` or `torch._foreach_add_(xs, 1)`."""
    name = _called(node)
    return first_argument(node) if name.endswith("_") and not name.endswith("__") else None


def _flagged(node: Any) -> ast.expr | None:
    return first_argument(node) if has_true(node) else None


def _renamed(node: Any) -> ast.expr | None:
    """Return the first argument of `operator.iadd(x, k)`, or the object of `x.__iadd__(k)`."""
    name = _called(node)
    if name.strip("_") not in members.OF_OPERATORS:
        return None
    return node.func.value if name.startswith("__") else first_argument(node)


def _nothing(node: Any) -> ast.expr | None:
    return None


def _called(node: ast.Call) -> str:
    """Return the last part of the called name; empty where the called expression has no name."""
    name: str = getattr(node.func, "attr", "") or getattr(node.func, "id", "")
    return name


def first_argument(node: ast.Call) -> ast.expr:
    """Return the first positional argument of a call, or the called expression where there is none."""
    return node.args[0] if node.args else node.func


def has_true(node: ast.Call) -> bool:
    """Tell whether a call has a True among its positional arguments, or `inplace=True`."""
    return any(map(is_true, node.args)) or asks_in_place(node)


def asks_in_place(node: ast.Call) -> bool:
    """Tell whether a call has `inplace=True`."""
    return any(keyword.arg == "inplace" and is_true(keyword.value) for keyword in node.keywords)


def is_true(node: ast.expr | None) -> bool:
    """Tell whether an expression is the literal True."""
    return type(node) is ast.Constant and node.value is True


def is_false(node: ast.expr | None) -> bool:
    """Tell whether an expression is the literal False."""
    return type(node) is ast.Constant and node.value is False


_ASSIGNS = rb"[+\-*/%&|^<>@]="
_CALLS = rb"[^\W_]_(?!\w)"  # also where the method gets a name and is called by that
_OPERATORS = rb"(?:%s)(?:__)?\b" % "|".join(members.OF_OPERATORS).encode()
_FLAG = rb"inplace|True"


class WriteKind(Enum):
    """The spellings of writes to a tensor."""

    AUGMENTED = Spelling(  # x += k
        Form.AUGMENTED, ast.AugAssign, _augmented, _ASSIGNS, is_statement=True, proof=Proof.OPERANDS, dtype="promotes"
    )
    METHOD = Spelling(Form.METHOD, ast.Call, _method, _CALLS, proof=Proof.NAME)  # x.add_(k)
    BOUND = Spelling(  # bump(k) with bump = x.add_, and operator.iadd(x, k)
        Form.METHOD, ast.Call, _renamed, rb"|".join((_CALLS, _OPERATORS)), is_telling=False
    )
    FUNCTION = Spelling(Form.FUNCTION, ast.Call, _function, _CALLS, is_telling=False)  # torch.relu_(x)
    FLAG = Spelling(Form.INPLACE_ARGUMENT, ast.Call, _flagged, _FLAG, is_telling=False)  # F.relu(x, inplace=True)
    MODULE = Spelling(  # act(x) with act = nn.ReLU(inplace=True)
        Form.INPLACE_ARGUMENT, ast.Call, _nothing, _FLAG, is_whole=False, is_telling=False
    )
    OUT = Spelling(Form.OUT_ARGUMENT, ast.Call, _out, rb"out\s*[=#\\]", proof=Proof.NONE)  # torch.add(a, b, out=x)
    STORE = Spelling(  # x[i] = v
        Form.SUBSCRIPT_STORE,
        ast.Subscript,
        _stored,
        rb"\]\s*[=,)#\\]",
        is_whole=False,
        is_statement=True,
        proof=Proof.NONE,
    )
    AUGMENTED_STORE = Spelling(  # x[i] += v
        Form.SUBSCRIPT_STORE,
        ast.AugAssign,
        _augmented,
        _ASSIGNS,
        is_whole=False,
        is_statement=True,
        proof=Proof.NONE,
    )
    STEP = Spelling(  # optimizer.step(), which writes weights, perhaps in a function that runs a backward, too
        Form.OPTIMIZER_STEP, ast.Call, _nothing, rb"\.\s*(?:step|backward)\s*\(", is_whole=False, is_telling=False
    )
    DATA = Spelling(Form.DATA_STORE, ast.Attribute, _data, rb"\.\s*data\b", is_statement=True)  # x.data = v

    @property
    def form(self) -> Form:
        """The form that reports name, unless the written expression tells more."""
        return self.value.form

    @property
    def is_whole(self) -> bool:
        """True where the whole tensor is written, rather than a part that an index names."""
        return self.value.is_whole

    @property
    def is_method(self) -> bool:
        """True where the operation is a method of a tensor, called by its own or another name."""
        return self in (WriteKind.METHOD, WriteKind.BOUND)

    @property
    def is_statement(self) -> bool:
        """True where the operation is a statement or the target of one, rather than an expression."""
        return self.value.is_statement


PARTIAL = "functools.partial"
"""The function that binds arguments of another, such as `inplace=True`."""

WRITERS = {name: kind for kind in WriteKind for name in kind.value.functions}
"""The functions other than torch's that write their first argument, by qualified name."""

SIGNS = re.compile(b"|".join(dict.fromkeys(kind.value.sign for kind in WriteKind)))
"""A pattern that matches in the bytes of every file with an in-place operation, and in others too."""


def _by_node(kinds: Iterable[WriteKind]) -> dict[type[ast.AST], tuple[Callable[[Any], ast.expr | None], ...]]:
    """Gather the targets of kinds by the type of their nodes."""
    found: dict[type[ast.AST], dict[Callable[[Any], ast.expr | None], None]] = {}
    for kind in kinds:
        found.setdefault(kind.value.node, {})[kind.value.target] = None
    return {node: tuple(targets) for node, targets in found.items()}


_ALL = _by_node(WriteKind)
WRITING = frozenset(_ALL)
"""The types of the nodes that may be in-place operations."""
_TELLING = _by_node(kind for kind in (WriteKind.OUT, *WriteKind) if kind.value.is_telling)


@cache
def names_operation(name: str) -> bool:
    """Tell whether a name is like that of a method or function that works in place: `mul_`, `iadd`, `__iadd__`."""
    return name.endswith("_") or name.strip("_") in members.OF_OPERATORS


def looks_in_place(node: ast.AST) -> bool:
    """Tell whether a node has the form of an in-place operation, whatever object it is applied to."""
    if type(node) is ast.Call and not node.keywords and not names_operation(_called(node)):
        return any(map(is_true, node.args))
    for target in _ALL.get(type(node), ()):  # noqa: SIM110 - asked of every node, for which a generator costs more
        if target(node) is not None:
            return True
    return False


def target_of(node: ast.AST) -> ast.expr | None:
    """Return the expression that a node would write as an in-place operation; None where it doesn't look like one."""
    return next((written for target in _TELLING.get(type(node), ()) if (written := target(node)) is not None), None)
