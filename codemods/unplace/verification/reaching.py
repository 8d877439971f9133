"""Tells what a program reaches: which lines of some files it executes, and which of its arguments it writes."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping
from contextlib import suppress
from functools import cache
from types import FrameType
from typing import Any

import torch

from unplace.verification.examples import Maker
from unplace.verification.isolation import fresh
from unplace.verification.observe import ARGUMENT, describe
from unplace.verification.pytree import tensors

Lines = Mapping[str, Collection[int]]
"""Numbers of lines, from 1, by the real paths of their files."""


def reached(make: Maker, lines: Lines) -> tuple[frozenset[tuple[str, int]], str | None]:
    """Return those of some lines that a program executes, without autograd, and what it raises, if it does."""
    found: set[tuple[str, int]] = set()

    real = cache(os.path.realpath)

    def in_file(frame: FrameType, event: str, argument: Any) -> Any:
        path = real(frame.f_code.co_filename)
        if event == "line" and frame.f_lineno in lines[path]:
            found.add((path, frame.f_lineno))
        return in_file

    def begins(frame: FrameType, event: str, argument: Any) -> Any:
        return in_file if real(frame.f_code.co_filename) in lines else None

    raised: str | None = None
    sys.settrace(begins)
    try:
        with fresh(make) as program, torch.no_grad():
            program.call()
    except Exception as error:
        raised = describe(error)
    finally:
        sys.settrace(None)
    return frozenset(found), raised


def written_arguments(make: Maker) -> frozenset[str]:
    """Return the places of the tensors among a program's arguments that it writes, without autograd."""
    with fresh(make) as program, torch.no_grad():
        given = tensors(program.arguments, ARGUMENT)
        versions = [tensor._version for _, tensor in given]
        with suppress(Exception):
            program.call()
        return frozenset(place for (place, t), version in zip(given, versions, strict=True) if t._version != version)
