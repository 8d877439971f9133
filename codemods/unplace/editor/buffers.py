"""The texts that the editor holds, with the lines that the protocol counts: ended by LF, CRLF or CR and nothing else.

pygls also ends lines at form feeds and other characters that `str.splitlines` knows, which stand in Python files too;
its copy of such a text would differ from the editor's after the first change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pygls.protocol import LanguageServerProtocol
from pygls.workspace import TextDocument, Workspace

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class Buffer(TextDocument):
    """One text."""

    @property
    def lines(self) -> Sequence[str]:
        """The lines with their ends."""
        return tuple(_LINE.findall(self.source))


class Buffers(Workspace):
    """All texts."""

    def _create_text_document(
        self, doc_uri: str, source: str | None = None, version: int | None = None, language_id: str | None = None
    ) -> TextDocument:
        return Buffer(doc_uri, source, version, language_id, position_codec=self.position_codec)


class Protocol(LanguageServerProtocol):
    """The protocol of pygls, with such texts."""

    @property
    def workspace(self) -> Workspace:
        """The texts; they are there once the client has said which encoding its positions have."""
        known = super().workspace
        if not isinstance(known, Buffers):
            folders = list(known.folders.values())
            self._workspace = known = Buffers(
                known.root_uri, workspace_folders=folders, position_encoding=known.position_encoding
            )
        return known
