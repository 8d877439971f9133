"""Calls functions, modules and classes with small random arguments that are guessed from their signatures."""

from __future__ import annotations

import doctest
import importlib
import inspect
import itertools
import pkgutil
import random
import signal
import time
import types
import typing
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import torch
from kinds_words import WIDTH, plain_by_name, tensor_by_name

IMAGES = [(2, 3, 16, 16), (1, 1, 16, 16), (3, 16, 16)]
SHAPES = [
    *IMAGES,
    (2, 8, 2),
    (2, 8, 3),
    (2, 3, 3),
    (2, 4, 4),
    (2, 2, 3),
    (2, 3, 4),
    (2, 4),
    (2, 3),
    (2, 2),
    (2,),
    (2, 8),
    (2, 8, 16),
    (3, 3),
    (2, 4, 2),
    (1, 2, 8, 8, 8),
    (2, 16, 16, 3),
    (2, 1),
    (8, 3),
    (),
    (2, 3, 32, 32),
    (2, 16, 8, 8),
    (2, 16, 16),
    (2, 10, 16),
    (2, 3, 10),
    (2, 16),
    (8, 16),
    (2, 1, 4000),
    (2, 4000),
    (4, 3, 2, 16, 16),
]
_WORDS = {
    "dim": 16,
    "dims": 16,
    "in_channels": 3,
    "out_channels": 3,
    "channels": 16,
    "in_chs": 16,
    "out_chs": 16,
    "num_heads": 2,
    "head_dim": 8,
    "embed_dim": 16,
    "num_classes": 3,
    "kernel_size": 3,
    "hidden_size": 16,
}


class TooSlowError(Exception):
    """A case took longer than it may."""


class Session:
    """The processor time that a driver has, the order in which it goes about its cases, and what became of them."""

    def __init__(self, seconds: float, seed: int, per_case: float = 8.0) -> None:
        self.seed = seed
        self._end = time.process_time() + seconds
        self._per_case = per_case
        self.outcomes: Counter[str] = Counter()
        signal.signal(signal.SIGPROF, _ring)

    @property
    def is_over(self) -> bool:
        """Whether the time is used up."""
        return time.process_time() > self._end

    def attempt(self, group: str, case: Callable[[], Any], seconds: float | None = None) -> Any:
        """The result of a case, or None; an exception is counted under its type, as most guesses don't fit."""
        if self.is_over:
            self.outcomes[f"{group}: no time left"] += 1
            return None
        try:
            with _limit(self._per_case if seconds is None else seconds):
                result = case()
        except (Exception, SystemExit) as error:
            self.outcomes[f"{group}: {type(error).__name__}"] += 1
            return None
        self.outcomes[f"{group}: ran"] += 1
        return result

    def shuffle(self, things: list[Any]) -> None:
        """Put things into the order that the seed gives."""
        random.Random(self.seed).shuffle(things)

    def part(self, share: float) -> Session:
        """A session with a share of the time that is left, which counts its outcomes here."""
        inner = Session((self._end - time.process_time()) * share, self.seed, self._per_case)
        inner.outcomes = self.outcomes
        return inner


def _ring(signum: int, frame: object) -> None:
    raise TooSlowError


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def call(session: Session, group: str, function: Callable[..., Any], tries: int = 60) -> object:
    """Call a function with guessed arguments until some fit, then again with its options turned."""
    found = fitting(session, group, function, tries)
    if found is None:
        return None
    arguments, result = found
    for name, value in options(function, arguments):
        session.attempt(group, partial(function, **{**arguments, name: value}))
    return result


def fitting(
    session: Session, group: str, function: Callable[..., Any], tries: int = 60
) -> tuple[dict[str, Any], Any] | None:
    """Arguments that a function accepts, with its result."""
    for number, arguments in enumerate(guesses(function)):
        if number == tries or session.is_over:
            break
        result = session.attempt(group, partial(wrapped, function, arguments))
        if result is not None:
            return arguments, result[0]
    return None


def wrapped(function: Callable[..., Any], arguments: Mapping[str, Any]) -> tuple[Any]:
    """The result in a tuple, so that None is told from a failed attempt."""
    return (function(**arguments),)


def required(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters without default; raises ValueError or TypeError where there is no signature."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = inspect.signature(function).parameters.values()
    return [p for p in parameters if p.default is p.empty and p.kind in kinds and p.name != "self"]


def guesses(function: Callable[..., Any]) -> Iterator[dict[str, Any]]:
    """Dicts of arguments to try, the likeliest first: all tensors alike, then all combinations in random order."""
    try:
        needed = required(function)
        hints = typing.get_type_hints(function) if not isinstance(function, type) else {}
    except Exception:
        try:
            needed, hints = required(function), {}
        except (TypeError, ValueError):
            return
    if any(
        not _may_take_tensor(hints.get(p.name, p.annotation)) and plain(p.name, hints.get(p.name, p.annotation)) is None
        for p in needed
    ):
        return
    tensors = [p.name for p in needed if _is_tensor(hints.get(p.name, p.annotation))]
    fixed = {p.name: plain(p.name, hints.get(p.name, p.annotation)) for p in needed if p.name not in tensors}
    open_names = tensors + [n for n, v in fixed.items() if v is None]
    for shape in SHAPES:
        yield {**fixed, **{n: tensor(shape) for n in open_names}}
        told = {n: found for n in open_names if (found := tensor_by_name(n, shape)) is not None}
        if told:
            yield {**fixed, **{n: told.get(n, tensor(shape)) for n in open_names}}
    yield {**fixed, **{n: torch.randint(0, 3, (2, 16)) for n in open_names}}
    if len(open_names) > 1:
        chooser = random.Random(0)
        pairs = list(itertools.islice(itertools.product(SHAPES, repeat=len(open_names)), 200_000))
        chooser.shuffle(pairs)
        for shapes in pairs:
            yield {
                **fixed,
                **{n: tensor(s, integer=chooser.random() < 0.15) for n, s in zip(open_names, shapes, strict=True)},
            }


def tensor(shape: tuple[int, ...], *, integer: bool = False) -> torch.Tensor:
    """A random tensor with values between 0 and 1, or small integers."""
    return torch.randint(0, 3, shape) if integer else torch.rand(shape)


def _is_tensor(annotation: object) -> bool:
    return annotation is torch.Tensor or annotation in ("Tensor", "torch.Tensor")


def _may_take_tensor(annotation: object) -> bool:
    """Whether a tensor wouldn't contradict an annotation."""
    if annotation is inspect.Parameter.empty or annotation is Any or isinstance(annotation, typing.TypeVar):
        return True
    if isinstance(annotation, str):
        return "Tensor" in annotation and "[" not in annotation
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return any(_may_take_tensor(a) for a in typing.get_args(annotation))
    return annotation is object or annotation is torch.Tensor


def plain(name: str, annotation: object) -> Any:
    """A value for a parameter that takes no tensor; None where nothing comes to mind."""
    if name in _WORDS and annotation in (inspect.Parameter.empty, int, "int"):
        return _WORDS[name]
    if isinstance(annotation, str):
        annotation = {"int": int, "float": float, "bool": bool}.get(annotation, annotation)
    simple: Mapping[object, Any] = {int: 3, float: 0.5, bool: True, str: "x"}
    if annotation in simple:
        return simple[annotation]
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (tuple, list) and inner:
        parts = [plain("", a) for a in inner if a is not Ellipsis]
        parts = parts * 2 if len(parts) == 1 else parts
        return None if any(p is None for p in parts) else origin(parts)
    if origin in (typing.Union, types.UnionType):
        return next((v for v in (plain(name, a) for a in inner) if v is not None), None)
    return None


def options(function: Callable[..., Any], given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Values to try for the parameters with default: the other boolean, a number or tensor instead of None."""
    example = next((v for v in given.values() if isinstance(v, torch.Tensor)), None)
    for parameter in inspect.signature(function).parameters.values():
        if isinstance(parameter.default, bool):
            yield parameter.name, not parameter.default
        elif parameter.name == "p" and parameter.default == 0.5:  # the chance of an augmentation
            yield "p", 1.0
        elif parameter.default is None:
            if "Tensor" in str(parameter.annotation) and example is not None:
                yield parameter.name, torch.rand_like(example) if example.is_floating_point() else example
            else:
                value = plain(parameter.name, parameter.annotation)
                if value is not None:
                    yield parameter.name, value
        elif isinstance(parameter.default, str):
            for word in _choices(parameter.annotation, parameter.default):
                yield parameter.name, word


def _choices(annotation: object, default: str) -> list[str]:
    named = [a for a in typing.get_args(annotation) if isinstance(a, str)]
    known = ["mean", "sum", "none"] if default in ("mean", "sum", "none") else []
    return [w for w in (*named, *known) if w != default]


def constructed(cls: Callable[..., Any]) -> Iterator[dict[str, Any]]:
    """Dicts of arguments to try for a constructor: by the names of the parameters, then as for functions."""
    with suppress(TypeError, ValueError):
        named = {p.name: plain_by_name(p.name) for p in required(cls)}
        if named and None not in named.values():
            yield named
            yield {name: WIDTH if type(value) is int else value for name, value in named.items()}
    yield from guesses(cls)


def call_object(session: Session, group: str, cls: Callable[..., Any], tries: int = 20) -> None:
    """Make an object that is no module, call it if it can be called, and call its public methods."""
    for number, arguments in enumerate(constructed(cls)):
        if number == 4 or session.is_over:
            return
        made = session.attempt(f"{group} made", partial(cls, **arguments))
        if made is not None:
            call_methods(session, group, made, tries)
            if "__call__" in vars(type(made)):
                fitting(session, group, made.__call__, tries)
            return


def call_methods(session: Session, group: str, made: object, tries: int = 20) -> None:
    """Call the public methods that the object's class defines itself with guessed arguments."""
    for name, method in list(vars(type(made)).items()):
        if inspect.isfunction(method) and not name.startswith("_") and name not in ("forward", "train", "to", "cuda"):
            fitting(session, f"{group} methods", getattr(made, name), tries)


def call_module(session: Session, group: str, cls: Callable[..., Any], tries: int = 60) -> None:
    """Make a module with guessed arguments and call it on random tensors, forward and backward, train and eval."""
    for number, arguments in enumerate(constructed(cls)):
        if number == 6 or session.is_over:
            return
        made = session.attempt(f"{group} made", partial(cls, **arguments))
        if isinstance(made, torch.nn.Module):
            run_module(session, group, made, tries)
            call_methods(session, group, made)
            for name, value in options(cls, {}):
                again = session.attempt(f"{group} made", partial(cls, **{**arguments, name: value}))
                if isinstance(again, torch.nn.Module):
                    run_module(session, group, again, tries)
            return


def run_module(session: Session, group: str, made: Any, tries: int) -> None:
    """Call a module in both modes, and its backward."""
    found = fitting(session, group, made.forward, tries)
    if found is None:
        return
    arguments = found[0]
    session.attempt(group, partial(differentiate, made, arguments))
    made.eval()
    session.attempt(group, partial(made, **arguments))


def differentiate(function: Callable[..., Any], arguments: Mapping[str, Any]) -> bool:
    """Forward and backward; always True."""
    backward(function(**arguments))
    return True


def backward(result: object) -> None:
    """Backward of the sum of all tensors of a result."""
    parts = [t.sum() for t in tensors(result) if t.requires_grad and t.is_floating_point()]
    if parts:
        torch.stack(parts).sum().backward()


def tensors(result: object) -> Iterator[torch.Tensor]:
    """The tensors in nested containers."""
    if isinstance(result, torch.Tensor):
        yield result
    elif isinstance(result, Mapping):
        for part in result.values():
            yield from tensors(part)
    elif isinstance(result, list | tuple):
        for part in result:
            yield from tensors(part)


def members(package: types.ModuleType, kind: Callable[[object], bool]) -> list[Any]:
    """The public things of a kind that modules of a package define."""
    found = [
        thing
        for name, thing in vars(package).items()
        if not name.startswith("_") and kind(thing) and getattr(thing, "__module__", "") == package.__name__
    ]
    return sorted(found, key=lambda t: str(t.__qualname__))


def is_module_class(thing: object) -> bool:
    """Whether something is a class of modules that can be made."""
    return inspect.isclass(thing) and issubclass(thing, torch.nn.Module) and not inspect.isabstract(thing)


def is_plain_class(thing: object) -> bool:
    """Whether something is another class of objects that can be made."""
    return inspect.isclass(thing) and not issubclass(thing, torch.nn.Module) and not inspect.isabstract(thing)


def submodules(session: Session, package: str, skip: tuple[str, ...] = ()) -> Iterator[types.ModuleType]:
    """The modules of a package that can be imported, but for those with one of `skip` in their names."""
    root = importlib.import_module(package)
    for info in pkgutil.walk_packages(getattr(root, "__path__", []), f"{package}.", onerror=lambda name: None):
        if not any(part in info.name for part in skip) and not info.name.endswith("__main__"):
            loaded = session.attempt("import", partial(importlib.import_module, info.name), 60)
            if loaded is not None:
                yield loaded


def generic(session: Session, modules: list[types.ModuleType]) -> None:
    """Run the examples in the docstrings of these modules, then call their public functions and modules."""
    session.shuffle(modules)
    documented = session.part(0.4)
    for module in modules:
        for text in _docstrings(module):
            if ">>>" in text:
                documented.attempt("docstrings", partial(_run_examples, text, dict(vars(module))))
    for module in modules:
        for function in members(module, inspect.isfunction):
            call(session, "functions", function)
        for cls in members(module, is_module_class):
            call_module(session, "modules", cls)
        for cls in members(module, is_plain_class):
            call_object(session, "objects", cls)


def _docstrings(module: types.ModuleType) -> Iterator[str]:
    things = members(module, inspect.isfunction) + members(module, inspect.isclass)
    for thing in (*things, *(m for t in things if inspect.isclass(t) for m in vars(t).values())):
        text = getattr(thing, "__doc__", None)
        if isinstance(text, str):
            yield text


def _run_examples(text: str, names: dict[str, Any]) -> bool:
    """Run the examples of a docstring whatever they print; always True."""
    names["torch"] = torch
    for example in doctest.DocTestParser().get_examples(text):
        exec(example.source, names)
    return True
