"""The documentation: commands print what it shows, the site builds without a warning, and tables are complete."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from test_early_steps import actor_critic
from unplace import rules
from unplace.cli.app import COMMANDS
from unplace.config.configuration import KEYS
from unplace.config.options import Options
from unplace.diagnostics.catalogue import Assumption
from unplace.runs.across import across
from unplace.runs.many import rewrite_files
from unplace.transform.rewriter import rewrite_text

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "codemods")}


@cache
def console() -> ModuleType:
    spec = importlib.util.spec_from_file_location("console_blocks", ROOT / "scripts/console_blocks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


# Commands


SLOW = pytest.mark.slow  # most pages import torch several times


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[] if page.stem == "README" else SLOW, id=page.stem) for page in console().pages()],
)
def test_commands_print_what_is_shown(page: Path) -> None:
    found, corrected = console().differences(page.read_text("utf-8"))
    assert not found, "\n".join([*found, f"run: python scripts/console_blocks.py --write {page.relative_to(ROOT)}"])
    assert corrected == page.read_text("utf-8")


PAGE = """\
<!-- file: a.txt -->
```text
one
two
```

```console
$ cat a.txt
one
{second}
$ (exit 3)
$ echo $?; cat <<'END'
> end
>
> END
3
end

```
"""


@pytest.mark.parametrize("second", ["two", "..."])
def test_what_agrees(second: str) -> None:
    assert console().differences(PAGE.format(second=second)) == ([], PAGE.format(second=second))


def test_what_differs_is_shown_and_corrected() -> None:
    (found,), corrected = console().differences(PAGE.format(second="three"))
    assert found.startswith("$ cat a.txt\n")
    assert "-three\n+two\n" in found
    assert corrected == PAGE.format(second="two")


# The site


def build(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder), *options]
    return subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False)


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    done = build(tmp_path)
    assert done.returncode == 0, done.stderr
    for page in DOCS.glob("*.md"):
        assert (tmp_path / ("." if page.stem == "index" else page.stem) / "index.html").exists()
    for code in rules.codes():
        html = (tmp_path / "rules" / code / "index.html").read_text("utf-8")
        rewrites = "never rewritten" not in rules.documentation(code)
        assert ("Before and after" in html) == rewrites
        assert html.count('<div class="codehilite">') >= (8 if rewrites else 4)
    commands = (tmp_path / "commands/index.html").read_text("utf-8")
    assert all(f"Usage: unplace {name}" in commands for name in COMMANDS)
    configuration = (tmp_path / "configuration/index.html").read_text("utf-8")
    assert all(f"<td><code>{key}</code></td>" in configuration for key in KEYS)


def test_a_broken_link_ends_the_build(tmp_path: Path) -> None:
    broken = ["missing.md", "safety.md#missing", "rules/UNP999.md"]
    shutil.copytree(DOCS, tmp_path / "docs")
    with (tmp_path / "docs/index.md").open("a", encoding="utf-8") as page:
        page.writelines(f"\n[a link]({link})\n" for link in broken)
    settings = (ROOT / "mkdocs.yml").read_text("utf-8")
    settings = settings.replace("docs_dir: docs", f"docs_dir: {tmp_path}/docs").replace("scripts/", f"{ROOT}/scripts/")
    (tmp_path / "mkdocs.yml").write_text(settings, "utf-8")
    done = build(tmp_path / "site", "--config-file", str(tmp_path / "mkdocs.yml"))
    assert done.returncode == 1
    assert [link for link in broken if f"'{link}'" not in done.stderr] == []


def test_links_of_the_readme_lead_somewhere() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", (ROOT / "README.md").read_text("utf-8"))
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).exists()] == []


# The safety model

SAFETY = (DOCS / "safety.md").read_text("utf-8").partition("## Conventions")[0]
ROWS = re.findall(r"^\| (.*…?.*) \| .* \|$", SAFETY, re.MULTILINE)
TEXTS = [row for row in ROWS if row not in ("the report says", "---")]
SEQUENTIAL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))
        self.head = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(2, 2))

    def forward(self, x):
        for layer in self.layers[:1]:
            x = layer(x)
        return self.layers(x)
"""
MORE = """\
import torch
from torch import nn


def block(layer):
    return nn.Sequential(layer, nn.ReLU(inplace=True))


def thirds(x: torch.Tensor):
    a, b, c = x.chunk(3)
    d = a.mul_(2)
    return b


def noisy(x: torch.Tensor, noise: torch.Tensor):
    h = x * 2
    h.data = noise.cos()
    return h.exp()


def faded(cells: list[nn.Module], i: int):
    h = cells[i].h.exp()
    cells[i].h.mul_(0.5)
    return h * cells[i].h
"""


APART = {
    "utils.py": "import torch\n\n\ndef shift(h, by):\n    h += by\n",
    "main.py": "import torch\nfrom utils import shift\n\n\n"
    "def f(x):\n    h = torch.sigmoid(x)\n    shift(h, 1)\n    return h\n",
}


EXPANDING = """\
import torch
from torch import Tensor


def tables(n: int, shared: bool) -> Tensor:
    table = torch.eye(n)
    return table.expand(2, n, n) if shared else table.repeat(2, 1, 1)


def f(x: Tensor) -> Tensor:
    y = tables(3, False)
    y[:, 0] = x
    return y
"""


def of_two_files(folder: Path) -> Iterator[str]:
    """What is assumed where edits span files."""
    for name, text in APART.items():
        (folder / name).write_text(text, "utf-8")
    options = Options(unsafe=True, spans_later=True)
    outcomes = across(list(rewrite_files([str(folder / name) for name in APART], options, jobs=1)), lambda _: options)
    yield from (words for outcome in outcomes for finding in outcome.findings for words in finding.assumptions)


def test_the_page_has_every_assumption(tmp_path: Path) -> None:
    patterns = {text: re.compile(re.escape(text).replace("…", ".+")) for text in TEXTS}
    assert len(patterns) > 10
    paths = [*(ROOT / "tests/fixtures").glob("*/*/before.py"), *(ROOT / "tests/failures").glob("*.py")]
    paths.append(ROOT / "tests/loops/aae.py")
    sources = [SEQUENTIAL, MORE, actor_critic(), *(path.read_bytes().decode("utf-8") for path in paths)]
    named = {
        str(reason)
        for source in sources
        for finding in rewrite_text(source, "model.py", Options(unsafe=True)).findings
        for assumed in finding.assumed
        for reason in assumed.every()
        if isinstance(reason.kind, Assumption)
    }
    named |= {*of_two_files(tmp_path)}
    findings = rewrite_text(EXPANDING, "model.py", Options(unsafe=True, functional=True)).findings
    named |= {assumption for finding in findings for assumption in finding.assumptions}
    named.add(str(Assumption.SAME_TENSOR(one="h", other="s")))  # only runs can show it: tests/test_shared_seen.py
    assert [said for said in named if not any(pattern.fullmatch(said) for pattern in patterns.values())] == []
    assert [text for text, pattern in patterns.items() if not any(map(pattern.fullmatch, named))] == []


# How to change the tool


def changed_as_the_page_says(tmp_path: Path) -> dict[str, str]:
    """Apply the page's files and differences to a copy of the source, and return what a process needs to use it."""
    shutil.copytree(ROOT / "codemods", tmp_path / "codemods", ignore=shutil.ignore_patterns("__pycache__"))
    page = (DOCS / "contributing.md").read_text("utf-8")
    for step in console().steps(page):
        assert isinstance(step, console().File)
        (tmp_path / step.name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / step.name).write_text(step.text, "utf-8")
    changes = re.findall(r"^```diff\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    patched = subprocess.run(
        ["git", "apply", "-p0", "-"], cwd=tmp_path, input="".join(changes), capture_output=True, text=True, check=False
    )
    assert patched.returncode == 0, patched.stderr
    return {**os.environ, "PYTHONPATH": str(tmp_path / "codemods")}


def test_the_steps_for_a_new_rule(tmp_path: Path) -> None:
    environment = changed_as_the_page_says(tmp_path)
    rule = (DOCS / "contributing.md").read_text("utf-8").partition("## A form that is no call")[0]
    written = {
        name for name in re.findall(r"^<!-- file: (.*) -->$", rule, re.MULTILINE) if not name.startswith("tests/")
    }
    assert len({"README.md", "CHANGELOG.md", *re.findall(r"^--- (.*)$", rule, re.MULTILINE), *written}) <= 4
    (folder,) = (tmp_path / "tests/fixtures/UNP010").iterdir()
    shutil.copy(folder / "before.py", tmp_path / "model.py")
    for _ in range(2):
        command = [sys.executable, "-m", "unplace", "rewrite", "model.py"]
        subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
        assert (tmp_path / "model.py").read_text("utf-8") == (folder / "after.py").read_text("utf-8")
    caller = "\n\ndef train():\n    shifted(torch.ones(2, requires_grad=True))\n"
    (tmp_path / "model.py").write_text((folder / "before.py").read_text("utf-8") + caller, "utf-8")
    listed = subprocess.run(
        [sys.executable, "-m", "unplace", "check", "--output-format", "concise", "model.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "UNP010 operator function can break autograd: saved by exp() in line 7" in listed.stdout


def test_the_lines_for_a_library(tmp_path: Path) -> None:
    environment = changed_as_the_page_says(tmp_path)
    before, after = ((tmp_path / f"ring/{name}.py").read_text("utf-8") for name in ("before", "after"))
    assert rewrite_text(before, "model.py", Options()).after == before  # without the lines
    (tmp_path / "model.py").write_text(before, "utf-8")
    command = [sys.executable, "-m", "unplace", "rewrite", "model.py"]
    subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
    assert (tmp_path / "model.py").read_text("utf-8") == after
