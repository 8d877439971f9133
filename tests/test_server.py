"""The language server, driven by a client of the protocol as an editor does it."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient, client_capabilities
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

from unplace.text.positions import Text

pytestmark = pytest.mark.asyncio

MODEL = """\
import torch


def f(x: torch.Tensor):
    é, y = "\N{GRINNING FACE}", x.exp(); y += 1
    y.mul_(2)
    return y


def train():
    f(torch.ones(3, requires_grad=True) * 1)
"""
SITE = MODEL.index("y += 1")
FIXED = MODEL.replace("y += 1", "y = y + 1")
ALL_FIXED = FIXED.replace("y.mul_(2)", "y = y.mul(2)")
COMMAND = (sys.executable, "-m", "unplace", "server")


class Editor:
    """A client with one open file, whose text changes as the server tells it to."""

    def __init__(self, client: LanguageClient, path: Path, encoding: str) -> None:
        self.client, self.uri, self.encoding = client, path.as_uri(), encoding
        self.published: list[types.PublishDiagnosticsParams] = []
        self.registered: list[str] = []
        self.version, self.text = 0, ""

        def take(params: types.PublishDiagnosticsParams) -> None:
            self.published.append(params)

        def register(params: types.RegistrationParams) -> None:
            self.registered.extend(registration.method for registration in params.registrations)

        own = {types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: take, types.CLIENT_REGISTER_CAPABILITY: register}
        register_lsp_features(client, {**DEFAULT_CLIENT_FEATURES, **own})

    def open(self, text: str) -> None:
        self.version, self.text = 1, text
        item = types.TextDocumentItem(self.uri, "python", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def type(self, old: str, new: str) -> None:
        """Replace the first `old` in the text."""
        start = self.text.index(old)
        self._change(types.TextEdit(self.range(start, start + len(old)), new))

    def apply(self, action: types.CodeAction) -> None:
        assert action.edit is not None
        assert action.edit.document_changes is not None
        (change,) = action.edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        assert (change.text_document.uri, change.text_document.version) == (self.uri, self.version)
        for edit in sorted(change.edits, key=lambda edit: -self.offset(edit.range.start)):
            assert isinstance(edit, types.TextEdit)
            self._change(edit)

    def _change(self, edit: types.TextEdit) -> None:
        start, end = self.offset(edit.range.start), self.offset(edit.range.end)
        self.text = self.text[:start] + edit.new_text + self.text[end:]
        self.version += 1
        document = types.VersionedTextDocumentIdentifier(version=self.version, uri=self.uri)
        changes = [types.TextDocumentContentChangePartial(edit.range, edit.new_text)]
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, changes))

    def _codec(self) -> str:
        return self.encoding if self.encoding == "utf-8" else f"{self.encoding}-le"

    def range(self, start: int, end: int) -> types.Range:
        return types.Range(self.position(start), self.position(end))

    def position(self, offset: int) -> types.Position:
        line, column = Text(self.text).place(offset)
        unit = {"utf-8": 1, "utf-16": 2, "utf-32": 4}[self.encoding]
        before = self.text[offset - column + 1 : offset]
        return types.Position(line - 1, len(before.encode(self._codec())) // unit)

    def offset(self, place: types.Position) -> int:
        return next(o for o in range(len(self.text) + 1) if self.position(o) == place)

    async def diagnostics(self) -> list[types.Diagnostic]:
        """What is published about the text as it is now."""
        while True:
            for params in reversed(self.published):
                if params.version == self.version:
                    return list(params.diagnostics)
            await asyncio.sleep(0.01)

    async def actions(self, offset: int, only: list[str] | None = None) -> dict[str, types.CodeAction]:
        context = types.CodeActionContext([], only=only)  # type: ignore[arg-type]
        params = types.CodeActionParams(types.TextDocumentIdentifier(self.uri), self.range(offset, offset), context)
        found = await self.client.text_document_code_action_async(params) or []
        return {action.title: action for action in found if isinstance(action, types.CodeAction)}

    async def hover(self, offset: int) -> str:
        params = types.HoverParams(types.TextDocumentIdentifier(self.uri), self.position(offset))
        found = await self.client.text_document_hover_async(params)
        return found.contents.value if found is not None else ""  # type: ignore[union-attr]


@asynccontextmanager
async def editing(
    folder: Path, name: str = "model.py", encoding: str = "utf-16", command: Sequence[str] = COMMAND, **workspace: Any
) -> AsyncIterator[Editor]:
    """An editor whose server runs and is told goodbye at the end; it may take minutes, on a machine that is busy."""
    client = LanguageClient(converter_factory=default_converter)
    editor = Editor(client, folder / name, encoding)
    capabilities = client_capabilities("visual-studio-code")
    assert capabilities.general is not None
    capabilities.general.position_encodings = [encoding]  # type: ignore[list-item]
    for key, value in workspace.items():
        setattr(capabilities.workspace, key, value)
    folders = [types.WorkspaceFolder(folder.as_uri(), folder.name)]
    async with asyncio.timeout(300) if sys.version_info >= (3, 11) else _no_limit():
        await client.start_io(*command)
        result = await client.initialize_session(
            types.InitializeParams(capabilities, workspace_folders=folders, root_uri=folder.as_uri())
        )
        assert result.capabilities.position_encoding == encoding
        yield editor
        await client.shutdown_session()
        assert client._server is not None
        assert client._server.returncode == 0
    await client.stop()


@asynccontextmanager
async def _no_limit() -> AsyncIterator[None]:
    yield


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8", "utf-32"])
async def test_from_the_diagnostic_to_the_fixed_text(tmp_path: Path, encoding: str) -> None:
    async with editing(tmp_path, encoding=encoding) as editor:
        editor.open(MODEL)
        first, second = await editor.diagnostics()
        assert first.range == editor.range(SITE, SITE + len("y += 1"))
        assert (first.code, first.source, first.severity) == ("UNP001", "unplace", types.DiagnosticSeverity.Warning)
        assert "saved by exp() in line 5" in first.message
        assert second.code == "UNP002"
        actions = await editor.actions(SITE)
        fix = next(action for title, action in actions.items() if title.startswith("Rewrite as `"))
        assert (fix.kind, fix.is_preferred) == (types.CodeActionKind.QuickFix, True)
        assert fix.diagnostics == (first,)
        editor.apply(fix)
        assert editor.text == FIXED
        assert await editor.diagnostics() == []  # the other operation is harmless now
    assert list(tmp_path.iterdir()) == []  # it writes nothing


async def test_fix_all(tmp_path: Path) -> None:
    async with editing(tmp_path) as editor:
        editor.open(MODEL)
        (action,) = (await editor.actions(0, ["source.fixAll"])).values()
        assert action.kind == "source.fixAll.unplace"
        assert await editor.actions(0, ["source.organizeImports"]) == {}
        kinds = [a.kind for a in (await editor.actions(SITE, ["refactor"])).values()]
        assert kinds == ["refactor.rewrite", "refactor.rewrite"], "all in the function, all in the file"
        editor.apply(action)
        assert editor.text == ALL_FIXED
        assert await editor.diagnostics() == []
        assert await editor.actions(0, ["source.fixAll"]) == {}


async def test_hover(tmp_path: Path) -> None:
    async with editing(tmp_path) as editor:
        editor.open(MODEL)
        explained = await editor.hover(SITE)
        assert explained.startswith("`y += 1`  (augmented assignment)  \n**verdict** would be rewritten (safe): `y` is")
        assert "  \n**saved** by exp() in line 5  \n" in explained
        said, _, patch = explained.partition("\n\n```diff\n")
        assert "```" not in said
        assert patch.startswith("--- ./model.py\n")
        assert patch.endswith("\n```")
        assert '+    é, y = "\N{GRINNING FACE}", x.exp(); y = y + 1\n' in explained
        assert await editor.hover(0) == ""


UTILS = "import torch\n\n\ndef zero_padding(h: torch.Tensor, p):\n    h[p] = 0.0\n    return h\n"
OTHER = "\n\ndef doubled(n):\n    return 2 * n\n"
TRAIN = """\
import torch
from utils import zero_padding


def f(x, p):
    return zero_padding(torch.tanh(x), p)


def train(p):
    f(torch.ones(3, requires_grad=True) * 1, p)
"""


async def test_what_other_files_save_is_known(tmp_path: Path) -> None:
    """A caller in another file saved what the function writes; what is typed elsewhere changes nothing of it."""
    (tmp_path / "utils.py").write_text(UTILS)
    (tmp_path / "train.py").write_text(TRAIN)
    async with editing(tmp_path, "utils.py") as editor:
        editor.open(UTILS + OTHER)

        async def severity(expected: types.DiagnosticSeverity) -> str:
            while (found := await editor.diagnostics())[0].severity != expected:
                await asyncio.sleep(0.02)
            return found[0].message

        assert "saved by tanh() in line 6 of train.py" in await severity(types.DiagnosticSeverity.Warning)
        editor.type("2 * n", "n * 2")
        (still,) = await editor.diagnostics()
        assert "saved by tanh() in line 6 of train.py" in still.message
        (tmp_path / "train.py").write_text(TRAIN.replace("torch.tanh(x)", "x + 1"))
        change = types.FileEvent((tmp_path / "train.py").as_uri(), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
        await severity(types.DiagnosticSeverity.Hint)


SHIFT = "import torch\n\n\ndef _shift(h: torch.Tensor, by: float) -> None:\n    h += by\n"
CALLER = """\
import torch
from utils import _shift


def f(x):
    h = torch.sigmoid(x)
    y = h.exp()
    _shift(h, 1.0)
    return y * h
"""


BUSY = """\
from unplace.editor import server


class Busy(server.Server):
    looks = 0

    async def ask(self, document, work, *, gives_way=False):
        self.looks += gives_way
        if gives_way and self.looks % 2 == 0:
            raise server.GaveWayError
        return await super().ask(document, work, gives_way=gives_way)


server.Server = Busy
raise SystemExit(server.serve())
"""
"""A server in which every second look gives way, as if somebody had asked for something meanwhile."""


@pytest.mark.parametrize("command", [COMMAND, (sys.executable, "-c", BUSY)], ids=["idle", "busy"])
async def test_a_fix_that_needs_calls_in_other_files_edits_them_too(tmp_path: Path, command: Sequence[str]) -> None:
    """The fix edits both files, as the run on the folder does; it is gone when one of them isn't as it was."""
    (tmp_path / "utils.py").write_text(SHIFT)
    (tmp_path / "main.py").write_text(CALLER)

    async def fix(editor: Editor) -> types.CodeAction:
        while True:
            for title, action in (await editor.actions(SHIFT.index("h +="))).items():
                if title == "Rewrite as `h = h + by`, with the calls in main.py":
                    return action
            await asyncio.sleep(0.05)

    async with editing(tmp_path, "utils.py", command=command) as editor:
        editor.open(SHIFT)
        found = await fix(editor)
        assert found.edit is not None
        own, other = found.edit.document_changes or ()
        assert isinstance(own, types.TextDocumentEdit)
        assert isinstance(other, types.TextDocumentEdit)
        assert (own.text_document.uri, own.text_document.version) == (editor.uri, editor.version)
        assert (other.text_document.uri, other.text_document.version) == ((tmp_path / "main.py").as_uri(), None)
        (call,) = other.edits
        assert isinstance(call, types.TextEdit)
        assert (call.range.start.line, call.new_text) == (7, "h = _shift(h, 1.0)")
        found.edit = types.WorkspaceEdit(document_changes=[own])
        editor.apply(found)
        assert editor.text == (
            "import torch\n\n\ndef _shift(h: torch.Tensor, by: float) -> torch.Tensor:\n    h = h + by\n    return h\n"
        )
    async with editing(tmp_path, "utils.py", command=command) as editor:
        editor.open(SHIFT)
        await fix(editor)
        (tmp_path / "main.py").write_text(CALLER + "\n")
        assert not any("main.py" in title for title in await editor.actions(SHIFT.index("h +=")))


async def test_typing(tmp_path: Path) -> None:
    """Every change arrives where it belongs; while the text can't be parsed, what was said of other lines stays."""
    async with editing(tmp_path) as editor:
        editor.open(MODEL.replace("def f", "\f\ndef f").replace("    return y\n", "    return y # \u2028 \x85\n"))
        assert len(await editor.diagnostics()) == 2
        editor.type("y.mul_(2)", "y.mul_(")
        assert [one.code for one in await editor.diagnostics()] == ["UNP001"]
        assert await editor.actions(editor.text.index("y += 1")) == {}
        assert await editor.hover(editor.text.index("y += 1")) == ""
        editor.type("y.mul_(", "y.mul_(3)")
        editor.type("return y", "y -= 1\n    return y")
        found = await editor.diagnostics()
        assert [editor.offset(one.range.start) for one in found] == [
            editor.text.index(site) for site in ("y += 1", "y.mul_(3)", "y -= 1")
        ]
        for letter in "1234":
            editor.type("# ", f"# {letter}")
        await editor.diagnostics()
        versions = [params.version for params in editor.published]
        assert versions[-1] == editor.version
        assert editor.version - 1 not in versions  # of texts that are gone nothing is said


CELLS = (
    "import torch\n%matplotlib inline\n",
    None,  # words
    "",
    '%%time\ndef f(x: torch.Tensor):\n    é, y = "\\t\N{GRINNING FACE}", x.exp(); y += 1\n    y[0] = 2\n    return y',
    "files = !ls\nw = torch.ones(2, requires_grad=True)\nz = w.exp()\nz += 1\nf(w), z",
)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8"])
async def test_notebook(tmp_path: Path, encoding: str) -> None:
    """The cells are one module; what is found and edited is told by cell."""
    uris = [f"vscode-notebook-cell:/model.ipynb#{number}" for number in range(len(CELLS))]
    texts = dict(zip(uris, CELLS, strict=True))
    async with editing(tmp_path, "model.ipynb", encoding) as editor:
        kinds = [types.NotebookCellKind.Markup if text is None else types.NotebookCellKind.Code for text in CELLS]
        cells = [types.NotebookCell(kind, uri) for kind, uri in zip(kinds, uris, strict=True)]
        opened = [types.TextDocumentItem(uri, "python", 1, text) for uri, text in texts.items() if text is not None]
        notebook = types.NotebookDocument(editor.uri, "jupyter-notebook", 1, cells)
        editor.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, opened))

        async def published(uri: str, version: int) -> list[types.Diagnostic]:
            while True:
                for params in reversed(editor.published):
                    if (params.uri, params.version) == (uri, version):
                        return list(params.diagnostics)
                await asyncio.sleep(0.01)

        def at(uri: str, code: str) -> types.Range:
            editor.text = texts[uri] or ""
            start = editor.text.index(code)
            return editor.range(start, start + len(code))

        assert await published(uris[0], 1) == await published(uris[2], 1) == []
        first, second = await published(uris[3], 1)
        assert (first.range, second.range) == (at(uris[3], "y += 1"), at(uris[3], "y[0]"))
        assert "saved by exp() in line 3 of cell 4" in first.message
        (third,) = await published(uris[4], 1)
        assert third.range == at(uris[4], "z += 1")
        target = types.TextDocumentIdentifier(uris[3])
        hover = await editor.client.text_document_hover_async(types.HoverParams(target, first.range.start))
        assert hover is not None
        assert "saved by exp() in line 3 of cell 4" in hover.contents.value or "cell 4" in hover.contents.value

        params = types.CodeActionParams(target, first.range, types.CodeActionContext([]))
        found = await editor.client.text_document_code_action_async(params) or []
        (everything,) = (one for one in found if one.kind == "source.fixAll.unplace")  # type: ignore[union-attr]
        for change in everything.edit.document_changes:  # type: ignore[union-attr]
            uri = change.text_document.uri
            assert change.text_document.version == 1
            editor.text = texts[uri] or ""
            for edit in sorted(change.edits, key=lambda edit: -editor.offset(edit.range.start)):
                start, end = editor.offset(edit.range.start), editor.offset(edit.range.end)
                texts[uri] = editor.text = editor.text[:start] + edit.new_text + editor.text[end:]
        assert texts[uris[3]] == (CELLS[3] or "").replace("y += 1", "y = y + 1")
        assert texts[uris[4]] == (CELLS[4] or "").replace("z += 1", "z = z + 1")

        texts[uris[4]] = f"{texts[uris[4]]}  # unplace: ignored"
        changes = types.NotebookDocumentCellChanges(
            text_content=[
                types.NotebookDocumentCellContentChanges(
                    types.VersionedTextDocumentIdentifier(2, uri),
                    [types.TextDocumentContentChangeWholeDocument(texts[uri] or "")],
                )
                for uri in (uris[3], uris[4])
            ]
        )
        changed = types.NotebookDocumentChangeEvent(cells=changes)
        version = types.VersionedNotebookDocumentIdentifier(2, editor.uri)
        editor.client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(version, changed))
        assert await published(uris[3], 2) == []
        (invalid,) = await published(uris[4], 2)
        assert (invalid.code, invalid.range) == ("invalid-suppression", at(uris[4], "# unplace: ignored"))

        data = types.NotebookDocumentCellChanges(data=[types.NotebookCell(types.NotebookCellKind.Markup, uris[4])])
        version = types.VersionedNotebookDocumentIdentifier(3, editor.uri)
        changed = types.NotebookDocumentChangeEvent(cells=data)
        editor.published.clear()
        editor.client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(version, changed))
        assert await published(uris[4], 2) == []


async def test_configuration(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    file = inner / "unplace.toml"
    file.write_text('ignore = ["UNP001"]\n')
    async with editing(tmp_path, "inner/model.py") as editor:
        editor.open(MODEL)
        assert [one.code for one in await editor.diagnostics()] == ["UNP002"]
        editor.type("y.mul_(2)", "y.mul_(2)  # unplace: ignore")
        assert await editor.diagnostics() == []
        for text, codes in (("unsave = true\n", []), ('exclude = ["model.py"]\n', []), ("", ["UNP001"])):
            file.write_text(text)
            event = types.FileEvent(file.as_uri(), types.FileChangeType.Changed)
            editor.published.clear()
            editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))
            assert [one.code for one in await editor.diagnostics()] == codes
        assert editor.registered == [types.WORKSPACE_DID_CHANGE_WATCHED_FILES]
        (message,) = editor.client.messages
        assert "unknown key `unsave`. Did you mean unsafe?" in message.message


@pytest.mark.parametrize("name", ["venv/lib/model.py", "lib/site-packages/model.py", "mine/model.py"])
async def test_installed_code_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/pyvenv.cfg").touch()
    async with editing(tmp_path, name) as editor:
        editor.open(MODEL)
        assert await editor.diagnostics() == []


async def test_a_client_without_versioned_edits(tmp_path: Path) -> None:
    async with editing(tmp_path, workspace_edit=None) as editor:
        editor.open(MODEL)
        (action,) = (await editor.actions(0, ["source.fixAll"])).values()
        assert action.edit is not None
        assert action.edit.changes is not None
        assert [len(edits) for edits in action.edit.changes.values()] == [2]
        assert action.edit.document_changes is None


async def test_the_server_survives_an_internal_error(tmp_path: Path) -> None:
    broken = """
from unplace.editor import analyst, server
work = analyst.planned
def planned(document, *arguments):
    assert "mul_" in document.text, "no mul_"
    return work(document, *arguments)
analyst.planned = planned
server.serve()
"""
    async with editing(tmp_path, command=(sys.executable, "-c", broken)) as editor:
        editor.open(MODEL.replace("mul_", "add_"))
        while not editor.client.log_messages:
            await asyncio.sleep(0.01)
        assert editor.client.log_messages[0].message == (
            "unplace: internal error: AssertionError: no mul_; please report it with this file"
        )
        editor.type("add_", "mul_")
        assert len(await editor.diagnostics()) == 2


async def test_a_place_beyond_the_end_of_a_line_is_its_end(tmp_path: Path) -> None:
    async with editing(tmp_path) as editor:
        editor.open(MODEL.rstrip("\n"))
        await editor.diagnostics()
        end = types.Position(6, 4)
        line = len(editor.text.split("\n")) - 1
        editor.version += 1
        document = types.VersionedTextDocumentIdentifier(version=editor.version, uri=editor.uri)
        change = types.TextDocumentContentChangePartial(types.Range(end, types.Position(line, 99)), "y -= 1; return y")
        editor.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
        editor.text = editor.text.replace("return y", "y -= 1; return y")
        found = await editor.diagnostics()
        assert found[-1].range == editor.range(editor.text.index("y -= 1"), editor.text.index("; return"))


async def test_deep_nesting(tmp_path: Path) -> None:
    async with editing(tmp_path) as editor:
        editor.open(MODEL.replace("    return y\n", f"    z = {' + '.join(['x'] * 600)}\n    return y\n"))
        assert len(await editor.diagnostics()) == 2


async def test_a_long_look_at_one_text_gives_way_to_another(tmp_path: Path) -> None:
    lines = [f"y[{n}] = x\nz += y\nw{n} = y.view(-1)\ny.mul_({n})\n" for n in range(250)]
    async with editing(tmp_path, "long.py") as long:
        long.open("import torch\nx = torch.zeros(2)\ny, z = x.exp(), x.sin()\n" + "".join(lines))
        await long.diagnostics()
        await asyncio.sleep(0.5)  # the full look, which takes seconds, has begun
        item = types.TextDocumentItem((tmp_path / "short.py").as_uri(), "python", 1, MODEL)
        began = time.perf_counter()
        long.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        while not any(params.uri == item.uri for params in long.published):
            await asyncio.sleep(0.01)
        assert time.perf_counter() - began < 5  # the full look takes twice as long on a fast machine


async def test_the_beginning_of_a_long_text_is_shown_before_the_rest(tmp_path: Path) -> None:
    functions = [f"def f{n}(x: torch.Tensor):\n    y = x.exp()\n    y += {n}\n    return y\n\n\n" for n in range(2000)]
    async with editing(tmp_path) as editor:
        editor.open("import torch\n\n\n" + "".join(functions))
        while not any(len(params.diagnostics) == len(functions) for params in editor.published):
            await asyncio.sleep(0.01)
        first = [one.range for one in editor.published[0].diagnostics]
        whole = [one.range for one in editor.published[-1].diagnostics]
        assert 0 < len(first) < len(whole)
        assert first == whole[: len(first)]
