"""Tells which lines of some files a program executes."""

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

Lines = Mapping[str, Collection[int]]
"""Numbers of lines, from 1, by the real paths of their files."""


def reached(make: Maker, lines: Lines) -> frozenset[tuple[str, int]]:
    """Return those of some lines that a program executes, without autograd; what it raises ends it."""
    found: set[tuple[str, int]] = set()

    real = cache(os.path.realpath)

    def in_file(frame: FrameType, event: str, argument: Any) -> Any:
        path = real(frame.f_code.co_filename)
        if event == "line" and frame.f_lineno in lines[path]:
            found.add((path, frame.f_lineno))
        return in_file

    def begins(frame: FrameType, event: str, argument: Any) -> Any:
        return in_file if real(frame.f_code.co_filename) in lines else None

    sys.settrace(begins)
    try:
        with suppress(Exception), fresh(make) as program, torch.no_grad():
            program.call()
    finally:
        sys.settrace(None)
    return frozenset(found)
