"""Rows for the classes of torch.nn: built from torch's own module samples and from hand-written ones, then called."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.testing._internal.common_modules import module_db
from torchapi_measure import (
    Sample,
    changed,
    copied,
    flat,
    is_real_valued,
    kept,
    kind_of,
    quietly,
    seed,
    storage,
    transposed,
)
from torchapi_samples import names
from torchapi_signatures import from_python

Row = dict[str, Any]
CONTAINERS = {"Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"}
RECURRENT = {"GRU", "LSTM", "RNN", "RNNBase"}
RECURRENT_PARAMETERS = "input_size hidden_size num_layers bias batch_first dropout bidirectional"

# Not among torch's own samples: constructor arguments and call arguments, as in torchapi_calls.
HAND: dict[str, tuple[str, str]] = {
    "AdaptiveLogSoftmaxWithLoss": ("3, 8, [2, 4]", "x, torch.tensor([0, 3, 7])"),
    "AlphaDropout": ("", "x"),
    "ChannelShuffle": ("2", "im"),
    "CosineSimilarity": ("", "x, y"),
    "CrossMapLRN2d": ("3", "im"),
    "Dropout": ("", "x"),
    "Dropout1d": ("", "b"),
    "Dropout2d": ("", "im"),
    "Dropout3d": ("", "im[None]"),
    "EmbeddingBag": ("5, 3", "i[None]"),
    "FeatureAlphaDropout": ("", "im"),
    "Flatten": ("", "im"),
    "FractionalMaxPool2d": ("2, output_size=3", "im"),
    "FractionalMaxPool3d": ("2, output_size=2", "im[None]"),
    "Fold": ("(4, 4), 2", "torch.rand(2, 12, 9)"),
    "Hardsigmoid": ("", "x"),
    "Identity": ("", "x"),
    "LazyLinear": ("4", "x"),
    "MaxUnpool1d": ("2", "torch.rand(1, 1, 2), torch.tensor([[[0, 2]]])"),
    "MaxUnpool2d": ("2", "torch.rand(1, 1, 1, 1), torch.tensor([[[[0]]]])"),
    "MaxUnpool3d": ("2", "torch.rand(1, 1, 1, 1, 1), torch.tensor([[[[[0]]]]])"),
    "NLLLoss2d": ("", "im, torch.zeros(2, 6, 6, dtype=torch.long)"),
    "PairwiseDistance": ("", "x, y"),
    "PixelShuffle": ("2", "im"),
    "PixelUnshuffle": ("2", "im"),
    "RReLU": ("", "x"),
    "TransformerDecoder": (
        "torch.nn.TransformerDecoderLayer(8, 2, 16), 2",
        "torch.rand(3, 2, 8), torch.rand(4, 2, 8)",
    ),
    "TripletMarginLoss": ("", "x, y, x + y"),
    "TripletMarginWithDistanceLoss": ("", "x, y, x + y"),
    "Unflatten": ("1, (3, 1)", "x"),
    "Unfold": ("2", "im"),
    "Upsample": ("scale_factor=2", "im"),
    "UpsamplingBilinear2d": ("scale_factor=2", "im"),
    "UpsamplingNearest2d": ("scale_factor=2", "im"),
}
# Same behaviour as another class.
LIKE = {"SyncBatchNorm": "BatchNorm2d"} | {
    f"Lazy{base}{n}d": f"{base}{n}d"
    for base in ("BatchNorm", "Conv", "ConvTranspose", "InstanceNorm")
    for n in (1, 2, 3)
}
# The samples of torch cannot show that the distance function is the user's.
KEEPS_ALL = {"TripletMarginWithDistanceLoss"}


@dataclass
class _Seen:
    runs: int = 0
    shared: int = 0
    same_object: bool = False
    kinds: set[str] = field(default_factory=set)
    graph_runs: int = 0
    saves: set[str] = field(default_factory=set)


def modules() -> dict[str, Row]:
    """The row of every module class of torch.nn."""
    infos = {info.module_cls.__name__: info for info in module_db}
    rows: dict[str, Row] = {}
    for name in sorted(dir(torch.nn)):
        value = getattr(torch.nn, name)
        if inspect.isclass(value) and issubclass(value, torch.nn.Module):
            rows[f"torch.nn.{name}"] = _row(name, value, infos.get(LIKE.get(name, name)))
    return rows


def _row(name: str, value: Any, info: Any) -> Row:
    constructor = from_python(value.__init__, is_method=True)
    parameters = list(constructor.positional[1:]) if constructor else []
    if name in RECURRENT:
        parameters = RECURRENT_PARAMETERS.split()
    row: Row = {"parameters": " ".join(parameters)}
    if "inplace" in parameters:
        row["inplace"] = parameters.index("inplace")
        if not _writes(value, name, parameters):
            row["ignores_inplace"] = True
    if name in CONTAINERS:
        return row | {"is_container": True, "result": "unknown", "view": "maybe", "saves": ["*"]}
    forward = from_python(value.forward, is_method=True)
    arguments = forward.positional[1:] if forward else ()
    row["forward"] = " ".join(arguments)
    seen = _Seen()
    for module, sample in _samples(LIKE.get(name, name), info):
        _observe(module, sample, arguments, seen)
    _facts(name, seen, row)
    return {key: item for key, item in row.items() if item not in ("", [], None)}


def _facts(name: str, seen: _Seen, row: Row) -> None:
    if not seen.runs:
        row.update(result="unknown", view="maybe", saves=["*"])
        return
    kind = "unknown"
    if seen.kinds <= {"tensors", "other"}:  # 'other': a tuple that holds None, as MultiheadAttention can give
        kind = "tensors"
    elif len(seen.kinds) == 1:
        kind = seen.kinds.pop()
    if kind != "tensor":
        row["result"] = kind
    if seen.shared:
        row["view"] = "maybe" if seen.same_object or seen.shared < seen.runs or "latten" not in name else "always"
    if name in KEEPS_ALL or (not seen.graph_runs and kind in ("tensor", "tensors")):
        seen.saves.add("*")
    if name in RECURRENT | {"LSTMCell"}:  # the fused kernels of CUDA keep more than the CPU's
        seen.saves |= {"input", "hx", "result"}
    row["saves"] = sorted(seen.saves)


def _samples(name: str, info: Any) -> Iterator[tuple[Any, Sample]]:
    """Modules with call arguments, in training and evaluation mode."""
    for training in (True, False):
        if name in HAND:
            constructor, call = HAND[name]
            seed()
            env = names() | {"cls": getattr(torch.nn, name), "sample": lambda *a, **k: Sample(a, k)}
            module = eval(f"cls({constructor})", env)
            yield module.train(training), eval(f"sample({call})", env)
        elif info is not None:
            seed()
            yield from quietly(lambda: _from_info(info, training)) or []  # noqa: B023


def _from_info(info: Any, training: bool) -> list[tuple[Any, Sample]]:
    found = []
    for given in info.module_inputs_func(
        info, device="cpu", dtype=torch.float32, requires_grad=True, training=training
    ):
        options = given.constructor_input.kwargs
        if given.forward_input is None or options.get("inplace") or options.get("return_indices"):
            continue
        module = info.module_cls(*given.constructor_input.args, **options).train(training)
        found.append((module, Sample(tuple(given.forward_input.args), dict(given.forward_input.kwargs))))
    return found


def _observe(module: Any, sample: Sample, arguments: tuple[str, ...], seen: _Seen) -> None:
    for layout in (copied, transposed):
        plain = changed(sample, layout)
        seed()
        raw = quietly(lambda: (module(*plain.args, **plain.kwargs),))  # noqa: B023
        if raw is None:
            continue
        seen.runs += 1
        seen.kinds.add(kind_of(raw[0]))
        first = next(flat(plain.args), None)
        outputs = list(flat(raw[0]))
        seen.shared += first is not None and storage(first) in {storage(o) for o in outputs}
        seen.same_object |= any(o is first for o in outputs)

        def needing(tensor: Any) -> Any:
            copy = layout(tensor)  # noqa: B023
            return copy.requires_grad_() * 1 if is_real_valued(copy) else copy

        # targets of losses may refuse a gradient: the sample's own choice is tried too
        own = changed(sample, lambda t: layout(t).requires_grad_() * 1 if t.requires_grad else layout(t))  # noqa: B023
        for prepared in (changed(sample, needing), own):
            got = kept(module, arguments, prepared)
            if got is not None and got[3]:
                seen.graph_runs += 1
                seen.saves |= got[0] | ({"result"} if got[1] or got[2] else set())


def _writes(value: Any, name: str, parameters: list[str]) -> bool:
    """Whether a module made with inplace=True gives its input back, in training mode."""
    extra = {"threshold": 0.5, "value": 0.0} if "threshold" in parameters else {}
    shape = (2, 3, 4, 4, 4)[: 3 if "1d" in name else 4 if "2d" in name else 5]
    tensor = torch.rand(shape)
    seed()
    return value(inplace=True, **extra)(tensor) is tensor
