"""The report of a migration: its figures, JSON Lines, Markdown, and a page in which nothing that it shows can act."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unplace import __version__
from unplace.batch.records import (
    ErrorRecord,
    FileRecord,
    ReasonRecord,
    RepositoryRecord,
    Result,
    SiteRecord,
    VerificationRecord,
)
from unplace.reporting.migration import json_lines, markdown
from unplace.reporting.page import write_page
from unplace.reporting.page.hunks import hunks
from unplace.reporting.text import terminal_output, visible
from unplace.reporting.totals import Cause, Totals, Verdict, Why, duration

BEFORE = "import torch\n\n\ndef f(x):\n    y = x.exp()\n    y += 1\n    return y\n"
AFTER = BEFORE.replace("y += 1", "y = y + 1")
REWRITTEN = SiteRecord(6, 5, "UNP001", "rewritten", "safe", "harmful", "`y` is rebound", saved_by="exp() in line 5")
READ = ReasonRecord("read", "`…` is read in line N")
REFUSED = SiteRecord(
    *(9, 5, "UNP005", "refused", None, "possible", "`out` is read in line 12"), source="out[0] = x", reasons=(READ,)
)
UNREAD = ReasonRecord("caller-looks-away", "no caller reads the argument `…`")
WAITING = SiteRecord(
    *(9, 5, "UNP002", "refused", "unsafe", "possible"),
    "needs --unsafe, which assumes: no caller reads the argument `x`",
    reasons=(UNREAD,),
)
FAILS = ReasonRecord("left-out", "tests fail with it")
TAKEN_BACK = SiteRecord(
    *(3, 1, "UNP004", "refused", None, "harmless", "tests fail with it"), left_out=True, reasons=(FAILS,)
)
KEPT = SiteRecord(2, 1, "UNP002", "kept", None, "harmless", "an initialiser")

HOSTILE = "<script>bad()</script><!-- \" ' & ]]> \u2028\u202e`${x}` </textarea><img src=x onerror=bad()>"


def repository(name: str = "vision", result: Result = Result.MIGRATED, **fields: object) -> RepositoryRecord:
    found = (
        FileRecord("models/rnn.py", (REWRITTEN, WAITING), BEFORE, AFTER),
        FileRecord("models/gan.py", (REFUSED, TAKEN_BACK, KEPT)),
    )
    values = {"target": f"git@example.org:{name}.git", "files": 3, "lines": 40, "seconds": 12.0, "found": found}
    return RepositoryRecord(name, result=result, **{**values, **fields})  # type: ignore[arg-type]


def page(tmp_path: Path, *records: RepositoryRecord, dry_run: bool = False) -> str:
    path = tmp_path / "report.html"
    write_page(iter(records), path, dry_run=dry_run)
    return path.read_text("utf-8")


class Elements(HTMLParser):
    """The elements of a page with their attributes, and the text inside each kind."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: dict[str, list[str]] = {}
        self._inside = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_data(self, data: str) -> None:
        self.text.setdefault(self._inside, []).append(data)


def embedded(html: str) -> dict[str, list[object]]:
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    value: dict[str, list[object]] = json.loads(data)
    return value


def test_figures_count_each_operation_once() -> None:
    totals = Totals([repository(), repository("audio", errors=(ErrorRecord("a.py", "cannot parse"),))])
    counts = {verdict: totals.tally.count(verdict) for verdict in Verdict}
    assert counts == {Verdict.REWRITTEN: 2, Verdict.REFUSED: 4, Verdict.LEFT_OUT: 2, Verdict.KEPT: 2}
    assert {code: tally.count() for code, tally in totals.rules.items()} == {
        "UNP001": 2,
        "UNP002": 4,
        "UNP005": 2,
        "UNP004": 2,
    }
    assert (totals.files, totals.lines, totals.changed, totals.errors, totals.seconds) == (6, 80, 2, 1, 24.0)
    assert all(not row.record.found for row in totals.rows), "texts of a thousand repositories don't fit into memory"


def test_reasons_are_grouped_whatever_their_names_and_lines() -> None:
    other = SiteRecord(4, 1, "UNP001", "refused", None, "harmful", "`h` is read in line 700", reasons=(READ,))
    totals = Totals([repository(), repository("audio", found=(FileRecord("a.py", (other,)),))])
    groups = {reason: (group.count, len(group.repositories)) for reason, group in totals.ranked_reasons()}
    assert groups == {
        Why(Cause.REFUSED, READ): (2, 2),
        Why(Cause.LEFT_OUT, FAILS): (1, 1),
        Why(Cause.NEEDS_UNSAFE, UNREAD): (1, 1),
    }


@pytest.mark.parametrize(
    ("records", "dry_run", "expected"),
    [
        ([], False, "0 of 0 repositories were migrated."),
        ([repository()], True, "1 of 1 repository would be migrated."),
        ([repository(), repository("b", Result.FAILED)], False, "1 of 2 repositories was migrated."),
    ],
)
def test_the_headline(records: list[RepositoryRecord], dry_run: bool, expected: str) -> None:
    assert Totals(records).headline(dry_run=dry_run) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0, "0.0 s"), (9.94, "9.9 s"), (9.96, "10 s"), (59.6, "1 min 0 s"), (190, "3 min 10 s"), (3840, "1 h 4 min")],
)
def test_durations(seconds: float, expected: str) -> None:
    assert duration(seconds) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\n\ttext", "plain\n\ttext"),
        ("naïve 漢字", "naïve 漢字"),
        ("a\u202eb\u2028c\u200bd", "a[U+202E]b[U+2028]c[U+200B]d"),
        ("\x00\x1b", "[U+0000][U+001B]"),
        ("bad\udcff.py", "bad[U+DCFF].py"),
        ("a\r\nb\rc", "a\nb[U+000D]c"),
    ],
)
def test_hidden_characters_are_shown(text: str, expected: str) -> None:
    assert visible(text) == expected


def test_output_of_a_terminal_loses_its_colours_and_keeps_its_lines() -> None:
    output = "\x1b[1;31mFAILED\x1b[0m\x1b]0;title\x07 a\r\n10%\r20%\r\n"
    assert terminal_output(output) == "FAILED a\n10%\n20%\n"


def test_a_json_line_has_a_repository_with_its_sites() -> None:
    check = VerificationRecord("pytest -q", "passed", 3, 2.5, "ok \u2028", ("test_io::test_download",))
    lines = list(json_lines([repository(verification=check), repository("b\udcff", Result.SKIPPED, found=())]))
    assert all(line.isascii() and "\n" not in line for line in lines)
    first, second = map(json.loads, lines)
    assert (first["version"], first["name"], first["result"]) == (__version__, "vision", "migrated")
    assert first["summary"] == {"rewritten": 1, "refused": 2, "left_out": 1, "kept": 1}
    assert (first["changed"], len(first["sites"])) == (1, 5)
    assert first["sites"][0]["path"] == "models/rnn.py"
    assert first["sites"][0]["saved_by"] == "exp() in line 5"
    assert first["verification"]["output"] == "ok \u2028"
    assert first["verification"]["flaky"] == ["test_io::test_download"]
    assert (second["name"], second["sites"], second["verification"]) == ("b\udcff", [], None)
    assert set(first) == set(second)


def test_markdown_is_a_summary_that_nothing_in_it_breaks() -> None:
    errors = tuple(ErrorRecord(f"{index}.py", "cannot | parse\nit @team #1", 3, 7) for index in range(12))
    check = VerificationRecord("pytest -q", "passed", 3, 2.5, "ok", ("test_io::test_download[*]",))
    record = repository(name="a|b`<i>", reason="see *this*", errors=errors, verification=check)
    text = markdown([record], dry_run=True)
    assert "1 of 1 repository would be migrated." in text
    assert r"| a\|b\`\<i\> | would be migrated: see \*this\* | 1 | 2 | 1 | 1 | 1 | passed | 12 s |" in text
    assert "\n\nFlaky tests, left out of the judgement:\n\n" in text
    assert r"test\_io::test\_download\[\*\]" in text
    assert r"cannot \| parse it \@team \#1" in text
    assert "- and 2 more" in text
    tables = [block for block in text.split("\n\n") if block.startswith("| ")]
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1


def test_the_page_lets_nothing_act_that_it_shows(tmp_path: Path) -> None:
    said = ReasonRecord(HOSTILE, HOSTILE)
    words = (HOSTILE, (HOSTILE,), HOSTILE)
    site = SiteRecord(2, 1, "UNP001", "refused", "unsafe", "harmful", *words, source=HOSTILE, reasons=(said,))
    hostile = RepositoryRecord(
        HOSTILE,
        HOSTILE,
        Result.REJECTED,
        HOSTILE,
        HOSTILE,
        HOSTILE,
        HOSTILE,
        found=(FileRecord(HOSTILE, (site,), f"x\n{HOSTILE}\n", f"x\n{HOSTILE} = 1\n"),),
        errors=(ErrorRecord(HOSTILE, HOSTILE, 1, 1),),
        verification=VerificationRecord(HOSTILE, "failed", 1, 1.0, HOSTILE + "\x1b[31m", (HOSTILE,)),
    )
    html = page(tmp_path, hostile, repository(name="bad\udcff"))
    parsed = Elements(html)
    assert [tag for tag, _ in parsed.elements if tag in ("img", "textarea")] == []
    assert [attributes for tag, attributes in parsed.elements if tag == "script"] == [
        {"type": "application/json", "id": "data"},
        {},
    ]
    assert not any(name.startswith("on") or name == "style" for _, given in parsed.elements for name in given)
    assert "\u202e" not in html
    assert "\u2028" not in html
    assert "<!--" not in html
    data = embedded(html)
    assert visible(HOSTILE) in data["strings"]
    assert data["repositories"][0] == [visible(HOSTILE), "rejected"]
    assert visible(HOSTILE) in "".join(parsed.text["pre"])


def test_the_page_needs_no_network_and_allows_none(tmp_path: Path) -> None:
    html = page(tmp_path, repository())
    parsed = Elements(html)
    loading = [(tag, name) for tag, given in parsed.elements for name in given if name in ("src", "srcset", "action")]
    assert loading == []
    assert not any(tag in ("link", "base", "iframe", "object", "embed") for tag, _ in parsed.elements)
    hrefs = [given["href"] or "" for tag, given in parsed.elements if "href" in given]
    assert all(href.startswith("#") for href in hrefs)
    (policy,) = [
        given["content"] or ""
        for tag, given in parsed.elements
        if tag == "meta" and given.get("http-equiv") == "Content-Security-Policy"
    ]
    script, style = html.split("<script>")[1].split("</script>")[0], html.split("<style>")[1].split("</style>")[0]
    assert re.findall(r"url\((?!#)|@import|fetch\(|XMLHttpRequest|innerHTML", script + style) == []
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, style)]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )


def test_the_page_has_the_figures_without_its_script(tmp_path: Path) -> None:
    records = [repository(f"{result.value}-one", result) for result in Result]
    html = page(tmp_path, *records, dry_run=True)
    text = re.sub(r"<[^>]+>", " ", html.split("<main>")[1].split('<script type="application/json"')[0])
    for record in records:
        assert f"{record.name}" in text
    assert "1 of 5 repositories would be migrated." in html
    assert "dry run: nothing was written" in html
    assert re.search(r"UNP002\s.*?Underscore method", text, re.DOTALL)
    assert "is read in line N" in text
    described = re.findall(r"<desc[^>]*>([^<]+)", html)
    assert described[0].startswith("UNP001: 5 rewritten. UNP002: 5 refused, 5 kept.")
    assert described[1].startswith("Rewritten: 5 harmful.")


def test_an_empty_run_makes_a_page(tmp_path: Path) -> None:
    assert "0 of 0 repositories were migrated." in page(tmp_path)


def test_long_output_is_cut_at_its_front(tmp_path: Path) -> None:
    check = VerificationRecord("make test", "failed", 1, 1.0, "x" * 50_000 + "the end\n")
    html = page(tmp_path, repository(verification=check))
    assert "the end" in html
    assert "(30,007 characters before this)" in html
    assert html.count("x" * 20_000) == 0


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, None, ""),
        ("a\n", "a\n", ""),
        ("a\nb\n", "a\nc\n", "@@ -1 +1 @@\n a\n-b\n+c"),
        ("a\r\nb", "a\r\nc", "@@ -1 +1 @@\n a\n-b\n+c"),
        ("-- x\n", "++ x\n", "@@ -1 +1 @@\n--- x\n+++ x"),
    ],
)
def test_hunks(before: str | None, after: str | None, expected: str) -> None:
    assert hunks(before, after) == expected


LINES = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "", "@@ -1", "-x", "+x"]), min_size=1, max_size=30)


@given(LINES, LINES)
def test_hunks_make_the_new_text_of_the_old_one(old: list[str], new: list[str]) -> None:
    """Applied line by line, as the page's script reads them."""
    made: list[str] = []
    position = 0
    for line in hunks("".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new)).split("\n"):
        if head := re.match(r"@@ -(\d+) \+(\d+) @@$", line):
            made += old[position : int(head[1]) - 1]
            position = int(head[1]) - 1
            assert len(made) == int(head[2]) - 1
        elif line:
            assert line[0] == "+" or old[position] == line[1:]
            made += [line[1:]] if line[0] in " +" else []
            position += line[0] in " -"
    assert made + old[position:] == new


def test_hunks_of_a_long_file_with_many_changes_take_no_time() -> None:
    lines = [f"    x{index} = {index}\n" for index in range(30_000)]
    changed = [line.replace("=", "+=") if index % 50 == 0 else line for index, line in enumerate(lines)]
    started = time.perf_counter()
    text = hunks("".join(lines), "".join(changed))
    assert time.perf_counter() - started < 5, "difflib alone takes half a minute"
    assert text.count("\n-") == text.count("\n+") == 600


def test_a_file_costs_the_page_its_hunks_only(tmp_path: Path) -> None:
    rest = "".join(f"    x{index} = {index}\n" for index in range(50_000))
    big = FileRecord("big.py", (REWRITTEN,), BEFORE + rest, AFTER + rest)
    assert len(page(tmp_path, repository(found=(big,)))) < len(page(tmp_path, repository(found=()))) + 6_000


def test_without_jinja_the_error_says_what_to_install() -> None:
    program = "import sys; sys.modules['jinja2'] = None; import unplace.reporting.page"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "pip install jinja2" in done.stderr
