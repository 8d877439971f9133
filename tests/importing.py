"""Packages that tests write and import: none may outlive its test, or the next test imports the one before it."""

from __future__ import annotations

import sys

PACKAGE = "pkg"
"""The name of the packages that tests write."""


def forget_package() -> None:
    """Remove the modules of `pkg` from those that are imported."""
    for name in [name for name in sys.modules if name.split(".")[0] == PACKAGE]:
        del sys.modules[name]
