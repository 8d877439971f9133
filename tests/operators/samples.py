"""Calls to try for every in-place name of the table: torch's own OpInfo samples, and some by hand."""

from __future__ import annotations

import itertools
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import torch

DTYPES = (torch.float64, torch.float32, torch.int64, torch.bool, torch.complex128)
OTHER_DTYPES = {
    torch.float64: (torch.float32, torch.int64),
    torch.float32: (torch.float64, torch.int64),
    torch.int64: (torch.int32, torch.bool),
    torch.bool: (torch.int64,),
    torch.complex128: (torch.float64, torch.complex64),
}
LARGEST = 500
TRIED = 40


@dataclass(frozen=True)
class Sample:
    """One call: the tensor that is written first, the other arguments, and what is special about it."""

    label: str
    dtype: torch.dtype
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)

    @property
    def shape_of_call(self) -> str:
        """What the text of the call depends on."""
        rest = [*self.args[1:], *self.kwargs.items()]
        return repr([_kind(argument) for argument in rest])


def _kind(value: Any) -> object:
    if isinstance(value, torch.Tensor):
        return "tensor"
    if isinstance(value, list | tuple):
        return [_kind(item) for item in value]
    return type(value).__name__ if isinstance(value, bool | int | float | complex) else repr(value)


@cache
def _infos() -> dict[str, list[Any]]:
    from torch.testing._internal.common_methods_invocations import op_db  # takes seconds

    found: dict[str, list[Any]] = defaultdict(list)
    for info in op_db:
        for name in (info.name, *(alias.name for alias in info.aliases)):
            found[name].append(info)
    return found


def quietly(work: Callable[[], Any]) -> Any:
    """What `work` gives, or None where it raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return work()
        except Exception:
            return None


def of_operator(*names: str, each: int, dtypes: tuple[torch.dtype, ...] = DTYPES) -> list[Sample]:
    """Samples of the first of these OpInfo names that there is: for each dtype `each` calls of different form."""
    infos = next((_infos()[name] for name in names if name in _infos()), [])
    return [sample for dtype in dtypes for sample in _different(infos, dtype, each)]


def _different(infos: list[Any], dtype: torch.dtype, each: int) -> Iterator[Sample]:
    seen: dict[str, int] = defaultdict(int)
    given = 0
    for sample in itertools.islice(_drawn(infos, dtype), TRIED):
        if given >= each * 2 or seen[sample.shape_of_call] >= 1 + (given < each):
            continue
        seen[sample.shape_of_call] += 1
        given += 1
        yield sample


def _drawn(infos: list[Any], dtype: torch.dtype) -> Iterator[Sample]:
    """The samples of all variants in turn."""
    sources = [_of_info(info, dtype) for info in infos if dtype in info.supported_dtypes("cpu")]
    for together in itertools.zip_longest(*sources):
        yield from (sample for sample in together if sample is not None)


def _of_info(info: Any, dtype: torch.dtype) -> Iterator[Sample]:
    torch.manual_seed(0)
    given = quietly(lambda: iter(info.sample_inputs_func(info, torch.device("cpu"), dtype, False)))
    while given is not None:
        sample = quietly(lambda: next(given))
        if sample is None:
            return
        if all(t.numel() <= LARGEST for t in tensors((sample.input, sample.args, sample.kwargs))):
            yield Sample("", dtype, (sample.input, *sample.args), dict(sample.kwargs))


def tensors(value: Any) -> Iterator[torch.Tensor]:
    """All tensors in an argument."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from tensors(item)
    elif isinstance(value, dict):
        yield from tensors(list(value.values()))


def mapped(value: Any, change: Callable[[torch.Tensor], Any]) -> Any:
    """An argument with its tensors changed."""
    if isinstance(value, torch.Tensor):
        return change(value)
    if type(value) in (list, tuple):
        return type(value)(mapped(item, change) for item in value)
    if isinstance(value, dict):
        return {key: mapped(item, change) for key, item in value.items()}
    return value


def variants(sample: Sample) -> Iterator[Sample]:
    """The sample, and others with an operand of another dtype, a 0-dim and a broadcast operand, a 0-dim target."""
    yield sample
    first = sample.args[0]
    if not isinstance(first, torch.Tensor):
        return
    rest = (sample.args[1:], sample.kwargs)
    values = [t for t in tensors(rest) if t.dtype == sample.dtype]
    if not values or any(t.layout != torch.strided for t in values):
        return

    def changed(label: str, change: Callable[[torch.Tensor], Any], target: torch.Tensor = first) -> Sample:
        args, kwargs = mapped(rest, lambda t: change(t) if t.dtype == sample.dtype else t)
        return Sample(label, sample.dtype, (target, *args), kwargs)

    for other in OTHER_DTYPES[sample.dtype]:
        yield changed(f"{str(other)[6:]} operand", partial(torch.Tensor.to, dtype=other))
        if all(t.numel() for t in values):
            yield changed(f"0-dim {str(other)[6:]}", partial(_scalar, dtype=other))
            if first.numel():
                scalar = first.flatten()[0]
                yield changed(f"0-dim both {str(other)[6:]}", partial(_scalar, dtype=other), scalar)
    if all(t.numel() and t.dim() for t in values):
        yield changed("broadcast", lambda t: t[:1])
        yield changed("0-dim", lambda t: t.flatten()[0])


def _scalar(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return tensor.flatten()[0].to(dtype)


# -- by hand --------------------------------------------------------------------------------------------------------


def _names(dtype: torch.dtype) -> dict[str, Any]:
    """What calls written by hand may use."""
    torch.manual_seed(0)
    x = (torch.rand(3, 3, dtype=torch.float64) * 4 + 0.5).to(dtype)
    other = (torch.rand(3, 3, dtype=torch.float64) * 3 + 1).to(dtype)
    return {
        "torch": torch,
        "x": x,
        "a": other,
        "p": torch.rand(3, 3, dtype=torch.float64),
        "i": torch.tensor([0, 2]),
        "m": torch.eye(3, dtype=torch.bool),
        "s": torch.eye(3).to_sparse(),
        "one": lambda v: v,
        "two": lambda v, w: v,
        "three": lambda v, w, u: v,
    }


def by_hand(sources: tuple[str, ...]) -> list[Sample]:
    """Samples from argument lists such as `x, 0.5, training=False`, in every dtype in which they can be made."""
    found = []
    for dtype in DTYPES:
        for source in sources:
            names = _names(dtype)
            call = eval(f"lambda collect: collect({source})", names)
            made = quietly(lambda: call(lambda *args, **kwargs: Sample("", dtype, args, kwargs)))  # noqa: B023
            if made is not None:
                found.append(made)
    return found


METHODS: dict[str, tuple[str, ...]] = {
    "apply_": ("x, one",),
    "bernoulli_": ("x", "x, 0.3", "x, p"),
    "copy_": ("x, a", "x, a[0]", "x, a, True", "x, 2"),
    "detach_": ("x",),
    "fill_diagonal_": ("x, 2", "x, 1, True"),
    "map2_": ("x, a, a, three",),
    "map_": ("x, a, two",),
    "random_": ("x", "x, 5", "x, 2, 7"),
    "requires_grad_": ("x",),
    "resize_as_sparse_": ("s, s",),
    "set_": ("x, a",),
    "share_memory_": ("x",),
    "sparse_resize_": ("s, (4, 4), 2, 0",),
    "sparse_resize_and_clear_": ("s, (4, 4), 2, 0",),
    "uniform_": ("x", "x, 1.0, 2.0"),
    "normal_": ("x", "x, 1.0, 2.0"),
    "resize_": ("x, (2, 2)",),
    "resize_as_": ("x, a[0]",),
    "zero_": ("x",),
    "fill_": ("x, 1", "x, a[0, 0]", "x, True"),
    "masked_fill_": ("x, m, 1", "x, m, a[0, 0]", "x, m[0], 1"),
    "index_put_": ("x, (i,), a[:2]", "x, (m,), a[0, 0]", "x, (i, i), a[0, :2], accumulate=True"),
}
"""Where there is no OpInfo, or it leaves something out."""

FUNCTIONS: dict[str, tuple[str, ...]] = {
    "torch.alpha_dropout_": ("x, 0.5, True", "x, 0.5, False"),
    "torch.dropout_": ("x, 0.5, True", "x, 0.5, False"),
    "torch.embedding_renorm_": ("x, i, 1.0, 2.0",),
    "torch.feature_alpha_dropout_": ("x, 0.5, True",),
    "torch.feature_dropout_": ("x, 0.5, True",),
    "torch.threshold_": ("x, 2, 1",),
    "torch.nn.functional.threshold_": ("x, 2, 1",),
    "torch.nn.functional.rrelu_": ("x - 2", "x - 2, 0.1, 0.2, True"),
    "torch.rrelu_": ("x - 2", "x - 2, 0.1, 0.2, True"),
    "torch.celu_": ("x - 2", "x - 2, 0.5"),
    "torch.selu_": ("x - 2",),
    "torch.relu_": ("x",),
    "torch.zero_": ("x",),
    "torch.fill_": ("x, 1", "x, a[0, 0]"),
    "torch.detach_": ("x",),
    "torch.resize_as_": ("x, a",),
    "torch.resize_as_sparse_": ("s, s",),
}

OUT: dict[str, tuple[str, ...]] = {
    "torch.chain_matmul": ("x, a, x",),
    "torch.detach_copy": ("x",),
    "torch.fft.fftfreq": ("5",),
    "torch.fft.rfftfreq": ("5",),
    "torch.frobenius_norm": ("x, 0, False",),
    "torch.nuclear_norm": ("x",),
    "torch.rand": ("3, 3",),
    "torch.randperm": ("5",),
    "torch.range": ("0, 4",),
    "torch.select_copy": ("x, 0, 1",),
    "torch.slice_copy": ("x, 0, 1, 3",),
    "torch.slogdet": ("x",),
    "torch.special.gammainc": ("x, a",),
    "torch.special.gammaincc": ("x, a",),
    "torch.threshold": ("x, 2, 1",),
    "torch.hardshrink": ("x, 1.0",),
    "torch.slice_scatter": ("x, a[:2], 0, 1, 3",),
    "torch.special.polygamma": ("1, x",),
    "torch.view_as_complex_copy": ("torch.view_as_real(x).clone()",),
    "torch.view_as_real_copy": ("x",),
    "torch.cat": ("[x, a]", "(x, a), 1"),
    "torch.stack": ("[x, a]", "(x, a), 1"),
    "torch.where": ("m, x, a",),
    "torch.max": ("x", "x, a", "x, 0"),
    "torch.min": ("x", "x, a", "x, 0"),
    "torch.arange": ("5", "1, 7, 2"),
    "torch.zeros": ("3, 3",),
    "torch.ones": ("3, 3",),
    "torch.full": ("(3, 3), 2.0",),
    "torch.eye": ("3",),
    "torch.linspace": ("0, 1, 5",),
    "torch.logspace": ("0, 1, 5",),
    "torch.empty": ("0",),
    "torch.randn": ("3, 3",),
    "torch.randint": ("0, 5, (3, 3)",),
    "torch.polygamma": ("1, x",),
    "torch.normal": ("p, p", "0.0, p", "0.0, 1.0, (3, 3)"),
}

MODULES: dict[str, str] = {"torch.nn.Threshold": "2.0, 1.0"}
"""Arguments that a constructor needs."""
