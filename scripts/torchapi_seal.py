"""The seal of the operator table: it tells whether the table is what its generator, as it is now, wrote for a torch.

Measuring all operators takes minutes. The seal is a digest of the scripts that write the table and of all rows, so that
neither can be changed without the other being noticed at once.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

_SCRIPTS = Path(__file__).parent
_KEY = '"seal":'


def seal_of(text: str) -> str:
    """Return the seal for the text of a table, in which the row of the seal itself doesn't count."""
    digest = hashlib.sha256()
    for script in (_SCRIPTS / "generate_torchapi.py", *sorted(_SCRIPTS.glob("torchapi_*.py"))):
        digest.update(script.read_text(encoding="utf-8").encode())
    rows = [line for line in text.splitlines() if not line.startswith(_KEY)]
    digest.update("\n".join(rows).encode())
    return digest.hexdigest()
