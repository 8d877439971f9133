"""No edit brings in an operation in place: those it leaves stood there before, under this name or another.

The store into a clone is no exception, for it is the one that stood there: `x = x.clone(); x[i] = value`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from unplace.edits import Edit

_CALL = r"[a-z0-9]_(?=\()|[(,]\s*out\s*=(?!=)|\binplace\s*=\s*True\b"
_AFTER = re.compile(_CALL)
_BEFORE = re.compile(_CALL + r"|[a-z0-9]_$|\*\*=")
"""An edit may replace the name of a method alone, or `**=` by the `copy_` of what it computes."""


def introduces_writes(text: str, edits: Iterable[Edit]) -> bool:
    """Whether edits of one rewrite make more calls in place than they replace."""
    own = [*edits]
    replaced = sum(len(_BEFORE.findall(text[edit.start : edit.end])) for edit in own)
    return sum(len(_AFTER.findall(edit.replacement)) for edit in own) > replaced
