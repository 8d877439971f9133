"""Runs the language server: diagnostics while you type, code actions, hover and fix-all over the protocol.

It reads texts from the editor and configuration from the disk, and writes no file. Texts are analysed in a thread of
their own, one after the other, so that the event loop can take changes meanwhile; an answer about a text that has
changed since is dropped.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import threading
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from cattrs import Converter
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter
from pygls.uris import to_fs_path, uri_scheme

from unplace.analysis.cancellation import CancelledError
from unplace.config.configuration import NAMES, ConfigurationError
from unplace.editor.analyst import Analyst
from unplace.editor.buffers import Protocol
from unplace.editor.code_actions import FIX_ALL
from unplace.editor.document import Document
from unplace.editor.notebook import Cell, Notebook
from unplace.editor.workspace import Workspace
from unplace.runs.garbage import ALLOCATIONS
from unplace.runs.limits import FRAMES
from unplace.version import __version__

T = TypeVar("T")

_PAUSE = 0.01
"""Seconds without a change before a text is analysed, so that changes that come together get one answer."""

_FIRST = 0.4
"""Seconds after which what was found at the beginning of a long text is published."""

_REST = 0.3
"""Seconds without a change before the whole text is analysed again."""

_STACK = 64 * 2**20  # of the analysing thread: on some systems, threads other than the main one get little

_CONVERTER: Converter = default_converter()  # type: ignore[no-untyped-call]  # making it takes as long as all imports
_LOGGER = logging.getLogger(__name__)


_Look = Callable[[Analyst, Document, list[Path]], dict[str, list[dict[str, Any]]] | None]


def _glance(analyst: Analyst, document: Document, folders: list[Path]) -> dict[str, list[dict[str, Any]]]:
    return analyst.diagnostics(document, folders, at_a_glance=True)


def _look(analyst: Analyst, document: Document, folders: list[Path]) -> dict[str, list[dict[str, Any]]]:
    return analyst.diagnostics(document, folders)


class GaveWayError(Exception):
    """Raised where work was ended in favour of a request that somebody waits for; to be done later."""


class Server(LanguageServer):
    """The server for one editor: its texts, and the thread that analyses them."""

    def __init__(self) -> None:
        super().__init__(
            "unplace",
            __version__,
            protocol_cls=Protocol,
            converter_factory=lambda: _CONVERTER,
            notebook_document_sync=types.NotebookDocumentSyncOptions(
                [types.NotebookDocumentFilterWithCells([types.NotebookCellLanguage("python")])]
            ),
        )
        self._worker = ThreadPoolExecutor(1, "unplace")
        self._waiting = ThreadPoolExecutor(1, "unplace-workspace")
        self._workspace = Workspace()
        self._placed: set[str] = set()  # the texts whose findings are those among the files of their workspace
        self._analyst = Analyst()
        self._awaited: dict[str, asyncio.Task[None]] = {}
        self._complaint = ""
        self._looking = asyncio.Lock()
        self._asked = 0  # the number of requests that somebody waits for
        self.is_ending = self.has_said_goodbye = False

    def document(self, uri: str) -> Document | None:
        """Return the current text for a URI; for the URI of a notebook or a cell, the notebook.

        None where it isn't open, or isn't Python in a file or a new buffer.
        """
        notebook = self.notebook(uri)
        if notebook is not None:
            return self._notebook(notebook, uri)
        buffer = self.workspace.get_text_document(uri)
        if buffer.version is None or uri_scheme(uri) not in ("file", "untitled"):
            return None
        if buffer.language_id != "python" and not uri.endswith((".py", ".pyi")):
            return None
        return Document(buffer.source, uri, self._path(uri), buffer.version, self._encoding())

    def notebook(self, uri: str) -> types.NotebookDocument | None:
        """Return the notebook with this URI, or with a cell that has it."""
        notebooks = self.workspace
        return notebooks.get_notebook_document(notebook_uri=uri) or notebooks.get_notebook_document(cell_uri=uri)

    def _notebook(self, notebook: types.NotebookDocument, asked: str) -> Document | None:
        cells = []
        for cell in notebook.cells:
            buffer = self.workspace.get_text_document(cell.document)
            is_python = cell.kind == types.NotebookCellKind.Code and buffer.language_id == "python"
            cells.append(Cell(cell.document, buffer.version, buffer.source if is_python else None))
        path = Path(self._path(notebook.uri)).with_suffix(".ipynb")
        return Notebook.of(cells, asked, notebook.uri, str(path), notebook.version, self._encoding())

    def _path(self, uri: str) -> str:
        """Return the path of a text; for a text that isn't on the disk, a path in the workspace's folder."""
        known = to_fs_path(uri) if uri_scheme(uri) == "file" else None
        return known or str(Path(*self.folders()[:1], PurePosixPath(uri).name or "untitled").absolute())

    def _encoding(self) -> str:
        return str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding))

    def folders(self) -> list[Path]:
        """Return the workspace folders that are on the disk."""
        uris = [*(folder.uri for folder in self.workspace.folders.values()), self.workspace.root_uri or ""]
        return [Path(path) for uri in uris if (path := to_fs_path(uri)) is not None]

    def is_current(self, document: Document) -> bool:
        """Tell whether the editor still holds this version."""
        notebook = self.notebook(document.uri)
        held = notebook if notebook is not None else self.workspace.get_text_document(document.uri)
        return held.version == document.version

    def _is_awaited(self, document: Document) -> bool:
        return not self.is_ending and self.is_current(document)

    def watch(self, uri: str, pause: float = 0.0) -> None:
        """Publish the findings in a text, unless it changes before."""
        self.forget(uri)
        self._awaited[uri] = asyncio.get_running_loop().create_task(self._publish(uri, pause))

    def forget(self, uri: str) -> None:
        """Cancel the diagnostics of a text that are still to come."""
        awaited = self._awaited.pop(uri, None)
        if awaited is not None:
            awaited.cancel()

    def close(self, uri: str) -> None:
        """Forget a text."""
        self.forget(uri)
        self._placed.discard(uri)
        self._worker.submit(self._analyst.close, uri, self._path(uri))

    async def ask(self, document: Document, work: Callable[[Analyst], T], *, gives_way: bool = False) -> T | None:
        """Run work about a text in the analysing thread; None where it fails, which is logged, or the text has changed.

        Work that gives way ends with `GaveWayError` when something else is asked.
        """

        def is_cancelled() -> bool:
            return not self._is_awaited(document) or (gives_way and self._asked > 0)

        def unless_cancelled() -> T:
            if is_cancelled():
                raise CancelledError
            with self._analyst.unless(is_cancelled):
                return work(self._analyst)

        self._asked += not gives_way
        try:
            return await asyncio.get_running_loop().run_in_executor(self._worker, unless_cancelled)
        except CancelledError:
            if gives_way and self._is_awaited(document):
                raise GaveWayError from None
            return None
        except ConfigurationError as error:
            self._complain(str(error))
        except (RecursionError, MemoryError) as error:
            text = f"{document.path}: too large or nested too deeply to be worked out ({type(error).__name__})"
            self.window_log_message(types.LogMessageParams(types.MessageType.Warning, f"unplace: {text}"))
        except Exception as error:
            _LOGGER.exception("internal error")
            text = f"internal error: {type(error).__name__}: {error}; please report it with this file"
            self.window_log_message(types.LogMessageParams(types.MessageType.Error, f"unplace: {text}"))
        finally:
            self._asked -= not gives_way
        return None

    def _complain(self, complaint: str) -> None:
        """Show a problem with the configuration once, until there is another one."""
        if complaint != self._complaint:
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"unplace: {complaint}"))
        self._complaint = complaint

    async def _publish(self, uri: str, pause: float) -> None:
        """Publish the findings of a quick look at a text, and then again where a full analysis finds others.

        Before them come those of the beginning of a long text, and after them those that the other files of the
        workspace lead to.
        """
        self._workspace.stop(self._path(uri))
        await asyncio.sleep(pause)
        self._send(await self._found(uri, lambda a, *text: a.beginning(*text, _FIRST), is_all=False))
        at_a_glance = await self._found(uri, _glance)
        self._send(at_a_glance)
        await asyncio.sleep(_REST)
        found = await self._looked(uri)
        if uri not in self._placed:
            self._send([params for params in found if params not in at_a_glance])
        await self._place(uri, found)

    async def _place(self, uri: str, alone: list[types.PublishDiagnosticsParams]) -> None:
        """Publish what a text means among the files of its workspace, where that isn't what it means alone."""
        document, folders = self.document(uri), self.folders()
        if document is None:
            return
        others = {path: other.text for path, other in self._others(document).items()}
        question = await self.ask(document, lambda analyst: analyst.question(document, folders, others))
        if question is None:
            return
        report = await asyncio.get_running_loop().run_in_executor(self._waiting, self._workspace.report, question)
        if report is None or not self.is_current(document):
            return
        await self.ask(document, lambda analyst: analyst.adopt(document, question, report))
        is_new = uri not in self._placed
        self._placed.add(uri)
        found = await self._looked(uri)
        self._send([params for params in found if not is_new or params not in alone])
        further = await self.ask(document, lambda analyst: analyst.further(document, question))
        if further is None:
            return
        spanning = await asyncio.get_running_loop().run_in_executor(self._waiting, self._workspace.spanning, further)
        await self.ask(document, lambda analyst: analyst.adopt_spanning(document, spanning))

    async def _looked(self, uri: str) -> list[types.PublishDiagnosticsParams]:
        """Return the diagnostics of a full analysis, begun anew as often as it gives way."""
        while True:
            async with self._looking:
                with suppress(GaveWayError):
                    return await self._found(uri, _look, gives_way=True)
            await asyncio.sleep(_REST)

    def _others(self, document: Document) -> dict[str, Document]:
        """Return the other texts that the editor holds, by path."""
        texts = ((self._path(each.uri), each) for each in self.workspace.text_documents.values())
        return {
            path: Document(each.source, each.uri, path, each.version, document.encoding)
            for path, each in texts
            if path != document.path
        }

    async def _found(
        self, uri: str, look: _Look, *, gives_way: bool = False, is_all: bool = True
    ) -> list[types.PublishDiagnosticsParams]:
        """Return the diagnostics of a text or a notebook's cells; empty where there is none, or a newer version.

        Where the look isn't at all of it, empty where it finds nothing to show, too.
        """
        document = self.document(uri)
        if document is None:
            return []
        folders = self.folders()
        found = await self.ask(document, lambda analyst: look(analyst, document, folders), gives_way=gives_way)
        if not self.is_current(document) or (found is None and not is_all):
            return []
        told = found or {}
        return [
            types.PublishDiagnosticsParams(
                part, [_CONVERTER.structure(one, types.Diagnostic) for one in told.get(part, ())], version
            )
            for part, version in document.parts
        ]

    def _send(self, found: Iterable[types.PublishDiagnosticsParams]) -> None:
        for params in found:
            self.text_document_publish_diagnostics(params)

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        """Return the code actions for a range."""
        document = self.document(params.text_document.uri)
        if document is None:
            return None
        start, end = ((place.line, place.character) for place in (params.range.start, params.range.end))
        only = None if params.context.only is None else [getattr(kind, "value", kind) for kind in params.context.only]
        folders = self.folders()
        others = self._others(document)
        found = await self.ask(document, lambda a: a.actions(document, folders, start, end, only, others))
        if found is None or not self.is_current(document):
            return None
        return [self._action(action) for action in found]

    def _action(self, found: dict[str, Any]) -> types.CodeAction:
        """Return an action in a form that the client understands: it may not know versioned edits."""
        action = _CONVERTER.structure(found, types.CodeAction)
        workspace = self.client_capabilities.workspace
        known = workspace.workspace_edit if workspace is not None else None
        if known is None or not known.document_changes:
            changes = {
                change["textDocument"]["uri"]: [_CONVERTER.structure(edit, types.TextEdit) for edit in change["edits"]]
                for change in found["edit"]["documentChanges"]
            }
            action.edit = types.WorkspaceEdit(changes=changes)
        return action

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """Return the explanation of the operation at a place."""
        document = self.document(params.text_document.uri)
        if document is None:
            return None
        place = params.position.line, params.position.character
        folders = self.folders()
        shown = self.client_capabilities.text_document
        formats = (shown.hover.content_format if shown is not None and shown.hover is not None else None) or ()
        as_markdown = types.MarkupKind.Markdown in formats
        text = await self.ask(document, lambda a: a.hover(document, folders, place, as_markdown=as_markdown))
        if text is None or not self.is_current(document):
            return None
        kind = types.MarkupKind.Markdown if as_markdown else types.MarkupKind.PlainText
        return types.Hover(types.MarkupContent(kind, text))

    async def watch_configuration(self) -> None:
        """Ask the client to tell when a configuration file or another Python file changes, if it can."""
        workspace = self.client_capabilities.workspace
        known = workspace.did_change_watched_files if workspace is not None else None
        if known is None or not known.dynamic_registration:
            return
        watchers = [types.FileSystemWatcher(f"**/{name}") for name in (*NAMES, "*.py")]
        registration = types.Registration(
            "configuration",
            types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
            types.DidChangeWatchedFilesRegistrationOptions(watchers),
        )
        await self.client_register_capability_async(types.RegistrationParams([registration]))

    def watch_all(self) -> None:
        """Publish the findings of every text again."""
        notebooks = list(self.workspace.notebook_documents.values())
        cells = {cell.document for notebook in notebooks for cell in notebook.cells}
        texts = [text for text in self.workspace.text_documents.values() if text.uri not in cells]
        for held in (*texts, *notebooks):
            self.watch(held.uri)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log an error, instead of showing it to the user."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, f"unplace: {source.__name__}: {error}"))

    def shutdown(self) -> None:
        """Shut down, and end the analysis under way."""
        self.is_ending = True
        self._worker.shutdown(wait=False, cancel_futures=True)
        self._waiting.shutdown(wait=False, cancel_futures=True)
        self._workspace.close()
        super().shutdown()  # type: ignore[no-untyped-call]


def made() -> Server:
    """Return a server with its handlers."""
    server = Server()

    @server.feature(types.INITIALIZED)
    async def initialized(_: types.InitializedParams) -> None:
        await server.watch_configuration()

    @server.feature(types.SHUTDOWN)
    def shutdown(_: None) -> None:
        server.is_ending = server.has_said_goodbye = True

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        server.watch(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        server.watch(params.text_document.uri, _PAUSE)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        server.close(params.text_document.uri)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))

    _watch_notebooks(server)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_files(_: types.DidChangeWatchedFilesParams) -> None:
        server.watch_all()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_folders(_: types.DidChangeWorkspaceFoldersParams) -> None:
        server.watch_all()

    kinds = [types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite, FIX_ALL]

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=kinds))
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction] | None:
        return await server.actions(params)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await server.hover(params)

    return server


def _watch_notebooks(server: Server) -> None:
    """Add the handlers of notebooks to a server."""

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def did_open_notebook(params: types.DidOpenNotebookDocumentParams) -> None:
        server.watch(params.notebook_document.uri)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def did_change_notebook(params: types.DidChangeNotebookDocumentParams) -> None:
        structure = params.change.cells.structure if params.change.cells is not None else None
        for closed in (structure.did_close if structure is not None else None) or ():
            server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(closed.uri, []))
        server.watch(params.notebook_document.uri, _PAUSE)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def did_close_notebook(params: types.DidCloseNotebookDocumentParams) -> None:
        server.close(params.notebook_document.uri)
        for cell in params.cell_text_documents:
            server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(cell.uri, []))


def serve() -> int:
    """Serve one editor on standard input and output until it disconnects; return the exit code of the protocol."""
    warnings.simplefilter("ignore", SyntaxWarning)  # Python's warnings about the user's code don't matter here
    gc.set_threshold(ALLOCATIONS)
    threading.stack_size(_STACK)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), FRAMES))
    server = made()
    server.start_io()
    return 0 if server.has_said_goodbye else 1
