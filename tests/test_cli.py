"""`unplace rewrite` from the outside: what it writes, prints and exits with."""

from __future__ import annotations

import io
import json
import multiprocessing.util
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import toy_rewriter
from unplace import __version__, rules
from unplace.cli import main
from unplace.reporting import progress
from unplace.runs import limits

ROOT = Path(__file__).parents[1]
BEFORE, AFTER = "x = f()\nx += 1\n", "x = f()\nx = x + 1\n"
UNSAFE = "x.add_(1)\n"


@pytest.fixture(autouse=True)
def _toy_in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toy_rewriter.install(monkeypatch)
    monkeypatch.chdir(tmp_path)


def write(**files: str | bytes) -> None:
    for name, contents in files.items():
        data = contents.encode() if isinstance(contents, str) else contents
        Path(f"{name}.py").write_bytes(data)


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["rewrite", *arguments])
    output = capfd.readouterr()
    return code, output.out, output.err


def give_stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


# What is written


def test_rewrites_in_place_and_reports(capfd: pytest.CaptureFixture[str]) -> None:
    write(a=BEFORE, b="y = 1\n")
    assert run(capfd, ".") == (
        0,
        "a.py:2:1: UNP001 [rewritten] `x` is rebound\n",
        "Rewrote 1 in-place operation in 1 file of 2.\n",
    )
    assert Path("a.py").read_text() == AFTER
    assert run(capfd, ".") == (0, "", "Nothing to rewrite in 2 files.\n")


def test_diff_writes_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    write(a=BEFORE + "x.sub_(1)\n")
    code, out, err = run(capfd, "--diff", "a.py")
    assert code == 0
    assert out.startswith("--- ./a.py\n+++ ./a.py\n@@ -1,3 +1,3 @@\n x = f()\n-x += 1\n+x = x + 1\n")
    assert err == (
        "Would rewrite 1 in-place operation in 1 file of 1. 1 refused.\n"
        "`--check` instead of `--diff` lists them with the reasons.\n"
    )
    assert run(capfd, "--diff", "--check", "a.py")[:2] == (1, out)
    assert Path("a.py").read_text() == BEFORE + "x.sub_(1)\n"


def test_check_writes_nothing_and_fails_while_something_would_change(capfd: pytest.CaptureFixture[str]) -> None:
    write(a=BEFORE)
    code, out, err = run(capfd, "--check", ".")
    assert (code, err) == (1, "Would rewrite 1 in-place operation in 1 file of 1.\n")
    assert "UNP001" in out
    assert Path("a.py").read_text() == BEFORE
    assert run(capfd, ".")[0] == 0
    assert run(capfd, "--check", ".")[0] == 0


def test_unsafe_edits_are_offered_and_applied_on_request(capfd: pytest.CaptureFixture[str]) -> None:
    write(a=UNSAFE)
    code, out, err = run(capfd, "--check", "--output-format", "concise", "a.py")
    assert (code, out) == (0, "a.py:1:1: UNP002 [refused] `x` is rebound\n")
    assert err.splitlines()[1:] == ["1 of the refused can be rewritten with `--unsafe`, on the assumptions it names."]
    assert run(capfd, "--check", "--unsafe", "a.py")[0] == 1
    assert run(capfd, "--unsafe", "a.py")[0] == 0
    assert Path("a.py").read_text() == "x = x.add(1)\n"


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        ([], {"UNP001", "UNP002"}),
        (["--select", "UNP001"], {"UNP001"}),
        (["--select", "unp001, UNP002"], {"UNP001", "UNP002"}),
        (["--select", "UNP001", "--select", "UNP002"], {"UNP001", "UNP002"}),
        (["--select", "UNP00"], {"UNP001", "UNP002"}),
        (["--ignore", "UNP001"], {"UNP002"}),
        (["--select", "UNP", "--ignore", "UNP002"], {"UNP001"}),
        (["--select", "UNP003"], set()),
    ],
)
def test_rules_are_selected(options: list[str], codes: set[str], capfd: pytest.CaptureFixture[str]) -> None:
    write(a=BEFORE + UNSAFE)
    out = run(capfd, "--check", "--output-format=json", *options, "a.py")[1]
    assert {site["code"] for site in json.loads(out)["sites"]} == codes


def test_json_goes_alone_to_stdout(capfd: pytest.CaptureFixture[str]) -> None:
    write(a=BEFORE, bad="x = (\n")
    code, out, err = run(capfd, "--output-format", "json", "a.py", "bad.py", "missing.py")
    assert code == 2
    document = json.loads(out)
    assert document["files"]["a.py"] == {"changed": True, "error": None}
    assert document["files"]["bad.py"]["error"]["line"] == 1
    assert document["files"]["missing.py"]["error"]["line"] is None
    assert document["summary"]["errors"] == 2
    assert [line.split(": ")[0] for line in err.splitlines()] == ["missing.py", "bad.py:1:5"]


@pytest.mark.parametrize(
    "data",
    [
        b"x += 1",
        b"\xef\xbb\xbfx += 1\r\ny = '\xc3\xa9'\r\n",
        b"# coding: latin-1\r\ns = '\xe9'\nx += 1\r\n",
        b"\x0c\nif x:\n\tx += 1\t# \xc3\xa9\n\x0c\n\n",
        b"a = 1\rx += 1\rb = 2",
        b"x += 1\\\n  + 2\n\n\n",
        b"".join(b"x += %d\ny%d = '\xc3\xa9'\n" % (number, number) for number in range(10_000)),
    ],
    ids=["no final newline", "BOM and CRLF", "latin-1, mixed", "form feed, tabs", "lone CR", "blanks", "20,000 lines"],
)
def test_bytes_outside_the_edits_stay(data: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    write(a=data, same=data.replace(b"x +=", b"i +="))
    assert run(capfd, ".")[0] == 0
    lines = Path("a.py").read_bytes().split(b"\n")
    assert Path("a.py").read_bytes() == data.replace(b"x += ", b"x = x + ")
    assert len(lines) == data.count(b"\n") + 1
    assert Path("same.py").read_bytes() == data.replace(b"x +=", b"i +=")


# Standard input


def test_stdin_becomes_stdout(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    give_stdin(monkeypatch, b"\xef\xbb\xbfx += 1\r\n")
    assert main(["rewrite", "-", "--stdin-filename", "pkg/a.py", "--output-format", "concise"]) == 0
    output = capfdbinary.readouterr()
    assert output.out == b"\xef\xbb\xbfx = x + 1\r\n"
    assert output.err.startswith(b"pkg/a.py:1:1: UNP001 [rewritten]")


def test_stdin_with_diff_and_check(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    give_stdin(monkeypatch, b"x += 1\n")
    assert run(capfd, "-", "--diff", "--stdin-filename", "a.py")[1].startswith("--- ./a.py\n+++ ./a.py\n@@ -1 +1 @@")
    give_stdin(monkeypatch, b"x += 1\n")
    code, out, _ = run(capfd, "-", "--check", "--output-format", "concise")
    assert (code, out) == (1, "-:1:1: UNP001 [rewritten] `x` is rebound\n")


def test_stdin_that_cannot_be_handled_is_passed_on(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    give_stdin(monkeypatch, b"x = (\n")
    code, out, err = run(capfd, "-")
    assert (code, out) == (2, "x = (\n")
    assert err.startswith("-:1:5: cannot parse: ")
    give_stdin(monkeypatch, b"x = (\n")
    code, out, err = run(capfd, "-", "--output-format", "json")
    assert (code, out) == (2, "x = (\n")
    assert json.loads(err)["summary"]["errors"] == 1


# What goes wrong


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--nonsense", "a.py"], "No such option"),
        (["a.py", "-"], "cannot be mixed"),
        ([""], "a path is empty"),
        (["a.py", "--stdin-filename", "b.py"], "only goes with `-`"),
        (["a.py", "--output-format", "xml"], "xml isn't one of rich, concise, json"),
        (["a.py", "--jobs", "0"], "0 is not a number of processes"),
        (["a.py", "--jobs", "many"], "many is not a number of processes"),
        (["a.py", "--select", "UNP01"], "unknown rule UNP01. Did you mean UNP001? Known: UNP001, UNP002"),
        (["a.py", "--ignore", "UNP001,E501"], "unknown rule E501. Known: UNP001, UNP002"),
        (["a.py", "--select", ","], "no code given"),
    ],
)
def test_usage_errors(arguments: list[str], words: str, capfd: pytest.CaptureFixture[str]) -> None:
    write(a=BEFORE)
    code, out, err = run(capfd, *arguments)
    assert (code, out) == (2, "")
    assert words in " ".join(err.split())
    assert Path("a.py").read_text() == BEFORE


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"import torch\nx = 1\ny = (\n", "bad.py:3:5: cannot parse: '(' was never closed; Python 3."),
        (b"import torch\n\tx\n", "bad.py:2:1: cannot parse: unexpected indent; Python 3."),
        (b"x = '\xff'\n", "bad.py:1:6: cannot decode byte 0xff as utf-8: invalid start byte; declare its encoding"),
        (b"# coding: klingon\n", "bad.py:1:1: cannot decode: unknown encoding: klingon"),
        (b"\x7fELF\x02\x00\x00", "bad.py:1:6: contains NUL bytes"),
        (b"# coding: latin-1\nx += emoji\n", "bad.py: the rewritten code contains '\U0001f600'"),
        (b"x += garble\n", "bad.py: internal error, nothing written: RuntimeError: the rewritten code does not parse"),
        (b"raise_error\n", "bad.py: internal error, nothing written: ValueError: something odd; please report it"),
        (b"bad_syntax\n", "bad.py: internal error, nothing written: SyntaxError: invalid syntax"),
        (b"recurse\n", "bad.py: nested too deeply to be worked out; nothing written; split it, or leave it out"),
        (b"no_memory\n", "bad.py: not enough memory to work on it; nothing written; give fewer `--jobs`, or leave it"),
        (b"spin\n", "bad.py: not done in 1 seconds of processor time; nothing written; split it, or leave it out"),
    ],
)
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_bad_file_is_named_and_the_others_are_done(
    data: bytes, message: str, jobs: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UNPLACE_DEBUG", raising=False)
    monkeypatch.setattr(limits, "SECONDS", 1)
    write(bad=data, a=BEFORE, z=BEFORE)
    code, out, err = run(capfd, "--jobs", jobs, ".")
    assert code == 2
    lines = err.splitlines()
    assert lines[0].startswith(message), err
    assert lines[1:] == ["Rewrote 2 in-place operations in 2 files of 3.", "1 file could not be handled."]
    assert Path("a.py").read_text() == Path("z.py").read_text() == AFTER
    assert Path("bad.py").read_bytes() == data
    assert len(list(Path.cwd().iterdir())) == 3
    assert "bad.py" not in out


def test_a_traceback_is_shown_on_request(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write(bad="raise_error\n")
    monkeypatch.setenv("UNPLACE_DEBUG", "1")
    assert 'in misbehave\n    raise ValueError("something' in run(capfd, ".")[2]


def test_a_file_that_kills_its_process_is_named_and_the_others_are_done(capfd: pytest.CaptureFixture[str]) -> None:
    write(**{f"a{number}": BEFORE for number in range(8)}, bad="die_hard\n", z=BEFORE)
    code, _, err = run(capfd, "--jobs", "2", ".")
    assert code == 2
    assert err.startswith("bad.py: internal error, nothing written: its process died"), err
    assert "Rewrote 9 in-place operations in 9 files of 10." in err


def test_a_process_that_is_still_starting_at_the_end_says_nothing(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def close_stdin_slowly() -> None:
        try:
            (tmp_path / "first").touch(exist_ok=False)
        except FileExistsError:
            time.sleep(2)

    monkeypatch.setattr(multiprocessing.util, "_close_stdin", close_stdin_slowly)
    write(a=BEFORE, z=BEFORE)
    begun = time.monotonic()
    code, _, err = run(capfd, "--jobs", "2", ".")
    assert (code, err) == (0, "Rewrote 2 in-place operations in 2 files of 2.\n")
    assert len(multiprocessing.active_children()) == 0
    assert time.monotonic() - begun > 1


def test_an_unreadable_file(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write(a=BEFORE, secret=BEFORE)
    if os.geteuid() != 0:
        Path("secret.py").chmod(0)
    else:
        read = Path.read_bytes

        def refuse(path: Path) -> bytes:
            if path.name == "secret.py":
                raise PermissionError(13, "Permission denied")
            return read(path)

        monkeypatch.setattr(Path, "read_bytes", refuse)
    code, _, err = run(capfd, ".")
    assert code == 2
    assert err.startswith("secret.py: cannot read: Permission denied; check its mode bits\n")
    assert Path("a.py").read_text() == AFTER


def test_a_file_that_cannot_be_written_is_not_reported_as_rewritten(capfd: pytest.CaptureFixture[str]) -> None:
    write(a=BEFORE)
    Path("a.py").chmod(0o444)
    code, out, err = run(capfd, "--output-format", "json", ".")
    assert code == 2
    assert err == "a.py: cannot write: the file is read-only; make it writable (chmod u+w) and run again\n"
    document = json.loads(out)
    assert document["summary"] == {"files": 1, "changed": 0, "rewritten": 0, "kept": 0, "refused": 0, "errors": 1}
    assert Path("a.py").read_text() == BEFORE
    assert run(capfd, "--diff", ".")[0] == 0


def test_an_empty_folder_is_worth_a_warning(capfd: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    assert run(capfd, "empty") == (0, "", "warning: No Python files found under the given path(s)\n")


def test_odd_files_met_on_the_way_are_warned_about(capfd: pytest.CaptureFixture[str]) -> None:
    write(a=BEFORE)
    Path("link.py").symlink_to("nowhere")
    code, _, err = run(capfd, ".")
    assert code == 0
    assert err.startswith("warning: link.py: not a regular file, or a broken link; skipped\n")


def test_warnings_about_the_users_code_are_not_ours_to_print(capfd: pytest.CaptureFixture[str]) -> None:
    write(a='s = "\\d"\nx is 1\n' + BEFORE)
    assert run(capfd, ".")[2] == "Rewrote 1 in-place operation in 1 file of 1.\n"


def test_an_interrupt_writes_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    write(a=BEFORE, b="interrupt\n")
    assert run(capfd, ".") == (130, "", "Interrupted; files written: 0.\n")
    assert Path("a.py").read_text() == BEFORE


def test_a_bug_of_our_own_is_a_line_and_not_a_traceback(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **named: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("unplace.cli.options.settings", fail)
    monkeypatch.delenv("UNPLACE_DEBUG", raising=False)
    expected = "unplace: internal error: ZeroDivisionError: by zero; please report it\n"
    assert run(capfd, ".") == (2, "", expected)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (PermissionError(13, "Permission denied", "secret"), "secret: Permission denied; check that "),
        (FileNotFoundError(2, "No such file or directory"), "the working folder: No such file or directory; check "),
        (OSError(28, "No space left on device"), "cannot write the output: No space left on device\n"),
    ],
)
def test_what_the_system_refuses_is_named(
    error: OSError, message: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **named: object) -> None:
        raise error

    monkeypatch.setattr("unplace.cli.options.settings", fail)
    monkeypatch.delenv("UNPLACE_DEBUG", raising=False)
    code, out, err = run(capfd, ".")
    assert (code, out) == (2, "")
    assert err.startswith(f"unplace: {message}")


# Processes


@pytest.mark.full
def test_output_does_not_depend_on_jobs(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(60):
        Path(f"sub{number % 3}").mkdir(exist_ok=True)
        Path(f"sub{number % 3}/m{number}.py").write_text(BEFORE * (number % 5) + UNSAFE + "x = (" * (number % 7 == 3))
    monkeypatch.setattr(progress._Lines, "patience", 600.0)  # how often these lines appear depends on the machine
    results = [
        run(capfd, "--check", "--output-format", form, "--jobs", jobs, ".")
        for form in ("json", "rich")
        for jobs in ("1", "2", "100")
    ]
    assert results[0] == results[1] == results[2]
    assert results[3] == results[4] == results[5]
    assert results[0][0] == 2
    diffs = [run(capfd, "--diff", "--jobs", jobs, ".") for jobs in ("1", "3")]
    assert diffs[0] == diffs[1]
    assert diffs[0][1].count("+++ ./sub") > 30


DRIVER = """
import sys
import pytest, toy_rewriter
toy_rewriter.install(pytest.MonkeyPatch())
from unplace.cli import main
sys.exit(main(sys.argv[1:]))
"""


def environment(**more: str) -> dict[str, str]:
    path = os.pathsep.join([str(ROOT / "codemods"), str(ROOT / "tests")])
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    return {**kept, "PYTHONPATH": path, **more}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_ends_a_long_run_at_once_and_cleanly(jobs: str) -> None:
    write(a=BEFORE, b="take_long\n", c="take_long\n")
    process = subprocess.Popen(
        [sys.executable, "-c", DRIVER, "rewrite", "--jobs", jobs, "."],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    while not Path("begun").exists():
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=10)
    assert (process.returncode, out, err) == (130, "", "Interrupted; files written: 0.\n")
    assert Path("a.py").read_text() == BEFORE


# The real program


def unplace(*arguments: str, **more: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "unplace", *arguments]
    return subprocess.run(command, env=environment(), capture_output=True, text=True, check=False, **more)  # type: ignore[call-overload, no-any-return]


def test_version_and_help() -> None:
    assert unplace("--version").stdout == f"unplace {__version__}\n"
    listing = unplace("--help")
    assert listing.returncode == 0
    assert "rewrite" in listing.stdout
    text = unplace("rewrite", "--help").stdout
    for words in ("Examples:", "unplace rewrite --diff", "Exit codes:", "--stdin-filename", "rich|concise|json"):
        assert words in text
    assert re.search(r"^  \[?PATHS\]?(?:\.\.\.)?  +Files and folders", text, re.MULTILINE)
    assert unplace("nonsense").returncode == 2
    assert "No such command 'chekc'. Did you mean check?" in unplace("chekc").stderr


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("unplace re", "rewrite"),
        ("unplace check --on", "--only"),
        ("unplace expl", "explain"),
        ("unplace check --output-format ", "rich concise json sarif github gitlab junit"),
        ("unplace rewrite --output-format gi", "github gitlab"),
        ("unplace explain --output-format j", "json"),
        ("unplace check --only harmf", "harmful"),
        ("unplace check --select UNP001,UNP002", "UNP001,UNP002"),
        ("unplace rewrite --ignore UNP003", "UNP003"),
        ("unplace rule UNP00", " ".join(rules.codes())),
    ],
)
def test_shell_completion(words: str, completed: str) -> None:
    asked = {"_UNPLACE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    command = [sys.executable, "-m", "unplace"]
    done = subprocess.run(command, env=environment(**asked), capture_output=True, text=True, check=False)
    assert done.stdout.split() == completed.split()


def test_a_file_without_sites_costs_no_heavy_import() -> None:
    write(plain="a = 1\n", other="b = 2\n")
    Path(".gitignore").write_text("other.py\n")
    code = (
        "import sys\n"
        "from unplace.cli import main\n"
        "assert main(['rewrite', 'plain.py']) == 0\n"
        "heavy = {'torch', 'libcst', 'rich', 'pathspec', 'pydantic', 'multiprocessing', 'tempfile'}\n"
        "heavy &= set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "Nothing to rewrite in 1 file.\n")


def test_a_closed_pipe_is_not_a_crash() -> None:
    write(a=BEFORE * 4_000)
    command = f"{sys.executable} -c '{DRIVER}' rewrite --diff a.py | head -1"
    done = subprocess.run(["sh", "-c", command], env=environment(), capture_output=True, text=True, check=True)
    assert done.stdout == "--- ./a.py\n"
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_colours_on_a_terminal() -> None:
    import pty

    write(a=BEFORE)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", DRIVER, "rewrite", "--diff", "a.py"]
    subprocess.run(command, env=environment(TERM="xterm"), stdout=theirs, stderr=subprocess.DEVNULL, check=True)
    os.close(theirs)
    assert b"\x1b[32m+x = x + 1" in os.read(ours, 10_000)
    os.close(ours)


def test_a_diff_with_a_format_reports_too_and_writes_nothing(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    source = "import torch\n\n\ndef f(x: torch.Tensor):\n    y = x.exp()\n    y += 1\n    return y\n"
    Path("a.py").write_text(source)
    assert main(["rewrite", "--diff", "--output-format", "concise", "a.py"]) == 0
    out, err = capfd.readouterr()
    assert "+    y = y + 1" in out
    assert "a.py:6:5: UNP001" in err
    assert main(["rewrite", "--diff", "--output-format", "json", "a.py"]) == 2
    assert "json holds no patch; leave out --diff and add --check" in " ".join(capfd.readouterr().err.split())
    assert Path("a.py").read_text() == source
