"""Rewrites in-place PyTorch tensor operations that break autograd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unplace.diagnosis import Diagnosed
    from unplace.verification.callables import verify as verify
    from unplace.verification.files import verify_files as verify_files

__version__ = "0.1.0"

_LAZY = {"verify": "unplace.verification.callables", "verify_files": "unplace.verification.files"}
"""What needs torch is imported when it is asked for."""


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)


def diagnose(*, silent: bool = False) -> Diagnosed:
    """A context manager under which an in-place error of torch says which line it was, as `unplace diagnose` does.

    With `silent`, values that are changed without an error are reported on standard error too. Needs torch.
    """
    from unplace.diagnosis import Diagnosed

    return Diagnosed(silent=silent)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext unplace`: adds the cell magic `%%diagnose`."""
    from unplace.diagnosis.notebook import magic

    shell.register_magic_function(magic(shell), "cell", "diagnose")
