"""Places: the lines of a program where things happen, each the innermost that is not torch's, Python's or ours."""

from __future__ import annotations

import linecache
import os
import sysconfig
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import CodeType, FrameType

import torch

from unplace import torchapi

_TORCH = os.path.normcase(Path(torch.__file__).parent)
_INSTALLED = tuple(os.path.normcase(sysconfig.get_path(name)) for name in ("purelib", "platlib"))
_PYTHON = tuple(os.path.normcase(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib"))
_OWN = os.path.normcase(Path(__file__).parents[1])
_GENERATED = ("<frozen ", "<eval_with_key>")


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a program. `through` are the functions of torch that it called into, outermost first.

    They are written `module:Class.function`. Line 0 stands for code without a line of Python. `called_from` is the line
    that called the function, where it was asked for.
    """

    path: str
    line: int
    function: str = ""
    through: tuple[str, ...] = ()
    code: tuple[CodeType, ...] = field(default=(), compare=False, repr=False)
    called_from: Place | None = field(default=None, compare=False, repr=False)

    @property
    def source(self) -> str:
        """The text of the line, without white space around it."""
        return linecache.getline(self.path, self.line).strip()

    @property
    def is_installed(self) -> bool:
        """True where the line belongs to an installed package, and not to the user's own files."""
        return _is_installed(self.path)

    def went_through(self, *functions: str) -> bool:
        """Tell whether the name of a function of torch called here begins so (`torch.optim.`, `torch.nn.init:`)."""
        return any(name.startswith(functions) for name in self.through)

    @property
    def inplace_module(self) -> str | None:
        """The class of torch's module whose forward wrote, if it has the argument `inplace` (`ReLU`), else None."""
        for name in reversed(self.through):
            module, _, function = name.partition(":")
            owner, _, method = function.rpartition(".")
            known = torchapi.module(f"torch.nn.{owner}") if module.startswith("torch.nn.modules.") else None
            if known is not None and known.inplace is not None and method == "forward":
                return owner
        return None


NOWHERE = Place("<unknown>", 0)


class Places:
    """The places seen so far. Each exists only once, so that a note about it costs no more than a reference."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], Place] = {}
        self._called: dict[tuple[Place, Place], Place] = {}
        self._foreign: dict[str, bool] = {}
        self._internal: dict[str, bool] = {}
        self._folder = Path.cwd()

    def of(self, frame: FrameType | None) -> Place:
        """Return the place of a frame: its own line, or that of the innermost caller in the program's own code."""
        return self._next(frame)[0]

    def owned(self, frame: FrameType | None) -> Place:
        """Return the innermost place outside installed packages; where there is none, the innermost of all."""
        return self._owned(frame)[0]

    def called(self, frame: FrameType | None) -> Place:
        """Return the innermost place outside installed packages, with the place that called its function."""
        place, outer = self._owned(frame)
        caller, _ = self._owned(outer)
        if caller is NOWHERE or self._is_foreign(caller):
            return place
        return self._called.setdefault((place, caller), replace(place, called_from=caller))

    def _owned(self, frame: FrameType | None) -> tuple[Place, FrameType | None]:
        first = place, outer = self._next(frame)
        while self._is_foreign(place):
            if outer is None:
                return first
            place, outer = self._next(outer)
        return first if place is NOWHERE else (place, outer)

    def _is_foreign(self, place: Place) -> bool:
        known = self._foreign.get(place.path)
        if known is None:
            self._foreign[place.path] = known = place.is_installed
        return known

    def through(self, function: str, frame: FrameType | None) -> Place | None:
        """Return the innermost place around a frame that went through a function of torch; None if there is none."""
        while frame is not None:
            place, frame = self._next(frame)
            if place.went_through(function):
                return place
        return None

    def _next(self, frame: FrameType | None) -> tuple[Place, FrameType | None]:
        """Return the innermost place, and the frame around it."""
        inner: list[FrameType] = []
        while frame is not None and self._is_internal(frame.f_code.co_filename):
            inner.append(frame)
            frame = frame.f_back
        if frame is None:
            return NOWHERE, None
        key = (id(frame.f_code), frame.f_lasti, *(id(called.f_code) for called in inner))
        known = self._known.get(key)
        if known is None:
            self._known[key] = known = _place(frame, inner, self._folder)
        return known, frame.f_back

    def _is_internal(self, filename: str) -> bool:
        known = self._internal.get(filename)
        if known is None:
            self._internal[filename] = known = is_internal(filename)
        return known


def is_internal(filename: str) -> bool:
    """Tell whether a file belongs to torch, to Python's own library or to this package."""
    name = os.path.normcase(filename)  # a drive's letter may be written either way
    if filename.startswith(_GENERATED) or name.startswith((_TORCH, _OWN)):
        return True
    return name.startswith(_PYTHON) and not name.startswith(_INSTALLED) and "site-packages" not in name


def is_foreign(filename: str) -> bool:
    """Tell whether a file is internal or belongs to an installed package: nobody edits it for a program's sake."""
    return is_internal(filename) or _is_installed(filename)


def _is_installed(filename: str) -> bool:
    is_known = os.path.normcase(filename).startswith((*_INSTALLED, *_PYTHON))
    return is_known or "site-packages" in Path(filename).parts


def stepping_optimizer(frame: FrameType | None) -> str | None:
    """Return the class of the optimizer whose step is running; None where none is."""
    while frame is not None:
        if frame.f_code.co_name == "step":
            owner = frame.f_locals.get("self")
            if isinstance(owner, torch.optim.Optimizer):
                return type(owner).__name__
        frame = frame.f_back
    return None


def is_own(filename: str) -> bool:
    """Tell whether a file belongs to this package."""
    return os.path.normcase(filename).startswith(_OWN)


def _place(frame: FrameType, inner: list[FrameType], folder: Path) -> Place:
    """Return the place of a frame; the path of a file is absolute, however the program was named when it began."""
    through = tuple(_qualified(called) for called in reversed(inner) if _is_torch(called.f_code.co_filename))
    codes = (frame.f_code, *(called.f_code for called in inner))  # kept, so that no id above is given away again
    path = os.path.normpath(folder / frame.f_code.co_filename)
    if not Path(path).is_file():  # a cell of a notebook, or code given to `exec`
        path = frame.f_code.co_filename
    return Place(path, frame.f_lineno, frame.f_code.co_name, through, codes)


def _is_torch(filename: str) -> bool:
    return (
        os.path.normcase(filename).startswith(_TORCH)
        and "_dynamo" not in filename
        and not filename.endswith("_compile.py")
    )


def _qualified(frame: FrameType) -> str:
    code = frame.f_code
    owner = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
    name = f"{type(owner).__name__}.{code.co_name}" if hasattr(type(owner), code.co_name) else code.co_name
    return f"{frame.f_globals.get('__name__', '')}:{name}"
