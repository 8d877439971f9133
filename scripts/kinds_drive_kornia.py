"""Runs kornia: all functions and modules that guessed tensors fit."""

from __future__ import annotations

from kinds_exercise import Session, generic, submodules


def drive(session: Session) -> None:
    """Call whatever can be called."""
    generic(session, list(submodules(session, "kornia", skip=("onnx", "applications", "kornia.x", "transpiler"))))
