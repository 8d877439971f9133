"""Reads and checks the format of notebooks; a module of its own, because `notebook` takes longer to import."""

from __future__ import annotations

import json
from json.decoder import JSONDecodeError
from typing import Any

from unplace.text.source import SourceError


def as_notebook(text: str) -> dict[str, Any]:
    """Return the parsed JSON text of a notebook; raise `SourceError` where it is no notebook."""
    try:
        notebook = json.loads(text)
    except JSONDecodeError as error:
        raise SourceError(
            f"not a notebook: {error.msg}; open and save it in Jupyter", error.lineno, error.colno
        ) from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        is_older = isinstance(notebook, dict) and "worksheets" in notebook
        advice = "convert it with `jupyter nbconvert --to notebook`" if is_older else "leave it out"
        raise SourceError(f"not a notebook of format 4 (it has no list of cells); {advice}", 1, 1)
    return notebook
