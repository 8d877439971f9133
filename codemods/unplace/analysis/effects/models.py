"""Models: the effects of Python's builtins and of libraries other than torch, one line of data per function.

    "copy.copy": (
        Model("x", Effect(view_of("x", Link.VIEW, "copy.copy()", same_shape=True)), Given.A_TENSOR),
    ),

says that `copy.copy(x)` returns a view of its argument, if that is a tensor.
The first model of a name that fits a call applies. Nothing is known of a call that no model fits, or of a function that
isn't listed: it may keep, change and return whatever can be reached from its arguments.

A signature has a word for each parameter: `x` is required, `x?` is optional, `*` or `*x` takes all further arguments,
and `**` takes any keywords.
"""

from __future__ import annotations

import builtins
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache

from unplace.analysis.domain.facts import ANY
from unplace.analysis.domain.graph import NO_GRAPH
from unplace.analysis.domain.refs import Named
from unplace.analysis.domain.values import (
    ARRAY,
    CALLABLE,
    DICT,
    LIST,
    NONE,
    NUMBER,
    OTHER,
    SHAPE,
    TENSOR,
    TEXT,
    TUPLE,
    UNKNOWN,
    Link,
    Value,
)
from unplace.analysis.effects.effect import EACH, EVERY, REST, Drawn, Effect, Returned, Slot, View

SELF = "self"
"""The container that a method is called on."""


class Given(Enum):
    """The condition on the arguments under which a model holds."""

    ANYTHING = "anything"
    NOTHING_HELD = "nothing that a tensor can be reached from"
    A_DICT = "a dictionary as the first argument"
    A_SEQUENCE = "a list or tuple as the first argument"
    A_TENSOR = "a tensor as the first argument"
    MAYBE_A_TENSOR = "what may be a tensor as the first argument"


@dataclass(frozen=True, slots=True)
class Model:
    """The effect of a function that is called as the signature says."""

    signature: str
    effect: Effect
    given: Given = Given.ANYTHING

    def fits(self, positional: Collection[Value], keywords: Mapping[str, Value]) -> bool:
        """Tell whether the model applies to a call."""
        required, names, is_variadic, takes_keywords = _parsed(self.signature)
        given = {*names[: len(positional)], *keywords}
        if len(positional) > len(names) and not is_variadic:
            return False
        if not required <= given or not (takes_keywords or keywords.keys() <= set(names)):
            return False
        values = [*positional, *keywords.values()]
        if self.given is Given.NOTHING_HELD:
            return not any(value.objs for value in values)
        if self.given in (Given.A_DICT, Given.A_SEQUENCE):
            wanted = DICT if self.given is Given.A_DICT else LIST | TUPLE
            return bool(values) and values[0].must_be(wanted) and bool(values[0].objs)
        if self.given is Given.A_TENSOR:
            return bool(values) and values[0].is_tensor
        return self.given is Given.ANYTHING or (bool(values) and values[0].may_be(TENSOR | UNKNOWN))

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the positional parameters, without a variadic one."""
        return _parsed(self.signature)[1]


@cache
def _parsed(signature: str) -> tuple[frozenset[str], tuple[str, ...], bool, bool]:
    """Return the required parameters, all positional ones, and whether a call may give more by place or by name."""
    words = signature.split()
    plain = [word for word in words if not word.startswith("*")]
    required = frozenset(word for word in plain if not word.endswith("?"))
    names = tuple(word.removesuffix("?") for word in plain)
    return required, names, any(w.startswith("*") and w != REST for w in words), REST in words


def first_fitting(
    models: Iterable[Model], positional: Collection[Value], keywords: Mapping[str, Value]
) -> Model | None:
    """Return the first model that fits a call."""
    return next((model for model in models if model.fits(positional, keywords)), None)


def of_package(qualified: str, positional: Collection[Value], keywords: Mapping[str, Value]) -> Model | None:
    """Return the model that fits a call of any function of a package."""
    return first_fitting(PACKAGES.get(qualified.partition(".")[0], ()), positional, keywords)


def method_of(name: str, positional: Collection[Value], keywords: Mapping[str, Value]) -> Model | None:
    """Return the model that fits a call of a container's method."""
    return first_fitting(METHODS.get(name, ()), positional, keywords)


def reads_nothing(name: str) -> bool:
    """Tell whether a builtin looks only at objects themselves, and not at their content."""
    models = FUNCTIONS.get(f"builtins.{name}", ())
    return bool(models) and not any(model.effect.reads for model in models)


# -- the vocabulary of the table ------------------------------------------------------------------------------------


def gives(kinds: int) -> Returned:
    """Return the description of a result that holds no tensor: a number, text, an array."""
    return Returned(kinds, holds=False)


def view_of(parameter: str, link: Link, label: str, *, same_shape: bool = False) -> Returned:
    """Return the description of a view of an argument; with `Link.EITHER`, of a view or a copy."""
    return Returned(TENSOR, source=View((parameter,), link, same_shape), label=label)


def holding(kinds: int, element: Returned | None = None) -> Returned:
    """Return the description of a new container: an empty one, or one with these elements."""
    elements = () if element is None else ((ANY, element),)
    return Returned(kinds, elements=elements, graph=NO_GRAPH, label="container")


def drawn(*parameters: str, is_copy: bool = False, part: int | None = None) -> Returned:
    """Return the description of an element that a loop over these arguments yields, or of a part of it."""
    return Returned(UNKNOWN, source=Drawn(parameters, is_copy, part))


def slot(key: str = "", default: str = "") -> Returned:
    """Return the description of the value in a slot of the container."""
    return Returned(UNKNOWN, source=Slot(SELF, key, default))


def slots_of(kinds: int, parameter: str, *, kind_of: str | None = None) -> Returned:
    """Return the description of a new container with the slots of an argument, or with keyword arguments as slots."""
    elements = ((REST, Returned(UNKNOWN, same=parameter)),)
    return Returned(kinds, elements=elements, graph=NO_GRAPH, kind_of=kind_of, label="container")


def keeping(keeper: str, returned: Returned, *, certain: bool = False) -> Effect:
    """Return the effect of a function to which all arguments may escape or, if `certain`, do escape."""
    every = frozenset((EVERY,))
    return Effect(returned, keeps=every, surely_keeps=every if certain else frozenset(), keeper=keeper)


def _functions(module: str, names: str, *models: Model) -> dict[str, tuple[Model, ...]]:
    return {f"{module}.{name}": models for name in names.split()}


def _copied(kinds: int) -> tuple[Model, ...]:
    """Return the models of a constructor of sequences: empty, or with the elements of another sequence."""
    copied = holding(kinds, drawn("iterable", is_copy=True))
    return Model("", Effect(holding(kinds))), Model("iterable **", Effect(copied))


_EXCEPTIONS = " ".join(
    name for name, of in vars(builtins).items() if isinstance(of, type) and issubclass(of, BaseException)
)

_FILLED = Model("iterable maxlen? **", Effect(holding(LIST, drawn("iterable", is_copy=True))))
_DICTS = (
    Model("mapping", Effect(slots_of(DICT, "mapping")), Given.A_DICT),
    Model("pairs", Effect(holding(DICT, drawn("pairs", is_copy=True, part=1))), Given.A_SEQUENCE),
)
_PAIR = Returned(TUPLE, graph=NO_GRAPH, label="container")
_KEY = gives(TEXT | NUMBER | UNKNOWN)
_IN_SELF = frozenset((SELF,))

# -- functions ------------------------------------------------------------------------------------------------------

FUNCTIONS: Mapping[str, tuple[Model, ...]] = {
    # numbers and text
    **_functions(
        "builtins", "isinstance issubclass hasattr callable", Model("* **", Effect(gives(NUMBER), reads=False))
    ),
    **_functions("builtins", "len int float bool complex hash ord round divmod", Model("* **", Effect(gives(NUMBER)))),
    **_functions("builtins", "any all", Model("* **", Effect(gives(NUMBER)))),
    **_functions("builtins", "str repr format chr ascii bin hex oct input bytes", Model("* **", Effect(gives(TEXT)))),
    "builtins.range": (Model("* **", Effect(gives(SHAPE))),),
    "builtins.print": (Model("* **", Effect(gives(NONE))),),
    "builtins.type": (Model("* **", Effect(gives(CALLABLE), reads=False)),),
    "builtins.super": (Model("* **", Effect(Returned(UNKNOWN, ref=Named("builtins.super()"), holds=False))),),
    "builtins.id": (Model("* **", keeping("id()", gives(NUMBER), certain=True)._replace(reads=False)),),
    **_functions("builtins", _EXCEPTIONS, Model("* **", keeping("", gives(OTHER), certain=True))),
    # arithmetic: `sum(xs)` is a new object, `sum(xs, start)` may be `start`
    "builtins.abs": (Model("x", Effect(Returned(UNKNOWN, folded=True, label="abs()"))),),
    "builtins.sum": (
        Model("iterable **", Effect(Returned(UNKNOWN, folded=True, label="sum()"))),
        Model("iterable start", Effect(Returned(UNKNOWN, frozenset((EVERY,)), folded=True, label="sum()"))),
    ),
    **{
        f"builtins.{name}": (
            Model("* **", Effect(Returned(UNKNOWN, frozenset((EVERY,)), folded=True, label=f"{name}()"))),
        )
        for name in ("max", "min", "pow")
    },
    # containers
    "builtins.list": _copied(LIST),
    "builtins.tuple": _copied(TUPLE),
    "builtins.sorted": _copied(LIST),
    "builtins.reversed": _copied(LIST),
    "builtins.set": (Model("* **", keeping("a set", gives(OTHER), certain=True)),),
    "builtins.frozenset": (Model("* **", keeping("a set", gives(OTHER), certain=True)),),
    "builtins.dict": (Model("**", Effect(slots_of(DICT, REST))), *_DICTS),
    "builtins.enumerate": (
        Model(
            "iterable start?",
            Effect(holding(LIST, _PAIR._replace(elements=((0, gives(NUMBER)), (1, drawn("iterable")))))),
        ),
    ),
    "builtins.zip": (Model("* **", Effect(holding(LIST, _PAIR._replace(elements=((EACH, gives(UNKNOWN)),))))),),
    "collections.OrderedDict": (Model("", Effect(holding(DICT))), *_DICTS),
    "collections.defaultdict": (Model("* **", Effect(holding(DICT)), Given.NOTHING_HELD),),
    "collections.deque": (Model("* **", Effect(holding(LIST)), Given.NOTHING_HELD), _FILLED),
    "itertools.chain": (Model("iterable *", Effect(holding(LIST, drawn("iterable", EVERY)))),),
    "itertools.cycle": (Model("iterable", Effect(holding(LIST, drawn("iterable")))),),
    "itertools.islice": (Model("iterable *", Effect(holding(LIST, drawn("iterable")))),),
    # tensors
    "copy.copy": (Model("x", Effect(view_of("x", Link.VIEW, "copy.copy()", same_shape=True)), Given.A_TENSOR),),
    "copy.deepcopy": (Model("x", Effect(Returned(TENSOR, like="x", label="copy.deepcopy()")), Given.A_TENSOR),),
    **_functions(
        "numpy",
        "asanyarray asarray ascontiguousarray frombuffer",
        Model("* **", keeping("the array that shares its memory", gives(ARRAY), certain=True)),
    ),
    "typing.cast": (Model("typ val", Effect(Returned(UNKNOWN, same="val"))),),
    "typing_extensions.cast": (Model("typ val", Effect(Returned(UNKNOWN, same="val"))),),
}
"""Models of functions and classes, by qualified name."""

_AROUND = Model("* **", Effect(gives(NUMBER | TEXT | OTHER)), Given.NOTHING_HELD)
_ARRAYS = Model("* **", keeping("", gives(ARRAY)))

PACKAGES: Mapping[str, tuple[Model, ...]] = {
    "math": (Model("* **", Effect(gives(NUMBER))),),
    "numpy": (_ARRAYS,),
    "scipy": (_ARRAYS,),
    **dict.fromkeys(
        ("argparse", "json", "logging", "os", "pathlib", "random", "re", "sys", "time", "typing", "warnings"),
        (_AROUND,),
    ),
}
"""Models for all functions of a package that `FUNCTIONS` doesn't list."""

METHODS: Mapping[str, tuple[Model, ...]] = {
    **dict.fromkeys(("append", "add", "appendleft"), (Model("item", Effect(gives(NONE), puts=(("item", SELF),))),)),
    "insert": (Model("index item", Effect(gives(NONE), puts=(("item", SELF),), moves=_IN_SELF)),),
    "extend": (Model("iterable", Effect(gives(NONE), puts=((Drawn(("iterable",)), SELF),))),),
    "update": (
        Model("pairs", Effect(gives(NONE), puts=((Drawn(("pairs",), part=1), SELF),)), Given.A_SEQUENCE),
        Model("* **", Effect(gives(NONE), puts=((Slot(EVERY), SELF),))),
    ),
    **dict.fromkeys(
        ("pop", "popleft", "popitem"), (Model("key? * **", Effect(slot("key"), takes=(Slot(SELF, "key"),))),)
    ),
    "get": (Model("key? default? **", Effect(slot("key", "default"))),),
    "setdefault": (Model("key? default? **", Effect(slot("key"), puts=(("default", SELF),))),),
    "__getitem__": (Model("key? **", Effect(slot("key"))),),
    "values": (Model("* **", Effect(holding(LIST, slot()))),),
    "keys": (Model("* **", Effect(holding(LIST, _KEY))),),
    "items": (Model("* **", Effect(holding(LIST, _PAIR._replace(elements=((0, _KEY), (1, slot())))))),),
    "copy": (Model("* **", Effect(slots_of(UNKNOWN, SELF, kind_of=SELF))),),
    **dict.fromkeys(("index", "count"), (Model("* **", Effect(gives(NUMBER))),)),
    **dict.fromkeys(
        ("sort", "reverse", "rotate", "clear", "remove"), (Model("* **", Effect(gives(NONE), moves=_IN_SELF)),)
    ),
}
"""Methods of lists, tuples, dictionaries and similar containers, by name."""
