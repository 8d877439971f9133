"""Measurements: run a callable on samples and see what it shares, keeps for backward, draws and returns."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torchapi_native import Saves

Tensor = torch.Tensor
BIG = 200_000
UFUNCS = {"UnaryUfuncInfo", "BinaryUfuncInfo"}


@dataclass(frozen=True)
class Sample:
    """Arguments for one call."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass
class Measured:
    """What was seen over all samples of one callable."""

    runs: int = 0
    shared_runs: int = 0
    same_object: bool = False
    shares: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)
    only_bool: bool = True
    random: bool = False
    float_runs: int = 0
    graph_runs: int = 0
    plain_runs: int = 0
    takes_out: bool | None = None
    seen: set[str] = field(default_factory=set)
    saves: Saves = field(default_factory=Saves)
    options: dict[str, set[str]] = field(default_factory=dict)
    numbers: set[str] | None = None
    elementwise: bool | None = None
    is_ufunc: bool = False
    writable: bool | None = None


def quietly(call: Callable[[], Any]) -> Any:
    """The value of a call, or None when it raises: a sample that cannot run says nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call()
    except Exception:
        return None


def seed() -> None:
    """Put every generator that samples draw from into a known state (of the CPU only: `torch.manual_seed` is slow)."""
    torch.default_generator.manual_seed(0)
    np.random.seed(0)
    random.seed(0)


def flat(value: Any) -> Iterator[Any]:
    """The tensors in a value, in order."""
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from flat(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from flat(item)


def storage(tensor: Any) -> int | None:
    """An identity of the memory of a tensor; None where there is no such thing (sparse tensors)."""
    identity: int | None = quietly(lambda: tensor.untyped_storage()._cdata)
    return identity


def kind_of(value: Any) -> str:
    """The value of `unplace.torchapi.Result` for an object."""
    if isinstance(value, Tensor):
        return "tensor"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float, complex, torch.SymInt, torch.SymFloat)):
        return "number"
    if isinstance(value, torch.Size):
        return "shape"
    if isinstance(value, (list, tuple)) and value:
        if all(kind_of(item) in ("tensor", "tensors") for item in value):
            return "tensors"
        if isinstance(value, tuple) and all(isinstance(item, int) for item in value):
            return "shape"
    return "other"


def rebuilt(value: Any, change: Callable[[Any], Any]) -> Any:
    """A copy of the arguments with every tensor passed through `change`."""
    if isinstance(value, Tensor):
        return change(value)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields") and not isinstance(value, torch.Size):
        return type(value)(rebuilt(item, change) for item in value)
    if isinstance(value, dict):
        return {key: rebuilt(item, change) for key, item in value.items()}
    return value


def transposed(tensor: Any) -> Any:
    """The same values and shape with other strides, where the tensor has two dimensions or more."""
    copy = tensor.detach().clone()
    if copy.layout is torch.strided and copy.dim() >= 2:
        copy = copy.transpose(0, -1).contiguous().transpose(0, -1)
    return copy


def copied(tensor: Any) -> Any:
    """Fresh memory, same strides, no graph."""
    return tensor.detach().clone()


def is_real_valued(tensor: Any) -> bool:
    """Whether the tensor can need a gradient."""
    return bool(tensor.is_floating_point() or tensor.is_complex())


def labelled(sample: Sample, parameters: tuple[str, ...]) -> list[tuple[str, Any]]:
    """Every tensor of a sample with the name of its parameter."""
    pairs = []
    for position, value in enumerate(sample.args):
        name = parameters[min(position, len(parameters) - 1)] if parameters else f"arg{position}"
        pairs += [(name, tensor) for tensor in flat(value)]
    for name, value in sample.kwargs.items():
        pairs += [(name, tensor) for tensor in flat(value)]
    return pairs


def changed(sample: Sample, change: Callable[[Any], Any]) -> Sample:
    """The sample with every tensor passed through `change`."""
    return Sample(rebuilt(sample.args, change), rebuilt(sample.kwargs, change))


def measure(
    function: Callable[..., Any], parameters: tuple[str, ...], groups: dict[str, list[Sample]], infos: list[Any]
) -> Measured:
    """Everything that the samples tell about one callable; `groups` maps a dtype name to samples."""
    seen = Measured(is_ufunc=bool(infos) and all(type(i).__name__ in UFUNCS for i in infos))
    for dtype, samples in groups.items():
        for sample in samples:
            if sum(t.numel() for t in flat((sample.args, sample.kwargs))) > BIG:
                continue
            for layout in (copied, transposed):
                _observe(function, parameters, changed(sample, layout), seen)
                if dtype in ("float32", "complex64"):
                    _observe_graph(function, parameters, sample, layout, seen)
            if dtype == "float32":
                _observe_numbers(function, parameters, sample, seen)
                _observe_elements(function, sample, seen)
                _observe_writes(function, sample, seen)
            if seen.takes_out is None:
                _observe_out(function, sample, seen)
    return seen


def _observe(function: Callable[..., Any], parameters: tuple[str, ...], sample: Sample, seen: Measured) -> None:
    """One plain run: result, sharing, randomness."""
    seed()
    before = torch.get_rng_state()
    raw = quietly(lambda: (function(*sample.args, **sample.kwargs),))
    if raw is None:
        return
    value = raw[0]
    seen.runs += 1
    seen.float_runs += any(is_real_valued(t) for t in flat((sample.args, sample.kwargs)))
    seen.random |= not torch.equal(before, torch.get_rng_state())
    seen.results[kind_of(value)] += 1
    outputs = list(flat(value))
    seen.only_bool &= bool(outputs) and all(o.dtype is torch.bool for o in outputs)
    inputs = labelled(sample, parameters)
    places = {storage(o) for o in outputs} - {None}
    sharing = {name for name, tensor in inputs if storage(tensor) in places}
    seen.shares.update(sharing)
    seen.shared_runs += bool(sharing)
    seen.same_object |= any(o is tensor for o in outputs for _, tensor in inputs)


def kept(
    function: Callable[..., Any], parameters: tuple[str, ...], sample: Sample
) -> tuple[set[str], bool, set[int], bool] | None:
    """What the graph of one call keeps: parameters, the result, positions in the result; last: is there a graph?

    The hooks see each tensor that a node saves, at the moment of saving; memory is compared, so a saved view counts.
    """
    packed: set[int | None] = set()
    alive: list[Any] = []  # keeps memory from being given to the next tensor

    def pack(tensor: Any) -> Any:
        packed.add(storage(tensor))
        alive.append(tensor)
        return tensor

    def run() -> Any:
        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            return (function(*sample.args, **sample.kwargs),)

    seed()
    raw = quietly(run)
    if raw is None:
        return None
    packed.discard(None)
    outputs = list(flat(raw[0]))
    if not any(o.requires_grad for o in outputs):
        return set(), False, set(), False
    names = {name for name, tensor in labelled(sample, parameters) if storage(tensor) in packed}
    members = {i for i, o in enumerate(outputs) if storage(o) in packed}
    single = isinstance(raw[0], Tensor)
    return names, single and bool(members), set() if single else members, True


def _observe_graph(
    function: Callable[..., Any],
    parameters: tuple[str, ...],
    sample: Sample,
    layout: Callable[[Any], Any],
    seen: Measured,
) -> None:
    """Runs with gradients needed: by all arguments that can, then by all but one, for the guards."""

    def with_gradients(besides: str | None) -> Sample:
        names = iter(labelled(sample, parameters))

        def change(tensor: Any) -> Any:
            name, _ = next(names)
            copy = layout(tensor)
            # `* 1`: not a leaf, as tensors in the middle of a program are
            return copy.requires_grad_() * 1 if is_real_valued(copy) and name != besides else copy

        return changed(sample, change)

    def given_gradients() -> Sample:
        return changed(sample, lambda t: layout(t).requires_grad_() * 1 if t.requires_grad else layout(t))

    for prepared in (quietly(lambda: with_gradients(None)), quietly(given_gradients)):
        got = None if prepared is None else kept(function, parameters, prepared)
        if got is None or not got[3]:
            seen.plain_runs += got is not None
            continue
        names, result, members, _ = got
        seen.graph_runs += 1
        seen.seen |= {name for name, _ in labelled(sample, parameters)}
        guards = _guards(function, parameters, sample, with_gradients, names)
        seen.saves.join(Saves(guards, result, members))
        options = [value for value in (*sample.args, *sample.kwargs.values()) if isinstance(value, str)]
        if len(options) < 2:
            seen.options.setdefault("".join(options), set()).update(
                names | ({"result"} if result or members else set())
            )


def _guards(
    function: Callable[..., Any],
    parameters: tuple[str, ...],
    sample: Sample,
    with_gradients: Callable[[str | None], Sample],
    names: set[str],
) -> dict[str, str]:
    """For each kept parameter, the other parameter without whose gradient it is not kept."""
    guards = dict.fromkeys(names, "")
    others = dict.fromkeys(name for name, tensor in labelled(sample, parameters) if is_real_valued(tensor))
    if not names or len(others) < 2:
        return guards
    for other in others:
        prepared = quietly(lambda: with_gradients(other))  # noqa: B023
        got = None if prepared is None else kept(function, parameters, prepared)
        if got is None or not got[3]:
            continue
        for name in names - got[0] - {other}:
            guards[name] = guards[name] or other
    return guards


def _observe_numbers(function: Callable[..., Any], parameters: tuple[str, ...], sample: Sample, seen: Measured) -> None:
    """What is kept when every tensor besides the first argument is replaced by a Python number."""
    tensors = list(flat((sample.args, sample.kwargs)))
    if len(tensors) < 2 or not isinstance(sample.args[0], Tensor) or not is_real_valued(tensors[0]):
        return
    for number in (2, 0.5, 3.0):
        receiver = tensors[0].detach().clone().requires_grad_() * 1

        def change(tensor: Any) -> Any:
            return receiver if tensor is tensors[0] else number  # noqa: B023

        got = kept(function, parameters, changed(sample, change))
        if got is not None and got[3]:
            seen.numbers = (seen.numbers or set()) | got[0] | ({"result"} if got[1] or got[2] else set())


def _observe_elements(function: Callable[..., Any], sample: Sample, seen: Measured) -> None:
    """Change one element of each argument that has the result's shape: no other element of the result may change."""
    plain = changed(sample, copied)
    seed()
    first = quietly(lambda: function(*plain.args, **plain.kwargs))
    if not isinstance(first, Tensor) or first.numel() < 2 or first.layout is not torch.strided:
        return
    for position, tensor in enumerate(flat((sample.args, sample.kwargs))):
        if tensor.shape != first.shape or not tensor.is_floating_point():
            continue
        counter = iter(range(1000))

        def change(value: Any) -> Any:
            copy = value.detach().clone()
            if next(counter) == position:  # noqa: B023
                copy.view(-1)[0] = copy.view(-1)[0] * 0.5 + 0.25
            return copy

        other = quietly(lambda: changed(sample, change))
        seed()
        second = None if other is None else quietly(lambda: function(*other.args, **other.kwargs))  # noqa: B023
        if isinstance(second, Tensor) and second.shape == first.shape:
            a, b = first.detach().reshape(-1)[1:], second.detach().reshape(-1)[1:]
            same = bool(((a == b) | ((a != a) & (b != b))).all())
            seen.elementwise = same and seen.elementwise is not False


def _observe_writes(function: Callable[..., Any], sample: Sample, seen: Measured) -> None:
    """Whether the pieces of a sequence of views may be written while a graph is recorded."""
    prepared = quietly(
        lambda: changed(sample, lambda t: t.detach().clone().requires_grad_() * 1 if is_real_valued(t) else copied(t))
    )
    pieces = None if prepared is None else quietly(lambda: function(*prepared.args, **prepared.kwargs))
    if not isinstance(pieces, (list, tuple)) or not pieces or not all(isinstance(p, Tensor) for p in pieces):
        return
    allowed = all(quietly(lambda: piece.add_(1)) is not None for piece in pieces)  # noqa: B023
    seen.writable = allowed and seen.writable is not False


def _observe_out(function: Callable[..., Any], sample: Sample, seen: Measured) -> None:
    """Whether the Python function knows out=: not every out variant of the schemas can be reached."""
    if "out" in sample.kwargs:
        return
    plain = changed(sample, copied)
    seed()
    value = quietly(lambda: function(*plain.args, **plain.kwargs))
    if value is None:
        return
    places = quietly(lambda: tuple(o.new_empty(0) for o in flat(value)))
    if not places:
        return
    plain = changed(sample, copied)
    seed()
    out = places[0] if isinstance(value, Tensor) else places
    seen.takes_out = quietly(lambda: function(*plain.args, **plain.kwargs, out=out)) is not None
