"""Rule codes as they are written on the command line: `UNP001,UNP003`, or a prefix for all that begin with it."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

import typer


def parse_codes(option: str, values: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    """The codes that the values of `--select` or `--ignore` name; a usage error for one that isn't known."""
    known = tuple(known)
    values = tuple(values)
    named = [code for value in values for part in value.split(",") if (code := part.strip().upper())]
    if values and not named:
        raise typer.BadParameter(f"no code given. Known: {', '.join(known)}.", param_hint=option)
    chosen: set[str] = set()
    for prefix in named:
        codes = [code for code in known if code.startswith(prefix)]
        if not codes:
            close = get_close_matches(prefix, known, n=1)
            guess = f" Did you mean {close[0]}?" if close else ""
            raise typer.BadParameter(f"no rule {prefix}.{guess} Known: {', '.join(known)}.", param_hint=option)
        chosen.update(codes)
    return frozenset(chosen)
