"""Runs cases of a package and notes dtypes: of the results, and of the local variables of watched functions.

`measure_dtypes.py` starts it in a process of its own for each copy of the package.
"""

from __future__ import annotations

import inspect
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from kinds_exercise import Session, call, call_module, is_module_class, members, submodules, tensors

Run = Callable[[str], Any]


class Observer:
    """Follows the watched functions line by line: the dtypes that each variable has in turn, and the lines that ran."""

    def __init__(self, root: str, watched: dict[str, list[str]]) -> None:
        self._root, self.watched = root + "/", {file: set(names) for file, names in watched.items()}
        self.lines: dict[str, set[int]] = {}
        self.variables: dict[str, list[str]] = {}

    def __call__(self, frame: FrameType, event: str, argument: object) -> Any:
        """Decide whether to follow a call."""
        code = frame.f_code
        file = code.co_filename.removeprefix(self._root)
        return partial(self._line, file, {}) if code.co_qualname in self.watched.get(file, ()) else None

    def _line(self, file: str, last: dict[str, str], frame: FrameType, event: str, argument: object) -> Any:
        self.lines.setdefault(file, set()).add(frame.f_lineno)
        for name, value in frame.f_locals.items():
            if isinstance(value, torch.Tensor) and last.get(name) != str(value.dtype):
                last[name] = str(value.dtype)
                self.variables.setdefault(f"{file}:{frame.f_code.co_qualname}:{name}", []).append(last[name])
        return partial(self._line, file, last)


class Recording(Session):
    """A session that notes the dtypes of what its cases return."""

    def __init__(self, per_case: float) -> None:
        super().__init__(1e9, 0, per_case)
        self.results: list[str] = []

    def attempt(self, group: str, case: Callable[[], Any], seconds: float | None = None) -> Any:
        """See `Session`."""
        result = super().attempt(group, case, seconds)
        self.results += [str(tensor.dtype) for tensor in tensors(result)]
        return result


def cases(package: str, session: Recording, count: int, watched: set[str]) -> Iterator[tuple[str, Run]]:
    """The names of the cases, with what runs one in a mode."""
    if package == "kornia":
        yield from _functions(session, count, watched)
        return
    if package == "timm":
        from kinds_drive_timm import _names as names

        make: Callable[..., Any] = __import__("timm").create_model
    else:
        models = __import__("torchvision.models").models
        names, make = models.list_models, models.get_model
    chosen = names()
    for name in chosen[:: max(1, len(chosen) // count)] if package == "torchvision" else chosen[:count]:
        yield name, partial(_model, make, name, 64 if package == "timm" else 224)


def _functions(session: Recording, count: int, watched: set[str]) -> Iterator[tuple[str, Run]]:
    """The functions and modules of the files that have rewritten lines."""
    found = 0
    for module in submodules(session, "kornia", skip=("onnx", "applications", "kornia.x", "transpiler")):
        if not any(str(module.__file__).endswith(f"/{file}") for file in watched):
            continue
        for thing in (*members(module, inspect.isfunction), *members(module, is_module_class)):
            if found == count:
                return
            found += 1
            name = f"{module.__name__}.{thing.__name__}"
            run = call if inspect.isfunction(thing) else call_module
            yield name, lambda mode, run=run, name=name, thing=thing: run(session, f"{mode}: {name}", thing, 30)


def _model(make: Callable[..., Any], name: str, size: int, mode: str) -> Any:
    options: dict[str, Any] = {"num_classes": 5}
    try:
        made = make(name, img_size=size, **options) if size == 64 else make(name, weights=None, weights_backbone=None)
    except Exception:
        made = make(name, **options) if size == 64 else make(name, weights=None)
        size = made.default_cfg["input_size"][-1] if size == 64 else size
    image = torch.rand(2, 3, size, size)
    if "video" in type(made).__module__:
        image = torch.rand(1, 3, 16, size, size)
    if mode == "bfloat16":
        made, image = made.bfloat16(), image.bfloat16()
    if "detection" in type(made).__module__:
        return made.eval()(list(image))
    return made(image)


def main() -> None:
    """Run every case in both modes and write what was seen."""
    package, root, watched, output, count, seconds = sys.argv[1:]
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    observer = Observer(root, json.loads(Path(watched).read_text("utf-8")))
    session = Recording(float(seconds))
    for name in ("nms", "qnms"):  # where torchvision comes without its C extension
        with suppress(RuntimeError):
            torch.library.define(f"torchvision::{name}", "(Tensor a, Tensor b, float c) -> Tensor")
    seen: dict[str, Any] = {}
    for name, run in cases(package, session, int(count), set(observer.watched)):
        for mode in ("autocast", "bfloat16"):
            observer.variables, session.results = {}, []
            torch.manual_seed(0)
            torch.set_default_dtype(torch.bfloat16 if mode == "bfloat16" and package == "kornia" else torch.float32)
            context = torch.autocast("cpu", dtype=torch.bfloat16) if mode == "autocast" else nullcontext()
            sys.settrace(observer)
            try:
                with context:
                    session.attempt(f"{mode}: {name}", partial(run, mode), 8 * float(seconds))
            finally:
                sys.settrace(None)
                torch.set_default_dtype(torch.float32)
            found = {"result": session.results, "variables": observer.variables}
            is_slow = any(name in group and "TooSlow" in group for group in session.outcomes)
            seen[f"{mode}: {name}"] = {"ran": bool(session.results) and not is_slow, **found}
    lines = {file: sorted(found) for file, found in observer.lines.items()}
    Path(output).write_text(json.dumps({"cases": seen, "lines": lines}), "utf-8")
    for outcome, number in sorted(session.outcomes.items()):
        if not outcome.endswith(": ran"):
            print(f"{number:5} {outcome}", file=sys.stderr)


if __name__ == "__main__":
    main()
