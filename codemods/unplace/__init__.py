"""Rewrites in-place PyTorch tensor operations that break autograd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unplace.diagnosis import Diagnosed

__version__ = "0.1.0"


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
