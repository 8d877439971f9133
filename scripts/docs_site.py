"""Hooks for mkdocs: the pages and tables that are made from the code and its fixtures when the site is built."""

from __future__ import annotations

import difflib
import io
import json
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files
from pygments.formatters import HtmlFormatter

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "codemods"))

from unplace import rules  # noqa: E402
from unplace.cli import main as unplace  # noqa: E402
from unplace.cli.app import COMMANDS  # noqa: E402
from unplace.config.configuration import KEYS, Configuration, shown  # noqa: E402

_MOST = {"rewritten": 8, "left alone": 6}


def on_config(config: Any) -> Any:
    """List the pages of the rules."""
    pages: list[Any] = [{"All rules": "rules/index.md"}, *({code: f"rules/{code}.md"} for code in rules.codes())]
    for section in config.nav:
        if "Rules" in section:
            section["Rules"] = pages
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that nobody writes."""
    files.append(File.generated(config, "rules/index.md", content=index()))
    for code in rules.codes():
        files.append(File.generated(config, f"rules/{code}.md", content=rule(code)))
    files.append(File.generated(config, "css/code.css", content=HtmlFormatter().get_style_defs(".codehilite")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Put in the tables that the code says: `<!-- generated: configuration -->`."""
    return re.sub(r"<!-- generated: (\w+) -->", lambda match: GENERATED[match[1]](), markdown)


# -- rules ------------------------------------------------------------------------------------------------------------


def index() -> str:
    """The page of all rules."""
    return f"# Rules\n\n{table('')}\n"


def table(folder: str) -> str:
    """All rules, with links to their pages in a folder."""
    rows = [f"| [{code}]({folder}{code}.md) | {title(code)} |" for code in rules.codes()]
    return "\n".join(["| code | rule |", "| --- | --- |", *rows])


def title(code: str) -> str:
    """The first line of a rule's documentation."""
    return rules.documentation(code).splitlines()[0].removesuffix(".")


def rule(code: str) -> str:
    """A rule's documentation, and examples of what it does and leaves alone, from its fixtures."""
    _, _, text = rules.documentation(code).partition("\n")
    lines = [f"# {code}: {title(code)}", "", text.strip(), ""]
    changed, same = fixtures(code)
    if changed:
        source = "From the fixtures of the rule: a test rewrites each one, and runs it through torch before and after."
        lines += ["## Before and after", "", source, ""]
    for folder in changed[: _MOST["rewritten"]]:
        lines += [f"### {heading(folder)}", "", "```diff", *difference(folder), "```", ""]
    if same:
        lines += ["## Left alone", ""]
    for folder in same[: _MOST["left alone"]]:
        lines += [
            f"### {heading(folder)}",
            "",
            "```python",
            code_of(folder / "before.py"),
            "```",
            "",
            *verdicts(folder),
            "",
        ]
    return "\n".join(lines)


def fixtures(code: str) -> tuple[list[Path], list[Path]]:
    """The folders of a rule's fixtures, the shortest first: those that are rewritten, those that stay."""
    folders = [path.parent for path in (ROOT / "tests/fixtures" / code).glob("*/before.py")]
    folders = [folder for folder in folders if not re.match(r"(design|seed)_\d", folder.name)]
    folders.sort(key=lambda folder: (len(code_of(folder / "before.py")), folder.name))
    changed = [f for f in folders if code_of(f / "before.py") != code_of(f / "after.py")]
    return changed, [folder for folder in folders if folder not in changed]


def heading(folder: Path) -> str:
    """A fixture's name as words."""
    words = folder.name.removesuffix("_unsafe").replace("_", " ")
    options = json.loads(path.read_text("utf-8")) if (path := folder / "case.json").exists() else {}
    return words.capitalize() + (" (with `--unsafe`)" if options.get("unsafe") else "")


def code_of(path: Path) -> str:
    """A fixture without the arguments that it is run with."""
    text = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    return text.partition("\n\n\ndef example(")[0].strip("\n")


def difference(folder: Path) -> Iterator[str]:
    """The whole of a fixture as a diff."""
    before, after = (code_of(folder / f"{name}.py").split("\n") for name in ("before", "after"))
    for line in difflib.ndiff(before, after):
        if line[0] != "?":
            yield f"{line[0]}{line[2:]}"


def verdicts(folder: Path) -> Iterator[str]:
    """What the rewriter says about a fixture that stays as it is."""
    from unplace.config.options import Options
    from unplace.transform.rewriter import rewrite_text

    path = folder / "before.py"
    findings = rewrite_text(path.read_bytes().decode("utf-8"), str(path), Options()).findings
    if not findings:
        yield "No in-place operation on a tensor."
    for finding in findings:
        yield f"- line {finding.line}, {finding.status.value}: {finding.message}"


# -- tables -----------------------------------------------------------------------------------------------------------


def configuration() -> str:
    """The keys of the configuration file."""
    defaults = dict(shown(Configuration()))
    rows = [
        f"| `{name}` | {key.kind.words} | {f'`{defaults[name]}`' if defaults[name] else 'not set'} | {key.meaning} |"
        for name, key in KEYS.items()
    ]
    return "\n".join(["| key | value | default | meaning |", "| --- | --- | --- | --- |", *rows])


def commands() -> str:
    """What `--help` says, command by command."""
    sections = []
    for name in COMMANDS:
        output = io.StringIO()
        with redirect_stdout(output):
            unplace([name, "--help"])
        sections += [f"## unplace {name}", "", "```text", output.getvalue().strip("\n"), "```", ""]
    return "\n".join(sections)


GENERATED = {"configuration": configuration, "commands": commands, "rules": lambda: table("rules/")}
