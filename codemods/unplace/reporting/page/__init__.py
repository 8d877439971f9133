"""Writes a migration as one HTML page for people: it needs no network, and nothing that it shows can run in it.

The page contains figures, tables and charts; its script makes filters, operations and diffs from the data beside it.
Its content security policy names the one script and the one style sheet by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

try:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup
except ModuleNotFoundError as error:
    advice = "the page needs jinja2, which isn't installed here: pip install jinja2"
    raise ModuleNotFoundError(advice, name=error.name) from None

from unplace.batch.records import RepositoryRecord, Result
from unplace.reporting.migrating import said
from unplace.reporting.page import charts
from unplace.reporting.page.data import Data
from unplace.reporting.text import terminal_output, visible
from unplace.reporting.totals import Cause, Totals, Verdict, duration
from unplace.rules import codes, documentation
from unplace.version import __version__

_SCRIPTS = ("model.js", "filters.js", "tables.js", "diff.js", "files.js", "start.js")
_OUTPUT = 20_000
"""The number of characters of a command's output that the page shows, counted from its end."""


def write_page(records: Iterable[RepositoryRecord], path: Path, *, dry_run: bool) -> None:
    """Write the page; the records are taken one by one, and their texts aren't kept."""
    totals = Totals()
    data = Data()
    for record in records:
        totals.add(record)
        data.add(record)
    path.write_text(_rendered(totals, data, dry_run=dry_run), "utf-8", newline="\n")


def _rendered(totals: Totals, data: Data, *, dry_run: bool) -> str:
    environment = Environment(
        loader=PackageLoader("unplace.reporting.page"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "duration": duration,
        "figure": "{:,}".format,
        "tail": _tail,
        "ticked": _ticked,
        "title": _title,
    }
    source = partial(_source, environment)
    style, script = source("page.css"), "(() => {\n" + "".join(map(source, _SCRIPTS)) + "})();\n"
    reasons = totals.ranked_reasons()
    return environment.get_template("page.html.j2").render(
        totals=totals,
        reasons=[(data.reasons[reason], reason, group) for reason, group in reasons],
        charts=[charts.verdicts(totals), charts.harm(totals), charts.time(totals)],
        data=Markup(data.json()),  # letters that could end the script element are escaped there
        style=Markup(style),
        script=Markup(script),
        style_hash=_hash(style),
        script_hash=_hash(script),
        dry_run=dry_run,
        said=said,
        version=__version__,
        written=datetime.now(timezone.utc).strftime("%d %B %Y, %H:%M UTC").lstrip("0"),
        Verdict=Verdict,
        Result=Result,
        Cause=Cause,
    )


def _source(environment: Environment, name: str) -> str:
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _shown(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _tail(output: str) -> str:
    """Return the end of a command's output."""
    text = terminal_output(output).strip("\n")
    return text if len(text) <= _OUTPUT else f"({len(text) - _OUTPUT:,} characters before this)\n{text[-_OUTPUT:]}"


def _ticked(text: str) -> Markup:
    """Return a text as HTML, with the parts between backticks as code."""
    parts = enumerate(re.split("`([^`]+)`", visible(text)))
    return Markup("").join(Markup("<code>{}</code>").format(part) if index % 2 else part for index, part in parts)


def _title(code: str) -> str:
    """Return the title of a rule in a few words."""
    return documentation(code).partition("\n")[0].rstrip(".") if code in codes() else ""
