"""Check that no edit introduces an in-place operation: the replaced text had each one, under this name or another.

The store into a clone is no exception, because it stood there before: `x = x.clone(); x[i] = value`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from unplace.text.edits import Edit

_CALL = re.compile(r"[a-z0-9]_(?=\()|[(,]\s*out\s*=(?!=)|\binplace\s*=\s*True\b")


def introduces_writes(text: str, edits: Iterable[Edit]) -> bool:
    """Tell whether the edits of one rewrite contain more in-place calls than the text that they replace."""
    own = [*edits]
    replaced = sum(len(_CALL.findall(text[edit.start : edit.end])) for edit in own)
    return sum(len(_CALL.findall(edit.replacement)) for edit in own) > replaced
