"""The texts that the editor holds, and what it is told where it breaks the rules of the protocol.

Where pygls differs from the protocol, the protocol is followed. Lines end with LF, CRLF or CR and nothing else (pygls
also ends them at form feeds and the like, which stand in Python files too), and a place beyond the end of a line is
that end: otherwise the copy of a text would differ from the editor's after the next change. And every request gets an
answer, those that can't be understood or come at the wrong time as well: otherwise the editor would wait for ever.
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
    """One text."""

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Make what the editor did in its copy."""
        if not isinstance(change, types.TextDocumentContentChangePartial):
            super().apply_change(change)
            return
        text = Text(self.source)
        encoding = str(getattr(self.position_codec.encoding, "value", self.position_codec.encoding))
        places = (text.from_editor(p.line, p.character, encoding) for p in (change.range.start, change.range.end))
        start, end = sorted(text.offset_of(*place) for place in places)
        self._source = text.text[:start] + change.text + text.text[end:]


class Buffers(Workspace):
    """All texts."""

    def _create_text_document(
        self, doc_uri: str, source: str | None = None, version: int | None = None, language_id: str | None = None
    ) -> TextDocument:
        return Buffer(doc_uri, source, version, language_id, position_codec=self.position_codec)


class Protocol(LanguageServerProtocol):
    """The protocol of pygls, with such texts and answers."""

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

    def structure_message(self, data: dict[str, Any]) -> Any:
        """The message as an object; one that can't be understood is answered so."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], None, error.to_response_error())
            raise

    def handle_message(self, message: RPCMessage) -> None:
        """Do what the message asks for, unless it comes too early or too late."""
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
