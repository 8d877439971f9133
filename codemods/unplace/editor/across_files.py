"""Makes code actions for rewrites that need edits of several files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from unplace import documents
from unplace.editor.code_actions import action, title
from unplace.editor.document import Document
from unplace.runs.across import Spanning
from unplace.text.positions import Text
from unplace.text.source import SourceError


def across_files(
    document: Document, found: Iterable[Spanning], first: int, last: int, others: Mapping[str, Document]
) -> list[Any]:
    """Return the `CodeAction` objects of such rewrites for lines `first` to `last` (from 1) of a document.

    `others` are the other documents that the editor holds, by path. What was worked out for another text of one of the
    files is left out.
    """
    actions = []
    for each in found:
        finding = each.finding
        if finding.line > last or first > finding.end_line:
            continue
        changes = _changes(document, each, others)
        if changes is None:
            continue
        own = next((edits for path, _, edits in each.changes if path == document.path), ())
        text = Text(document.text)
        names = ", ".join(Path(path).name for path, _, _ in each.changes if path != document.path)
        told = f"{title(text, finding, own)}, with the calls in {names}" if own else f"Rewrite in {names}"
        fix = action(document, text, told, "quickfix", own, [finding])
        actions.append({**fix, "edit": {"documentChanges": changes}, "isPreferred": True})
    return actions


def _changes(document: Document, found: Spanning, others: Mapping[str, Document]) -> list[dict[str, Any]] | None:
    """Return the edits of all files as `TextDocumentEdit` objects; None where a text isn't what they are for."""
    changes: list[dict[str, Any]] = []
    for path, text, edits in found.changes:
        held = document if path == document.path else others.get(path) or _on_disk(path, document.encoding)
        if held is None or held.text != text:
            return None
        changes += held.changes(Text(text), edits)
    return changes


def _on_disk(path: str, encoding: str) -> Document | None:
    try:
        return Document(documents.read(Path(path).read_bytes(), path).text, Path(path).as_uri(), path, None, encoding)
    except (OSError, SourceError):
        return None
