"""Keeps the texts that the editor holds, and answers messages that break the rules of the protocol.

Where pygls differs from the protocol, the protocol is followed. Lines end with LF, CRLF or CR only (pygls also ends
them at form feeds and the like, which occur in Python files), and a place beyond the end of a line counts as that end:
otherwise our copy of a text would differ from the editor's after the next change. Every request gets an answer, even
one that can't be understood or comes at the wrong time: otherwise the editor would wait forever.
"""

from __future__ import annotations

from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import RPCMessage, RPCRequest
from pygls.workspace import TextDocument, Workspace

from unplace.text.positions import Text


class Buffer(TextDocument):
    """A text that the editor holds."""

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Apply the editor's change to our copy of the text."""
        if not isinstance(change, types.TextDocumentContentChangePartial):
            super().apply_change(change)
            return
        text = Text(self.source)
        encoding = str(getattr(self.position_codec.encoding, "value", self.position_codec.encoding))
        places = (text.from_editor(p.line, p.character, encoding) for p in (change.range.start, change.range.end))
        start, end = sorted(text.offset_of(*place) for place in places)
        self._source = text.text[:start] + change.text + text.text[end:]


class Buffers(Workspace):
    """All texts that the editor holds."""

    def _create_text_document(
        self, doc_uri: str, source: str | None = None, version: int | None = None, language_id: str | None = None
    ) -> TextDocument:
        return Buffer(doc_uri, source, version, language_id, position_codec=self.position_codec)


class Protocol(LanguageServerProtocol):
    """The protocol of pygls with our texts, and an answer to every request."""

    @property
    def workspace(self) -> Workspace:
        """The texts; available once the client has said which encoding its positions have."""
        known = super().workspace
        if not isinstance(known, Buffers):
            folders = list(known.folders.values())
            self._workspace = known = Buffers(
                known.root_uri, workspace_folders=folders, position_encoding=known.position_encoding
            )
        return known

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return the message as an object; answer one that can't be understood with an error."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], None, error.to_response_error())
            raise

    def handle_message(self, message: RPCMessage) -> None:
        """Handle the message; answer a request before `initialize` or after `shutdown` with an error."""
        refusal = self._refusal(message.method) if isinstance(message, RPCRequest) else None
        if isinstance(message, RPCRequest) and refusal is not None:
            self._send_response(message.id, None, refusal)
        else:
            super().handle_message(message)

    def _refusal(self, method: str) -> types.ResponseError | None:
        if self._shutdown:
            return types.ResponseError(types.ErrorCodes.InvalidRequest, "the server was shut down")
        if self._workspace is not None and method == types.INITIALIZE:
            return types.ResponseError(types.ErrorCodes.InvalidRequest, "the server was initialized before")
        if self._workspace is None and method != types.INITIALIZE:
            return types.ResponseError(types.ErrorCodes.ServerNotInitialized, "send `initialize` first")
        return None
