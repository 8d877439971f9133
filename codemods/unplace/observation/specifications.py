"""Describes calls so that they can be made again with random tensors: as a small program with an `example()`.

    import torch
    from net import Net


    def example():
        net = Net(4)
        x = torch.randn(2, 4, requires_grad=True)
        return lambda x: net.step(x * 1), (x,)

Of tensors, shapes, dtypes and the order in memory are kept, and whether they have a gradient or a graph; of numbers,
texts and flags the values; of modules and other objects how they were constructed. No value of a tensor is.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from inspect import CO_VARARGS, CO_VARKEYWORDS, getattr_static
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import Any

import torch

from unplace.observation.keys import UNRECORDED

_LONGEST = 4_000
"""The most characters of a program that is kept."""
_MOST_ELEMENTS = 64
_PLAIN = (int, float, complex, bool, str, bytes, type(None), type(...))
_PLAIN_INITS = (object.__init__, torch.nn.Module.__init__)
_MAIN = "__main__"
_OF_TORCH = (torch, torch.nn.functional)


class CannotDescribeError(Exception):
    """Raised where a value can't be made again from what may be kept."""


class Constructed:
    """The expressions that constructed the objects of the program, as far as they could be described."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[weakref.ref[Any], Program, str]] = {}  # by id: objects may have no hash

    def note(self, made: object, arguments: Mapping[str, Any], code: Any, files: Mapping[str, str]) -> None:
        """Note how an object is being constructed: its own `__init__` has just been entered."""
        constructor = type(made).__init__
        if getattr(constructor, "__code__", None) is not code or self.of(made) is not None:
            return
        program, number = Program(self, files), id(made)
        with suppress(CannotDescribeError, TypeError):  # some objects can't be referred to weakly
            reference = weakref.ref(made, lambda _: self._made.pop(number, None))
            call = f"{program.name_of(type(made))}({program.passed(arguments, code, 1)})"
            self._made[number] = reference, program, call

    def of(self, made: object) -> tuple[Program, str] | None:
        """Return the program and the expression that construct an object like one of the program."""
        reference, program, call = self._made.get(id(made), (None, None, ""))
        return (program, call) if program is not None and reference is not None and reference() is made else None


class Program:
    """A program that makes a call: its imports, the lines that make arguments, and what tensors they are."""

    def __init__(self, constructed: Constructed, files: Mapping[str, str]) -> None:
        """Begin an empty program; `files` names the modules of the project by their files."""
        self._constructed = constructed
        self._files = files
        self.imports: dict[str, None] = {"import torch": None}
        self.lines: list[str] = []
        self._names: dict[int, str] = {}
        self._inner: set[str] = set()  # names of what constructors got
        self._leaves: list[str] = []
        self._kept: list[object] = []  # so that no id is used twice

    def passed(self, arguments: Mapping[str, Any], code: Any, first: int = 0) -> str:
        """Return the arguments of a call of a function's code; raise `CannotDescribeError` where one can't be made."""
        count, keywords = code.co_argcount, code.co_kwonlyargcount
        names = code.co_varnames
        given = [self.expression(arguments[name], name) for name in names[first:count]]
        rest = count + keywords
        if code.co_flags & CO_VARARGS:
            given += [self.expression(value, names[rest]) for value in arguments[names[rest]]]
            rest += 1
        given += [f"{name}={self.expression(arguments[name], name)}" for name in names[count : count + keywords]]
        if code.co_flags & CO_VARKEYWORDS:
            given += [f"{name}={self.expression(value, name)}" for name, value in arguments[names[rest]].items()]
        return ", ".join(given)

    def expression(self, value: object, wanted: str = "x") -> str:
        """Return an expression that makes a value like this one; lines before it make tensors and objects."""
        if id(value) in self._names:
            return self._names[id(value)]
        if type(value) in _PLAIN:
            return "..." if value is ... else self._number(value)
        if isinstance(value, torch.Tensor):
            return self._tensor(value, wanted)
        if isinstance(value, torch.dtype | torch.device | torch.Size | torch.memory_format):
            return f"torch.{value!r}" if isinstance(value, torch.device) else repr(value)
        if type(value) in (list, tuple, set) and len(value) <= _MOST_ELEMENTS:  # type: ignore[arg-type]
            return self._sequence(value, wanted)
        if type(value) is dict and len(value) <= _MOST_ELEMENTS:
            pairs = (f"{self.expression(k)}: {self.expression(v, wanted)}" for k, v in value.items())
            return self._container(value, f"{{{', '.join(pairs)}}}", wanted)
        if isinstance(value, slice):
            return f"slice({', '.join(map(self.expression, (value.start, value.stop, value.step)))})"
        if isinstance(value, FunctionType | BuiltinFunctionType | type | ModuleType):
            return self.name_of(value)
        if isinstance(value, Enum):
            return f"{self.name_of(type(value))}[{value.name!r}]"
        return self._object(value, wanted)

    def name_of(self, value: Any) -> str:
        """Return the name of a function or class, which the program imports."""
        if isinstance(value, ModuleType):
            self.imports[f"import {value.__name__}"] = None
            return value.__name__
        module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
        plain = getattr(value, "__name__", "")
        of_torch = next((space for space in _OF_TORCH if getattr(space, plain, None) is value), None)
        if of_torch is not None:
            return f"{of_torch.__name__}.{plain}"
        if module == "builtins":
            return str(name)
        if not isinstance(module, str) or "<" in name or not name:
            raise CannotDescribeError
        if module == "torch" or module.startswith("torch."):
            self.imports[f"import {module}"] = None
            return f"{module}.{name}"
        module = self._files.get(module, module)
        if module == _MAIN:
            raise CannotDescribeError
        self.imports[f"from {module} import {name.partition('.')[0]}"] = None
        return str(name)

    def text(self, call: str, *, records: bool = True) -> str:
        """Return the whole program; `call` is an expression in which the arguments are as they have been made.

        Gradients are recorded if it `records`.
        """
        body = [f"    {line}" for line in self.lines]
        names = ", ".join(self._leaves)
        given = f"({names},)" if len(self._leaves) == 1 else f"({names})"
        function = f"lambda {names}: {call}".replace("lambda :", "lambda:")
        function = function if records else f"{UNRECORDED}({function})"
        lines = [*self.imports, "", "", "def example():", *body, f"    return {function}, {given}", ""]
        text = "\n".join(lines)
        if len(text) > _LONGEST:
            raise CannotDescribeError
        return text

    def _number(self, value: object) -> str:
        return f'float("{value}")' if repr(value) in ("nan", "inf", "-inf") else repr(value)

    def _named(self, value: object, wanted: str) -> str:
        used = {name.partition(" ")[0] for name in self._names.values()} | self._inner
        name = wanted if wanted.isidentifier() and wanted != "torch" else "value"
        number = 1
        while (numbered := name if number == 1 else f"{name}_{number}") in used:
            number += 1
        self._names[id(value)] = numbered
        self._kept.append(value)
        return numbered

    def _tensor(self, tensor: torch.Tensor, wanted: str) -> str:
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or tensor.layout is not torch.strided:
            raise CannotDescribeError
        if tensor.device.type != "cpu" or torch._C._functorch.is_functorch_wrapped_tensor(tensor):
            raise CannotDescribeError
        name = self._named(tensor, wanted)
        self.lines.append(f"{name} = {_made(tensor)}")
        self._leaves.append(name)
        has_graph = tensor.requires_grad and not tensor.is_leaf
        if has_graph:
            self._names[id(tensor)] = f"{name} * 1"
        return self._names[id(tensor)]

    def _sequence(self, value: Any, wanted: str) -> str:
        inside = ", ".join(self.expression(each, wanted) for each in value)
        if isinstance(value, tuple):
            return f"({inside},)" if len(value) == 1 else f"({inside})"
        made = f"[{inside}]" if isinstance(value, list) else f"{{{inside}}}" if value else "set()"
        return self._container(value, made, wanted)

    def _container(self, value: object, made: str, wanted: str) -> str:
        """Make what a call may change in a line of its own: its name lets it be looked at afterwards."""
        name = self._named(value, wanted)
        self.lines.append(f"{name} = {made}")
        return name

    def _object(self, value: object, wanted: str) -> str:
        known = self._constructed.of(value)
        if known is not None:
            call = self._taken_over(*known)
        elif isinstance(value, torch.nn.Module) and type(value).__module__.startswith("torch.nn"):
            call = self._layer(value)
        elif (
            type(value).__init__ in _PLAIN_INITS
            and type(value).__new__ is object.__new__
            and hasattr(value, "__dict__")
        ):
            call = f"{self.name_of(type(value))}()"
        elif is_dataclass(value) or hasattr(value, "_fields"):
            call = f"{self.name_of(type(value))}({self._of_fields(value)})"
        else:
            raise CannotDescribeError
        name = self._named(value, wanted)
        off = "" if getattr(value, "training", True) else ".eval()"
        self.lines.append(f"{name} = {call}{off}")
        return name

    def _taken_over(self, program: Program, call: str) -> str:
        """Take over what a constructor got: its imports and lines, under names that are free here; return its call."""
        self.imports |= program.imports
        used = {name.partition(" ")[0] for name in self._names.values()} | self._inner
        for name in program.names:
            free, number = name, 1
            while free in used:
                number += 1
                free = f"{name}_{number}"
            used.add(free)
            self._inner.add(free)
            if free != name:
                pattern = rf"(?<![\w.]){re.escape(name)}(?![\w=])"
                program = program.renamed(pattern, free)
                call = re.sub(pattern, free, call)
        self.lines += program.lines
        return call

    def _of_fields(self, value: Any) -> str:
        """Return what a dataclass or a named tuple is made of."""
        names = [field.name for field in fields(value) if field.init] if is_dataclass(value) else value._fields
        return ", ".join(f"{name}={self.expression(getattr(value, name), name)}" for name in names)

    @property
    def names(self) -> list[str]:
        """The names that the lines of the program bind, in their order."""
        return [line.partition(" = ")[0] for line in self.lines]

    def renamed(self, pattern: str, name: str) -> Program:
        """Return a program with other names in its lines."""
        other = Program(self._constructed, self._files)
        other.lines = [re.sub(pattern, name, line) for line in self.lines]
        return other

    def _layer(self, layer: torch.nn.Module) -> str:
        """Return how a layer of torch is made, from what it shows of itself."""
        if isinstance(layer, torch.nn.Sequential | torch.nn.ModuleList):
            inside = ", ".join(self._inline(child) for child in layer)
            listed = f"[{inside}]" if isinstance(layer, torch.nn.ModuleList) else inside
            return f"torch.nn.{type(layer).__name__}({listed})"
        if any(True for _ in layer.children()):
            raise CannotDescribeError
        return f"torch.nn.{type(layer).__name__}({layer.extra_repr()})"

    def _inline(self, child: torch.nn.Module) -> str:
        known = self._constructed.of(child)
        return self._layer(child) if known is None else self._taken_over(*known)


def described(name: str, frame: FrameType, constructed: Constructed, files: Mapping[str, str]) -> str:
    """Return the program that calls a function or method, which a frame has just entered, with arguments of its kind.

    Raises `CannotDescribeError` where one of its arguments, or the object of the method, can't be made again.
    """
    code, arguments = frame.f_code, frame.f_locals
    program, records = Program(constructed, files), torch.is_grad_enabled()
    owner, _, method = name.rpartition(".")
    if owner:
        found = getattr_static(frame.f_globals.get(owner), method, None)
        if isinstance(found, staticmethod):
            call = f"{program.name_of(frame.f_globals[owner])}.{method}({program.passed(arguments, code)})"
            return program.text(call, records=records)
        receiver = program.expression(arguments[code.co_varnames[0]], owner.lower())
        if method.startswith("__") and not method.endswith("__"):
            method = f"_{owner.lstrip('_')}{method}"
        is_called = method == "forward" and isinstance(arguments[code.co_varnames[0]], torch.nn.Module)
        called = receiver if is_called else f"{receiver}.{method}"
        call = called if isinstance(found, property) else f"{called}({program.passed(arguments, code, 1)})"
        return program.text(call, records=records)
    module = frame.f_globals.get("__name__", _MAIN)
    module = files.get(module, module)
    if module == _MAIN:
        raise CannotDescribeError
    program.imports[f"from {module} import {name}"] = None
    return program.text(f"{name}({program.passed(arguments, code)})", records=records)


def _made(tensor: torch.Tensor) -> str:
    """Return an expression for a random tensor of the same shape, dtype and order in memory."""
    order = sorted(range(tensor.dim()), key=lambda axis: -tensor.stride(axis)) if tensor.numel() > 1 else []
    is_permuted = order != sorted(order) and 0 not in tensor.stride()
    shape = [tensor.shape[axis] for axis in order] if is_permuted else list(tensor.shape)
    expanded = [axis for axis in range(tensor.dim()) if tensor.stride(axis) == 0 and tensor.shape[axis] > 1]
    shape = [1 if axis in expanded else size for axis, size in enumerate(shape)]
    size = ", ".join(map(str, shape)) if shape else "()"
    if tensor.dtype is torch.bool:
        made = f"torch.rand({size}) > 0.5"
        made = f"({made})" if is_permuted or expanded else made
    elif tensor.is_floating_point() or tensor.is_complex():
        options = "" if tensor.dtype is torch.float32 else f", dtype={tensor.dtype}"
        options += ", requires_grad=True" if tensor.requires_grad else ""
        made = f"torch.randn({size}{options})"
    else:
        made = f"torch.randint(2, ({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''}), dtype={tensor.dtype})"
    if expanded:
        return f"{made}.expand({', '.join(map(str, tensor.shape))})"
    if is_permuted:
        made += f".permute({', '.join(str(order.index(axis)) for axis in range(tensor.dim()))})"
    return made
