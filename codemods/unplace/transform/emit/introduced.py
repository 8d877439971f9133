"""No edit brings in an operation in place: those it leaves stood there before, under this name or another.

The store into a clone is no exception, for it is the one that stood there: `x = x.clone(); x[i] = value`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from unplace.text.edits import Edit

_CALL = re.compile(r"[a-z0-9]_(?=\()|[(,]\s*out\s*=(?!=)|\binplace\s*=\s*True\b")


def introduces_writes(text: str, edits: Iterable[Edit]) -> bool:
    """Whether edits of one rewrite make more calls in place than they replace."""
    own = [*edits]
    replaced = sum(len(_CALL.findall(text[edit.start : edit.end])) for edit in own)
    return sum(len(_CALL.findall(edit.replacement)) for edit in own) > replaced
