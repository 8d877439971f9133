"""Finds what to call in a module, and its arguments: from its `example()`, another file's function or a signature."""

from __future__ import annotations

import copy
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from unplace.config.selection import guess
from unplace.files.discovery import shown
from unplace.verification.examples import Maker, Program, as_program
from unplace.verification.loading import EXAMPLE, CannotRunError, ModuleFile, load, locate
from unplace.verification.observe import describe, observe
from unplace.verification.randomness import seeded
from unplace.verification.signatures import Invention, NoValueError, inventions, required

SIZE = 4
"""The value for each parameter that a constructor requires: in layers these are sizes."""

LEAF = re.compile(r"leaf Variable|a view of a leaf")


@dataclass(frozen=True, slots=True)
class Target:
    """A version of a module, the name in it to call (None: what `example()` returns), and the source of arguments.

    `inputs` is a file and the name of a function in it that returns what to call and its arguments. `choice` is the
    number of the way in which arguments were made from the other version's signature, to be used here as well. With
    `is_varied` nobody wrote the call: it is compared in all variations, and kept from having side effects.
    """

    file: ModuleFile
    entry: str | None = None
    inputs: tuple[Path, str] | None = None
    choice: int | None = None
    is_varied: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """A source of programs to run: `make` returns a new one.

    Where arguments were made from a signature, `choice` is the number of the way, and `made` describes them.
    """

    make: Maker
    choice: int | None = None
    made: str | None = None


def open_entry(target: Target) -> Entry:
    """Import a module and find out what to run; raise `CannotRunError` where that fails."""
    module = load(target.file)
    if target.entry is None and target.inputs is None:
        return Entry(_given(_attribute(module, EXAMPLE, target), None, f"{shown(str(target.file.path))}"))
    entry = _attribute(module, target.entry, target) if target.entry is not None else None
    if target.inputs is not None:
        path, name = target.inputs
        helper = load(locate(path), first=False)  # the version under test comes first, wherever the helper is
        if not hasattr(helper, name):
            raise CannotRunError(f"{path} defines no `{name}`")
        return Entry(_given(getattr(helper, name), entry, f"{path}:{name}"))
    assert target.entry is not None
    if target.entry.startswith(EXAMPLE):
        return Entry(_given(entry, None, f"{shown(str(target.file.path))}:{target.entry}"))
    own = getattr(module, EXAMPLE, None)
    if own is not None and not required(own) and _concerns(_given(own, None, f"{shown(str(target.file.path))}"), entry):
        return Entry(_given(own, None, f"{shown(str(target.file.path))}"))
    return _invented(entry, target)


def _attribute(module: ModuleType, name: str, target: Target) -> object:
    found: object = module
    for part in name.split("."):
        if not hasattr(found, part):
            advice = "; name what to call with --entry, or add one" if name == EXAMPLE else _choice(module, name)
            raise CannotRunError(f"{shown(str(target.file.path))} has no `{name}`{advice}")
        found = getattr(found, part)
    return found


def _choice(module: ModuleType, name: str) -> str:
    defined = [n for n, v in vars(module).items() if getattr(v, "__module__", None) == module.__name__]
    close = guess(name, [n for n in vars(module) if not n.startswith("__")])
    return f".{close}" if close else f"; it defines {', '.join(defined) or 'nothing'}"


def _given(example: object, entry: object, source: str) -> Maker:
    """Return a maker of the programs that a user's function returns; a function with a parameter is given the entry."""
    if not callable(example):
        raise CannotRunError(f"{source} is not a function")
    takes_entry = bool(required(example))
    if takes_entry and entry is None:
        raise CannotRunError(f"{source} has a parameter, which is for what --entry names")

    def make() -> Program:
        own = copy.deepcopy(entry) if isinstance(entry, torch.nn.Module) else entry
        return as_program(example(own) if takes_entry else example(), source)

    return make


def _concerns(make: Maker, entry: object) -> bool:
    """Tell whether an example calls the entry, an instance of it or a method of an instance."""
    with seeded():
        function = make().function
    owner = getattr(function, "__self__", function)
    return entry in (function, getattr(function, "__func__", None), type(owner))


def _invented(entry: object, target: Target) -> Entry:
    name = target.entry or ""
    if not callable(entry):
        raise CannotRunError(f"{shown(str(target.file.path))}: `{name}` can't be called")
    try:
        ways = list(_ways(entry))
    except Exception as error:  # the constructor is users' code, too
        reason = str(error) if isinstance(error, NoValueError) else f"it raises {describe(error)}"
        raise CannotRunError(_advice(target, reason)) from error
    if target.choice is not None:
        return ways[target.choice]
    complaints: list[str] = []
    writes_a_leaf: Entry | None = None
    for number, way in enumerate(ways):
        complaint = observe(way.make).error
        if complaint is None:
            return replace(way, choice=number)
        if LEAF.search(complaint) and writes_a_leaf is None:
            writes_a_leaf = replace(way, choice=number)
        complaints.append(complaint)
    if writes_a_leaf is not None:
        return writes_a_leaf
    raise CannotRunError(_advice(target, f"with {ways[0].made} it raises {complaints[0]}"))


def _ways(entry: Callable[..., object]) -> Iterator[Entry]:
    """Yield the entry with arguments made in different ways; raise `NoValueError` where there is no way."""
    with seeded():
        sample = _callable(entry)
    built = f"{_built(entry)}, " if isinstance(sample, torch.nn.Module) else ""
    function = sample.forward if isinstance(sample, torch.nn.Module) else sample
    for invention in inventions(sample):
        with seeded():
            arguments, keywords = invention.arguments(function)
        yield Entry(_maker(entry, function, invention), made=built + _described(arguments, keywords))


def _callable(entry: Callable[..., object]) -> Callable[..., object]:
    """Return what to call: a class's instance, the module that a function without parameters builds, or the entry."""
    if inspect.isclass(entry):
        return _called(entry, *[SIZE] * len(_sizes(entry)))
    if isinstance(entry, torch.nn.Module):
        return _called(copy.deepcopy, entry)
    if not required(entry):
        built = _called(entry)
        return built if isinstance(built, torch.nn.Module) else entry
    return entry


def _called(factory: Callable[..., Any], *arguments: object) -> Callable[..., object]:
    made: Callable[..., object] = factory(*arguments)
    return made


def _built(entry: Callable[..., object]) -> str:
    if isinstance(entry, torch.nn.Module):
        return type(entry).__name__
    sizes = _sizes(entry) if inspect.isclass(entry) else []
    return f"{getattr(entry, '__name__', 'module')}({', '.join(f'{name}={SIZE}' for name in sizes)})"


def _sizes(constructor: type) -> list[str]:
    """Return the parameters that a constructor requires; raise `NoValueError` where one of them can't be a size."""
    for parameter in required(constructor):
        if parameter.annotation not in (parameter.empty, int, "int") or parameter.kind is parameter.KEYWORD_ONLY:
            raise NoValueError(f"nothing tells what the constructor's `{parameter}` should be")
    return [parameter.name for parameter in required(constructor)]


def _maker(entry: Callable[..., object], function: Callable[..., object], invention: Invention) -> Maker:
    def make() -> Program:
        invention.sizes.clear()
        target = _callable(entry)
        arguments, keywords = invention.arguments(function)
        return Program(target, arguments, keywords)

    return make


def _described(arguments: tuple[object, ...], keywords: dict[str, object]) -> str:
    texts = [*map(_shown, arguments), *(f"{name}={_shown(value)}" for name, value in keywords.items())]
    return f"({', '.join(texts)})"


def _shown(value: object) -> str:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_shown, value))}]"
    return repr(value)


def _advice(target: Target, reason: str) -> str:
    name = (target.entry or "").rsplit(".", 1)[-1]
    return (
        f"no arguments for `{name}` can be made from its signature: {reason}.\n"
        "Write them to a file inputs.py, what to call first and then its arguments:\n"
        "    import torch\n"
        f"    def example({name}):\n"
        f"        return {name}{'(...)' if name[:1].isupper() else ''}, (torch.randn(2, 3, requires_grad=True),)\n"
        "and run again with --inputs inputs.py:example"
    )
