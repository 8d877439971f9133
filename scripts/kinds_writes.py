"""Counts the writes to tensors that torch carries out, by the place in a package that asks for them."""

from __future__ import annotations

import functools
import inspect
import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from kinds_exercise import tensors
from torch.overrides import TorchFunctionMode

MODULE = "module "
_TORCH = f"{Path(torch.__file__).parent}/"
_FLAGGED = ("nn/modules/activation.py", "nn/modules/dropout.py")  # modules with `inplace=True`
_ALWAYS = ("overrides.py", "utils/_contextlib.py")
_FORWARDED = (*_FLAGGED, *_ALWAYS, "nn/modules/module.py", "nn/modules/container.py", "nn/functional.py", "_tensor.py")
_INITIALIZED = (*_ALWAYS, "nn/init.py")
_MADE = "_unplace_made"


class Partial(functools.partial[Any]):
    """A partial that remembers where it was made, and that the stack shows while it runs."""

    def __new__(cls, function: Callable[..., Any], /, *args: Any, **keywords: Any) -> Partial:
        """Make a partial, and remember the place."""
        made = super().__new__(cls, function, *args, **keywords)
        setattr(made, _MADE, _place(sys._getframe(1)))
        return made

    def __call__(self, /, *args: Any, **keywords: Any) -> Any:
        """Call the function."""
        return super().__call__(*args, **keywords)


class Writes(TorchFunctionMode):
    """While it is entered, counts the calls that write a tensor: `file:line:column:end line:end column` by operation.

    A call of a module made with `inplace=True` is counted under `module` and the place where the module was made, and
    one of a partial with that flag under the place of the partial.
    What torch's own modules, optimizers and backward write by themselves isn't counted, nor what changes no element
    (`requires_grad_`, `detach_`).
    """

    def __init__(self, package: Path) -> None:
        super().__init__()
        self._package = f"{package}/"
        self._seen: dict[str, Counter[str]] = {}

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Carry the operation out, and count it if it wrote one of its arguments."""
        given = kwargs or {}
        name = getattr(func, "__name__", "")
        result, written = carried_out(func, args, given)
        if name == "__set__":
            is_write = getattr(func, "__self__", None) is vars(torch._C.TensorBase).get("data")
        else:
            is_write = bool(written)
        asked = self.asked(sys._getframe(1), name) if is_write else None
        if asked is not None:
            self._seen.setdefault(asked[0], Counter())[asked[1]] += 1
        return result

    def asked(self, frame: FrameType | None, name: str) -> tuple[str, str] | None:
        """The place in the package that asks for a write, and the name it counts under; None if torch itself does."""
        through: list[FrameType] = []
        partial: Partial | None = None
        while frame is not None and _is_between(frame):
            if frame.f_code is Partial.__call__.__code__:
                partial = _flagged(frame) or partial
            else:
                through.append(frame)
            frame = frame.f_back
        if frame is None or not frame.f_code.co_filename.startswith(self._package):
            return None
        files = {f.f_code.co_filename.removeprefix(_TORCH): f for f in reversed(through)}
        if name == "__set__" and files:  # `Module.to`
            return None
        if not (files.keys() <= set(_FORWARDED) or files.keys() <= set(_INITIALIZED)):
            return None
        if "nn/modules/module.py" in files and files.keys().isdisjoint((*_FLAGGED, "nn/functional.py")):
            return None  # `load_state_dict`
        module = next((files[file].f_locals.get("self") for file in _FLAGGED if file in files), None)
        flagged = partial if partial is not None else module
        if flagged is not None:
            name = f"{MODULE}{getattr(flagged, _MADE, '')}"
        return _place(frame), name

    def install(self) -> None:
        """Have torch's modules with an option `inplace`, and partials, remember where in the package they were made."""
        functools.partial = Partial  # type: ignore[misc]
        for cls in vars(torch.nn).values():
            if inspect.isclass(cls) and "inplace" in inspect.signature(cls).parameters:
                self._remember(cls)

    def _remember(self, cls: Any) -> None:
        made = cls.__init__

        def remembering(module: Any, *args: Any, **kwargs: Any) -> None:
            made(module, *args, **kwargs)
            frame: FrameType | None = sys._getframe(1)
            partial: Partial | None = None
            while frame is not None and _is_between(frame):
                partial = _flagged(frame) or partial
                frame = frame.f_back
            if frame is not None and frame.f_code.co_filename.startswith(self._package):
                object.__setattr__(module, _MADE, _place(frame) if partial is None else getattr(partial, _MADE))

        remembering.__signature__ = inspect.signature(made)  # type: ignore[attr-defined]
        cls.__init__ = remembering

    def dump(self, path: Path) -> None:
        """Add the counts to a JSON file, new or not."""
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        for place, names in self._seen.items():
            known[place] = Counter(known.get(place, {})) + names
        path.write_text(json.dumps(known, indent=0, sort_keys=True), encoding="utf-8")


def _is_between(frame: FrameType) -> bool:
    """Tell whether a frame belongs to what a package calls: to torch, or to a partial."""
    return frame.f_code.co_filename.startswith(_TORCH) or frame.f_code is Partial.__call__.__code__


def _flagged(frame: FrameType) -> Partial | None:
    """Return the partial that a frame runs, if it has the option `inplace`."""
    partial = frame.f_locals.get("self") if frame.f_code is Partial.__call__.__code__ else None
    return partial if partial is not None and "inplace" in partial.keywords else None


def _place(frame: FrameType) -> str:
    line, end_line, column, end_column = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    return f"{frame.f_code.co_filename}:{line}:{column}:{end_line}:{end_column}"


def carried_out(
    func: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[Any, list[torch.Tensor]]:
    """Carry an operation out; return its result, and the tensors among its arguments that it wrote."""
    before = [(t, version(t)) for t in tensors((args, kwargs))]
    result = func(*args, **kwargs)
    return result, [t for t, was in before if version(t) != was]


def version(tensor: torch.Tensor) -> int:
    """The number of writes that autograd has counted."""
    try:
        return tensor._version
    except RuntimeError:  # made under `inference_mode`
        return 0
