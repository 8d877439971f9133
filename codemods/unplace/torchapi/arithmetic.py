"""Maps Python's operators between tensors to the torch functions that do the same."""

from __future__ import annotations

import ast

FUNCTION_OF: dict[type[ast.operator], str] = {
    ast.Add: "torch.add",
    ast.Sub: "torch.sub",
    ast.Mult: "torch.mul",
    ast.Div: "torch.div",
    ast.FloorDiv: "torch.floor_divide",
    ast.Mod: "torch.remainder",
    ast.Pow: "torch.pow",
    ast.MatMult: "torch.matmul",
    ast.BitAnd: "torch.bitwise_and",
    ast.BitOr: "torch.bitwise_or",
    ast.BitXor: "torch.bitwise_xor",
    ast.LShift: "torch.bitwise_left_shift",
    ast.RShift: "torch.bitwise_right_shift",
}
