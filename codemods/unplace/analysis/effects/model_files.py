"""Reads models from files: what functions and layers of libraries do with tensors, in the terms of the effect record.

They are written down in `SHIPPED`, and in files that users name; `documentation` says how.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from unplace.analysis.domain.graph import ARGUMENTS, SEEN
from unplace.analysis.domain.values import ARRAY, LIST, MODULE, NONE, NUMBER, TENSOR, TEXT, UNKNOWN, Link, Value
from unplace.analysis.effects.effect import EVERY, RESULT, RETURNED, Effect, Kept, Returned, Save, View
from unplace.analysis.effects.models import FUNCTIONS, Given, Model, first_fitting, gives, holding, view_of
from unplace.text import toml

SHIPPED = Path(__file__).parent / "libraries"
"""The folder of the files that come with the package."""

ModelTexts = tuple[tuple[str, str], ...]
"""The paths and texts of files."""

_TABLES = ("functions", "layers", "names")
_KEYS = ("takes", "returns", "writes", "keeps", "saves")
_LAYER_KEYS = (*_KEYS, "weights")
_OF = " of "
_PLAIN = {
    "number": gives(NUMBER),
    "text": gives(TEXT),
    "array": gives(ARRAY),
    "nothing": gives(NONE),
    "layer": Returned(MODULE, holds=False),
}
_VIEWS = {
    "view": (Link.VIEW, False),
    "view or copy": (Link.EITHER, False),
    "overlapping view or copy": (Link.EITHER, True),
}
FORMS = ("new", "list of new", "the argument x", *(f"{view}{_OF}x" for view in _VIEWS), *_PLAIN)
"""What `returns` may say, with `x` for a parameter."""


_DOCUMENTATION = """\
what functions and layers of libraries do with tensors

`[tool.unplace] models = ["ours.toml"]`, or `--models ours.toml`, names files that say what the code in sight doesn't
show. Where they are silent, whatever is called may keep, write and hand out all that it can reach.

    [functions]
    "ours.ops.warp" = {{ takes = "image flow mode?", returns = "new" }}
    "ours.ops.flatten" = {{ takes = "x *", returns = "view or copy of x", saves = [] }}
    "ours.ops.clamp_" = {{ takes = "x **", returns = "the argument x", writes = ["x"] }}

    [layers]
    "ours.layers.Scale" = {{ takes = "x", returns = "new" }}

    [names]
    "ours.BaseModule" = "torch.nn.Module"

A function goes by the name under which code imports it, a layer by that of its class: what is said is said of calls of
its objects. The keys:

- takes: the parameters; `x?` may be missing, `*` stands for more of them, `**` for any keywords. A call that doesn't
  fit isn't described.
- returns: {forms}. Here `new` is memory that nothing else holds, and `x` a parameter.
- writes: the parameters that are overwritten.
- keeps: the parameters that other code finds later, in an attribute or a cache.
- saves: the parameters that autograd saves for backward, and "result" if it saves what is returned. Without the key, it
  may save any of them.
- weights: of a layer; false if it has no parameters, so that its result has no graph unless its input has one.

A name stands for another one that does the same: that of a class of torch, say. What a file says takes precedence over
what the package knows, which has files for: {libraries}.
"""


def documentation() -> str:
    """Return how files of models are written, and for which libraries the package has some."""
    libraries = ", ".join(path.stem for path in sorted(SHIPPED.glob("*.toml")))
    return _DOCUMENTATION.format(forms=", ".join(FORMS), libraries=libraries)


class ModelsError(Exception):
    """A file of models that can't be read, or says what nobody understands."""


@dataclass(frozen=True, slots=True)
class Models:
    """What is known of libraries: of functions, of the objects of layers, and which names stand for others."""

    functions: Mapping[str, tuple[Model, ...]]
    layers: Mapping[str, tuple[Model, ...]]
    names: Mapping[str, str]

    def function(self, qualified: str, positional: list[Value], keywords: Mapping[str, Value]) -> Model | None:
        """Return the model that fits a call of a function."""
        return first_fitting(self.functions.get(qualified, ()), positional, keywords)

    def layer(self, qualified: str, positional: list[Value], keywords: Mapping[str, Value]) -> Model | None:
        """Return the model that fits a call of an object of a layer."""
        return first_fitting(self.layers.get(qualified, ()), positional, keywords)


@cache
def known_libraries(files: ModelTexts = ()) -> Models:
    """Return the models of Python's built-ins, of the libraries that the package has files of, and of more files.

    Of several models of a name, the last one counts. Raise `ModelsError` for a file that has what isn't a model.
    """
    if files:
        parts = [known_libraries(), *(_parsed(*file) for file in files)]
    else:
        shipped = sorted(SHIPPED.glob("*.toml"))
        parts = [Models(FUNCTIONS, {}, {}), *(_parsed(str(path), path.read_text("utf-8")) for path in shipped)]
    return Models(
        {name: told for part in parts for name, told in part.functions.items()},
        {name: told for part in parts for name, told in part.layers.items()},
        {name: told for part in parts for name, told in part.names.items()},
    )


def _parsed(path: str, text: str) -> Models:
    try:
        document: dict[str, Any] = toml.loads(text)
    except toml.TOMLDecodeError as error:
        raise ModelsError(f"{path}: not valid TOML: {error}") from None
    for table, value in document.items():
        if table not in _TABLES or not isinstance(value, dict):
            raise ModelsError(f"{path}: {table}: must be one of the tables {', '.join(f'[{t}]' for t in _TABLES)}")
    functions, layers, names = (document.get(table, {}) for table in _TABLES)
    for name, other in names.items():
        if not isinstance(other, str):
            raise ModelsError(f'{path}: names."{name}": must be another name, such as "torch.nn.Module"')
    return Models(
        {name: _models(f'{path}: functions."{name}"', name, told, _KEYS) for name, told in functions.items()},
        {name: _models(f'{path}: layers."{name}"', name, told, _LAYER_KEYS) for name, told in layers.items()},
        names,
    )


def _models(where: str, name: str, told: Any, keys: tuple[str, ...]) -> tuple[Model, ...]:
    """Return the models of a function, or of the objects of a layer: where it gets a tensor, and where it doesn't."""
    if not isinstance(told, dict):
        raise ModelsError(f'{where}: must be a table, such as {{ takes = "x", returns = "new" }}')
    for key in told.keys() - set(keys):
        raise ModelsError(f"{where}: {key}: no such key; there are {', '.join(keys)}")
    takes = told.get("takes", "* **")
    if not isinstance(takes, str):
        raise ModelsError(f'{where}: takes: must be a string, such as "x mask? **"')
    model = Model(takes, Effect(None))
    for key in ("writes", "keeps", "saves"):
        named, known_here = told.get(key, []), [*model.parameters, EVERY, *([RESULT] if key == "saves" else [])]
        if not isinstance(named, list) or not all(each in known_here for each in named):
            raise ModelsError(f"{where}: {key}: must be a list of {', '.join(map(repr, known_here))}")
    if not isinstance(told.get("weights", False), bool):
        raise ModelsError(f"{where}: weights: must be true or false")
    returned = _returned(told.get("returns"), model.parameters, f"{name.rpartition('.')[2]}()")
    if returned is None:
        forms = ", ".join(map(repr, FORMS))
        raise ModelsError(
            f"{where}: returns: must be one of {forms}, with a parameter for x, not {told.get('returns')!r}"
        )
    if keys == _LAYER_KEYS and told.get("weights", True):
        returned = returned._replace(graph=ARGUMENTS | SEEN)
    return _with_effect(model, returned, told, name)


def _with_effect(model: Model, returned: Returned, told: Mapping[str, Any], name: str) -> tuple[Model, ...]:
    named, saves = {*model.parameters, EVERY} if "saves" not in told else {*told["saves"]}, "saves" in told
    may_be_saved = returned.kinds & (TENSOR | UNKNOWN) and (not saves or RESULT in named)
    if may_be_saved:
        returned = returned._replace(saved=frozenset([Kept(f"{name}()", saves, ("", 0), returned.graph)]))
    effect = Effect(
        returned,
        writes=frozenset(told.get("writes", ())),
        keeps=frozenset(told.get("keeps", ())),
        surely_keeps=frozenset(told.get("keeps", ())),
        saves=tuple(Save(each, saves) for each in sorted(named - {RESULT, RETURNED})),
        keeper=f"{name}()",
    )
    handed = {returned.same, *(returned.source.of if isinstance(returned.source, View) else ())}
    words = (word.removesuffix("?") if word.removesuffix("?") in handed else word for word in model.signature.split())
    model = Model(" ".join(words), effect)  # nothing is known of a call that leaves out what is handed back
    if not returned.kinds & TENSOR or not model.parameters:
        return (model,)
    other = Returned(UNKNOWN, kind_of=model.parameters[0], likely=True, label=returned.label)
    return replace(model, given=Given.MAYBE_A_TENSOR), replace(model, effect=Effect(other))


def _returned(told: object, parameters: tuple[str, ...], label: str) -> Returned | None:
    """Return the description of a result in words; None for what isn't one of the forms."""
    if not isinstance(told, str):
        return None
    new = Returned(TENSOR, label=label)
    what, _, of = told.rpartition(_OF)
    if told == "new":
        return new
    if told == "list of new":
        return holding(LIST, new)
    if what in _VIEWS and of in parameters:
        link, overlapping = _VIEWS[what]
        return view_of(of, link, label)._replace(overlapping=overlapping)
    name = told.removeprefix("the argument ")
    if name != told and name in parameters:
        return Returned(UNKNOWN, same=name, label=label)
    return _PLAIN.get(told)
