"""Notebooks and Markdown: the modules in them, and that nothing but the edited lines changes in the file."""

from __future__ import annotations

import ast
import json
import re
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest

import unplace
from test_check import SCHEMA
from unplace.cli import main
from unplace.config.options import Options
from unplace.diagnostics.findings import FileReport
from unplace.documents import modules_of, rewrite
from unplace.documents.cells import MARK, as_python
from unplace.runs.outcome import rewrite_bytes
from unplace.text.source import SourceError
from unplace.transform.rewriter import rewrite_text

HEAD = "import torch\nx = torch.ones(3, requires_grad=True)"
FIXTURES = sorted(Path(__file__).parent.glob("fixtures/*/*/before.py"))


def code(*lines: str) -> dict[str, Any]:
    outputs = [{"output_type": "stream", "name": "stdout", "text": ["y += 1\n", "\u2028é"]}]
    source = "\n".join(lines).splitlines(keepends=True)
    return {"cell_type": "code", "execution_count": 7, "id": "a", "metadata": {}, "outputs": outputs, "source": source}


def notebook(*cells: str, **metadata: Any) -> dict[str, Any]:
    words = {"cell_type": "markdown", "metadata": {}, "source": ["# y += 1"]}
    return {"cells": [words, *map(code, cells)], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def as_json(content: object, **style: Any) -> str:
    return json.dumps(content, **{"indent": 1, "ensure_ascii": False, **style}) + "\n"


def rewritten(*cells: str, **options: Any) -> FileReport:
    return rewrite(as_json(notebook(*cells)), "a.ipynb", Options(**options))


def sources(text: str) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]


# Bytes

STYLES = {
    "jupyter": {},
    "wide": {"indent": 4, "sort_keys": True},
    "ascii": {"ensure_ascii": True},
    "one line": {"indent": None},
    "dense": {"indent": None, "separators": (",", ":")},
}
CELLS = (
    HEAD,
    's = "é\\n\\t\N{GRINNING FACE}"; y = x.exp(); y += 1  # é "\nprint(y)',
    "y = x.exp()\ny[0] = 1\nprint(y)\n",
)
AFTER = (
    HEAD,
    's = "é\\n\\t\N{GRINNING FACE}"; y = x.exp(); y = y + 1  # é "\nprint(y)',
    "y = x.exp()\ny = y.clone()\ny[0] = 1\nprint(y)\n",
)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_only_the_edited_lines_change(style: str, newline: str) -> None:
    text, wanted = (as_json(notebook(*cells), **STYLES[style]).replace("\n", newline) for cells in (CELLS, AFTER))
    report = rewrite(text, "a.ipynb", Options())
    assert report.after == wanted
    assert not rewrite(wanted, "a.ipynb", Options()).changed


def test_a_source_that_is_one_string_and_escapes_that_nobody_needs() -> None:
    text = as_json(notebook("SOURCE"), indent=None)
    source = r'"import t\u006frch\nx=torch.ones(3,requires_grad=True)\/1\ny = x.exp();\ty[0] = 1 #\u00e9\ud83d\ude00\n"'
    before = re.sub(r'\["SOURCE"\]', source.replace("\\", r"\\"), text).rstrip("\n")
    after = rewrite(before, "a.ipynb", Options()).after
    assert after == before.replace("y[0] = 1", "y = y.clone(); y[0] = 1")


def test_edits_at_the_ends_of_cells() -> None:
    helper = "def _add(h):\n    h += 1"
    caller = "def f(x: torch.Tensor):\n    y = x.exp()\n    _add(y)\n    return y"
    _, *after = sources(rewritten(HEAD, helper, caller).after)
    assert after == ["def _add(h):\n    h = h + 1\n    return h", caller.replace("_add(y)", "y = _add(y)")]


@pytest.mark.parametrize("is_list", [True, False])
@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_new_lines_end_as_those_of_the_cell(newline: str, is_list: bool) -> None:
    cell = "def _add(h):\n    h += 1\n\ndef f(x: torch.Tensor):\n    y = x.exp()\n    _add(y)\n    return (y[0] +\n  1)"
    wanted = cell.replace("h += 1", "h = h + 1\n    return h").replace("_add(y)", "y = _add(y)")
    texts = []
    for source in (cell, wanted):
        content, written = notebook(HEAD, "SOURCE"), source.replace("\n", newline)
        content["cells"][-1]["source"] = written.splitlines(keepends=True) if is_list else written
        texts.append(as_json(content))
    assert rewrite(texts[0], "a.ipynb", Options()).after == texts[1]


@pytest.mark.parametrize("path", FIXTURES[::7], ids=lambda path: path.parent.name)
def test_a_notebook_of_a_module_s_statements(path: Path) -> None:
    """Each statement in a cell of its own: what is rewritten is what is in the module, or less, and it goes back."""
    text = path.read_bytes().decode("utf-8-sig")
    lines = text.splitlines(keepends=True)
    if "".join(lines) != text or "\r" in text:
        pytest.skip("its lines aren't those of a notebook")
    body: list[Any] = ast.parse(text).body
    starts = sorted({min([s.lineno, *(d.lineno for d in getattr(s, "decorator_list", []))]) for s in body})
    bounds = [0, *(start - 1 for start in starts[1:]), len(lines)]
    cells = ["".join(lines[first:last]) for first, last in pairwise(bounds)]
    report = rewritten(*cells)
    assert report.warnings == []
    plain = {f.line for f in rewrite_text(text, "a.py", Options()).findings}
    first_lines = [0, *bounds[1:-1]]
    assert {first_lines[f.cell.number - 2] + f.cell.line for f in report.findings if f.cell is not None} <= plain
    assert not rewrite(report.after, "a.ipynb", Options()).changed


# Cells


@pytest.mark.parametrize(
    ("source", "python"),
    [
        ("%matplotlib inline\nx = 1", "pass  # %matplotlib inline\nx = 1"),
        ("%timeit f(x)", f"pass  # {MARK}%timeit f(x)"),
        ("for i in y:\n    !ls \\\n  -l\n", "for i in y:\n    pass  # !ls \\\n# -l\n"),
        ("files = !ls\na, b = %foo 1\n", f"files = ...  # {MARK}files = !ls\na, b = ...  # {MARK}a, b = %foo 1\n"),
        ("?x\nx.y??\n", "pass  # ?x\npass  # x.y??\n"),
        ("%%time\nx = 1", f"pass  # {MARK}%%time\nx = 1"),
        ("%%bash\nls\n\n", "pass  # %%bash\n# ls\n# \n"),
        ("%%wandb\nx += 1", f"pass  # {MARK}%%wandb\n# {MARK}x += 1"),
        ("x = (1\n%2)\n", "x = (1\n%2)\n"),
        ("s = '''\n%a\n'''\n!ls\n", "s = '''\n%a\n'''\npass  # !ls\n"),
        ("await f()\n", "await f()\n"),
        ("x = (\n", f"pass  # {MARK}x = (\n"),
        ("", ""),
    ],
)
def test_the_python_of_a_cell(source: str, python: str) -> None:
    found = as_python(source)
    assert found.text == python
    assert (found.error is not None) == (source == "x = (\n")


def statuses(report: FileReport) -> list[tuple[str, str]]:
    return [(finding.place, finding.status.value) for finding in report.findings]


EXP = "y = x.exp()"


@pytest.mark.parametrize(
    ("cells", "last"),
    [
        ([f"{EXP}\ny += 1"], f"{EXP}\ny = y + 1"),
        ([EXP, "y += 1"], "y = y + 1"),
        (["print(z)", f"{EXP}\ny += 1", "z = y"], "z = y"),
        ([EXP, "z = y", "y += 1"], "y += 1"),  # z may be y, or the tensor of an earlier time
        ([EXP, "y += 1\ny"], "y = y + 1\ny"),
        ([f"{EXP}\ny.mul_(2)"], f"{EXP}\ny = y.mul(2)\ny"),  # what is shown stays
        ([f"{EXP}\ny.mul_(2);"], f"{EXP}\ny = y.mul(2);"),
        (["y", f"{EXP}\ndef _h(t): t += 1\n_h(y)"], f"{EXP}\ndef _h(t): t = t + 1; return t\ny = _h(y)"),
        ([f"%%time\n{EXP}\n!ls\ny += 1"], f"%%time\n{EXP}\n!ls\ny = y + 1"),
        ([f"{EXP}\n%load y\ny += 1"], f"{EXP}\n%load y\ny += 1"),
        ([f"{EXP}\n!echo y\ny += 1"], f"{EXP}\n!echo y\ny = y + 1"),
        ([f"{EXP}\ndef g(a=y): return a\ny += 1"], f"{EXP}.clone()\ndef g(a=y): return a\ny += 1"),
        (["def g(): ...", "def g(): return 1", f"{EXP}\ny += 1"], f"{EXP}\ny = y + 1"),
    ],
)
def test_cells_run_in_any_order(cells: list[str], last: str) -> None:
    assert sources(rewritten(HEAD, *cells).after)[-1] == last


HELPER = "def _add(h):\n    h += 1"
CALLER = "def f(x: torch.Tensor):\n    y = x.exp()\n    _add(y)\n    return y"


@pytest.mark.parametrize(
    ("other", "is_rewritten"),
    [
        ("print(1)", True),
        ("print(_add)(", False),
        ("%timeit _add(x)", False),
        ("%%unknown\n_add(x)", False),
        ("%%bash\n_add", True),
        ("def _add(h):\n    return h", False),
        ("something.else_(", True),
    ],
)
def test_what_a_cell_that_is_not_analysed_may_call(other: str, is_rewritten: bool) -> None:
    report = rewritten(HEAD, HELPER, CALLER, other)
    assert (HELPER not in sources(report.after)) == is_rewritten
    assert sources(report.after)[-1] == other


def test_classes_of_one_cell_derive_from_each_other() -> None:
    base = "class A(torch.nn.Module):\n    def __init__(self):\n        self.act = torch.nn.ReLU(inplace=True)"
    derived = "class B(A):\n    def forward(self, x):\n        z = x - 1\n        return self.act(z) + z"
    assert "z = self.act(z)\n        return z + z" in sources(rewritten(HEAD, f"{base}\n\n{derived}").after)[-1]


def test_a_cell_that_does_not_parse_is_named() -> None:
    report = rewritten(HEAD, f"{EXP}\ny += 1", "x = [\n")
    assert list(map(str, report.warnings)) == [
        "a.ipynb:cell 4:1:5: cannot parse: '[' was never closed; the cell is left alone, and what it names counts as "
        "unknown in the others"
    ]
    assert report.changed


@pytest.mark.parametrize("letter", ["\0", "\ud800"])
@pytest.mark.parametrize(("cell", "is_named"), [("s = '{}'", True), ("%%bash\necho {}", False), ("!echo {}", False)])
def test_characters_that_no_source_may_contain(cell: str, letter: str, is_named: bool) -> None:
    text = as_json(notebook(HEAD, f"{EXP}\ny += 1", cell.format(letter)), ensure_ascii=True)
    report = rewrite(text, "a.ipynb", Options())
    assert report.after == text.replace('"y += 1"', '"y = y + 1"')
    place = f"a.ipynb:cell 4:1:6: cannot parse: source code can't contain {letter!r}; the cell is left alone"
    assert [str(warning).startswith(place) for warning in report.warnings] == [True] * is_named


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not a notebook: Expecting property name"),
        ("[]", "not a notebook of format 4"),
        ("5", "not a notebook of format 4"),
        ("import torch; {", "not a notebook: Expecting value"),
        ('{"worksheets": [], "nbformat": 3}', "convert it with `jupyter nbconvert --to notebook`"),
    ],
)
def test_what_is_no_notebook(text: str, words: str) -> None:
    with pytest.raises(SourceError, match=re.escape(words)):
        rewrite(text, "a.ipynb", Options())
    for more in ("", "  torch: y += 1"):  # with something that is looked into, and without
        problem = rewrite_bytes(f"{text}{more}".encode(), "a.ipynb", Options()).problem
        assert problem is not None
        assert problem.message.startswith("not a notebook")


def test_a_notebook_without_sites_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parse, parsed = json.loads, list[str]()
    monkeypatch.setattr(json, "loads", lambda text: parsed.append(text) or parse(text))
    text = as_json(notebook("x = 1"))
    assert rewrite_bytes(text.encode(), "a.ipynb", Options()).problem is None
    assert parsed == [text]


def test_notebooks_in_other_languages_and_cells_without_source() -> None:
    assert modules_of(as_json(notebook("y <- 1", language_info={"name": "R"})), "a.ipynb") == []
    content = notebook(HEAD)
    content["cells"] += [{"cell_type": "code"}, {"cell_type": "code", "source": []}, {"source": 3}, None, code("y = 1")]
    (module,) = modules_of(as_json(content), "a.ipynb")
    assert "y = 1" in module.text


@pytest.mark.parametrize(
    "cells", [[], [{"cell_type": "code", "source": []}], [{"cell_type": "raw", "source": "y += 1"}]]
)
def test_notebooks_without_code(cells: list[Any], folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "a.ipynb").write_text(as_json({"cells": cells, "metadata": {"title": "torch: y += 1"}}))
    assert main(["check", "a.ipynb"]) == 0
    assert capfd.readouterr().err == "Found no harmful in-place operation in 1 file.\n"
    assert json.loads(output(capfd, "code-action", "a.ipynb", "--line", "1")) == []
    assert main(["explain", "a.ipynb:cell 1:1"]) == 2
    assert "no code cell has this number and line" in capfd.readouterr().err


def test_the_escapes_in_the_type_of_a_cell() -> None:
    text = as_json(notebook(HEAD, f"{EXP}\ny += 1")).replace('"code"', '"cod\\u0065"')
    assert rewrite(text, "a.ipynb", Options()).after == text.replace('"y += 1"', '"y = y + 1"')


# Commands


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    text = as_json(notebook(HEAD, f"{EXP}\ny += 1  # é"))
    (tmp_path / "a.ipynb").write_bytes(text.encode())
    (tmp_path / "b.md").write_bytes(MARKDOWN.encode())
    return tmp_path


def output(capfd: pytest.CaptureFixture[str], *arguments: str) -> str:
    main(arguments)
    return capfd.readouterr().out


def test_check_and_explain(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    concise = output(capfd, "check", "--output-format", "concise", ".")
    headline = "UNP001 augmented assignment can break autograd: saved by exp() in line 1 of cell 3"
    assert concise.startswith(f"a.ipynb:cell 3:2:1: {headline} [")
    explained = output(capfd, "explain", "a.ipynb:cell 3:2")
    assert explained.startswith(
        "a.ipynb:cell 3:2:1: y += 1  (augmented assignment)\n  verdict    would be rewritten (safe): "
    )
    assert "line 1 of cell 3: y = x.exp() -- " in explained
    assert main(["explain", "a.ipynb:3"]) == 2
    assert "name the cell" in capfd.readouterr().err


def test_json_and_sarif(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (site,) = json.loads(output(capfd, "check", "--output-format", "json", "."))["sites"]
    assert (site["cell"], site["line"], site["column"], site["end_column"]) == (3, 2, 1, 7)
    assert site["saved_by"] == {"operation": "exp()", "cell": 3, "line": 1}
    log = json.loads(output(capfd, "check", "--output-format", "sarif", "."))
    jsonschema.Draft202012Validator(SCHEMA).validate(log)
    (result,) = log["runs"][0]["results"]
    lines = (folder / "a.ipynb").read_text("utf-8").split("\n")
    region = result["locations"][0]["physicalLocation"]["region"]
    line = lines[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "y += 1"
    assert result["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "cell 3:2:1"}]
    (replacement,) = result["fixes"][0]["artifactChanges"][0]["replacements"]
    assert replacement["insertedContent"]["text"] == "y = y + 1"


def test_diff_and_rewrite(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = (folder / "a.ipynb").read_bytes()
    patch = output(capfd, "rewrite", "--diff", ".")
    assert re.search(r"^@@ .* @@ cell 3$", patch, re.MULTILINE)
    assert '\n-    "y += 1  # é"\n+    "y = y + 1  # é"\n' in patch
    assert main(["rewrite", "."]) == 0
    assert (folder / "a.ipynb").read_bytes() == before.replace(b"y += 1  #", b"y = y + 1  #")


def test_add_ignores(folder: Path) -> None:
    assert main(["check", "--add-ignores", "a.ipynb"]) == 0
    assert sources((folder / "a.ipynb").read_text("utf-8"))[1] == f"{EXP}\ny += 1  # é  # unplace: ignore[UNP001]"
    assert main(["check", "a.ipynb"]) == 0


def test_code_actions(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = (folder / "a.ipynb").read_text("utf-8")
    line = text[: text.index("y += 1  #")].count("\n") + 1
    actions = json.loads(output(capfd, "code-action", "a.ipynb", "--line", str(line)))
    assert [action["kind"] for action in actions] == [
        "quickfix",
        "source.fixAll.unplace",
        "refactor.rewrite",
        "quickfix",
    ]
    (edit,) = actions[0]["edit"]["documentChanges"][0]["edits"]
    assert edit["newText"] == "y = y + 1"
    assert edit["range"]["start"] == {"line": line - 1, "character": 5}


def test_the_python_api() -> None:
    text = as_json(notebook(HEAD, f"{EXP}\ny += 1"))
    assert sources(unplace.rewrite_source(text, path="a.ipynb").after)[1] == f"{EXP}\ny = y + 1"


@pytest.mark.parametrize("command", ["check", "explain"])
def test_a_notebook_that_is_not_utf_8(command: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (folder / "a.ipynb").write_bytes((folder / "a.ipynb").read_bytes() + b"\xe9")
    assert main([command, "a.ipynb:cell 3:2" if command == "explain" else "a.ipynb"]) == 2
    assert "; convert it to UTF-8\n" in capfd.readouterr().err


def test_a_heading_that_looks_like_a_declaration(folder: Path) -> None:
    (folder / "b.md").write_text(f"# Vibe coding: naïve\n\n{MARKDOWN}", "utf-8")
    for _ in range(2):  # the second time from what is remembered
        assert main(["check", "--markdown", "b.md"]) == 1
    assert main(["rewrite", "--markdown", "b.md"]) == 0
    assert (folder / "b.md").read_text("utf-8").endswith(MARKDOWN_AFTER)


# Markdown

MARKDOWN = """\
```python
import torch
```

- item

  ~~~py
  def f(x: torch.Tensor):
      y = x.exp()
      y[0] = 1

      y += 1
      return y
  ~~~

> ```{.python .numbers}
> y = torch.ones(3, requires_grad=True).exp()
> y += 2
> ```

```python
>>> y += 1
```

    y += 1

```bash
y += 1
```
"""
MARKDOWN_AFTER = (
    MARKDOWN.replace("      y[0] = 1", "      y = y.clone()\n      y[0] = 1")
    .replace("      y += 1\n      return", "      y = y + 1\n      return")
    .replace("> y += 2", "> y = y + 2")
)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_markdown(newline: str) -> None:
    report = rewrite(MARKDOWN.replace("\n", newline), "b.md", Options(markdown=True))
    assert report.after == MARKDOWN_AFTER.replace("\n", newline)
    assert [(f.line, f.column) for f in report.findings] == [(10, 7), (12, 7), (18, 3)]
    (warning,) = report.warnings
    assert str(warning).startswith("b.md:22: cannot parse: ")


def test_markdown_behind_a_flag(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def paths(*options: str) -> set[str]:
        return set(json.loads(output(capfd, "check", "--output-format", "json", *options, "."))["files"])

    assert paths() == {"a.ipynb"}
    assert paths("--markdown") == {"a.ipynb", "b.md"}
    assert main(["rewrite", "--markdown", "."]) == 0
    assert (folder / "b.md").read_text("utf-8") == MARKDOWN_AFTER


def test_a_block_that_the_end_of_the_file_ends() -> None:
    text = f"# Title\n\n```python\n{HEAD}\ny = x.exp()\ny += 1"
    assert rewrite(text, "a.md", Options(markdown=True)).after == text.replace("y += 1", "y = y + 1")


def test_text_without_python() -> None:
    for text in ("", "# Title\n", "```\nx += 1\n```\n", "```python\n```"):
        assert rewrite(text, "b.md", Options(markdown=True)).after == text


def test_blocks_that_do_not_parse_and_none_that_does() -> None:
    report = rewrite("# torch\n\n```python\ny += (\n```\n", "b.md", Options(markdown=True))
    (warning,) = report.warnings
    assert str(warning).startswith("b.md:4: cannot parse: '(' was never closed; the block is left alone")


def test_blocks_show_nothing() -> None:
    text = f"```python\n{HEAD}\n{EXP}\ny.mul_(2)\n```\n"
    assert rewrite(text, "b.md", Options(markdown=True)).after == text.replace("y.mul_(2)", "y = y.mul(2)")


def test_a_block_that_nothing_closes() -> None:
    text = f"# Title\n\n```python\n{HEAD}\n{EXP}\ny += 1"
    assert rewrite(text, "b.md", Options(markdown=True)).after == text.replace("y += 1", "y = y + 1")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (">def _h(t):\n>    t += 1\n>def f(", ">def _h(t):\n>    t = t + 1\n>    return t\n>def f("),
        ("> def _h(t):\n>     t += 1\n>\n> def f(", "> def _h(t):\n>     t = t + 1\n>     return t\n>\n> def f("),
    ],
)
def test_new_lines_of_a_quote(before: str, after: str) -> None:
    def quoted(helper: str) -> str:
        call = "y = _h(y)" if "return" in helper else "_h(y)"
        return (
            f"> ```python\n> import torch\n{helper}x: torch.Tensor):\n>  y = x.exp()\n>  {call}\n>  return y\n> ```\n"
        )

    assert rewrite(quoted(before), "b.md", Options(markdown=True)).after == quoted(after)


def test_lines_behind_a_line_that_gets_something_at_its_end() -> None:
    folder = Path(__file__).parent / "fixtures/UNP005/collected_behind_two_slots_unsafe"
    before, after = (
        "".join(f"> {line}\n" for line in ("```python", *(folder / name).read_text("utf-8").splitlines(), "```"))
        for name in ("before.py", "after.py")
    )
    assert rewrite(before, "b.md", Options(markdown=True, unsafe=True)).after == after


def test_a_tab_that_belongs_to_a_block_and_to_its_line() -> None:
    block = f"1. a\n\n   ```python\n   y += (1 +\n\t2)\n   ```\n\n```python\n{HEAD}\n{EXP}\ny += 1\n```\n"
    report = rewrite(block, "b.md", Options(markdown=True))
    (warning,) = report.warnings
    assert str(warning).startswith("b.md:5: cannot parse: a tab belongs in part to ")
    assert [(f.line, f.column) for f in report.findings] == [(12, 1)]


STATEMENTS = (
    "import torch",
    "x = torch.ones(3, requires_grad=True)",
    "y = x.exp()",
    "y += 1",
    "y[0] = 1",
    "y.mul_(2)",
    "y += (1 +\n  2)",
    "y += (1 +\n\t2)",
    "y[0] = (\n\n1)",
    "def _h(t):\n    t += 1",
    "def _k(t):\n\tt += 1\n",
    "def f(x: torch.Tensor):\n\ty = x.exp()\n\t_h(y)\n\t_k(y)\n\treturn y",
    "s = '''\n  y += 1\n\n'''",
    "!ls",
    "y += (",
    "",
)
OPENINGS = ("", "  ", "- ", "1. ", "1.\t", "> ", ">", ">> ", ">\t", "> - ", "- > ")


@pytest.mark.parametrize("seed", range(60))
def test_markdown_of_all_shapes(seed: int) -> None:
    random = Random(seed)
    lines = []
    for _ in range(3):
        opening, fence = random.choice(OPENINGS), random.choice(("```", "~~~"))
        margin = re.sub(r"[^>\s]", " ", opening)
        source = "\n".join(random.choices(STATEMENTS, k=6))
        block = [f"{random.choice((margin, margin, margin.rstrip(' ')))}{line}" for line in source.split("\n")]
        lines += [f"{opening}{fence}python", *block, f"{margin}{fence}", "", "y += 1", ""]
    text = random.choice(("\n", "\r\n", "\r")).join(["```python", *STATEMENTS[:3], "```", *lines])
    report = rewrite(text, "b.md", Options(markdown=True, unsafe=True))
    assert not rewrite(report.after, "b.md", Options(markdown=True, unsafe=True)).changed
    changed = {line for edit in report.edits for line in range(place(text, edit.start), place(text, edit.end) + 1)}
    kept = [line for number, line in enumerate(LINE.findall(text)) if number not in changed]
    after = iter(LINE.findall(report.after))
    assert all(line in after for line in kept)  # in this order


LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


def place(text: str, offset: int) -> int:
    return len(re.findall(r"\r\n|\r|\n", text[:offset]))
