"""Rewrites in-place PyTorch tensor operations that break autograd."""

from __future__ import annotations

from unplace.version import __version__

TYPE_CHECKING = False  # instead of `typing`'s: `python -m unplace` would import a `typing.py` in the working folder
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Literal

    from unplace.diagnosis import Diagnosed
    from unplace.diagnostics.findings import FileReport
    from unplace.verification.callables import verify as verify
    from unplace.verification.versions import verify_files as verify_files

__all__ = ["__version__", "diagnose", "rewrite_source"]

_LAZY = {"verify": "unplace.verification.callables", "verify_files": "unplace.verification.versions"}
"""The names that need torch, each with the module that is imported when the name is first asked for."""


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)


def diagnose(*, silent: bool = False) -> Diagnosed:
    """Return a context manager that names the line behind an in-place error of torch, as `unplace diagnose` does.

    With `silent`, values that are changed without an error are reported on standard error too. Needs torch.
    """
    from unplace.diagnosis import Diagnosed

    return Diagnosed(silent=silent)


def load_ipython_extension(shell: Any) -> None:
    """Register the cell magic `%%diagnose`; IPython calls this on `%load_ext unplace`."""
    from unplace.diagnosis.cell_magic import magic

    shell.register_magic_function(magic(shell), "cell", "diagnose")


def rewrite_source(
    text: str,
    *,
    path: str = "<string>",
    unsafe: bool = False,
    preserve_dtype: bool = False,
    functional: bool = False,
    whole_program: bool | Literal["auto"] = "auto",
    target_torch: str | None = None,
    models: Sequence[str] = (),
    select: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    only: Iterable[str] | None = None,
) -> FileReport:
    """Rewrite the text of a module or notebook; nothing is read or written, and no configuration file is looked for.

    The arguments correspond to the options of `unplace rewrite`: `select` and `ignore` are rule codes or prefixes of
    them, `only` is a choice of `harmful`, `possible` and `harmless`; `path` is the module's name in the report, and
    ends in `.ipynb` for a notebook. The result's `after` is the new text, and its `findings` hold the verdict on each
    operation.

    Raises `SyntaxError` where the text isn't Python, `unplace.text.source.SourceError` where it is no notebook,
    `ValueError` for a rule, harm or torch that doesn't exist, and `TypeError` for an argument of another form than
    `select=["UNP001"]`, `only=["harmful"]`, `target_torch="2.1"`, `models=["ours.toml"]`.
    """
    from unplace.config.options import from_python  # only now: the command line imports this module for its version
    from unplace.documents import rewrite

    options = from_python(
        unsafe=unsafe,
        preserve_dtype=preserve_dtype,
        functional=functional,
        whole_program=whole_program,
        target_torch=target_torch,
        models=models,
        select=select,
        ignore=ignore,
        only=only,
    )
    return rewrite(text, path, options)
