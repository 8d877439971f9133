"""The syntactic forms: function bodies in which `<<y>>` stands for the operation on `y`."""

from __future__ import annotations

import re
from typing import Any

import torch

HEAD = """\
import torch
import torch.nn.functional as F
from torch import nn


class Box:
    pass

"""
_PLACE = re.compile(r"<<(.+?)>>")

STATEMENTS = {
    "statement": "y = x.mul(True)\n<<y>>\nreturn y",
    "read before": "y = x.clone()\nh = y * y\n<<y>>\nreturn y, h",
    "saved result": "y = x.exp()\n<<y>>\nreturn y",
    "two names": "y = x.clone()\nw = y\n<<y>>\nreturn y, w",
    "live view": "y = x.clone()\nv = y.view(-1)\n<<y>>\nreturn y, v",
    "through a view": "y = torch.stack([x, x])\nv = y[1]\n<<v>>\nreturn y",
    "subscript target": "y = torch.stack([x, x])\n<<y[0]>>\nreturn y",
    "slice target": "y = torch.stack([x, x])\n<<y[1:]>>\nreturn y",
    "detached": "y = x.detach().clone()\n<<y>>\nreturn y",
    "other layout": "y = x.clone().transpose(0, -1).contiguous().transpose(0, -1)\n<<y>>\nreturn y",
    "parameter": "<<x>>\nreturn x",
    "loop": "y = x.clone()\nfor _ in range(2):\n    <<y>>\nreturn y",
    "branch": "y = x.clone()\nif x.dim() > 0:\n    <<y>>\nreturn y",
    "attribute": "box = Box()\nbox.y = x.clone()\n<<box.y>>\nreturn box.y",
}
"""For statements and expressions alike."""

EXPRESSIONS = {
    "assigned": "y = x.clone()\nz = <<y>>\nreturn z",
    "assigned, read later": "y = x.clone()\nz = <<y>>\nreturn z, y",
    "assigned to itself": "y = x.clone()\ny = <<y>>\nreturn y",
    "returned": "y = x.clone()\nreturn <<y>>",
    "returned with the target": "y = x.clone()\nreturn <<y>>, y",
    "temporary": "return <<x.clone()>>",
    "argument": "y = x.clone()\nz = torch.stack([<<y>>, y])\nreturn z",
    "operand": "y = x.clone()\nreturn x * <<y>>",
    "start of a chain": "y = x.clone()\n<<y>>.mul_(2)\nreturn y",
    "end of a chain": "y = x.clone()\n<<y.mul_(2)>>\nreturn y",
    "returned chain": "y = x.clone()\nreturn <<y.mul_(2)>>.add_(1)",
    "conditional": "y = x.clone()\nz = <<y>> if x.dim() > 0 else x\nreturn z",
    "walrus": "y = x.clone()\nif (z := <<y>>) is not None:\n    return z, y\nreturn y",
    "lambda": "g = lambda t: <<t>>\nreturn g(x.clone())",
    "comprehension": "return [<<t>> for t in (x.clone(), x.clone())]",
    "f-string": 'y = x.clone()\ntext = f"{<<y>>.shape}"\nreturn y, text',
}

OUT = {
    "statement": "y = o.clone()\n<<y>>\nreturn y",
    "like the result": "y = torch.empty_like(o)\n<<y>>\nreturn y",
    "assigned": "y = o.clone()\nz = <<y>>\nreturn z",
    "assigned, read later": "y = o.clone()\nz = <<y>>\nreturn z, y",
    "returned": "y = o.clone()\nreturn <<y>>",
    "argument": "y = o.clone()\nreturn torch.stack([<<y>>, y])",
    "two names": "y = o.clone()\nw = y\n<<y>>\nreturn y, w",
    "live view": "y = o.clone()\nv = y.view(-1)\n<<y>>\nreturn y, v",
    "read before": "y = o.clone()\nh = y * y\n<<y>>\nreturn y, h",
    "subscript target": "y = torch.stack([o, o])\n<<y[0]>>\nreturn y",
    "parameter": "<<o>>\nreturn o",
}
"""`out=`: the parameter `o` has the shape and dtype of the result."""

OUT_OF_DTYPE = {
    torch.float64: "y = torch.empty(o.shape, dtype=torch.float64)\n<<y>>\nreturn y",
    torch.float32: "y = torch.empty(o.shape)\n<<y>>\nreturn y",
    torch.int64: "y = torch.empty(o.shape, dtype=torch.int64)\n<<y>>\nreturn y",
    torch.bool: "y = torch.empty(o.shape, dtype=torch.bool)\n<<y>>\nreturn y",
    torch.complex128: "y = torch.empty(o.shape, dtype=torch.complex128)\n<<y>>\nreturn y",
}

OUTS = {
    "statement": "{names} = {clones}\n<<({names})>>\nreturn {names}",
    "assigned": "{names} = {clones}\nz = <<({names})>>\nreturn *z,",
    "assigned, read later": "{names} = {clones}\nz = <<({names})>>\nreturn *z, {names}",
    "unpacked": "{names} = {clones}\n{others} = <<({names})>>\nreturn {others}, {names}",
    "returned": "{names} = {clones}\nreturn tuple(<<({names})>>)",
    "two names": "{names} = {clones}\nw = {first}\n<<({names})>>\nreturn w, {names}",
}
"""`out=` with several tensors."""

TYPED = (
    ("float32", "float64"),
    ("float64", "float32"),
    ("float32", "int64"),
    ("int64", "int32"),
    ("int32", "int64"),
    ("int32", "int32"),
    ("int64", "bool"),
    ("bool", "bool"),
    ("bool", "int64"),
    ("complex64", "complex128"),
    ("complex128", "float64"),
)
"""Dtypes of target and operand that the text itself tells."""


def filled(form: str, call: Any) -> str:
    """The body of a form, with `call` making the text of the operation on an expression."""
    return _PLACE.sub(lambda match: call(match.group(1)), form)


def function(name: str, parameters: list[str], body: str) -> str:
    """The text of a function."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"def {name}({', '.join(parameters)}):\n{lines}"


class Arguments:
    """The text of a call's arguments, and the parameters that bring their values."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any], *, literal: bool) -> None:
        self.literal = literal
        self.parameters: list[str] = []
        self.values: list[Any] = []
        texts = [self._text(argument) for argument in args]
        texts += [f"{name}={self._text(argument)}" for name, argument in kwargs.items()]
        self.text = ", ".join(texts)

    def _text(self, value: Any) -> str:
        if isinstance(value, list | tuple) and any(isinstance(v, torch.Tensor) for v in value):
            inner = ", ".join(self._text(v) for v in value)
            return f"[{inner}]" if isinstance(value, list) else f"({inner},)"
        if isinstance(value, torch.Tensor):
            return self._parameter("torch.Tensor", value)
        if isinstance(value, torch.Size):
            return repr(tuple(value))
        if isinstance(value, int | float | complex) and not isinstance(value, bool):
            plain = self.literal and value == value and abs(value) != float("inf")
            return repr(value) if plain else self._parameter(type(value).__name__, value)
        if isinstance(value, bool | str | list | tuple | type(None) | slice | torch.dtype | torch.layout):
            return repr(value)
        return self._parameter("object", value)

    def _parameter(self, annotation: str, value: Any) -> str:
        name = f"a{len(self.parameters)}"
        self.parameters.append(f"{name}: {annotation}")
        self.values.append(value)
        return name
