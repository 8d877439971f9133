"""Names the file whose code called a function."""

from __future__ import annotations

from pathlib import Path
from types import FrameType

from unplace.observation.facts import HERE, OUTSIDE, inside

_INNER = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


def calling_file(frame: FrameType, root: str) -> str:
    """Return the file that called the function of a frame, named from the folder `root`."""
    own: FrameType | None = frame
    while own is not None and own.f_code.co_name in _INNER:
        own = own.f_back
    caller = own.f_back if own is not None else None
    if caller is None:
        return OUTSIDE
    path = caller.f_code.co_filename
    if path == frame.f_code.co_filename:
        return HERE
    return OUTSIDE if "site-packages" in Path(path).parts else inside(path, root)
