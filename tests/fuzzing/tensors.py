"""Any Python file as if it were about tensors, so that every statement of it has to be dealt with."""

from __future__ import annotations

import ast

from unplace.text.edits import Edit, apply_edits
from unplace.text.positions import Text


def about_tensors(text: str) -> str:
    """The module with every parameter that has no annotation annotated as a tensor; raises `SyntaxError`."""
    places = Text(text)
    edits = [
        Edit(places.span(argument)[1], places.span(argument)[1], ": torch.Tensor")
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        if argument.annotation is None and argument.arg not in ("self", "cls")
    ]
    return apply_edits(text, edits) + f"{places.newline}import torch{places.newline}"
