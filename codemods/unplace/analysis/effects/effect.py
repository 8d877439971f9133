"""The effect record: what a call does to what it is given, what it returns, and what autograd keeps of both.

Torch's operators and layers (`operators`, `layers`), Python's builtins and other libraries (`models`) and the functions
of the run (`summaries`) are all said in it, and it is applied in one place (`applying`).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from unplace.analysis.domain.values import Link, Origin, Token, Tracked

NOBODY: frozenset[str] = frozenset()
EVERY = "*"
"""The parameter that stands for all arguments."""

REST = "**"
"""The parameter that stands for the keyword arguments; as a slot, all slots of something else."""

EACH = "#"
"""The slot that stands for one slot for each of the extra arguments of a variadic parameter."""

RESULT = "result"
"""What the returned value is called where a part of an operation is named, as in torch's table."""

RETURNED = "return"
"""What stands for the returned value among parameters: no parameter can be called so."""


class Save(NamedTuple):
    """An argument, or `RETURNED`, that autograd keeps for backward; `part` is what messages and rewrites call it."""

    parameter: str
    certain: bool = True
    part: str | None = None


class View(NamedTuple):
    """How a returned tensor looks into arguments: it has dtype, shape and graph of the first.

    `is_piece`: the tensors of the returned sequence are disjoint. `forbidden`: torch refuses to write them in place.
    """

    of: tuple[str, ...]
    link: Link
    same_shape: bool = False
    is_piece: bool = False
    forbidden: bool = False


class Drawn(NamedTuple):
    """An element of an argument, as a loop yields it; of several arguments: an element of any of them.

    `is_copy`: of a sequence, its elements themselves.
    """

    parameters: tuple[str, ...]
    is_copy: bool = False


class Slot(NamedTuple):
    """What is in a slot of an argument: of a dictionary under the given key, else in any; or the given default."""

    of: str
    key: str = ""
    default: str = ""


Source = View | Drawn | Slot


class Returned(NamedTuple):
    """A returned value: fresh, or one of these parameters (or a view of it), or something held elsewhere.

    `same` names the parameter that is handed back itself, for certain. `foreign`: code out of sight may hold it.
    `together` are pairs of elements that may share memory. `overlapping`: several elements of the tensor may share one
    place. `saved` are the operations that keep the tensor for backward, each with whether that is certain: on every way
    through the function.

    `source` says more than `parameters` where that is known: which view it is of which of them, or that it is one of
    their elements. `outside` is the origin of memory that no argument brings, and that is the same in every call.
    `like` has its shape and dtype, `kind_of` its kind. `is_new`: made by a constructor, `may_be_leaf`: which is
    told whether it gets a gradient. `holds` is False for what no
    tensor can be reached from. `folded`: all arguments combined by `+`, or, where `parameters` has them, one of them.
    `label` is what messages call it, `operator` the method or attribute of tensors that makes it.
    """

    kinds: int
    parameters: frozenset[str] = NOBODY
    same: str | None = None
    foreign: bool = False
    elements: tuple[tuple[Hashable, Returned], ...] = ()
    dtype: Token = None
    tracked: Tracked = Tracked.MAYBE
    ref: Hashable = None
    likely: bool = False
    together: frozenset[tuple[Hashable, Hashable]] = frozenset()
    overlapping: bool = False
    saved: frozenset[tuple[str, bool]] = frozenset()
    source: Source | None = None
    outside: Origin | None = None
    shape: Token = None
    like: str | None = None
    kind_of: str | None = None
    is_new: bool = False
    may_be_leaf: bool = False
    holds: bool = True
    folded: bool = False
    label: str = ""
    operator: str | None = None


class Effect(NamedTuple):
    """Effects of a call, by parameter: tensors that are written, objects whose slots change, what is kept or saved.

    What is `returned` may be None: nothing is known of it, and whatever else the call may do with its arguments.
    `surely_keeps`: those of which nothing is a guess. `keeps_outer` and `writes_outer` say the same of names of outer
    scopes. `reshapes` are parameters whose shape or strides change, `replaces` those whose `.data` is stored to: views
    of the tensor then look at memory that it has no more. `keeper` is what messages call the one who keeps.

    Of a container: `puts` are pairs of an argument (or its elements) and the container that gets it, `moves` are
    containers whose elements change places, `takes` those that lose the element that is returned. `reads` is
    False where only the objects count, and not what is in them: `isinstance(x, list)`.
    """

    returned: Returned | None
    reads: bool = True
    writes: frozenset[str] = NOBODY
    changes: frozenset[str] = NOBODY
    keeps: frozenset[str] = NOBODY
    surely_keeps: frozenset[str] = NOBODY
    saves: tuple[Save, ...] = ()
    keeps_outer: bool = False
    writes_outer: bool = False
    replaces: frozenset[str] = NOBODY
    reshapes: frozenset[str] = NOBODY
    puts: tuple[tuple[str | Source, str], ...] = ()
    moves: frozenset[str] = NOBODY
    takes: tuple[Slot, ...] = ()
    keeper: str = ""


def leaves_alone(effect: Effect, name: str) -> bool:
    """Tell whether a function only reads what is passed for a parameter: a copy would do as well."""
    touched = effect.writes | effect.changes | effect.keeps | effect.replaces | effect.reshapes
    return effect.returned is not None and name not in touched and name not in _mentioned(effect.returned)


def _mentioned(returned: Returned) -> set[str]:
    own = set(returned.parameters) | ({returned.same} if returned.same is not None else set())
    return own.union(*(_mentioned(inner) for _, inner in returned.elements))
