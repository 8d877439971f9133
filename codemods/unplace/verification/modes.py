"""The modes in which an entry is compared, and the variations in which an observed call is.

An entry runs in training, in evaluation and under autocast; a call, of which only the kinds of arguments are known,
also with other numbers, twice in a row, and with arguments that lie differently in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch

from unplace.verification.examples import Maker, Program
from unplace.verification.pytree import modules
from unplace.verification.randomness import SEED, seeded
from unplace.verification.sides import Local

TRAIN, EVAL, AUTOCAST = "train", "eval", "autocast"
TWICE = "twice in a row"
OTHER_STRIDES, EXPANDED = "with other strides", "with expanded arguments"
POSITIVE, GRADIENTS = "with positive numbers", "with gradients of its arguments"
_DRAWS = {"with other numbers": SEED + 1, "with still other numbers": SEED + 2}


def modes(make: Maker) -> tuple[str, ...]:
    """Return the modes in which a program is compared: for a `torch.nn.Module`, `train` (if it is in training mode),
    `eval`, and `autocast` where it has floating-point parameters on the CPU and runs under it; else only `""`.
    """
    with seeded():
        function = make().function
    if not isinstance(function, torch.nn.Module):
        return ("",)
    is_mixed = any(p.is_floating_point() and p.device.type == "cpu" for p in function.parameters())
    is_mixed = is_mixed and Local(in_mode(make, AUTOCAST)).forward_only().error is None
    return ((TRAIN, EVAL) if function.training else (EVAL,)) + ((AUTOCAST,) if is_mixed else ())


def variations(make: Maker) -> tuple[str, ...]:
    """Return the variations in which a call is compared, first as it is."""
    with seeded():
        program = make()
    held = modules(program.function)
    other = (EVAL if any(module.training for module in held) else TRAIN,) if held else ()
    tensors = [a for a in program.arguments if isinstance(a, torch.Tensor)]
    strided = (OTHER_STRIDES,) if any(tensor.numel() > 1 for tensor in tensors) else ()
    expanded = (EXPANDED,) if any(map(_can_be_expanded, tensors)) else ()
    positive = (POSITIVE,) if any(tensor.is_floating_point() for tensor in tensors) else ()
    asked = (GRADIENTS,) if positive and not any(tensor.requires_grad for tensor in tensors) else ()
    return "", *_DRAWS, *positive, *asked, *other, TWICE, *strided, *expanded


def in_mode(make: Maker, mode: str) -> Maker:
    """Return a maker of the same program in a mode or variation."""
    if mode in _DRAWS:

        def with_other_numbers() -> Program:
            torch.manual_seed(_DRAWS[mode])
            return make()

        return with_other_numbers
    change = _CHANGES.get(mode)
    return make if change is None else lambda: change(make())


def _switched(program: Program, *, training: bool) -> Program:
    for module in modules(program.function):
        module.train(training)
    return program


def _called_twice(program: Program) -> Program:
    function = program.function
    return replace(program, function=lambda *given, **named: (function(*given, **named), function(*given, **named)))


def _with_arguments(program: Program, change: Callable[[torch.Tensor], torch.Tensor]) -> Program:
    arguments = (change(a) if isinstance(a, torch.Tensor) else a for a in program.arguments)
    return replace(program, arguments=tuple(arguments))


def _with_other_strides(tensor: torch.Tensor) -> torch.Tensor:
    """Return a leaf with the same values that isn't contiguous."""
    values = tensor.detach()
    if values.dim() > 1:
        values = values.transpose(0, -1).clone(memory_format=torch.contiguous_format).transpose(0, -1)
    elif values.dim() == 1:
        values = torch.stack([values, values], 1)[:, 0]
    return values.requires_grad_(tensor.requires_grad)


def _positive(tensor: torch.Tensor) -> torch.Tensor:
    is_real = tensor.is_floating_point()
    return tensor.detach().abs().requires_grad_(tensor.requires_grad) if is_real else tensor


def _with_gradient(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().requires_grad_() if tensor.is_floating_point() else tensor


def _can_be_expanded(tensor: torch.Tensor) -> bool:
    return tensor.dim() > 0 and tensor.shape[0] > 1 and not tensor.requires_grad


def _expanded(tensor: torch.Tensor) -> torch.Tensor:
    return tensor[:1].expand_as(tensor) if _can_be_expanded(tensor) else tensor


_CHANGES: dict[str, Callable[[Program], Program]] = {
    TRAIN: lambda program: _switched(program, training=True),
    EVAL: lambda program: _switched(program, training=False),
    AUTOCAST: lambda program: replace(program, autocast=True),
    TWICE: _called_twice,
    GRADIENTS: lambda program: _with_arguments(program, _with_gradient),
    POSITIVE: lambda program: _with_arguments(program, _positive),
    OTHER_STRIDES: lambda program: _with_arguments(program, _with_other_strides),
    EXPANDED: lambda program: _with_arguments(program, _expanded),
}
