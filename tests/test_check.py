"""`unplace check` and the formats for CI: what is reported, in which words, and with which exit code."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from email.message import Message
from pathlib import Path
from xml.etree import ElementTree

import pytest

import unplace
from unplace import rules
from unplace.cli import main
from unplace.config.options import Options
from unplace.runs.outcome import rewrite_file
from unplace.text.edits import apply_edits
from unplace.text.positions import Text

MODEL = """\
import torch


def f(x: torch.Tensor, w: torch.Tensor):
    x += 1
    y = x.exp()
    y[y < 0] = 0
    z = x * 2
    é, z_ = 1, z.relu_()
    h = torch.zeros(3)
    h.data = torch.tanh(w)
    with torch.no_grad():
        w += 1
    r = x.unfold(0, 2, 1)
    r.mul_(2)
    return y, z_, h


def train():
    f(torch.ones(3, requires_grad=True) * 1, torch.ones(3, requires_grad=True) * 1)
"""


ONE = """\
import torch
def f(x: torch.Tensor):
    y = x.exp()
    y += 1
def train():
    f(torch.ones(3, requires_grad=True) * 1)
"""


EVERY = "--only=harmful,possible,harmless"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(MODEL, encoding="utf-8")
    Path("clean.py").write_text("x = 1\n")


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["check", *arguments])
    output = capfd.readouterr()
    return code, output.out, output.err


def check_json(capfd: pytest.CaptureFixture[str], *arguments: str) -> list[tuple[int, str, str]]:
    document = json.loads(run(capfd, "--output-format", "json", *arguments)[1])
    return [(s["line"], s["code"], s["harm"]) for s in document["sites"] if s["status"] != "kept"]


def test_concise(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, "--output-format", "concise", EVERY, ".") == (
        1,
        """\
model.py:5:5: UNP001 augmented assignment may break autograd: code that isn't known may have saved the tensor \
[possible, unsafe fix]
model.py:7:5: UNP004 masked store can break autograd: saved by exp() in line 6 [harmful, safe fix]
model.py:9:16: UNP002 underscore method of a tensor that nothing saved for backward [harmless, safe fix]
model.py:11:5: UNP003 .data store cuts the gradient without an error [harmful, safe fix]
model.py:15:5: UNP002 underscore method may break autograd: code that isn't known may have saved the tensor \
[possible, no fix]
""",
        "Found 5 in-place operations in 1 file of 2: 2 harmful, 2 possible, 1 harmless.\n"
        "`unplace check --fix` repairs 3 of them.\n"
        "`unplace check --fix --unsafe` repairs 1 more, on assumptions.\n",
    )


def test_what_is_harmful_is_listed_and_the_rest_is_counted(capfd: pytest.CaptureFixture[str]) -> None:
    Path("other.py").write_text("import torch\ndef g(u):\n    u[0] = 1\n")
    code, out, err = run(capfd, "--output-format", "concise", ".")
    assert [line.split(":")[1] for line in out.splitlines()] == ["7", "11"]
    assert (code, err) == (
        1,
        "Found 2 in-place operations in 1 file of 3: 2 harmful.\n"
        "`unplace check --fix` repairs 2 of them.\n"
        "Not listed: 2 possible, 1 harmless, 1 statement of an unknown kind (`--all` lists everything).\n",
    )


def test_what_may_be_harmful_fails_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    Path("model.py").write_text("import torch\ndef f(x: torch.Tensor):\n    x += 1\n    return x\n")
    left_out = "Not listed: 1 possible (`--all` lists everything).\n"
    assert run(capfd, ".") == (0, "", f"Found no harmful in-place operation in 2 files.\n{left_out}")
    code, out, err = run(capfd, "--all", ".")
    assert (code, out.count("UNP001")) == (0, 1)
    assert err.startswith("Found 1 in-place operation in 1 file of 2: 1 possible.\n")
    assert run(capfd, "--only", "possible", ".")[0] == 1


def test_rich_says_what_the_fix_does_or_why_there_is_none(capfd: pytest.CaptureFixture[str]) -> None:
    lines = run(capfd, EVERY, "model.py")[1].splitlines()
    assert lines[:6] == [
        "model.py:7:5: UNP004 masked store can break autograd: saved by exp() in line 6 [harmful]",
        "  7 | y[y < 0] = 0",
        "    | ^^^^^^^^",
        "  6 | y = x.exp()",
        "    |       --- saved here",
        "  safe fix: `y` is rebound to a new tensor; exp() in line 6 saved it for backward",
    ]
    assert "  no fix: `r` is expanded: several of its elements share one place in memory" in lines
    harms = [line.rpartition("[")[2] for line in lines if line.startswith("model.py:")]
    assert harms == ["harmful]", "harmful]", "possible]", "possible]", "harmless]"]


def test_what_is_copied_is_told_in_order_whatever_the_run() -> None:
    case = Path(__file__).parent / "fixtures/UNP002/result_of_an_alias_is_stored/before.py"
    caller = "\n\ndef train():\n    run(torch.ones(2, requires_grad=True) * 1, torch.ones(2, requires_grad=True))\n"
    Path("case.py").write_text(case.read_text("utf-8") + caller, encoding="utf-8")
    told = set()
    for seed in ("0", "3"):
        root = str(Path(unplace.__file__).parents[1])
        done = subprocess.run(
            [sys.executable, "-m", "unplace", "check", "case.py"],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": root},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        told.add(done.stdout)
    (out,) = told
    assert (
        "the write stays; sigmoid_() in line 6, sqrt_() in line 8 and mul() in line 9 get a copy to save for backward"
        in out
    )
    assert "the write stays; sigmoid_() in line 6 gets a copy to save for backward" in out


def test_nothing_found(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, "clean.py") == (0, "", "Found no harmful in-place operation in 1 file.\n")


def test_files_stay_as_they_are(capfd: pytest.CaptureFixture[str]) -> None:
    run(capfd, ".")
    assert Path("model.py").read_text(encoding="utf-8") == MODEL


@pytest.mark.parametrize(
    ("only", "lines"),
    [
        (["harmful"], [7, 11]),
        (["harmful,possible"], [5, 7, 11, 15]),
        (["possible", "harmless"], [5, 9, 15]),
    ],
)
def test_only(only: list[str], lines: list[int], capfd: pytest.CaptureFixture[str]) -> None:
    options = [word for harm in only for word in ("--only", harm)]
    assert [line for line, _, _ in check_json(capfd, *options, "model.py")] == lines


def test_rewriting_only_what_is_harmful_leaves_the_rest(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["rewrite", "--only", "harmful", "model.py"]) == 0
    capfd.readouterr()
    changed = [
        (before, after)
        for before, after in zip(MODEL.splitlines(), Path("model.py").read_text("utf-8").splitlines(), strict=True)
        if before != after
    ]
    assert changed == [
        ("    y[y < 0] = 0", "    y = y.masked_fill(y < 0, 0)"),
        ("    h.data = torch.tanh(w)", "    h = torch.tanh(w)"),
    ]


@pytest.mark.parametrize("options", [["--select", "UNP003"], ["--only", "harmful"]])
def test_a_write_that_is_left_out_stays_and_so_vetoes_a_data_store(
    options: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    code = """\
import torch
def f(w: torch.Tensor):
    h = torch.zeros(3)
    h.data = torch.exp(w)
    h.mul_(2)
    return h
def train():
    f(torch.ones(3, requires_grad=True))
"""
    Path("data.py").write_text(code)
    main(["rewrite", "--check", *options, "data.py"])
    assert "the write in line 5 stays in place and would hit the new graph" in capfd.readouterr().out


def test_statistics(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(capfd, "--statistics", EVERY, ".")[:2] == (
        1,
        "1  UNP001  possible  augmented assignment, 0 with a safe fix\n"
        "1  UNP002  harmless  underscore method, 1 with a safe fix\n"
        "1  UNP002  possible  underscore method, 0 with a safe fix\n"
        "1  UNP003  harmful   .data store, 1 with a safe fix\n"
        "1  UNP004  harmful   masked store, 1 with a safe fix\n",
    )


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(MODEL.encode())))
    code, out, _ = run(capfd, "-", "--stdin-filename", "pkg/model.py", "--output-format", "concise")
    assert code == 1
    assert out.startswith("pkg/model.py:7:5: UNP004 ")


def test_a_bad_file(capfd: pytest.CaptureFixture[str]) -> None:
    Path("bad.py").write_text("x = (\n")
    code, _, err = run(capfd, "bad.py", "model.py")
    assert code == 2
    assert err.startswith("bad.py:1:5: cannot parse: '(' was never closed")
    assert err.endswith("1 file could not be handled.\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--only", "harmfull", "."],
            "unknown harm harmfull. Did you mean harmful? Known: harmful, possible, harmless.",
        ),
        (["--statistics", "--output-format", "sarif", "."], "it doesn't go with sarif"),
        (["--add-ignores", "--output-format", "json", "."], "goes with files and folders"),
        (["--output-format", "xml", "."], "xml isn't one of rich, concise, json, sarif, github, gitlab, junit"),
    ],
)
def test_usage_errors(arguments: list[str], words: str, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capfd, *arguments)
    assert (code, out) == (2, "")
    assert words in " ".join(err.replace("│", "").split())


def test_a_rewrite_that_writes_has_no_places_to_tell_of(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["rewrite", "--output-format", "sarif", "model.py"]) == 2
    assert "add --check" in capfd.readouterr().err
    assert main(["rewrite", "--check", "--output-format", "github", "model.py"]) == 1
    assert capfd.readouterr().out.startswith("::warning title=unplace UNP001,file=model.py,line=5,")


# The formats for CI


def test_github(capfd: pytest.CaptureFixture[str]) -> None:
    Path("odd, name: 100%.py").write_text(ONE)
    Path("bad.py").write_text("x = (\n")
    lines = run(capfd, "--output-format", "github", EVERY, ".")[1].splitlines()
    assert lines[0].startswith("::error title=unplace,file=bad.py,line=1,col=5::cannot parse: '(' was never closed")
    assert lines[-1].startswith(
        "::error title=unplace UNP001,file=odd%2C name%3A 100%25.py,line=4,col=5,endLine=4,endColumn=11"
        "::augmented assignment can break autograd: saved by exp() in line 3 [harmful, safe fix: "
    )
    assert [re.match(r"::(\w+)", line)[1] for line in lines[1:6]] == [  # type: ignore[index]
        "warning",
        "error",
        "notice",
        "error",
        "warning",
    ]


def test_gitlab(capfd: pytest.CaptureFixture[str]) -> None:
    first = json.loads(run(capfd, "--output-format", "gitlab", EVERY, "model.py")[1])
    assert [entry["severity"] for entry in first] == ["minor", "major", "info", "major", "minor"]
    assert first[1]["check_name"] == "UNP004"
    assert first[1]["location"] == {
        "path": "model.py",
        "positions": {"begin": {"line": 7, "column": 5}, "end": {"line": 7, "column": 13}},
    }
    fingerprints = [entry["fingerprint"] for entry in first]
    assert len(set(fingerprints)) == 5
    Path("model.py").write_text("# a line above\n" + MODEL, encoding="utf-8")
    moved = json.loads(run(capfd, "--output-format", "gitlab", EVERY, "model.py")[1])
    assert [entry["fingerprint"] for entry in moved] == fingerprints


def test_junit(capfd: pytest.CaptureFixture[str]) -> None:
    Path("bad.py").write_text("x = (\n")
    root = ElementTree.fromstring(run(capfd, "--output-format", "junit", EVERY, ".")[1].encode())
    assert root.attrib == {"name": "unplace", "tests": "7", "failures": "5", "errors": "1"}
    suites = {suite.get("name"): suite for suite in root}
    assert [case.get("name") for case in suites["clean.py"]] == ["unplace"]
    assert suites["bad.py"].find("testcase/error") is not None
    case = suites["model.py"][1]
    assert (case.get("name"), case.get("line")) == ("UNP004 (7,5)", "7")
    assert case.find("failure").get("message") == (  # type: ignore[union-attr]
        "masked store can break autograd: saved by exp() in line 6"
    )


# SARIF, against the schema of the standard

SCHEMA = json.loads((Path(__file__).parent / "sarif/sarif-2.1.0.json").read_text("utf-8"))


@pytest.mark.parametrize("command", [["check"], ["check", "--unsafe"], ["rewrite", "--check"]], ids=" ".join)
def test_sarif_is_valid(command: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    Path("bad.py").write_text("x = (\n")
    Path("a b.py").write_text(ONE)
    main([*command, "--output-format", "sarif", EVERY, "."])
    document = json.loads(capfd.readouterr().out)
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.check_schema(SCHEMA)
    validator.validate(document)
    (log,) = document["runs"]
    assert [rule["id"] for rule in log["tool"]["driver"]["rules"]] == list(rules.codes())
    assert all(rules.codes()[result["ruleIndex"]] == result["ruleId"] for result in log["results"])
    assert log["invocations"][0]["executionSuccessful"] is False
    assert any("fixes" in result for result in log["results"])
    if "--unsafe" not in command:
        assert [r["level"] for r in log["results"][1:]] == ["warning", "error", "note", "error", "warning"]
    uris = {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in log["results"]}
    assert uris == {"a%20b.py", "model.py"}
    log["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert not validator.is_valid(document)


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="file names are Unicode there")
@pytest.mark.parametrize("output_format", ["json", "sarif", "github", "gitlab", "junit"])
def test_a_name_that_is_not_utf_8(output_format: str, capfd: pytest.CaptureFixture[str]) -> None:
    names = [os.fsdecode(b"bad\xfe.py"), os.fsdecode(b"bad\xff.py")]
    for name in names:
        Path(name).write_text(MODEL, encoding="utf-8")
    code, out, err = run(capfd, "--output-format", output_format, *names)
    assert (code, "error" in err) == (1, False), err
    if output_format == "sarif":
        found = re.findall(r'"uri": "(.*)"', out)
        assert set(found) == {"bad%FE.py", "bad%FF.py"}
    if output_format == "gitlab":
        entries = json.loads(out)
        assert {entry["location"]["path"] for entry in entries} == {"bad\ufffd.py"}
        assert len({entry["fingerprint"] for entry in entries}) == len(entries)


def test_rules_lead_to_their_pages(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The package's own metadata name the site; without a name there are no addresses."""
    Path("model.py").write_text("import torch\n", encoding="utf-8")
    site = Message()
    site["Project-URL"] = "Documentation, https://docs.example.org/unplace/"
    for known, address in ((Message(), None), (site, "https://docs.example.org/unplace/rules/UNP004/")):
        monkeypatch.setattr("importlib.metadata.metadata", lambda _, known=known: known)
        rules._site.cache_clear()
        main(["check", "--output-format", "sarif", "model.py"])
        told = json.loads(capfd.readouterr().out)["runs"][0]["tool"]["driver"]["rules"]
        assert {rule["id"]: rule.get("helpUri") for rule in told}["UNP004"] == address
        assert all(rule["help"]["markdown"].startswith(f"# {rule['id']}") for rule in told)
    monkeypatch.undo()
    rules._site.cache_clear()


def test_sarif_counts_lines_as_python_does(capfd: pytest.CaptureFixture[str]) -> None:
    Path("model.py").write_bytes(MODEL.replace("\n", "\r").encode())
    (sarif,) = json.loads(run(capfd, "--output-format", "sarif", EVERY, "model.py")[1])["runs"]
    assert sarif["newlineSequences"] == ["\r\n", "\n", "\r"]
    assert sarif["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 5


def test_sarif_fixes_make_the_edits_of_a_rewrite(capfd: pytest.CaptureFixture[str]) -> None:
    document = json.loads(run(capfd, "--output-format", "sarif", "--unsafe", EVERY, "model.py")[1])
    lines = MODEL.splitlines(keepends=True)
    starts = [sum(map(len, lines[:index])) for index in range(len(lines))]
    found = set()
    for result in document["runs"][0]["results"]:
        for fix in result.get("fixes", []):
            (change,) = fix["artifactChanges"]
            for replacement in change["replacements"]:
                region = replacement["deletedRegion"]
                start = starts[region["startLine"] - 1] + region["startColumn"] - 1
                end = starts[region["endLine"] - 1] + region["endColumn"] - 1
                found.add((start, end, replacement["insertedContent"]["text"]))
    outcome = rewrite_file("model.py", Options(unsafe=True))
    assert found == {(edit.start, edit.end, edit.replacement) for edit in outcome.edits}
    assert outcome.change is not None
    assert apply_edits(MODEL, outcome.edits) == outcome.change.after.text
    assert Text(MODEL).text[min(found)[0] :].startswith("x += 1")


# `unplace rule`


def test_a_rule_is_explained(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "unp004"]) == 0
    printed = capfd.readouterr().out
    assert printed.startswith("UNP004: Masked store: `y[y < 0] = 0` becomes `y = y.masked_fill(y < 0, 0)`.\n\n")
    assert rules.documentation("UNP004").splitlines()[-1] in printed


def test_all_rules_are_explained(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "--all"]) == 0
    printed = capfd.readouterr().out
    assert re.findall(r"^(UNP\d+): ", printed, re.MULTILINE) == list(rules.codes())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["UNP04"], "unknown rule UNP04. Did you mean UNP004?"),
        ([], "name one rule, or give --all"),
        (["UNP004", "--all"], "name one rule, or give --all"),
    ],
)
def test_rule_usage(arguments: list[str], words: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", *arguments]) == 2
    assert words in " ".join(capfd.readouterr().err.replace("│", "").split())


def test_what_needs_no_analysis_imports_none() -> None:
    code = (
        "import sys\n"
        "from unplace.cli import main\n"
        "assert main(['rule', 'UNP001']) == 0 and main(['config', '--isolated']) == 0\n"
        "assert main(['check', '--isolated', 'clean.py']) == 0\n"
        "heavy = {'torch', 'libcst', 'rich', 'pathspec', 'tomllib', 'multiprocessing', 'xml'}\n"
        "heavy |= {'unplace.analysis.project.program', 'unplace.files.changes', 'unplace.reporting.sarif'}\n"
        "heavy &= set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)\n"
    )
    root = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(root / "codemods")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "Found no harmful in-place operation in 1 file.\n")
