"""`unplace rewrite --verify` and `--verify-command`: only what holds is written, and the guilty edits are found."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from unplace.cli import main
from unplace.config.options import Options
from unplace.diagnostics.catalogue import Rewrite
from unplace.diagnostics.findings import Applicability, FileReport, Finding, Harm, Status
from unplace.diagnostics.forms import Form
from unplace.runs.outcome import Change, rewrite_file
from unplace.text.edits import Edit, apply_edits
from unplace.transform import rewriter
from unplace.verification.command import Command
from unplace.verification.loading import CannotRunError
from unplace.verification.resource_limits import Limits
from unplace.verification.scratch import scratch_copy
from unplace.verification.trial import Plan, Trial, tried

HEAD = "import torch\n\n\ndef f(x: torch.Tensor):\n    y = x.tanh()\n"
RIGHT, WRONG = "    y += 1\n", "    y += 2\n"  # the rewriter below makes `y = y - 2` of the second
TAIL = "    return y\n"
PYTEST = f"{shlex.quote(sys.executable)} -m pytest -q -p no:cacheprovider"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every `y += k` is rewritten, wrongly where k is 2; all `z += 1` of a file share one fix."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(rewriter, "rewrite_text", rewrite_text)
    monkeypatch.setattr(rewriter, "may_have_sites", lambda data: True)


def rewrite_text(text: str, path: str, options: Options, project: object = None) -> FileReport:
    found = list(re.finditer(r"(?P<name>[yz]) \+= (?P<number>\d+)", text))
    shared = tuple(Edit(*m.span(), f"z = z + {m['number']}") for m in found if m["name"] == "z")
    findings = [finding(text, match, number, shared) for number, match in enumerate(found)]
    edits = sorted({edit for f in findings for edit in f.edits})
    return FileReport(path, text, apply_edits(text, edits), findings, edits)


def finding(text: str, match: re.Match[str], number: int, shared: tuple[Edit, ...]) -> Finding:
    is_shared = match["name"] == "z"
    sign = "-" if match["number"] == "2" else "+"
    line = text.count("\n", 0, match.start()) + 1
    return Finding(
        line=line,
        column=5,
        end_line=line,
        end_column=11,
        code="UNP001",
        form=Form.AUGMENTED,
        status=Status.REWRITTEN,
        applicability=Applicability.SAFE,
        harm=Harm.HARMFUL,
        reason=Rewrite.REBOUND(name=match["name"]),
        fix=1000 if is_shared else number,
        edits=shared if is_shared else (Edit(*match.span(), f"y = y {sign} {match['number']}"),),
    )


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(["rewrite", *arguments])
        output = capfd.readouterr()
        return code, output.out, output.err

    return run


def trial(plan: Plan, *paths: str) -> Trial:
    return tried([rewrite_file(path, Options()) for path in paths], plan, lambda line: None)


def entry(path: str, name: str = "f") -> Plan:
    return Plan(entries=[(Path(path), name)])


# -- entries ----------------------------------------------------------------------------------------------------------


def test_what_holds_is_written_and_said(run: Run) -> None:
    Path("a.py").write_text(HEAD + RIGHT * 2 + TAIL)
    code, _, err = run("a.py", "--verify", "a.py:f")
    assert code == 0
    assert err.splitlines() == [
        "Verifying 2 edits in a scratch copy.",
        "f: equal",
        "Rewrote 2 in-place operations in 1 file of 1.",
    ]
    assert "y = y + 1" in Path("a.py").read_text()


def test_the_guilty_edit_is_left_out_with_the_evidence(run: Run) -> None:
    Path("a.py").write_text(HEAD + RIGHT * 2 + WRONG + RIGHT + TAIL)
    code, out, err = run("a.py", "--verify", "a.py:f")
    assert code == 0
    assert Path("a.py").read_text() == HEAD + "    y = y + 1\n" * 2 + WRONG + "    y = y + 1\n" + TAIL
    assert "a.py:8:5: UNP001 [refused] left out by the verification: f: output: " in out
    assert "looking for the cause among 4 edits" in err
    assert "f: equal\nLeft out 1 operation after" in err


def test_json_has_the_evidence_and_with_check_nothing_is_written(run: Run) -> None:
    source = HEAD + RIGHT + WRONG + TAIL
    Path("a.py").write_text(source)
    code, out, _ = run("a.py", "--verify", "a.py:f", "--check", "--output-format", "json")
    assert code == 1
    document = json.loads(out)
    assert [site["status"] for site in document["sites"]] == ["rewritten", "refused"]
    (left_out,) = document["verification"]["left_out"]
    assert (left_out["path"], left_out["line"]) == ("a.py", 7)
    assert left_out["evidence"].startswith("f: output: ")
    assert [found["verdict"] for found in document["verification"]["entries"]] == ["equal"]
    assert Path("a.py").read_text() == source


def test_one_guilty_edit_of_200_is_found_in_few_runs() -> None:
    Path("a.py").write_text(HEAD + RIGHT * 130 + WRONG + RIGHT * 69 + TAIL)
    result = trial(entry("a.py"), "a.py")
    assert [str(fix) for fix, _ in result.left_out] == ["a.py:136:5"]
    assert result.runs <= 12
    assert result.outcomes[0].count(Status.REWRITTEN) == 199
    assert result.outcomes[0].change is not None
    assert result.outcomes[0].change.after.text.count("y = y + 1") == 199


def test_findings_with_the_same_fix_are_left_out_together() -> None:
    body = "    z = x.exp()\n    z += 1\n    z += 2\n    z = z.round()\n    return y + z\n"
    Path("a.py").write_text(HEAD + RIGHT + body)
    Path("b.py").write_text("import a\nf = a.f\n")
    result = trial(entry("a.py"), "a.py")
    assert result.left_out == []
    assert result.outcomes[0].count(Status.REWRITTEN) == 3


def test_a_change_in_a_module_that_the_entry_imports_is_tried() -> None:
    Path("pkg").mkdir()
    Path("pkg/__init__.py").write_text("")
    Path("pkg/deep.py").write_text(HEAD.replace("def f", "def g") + WRONG + TAIL)
    Path("pkg/top.py").write_text("import torch\nfrom .deep import g\n\n\ndef f(x: torch.Tensor): return g(x)\n")
    result = trial(entry("pkg/top.py"), "pkg/deep.py", "pkg/top.py")
    assert [str(fix) for fix, _ in result.left_out] == ["pkg/deep.py:6:5"]
    assert all(outcome.change is None for outcome in result.outcomes)


def test_a_change_in_a_folder_without_init_is_tried() -> None:
    Path("models").mkdir()
    Path("models/deep.py").write_text(HEAD.replace("def f", "def g") + WRONG + TAIL)
    Path("models/net.py").write_text(
        "import torch\n\n\ndef f(x: torch.Tensor):\n    from models.deep import g\n    return g(x)\n"
    )
    Path("inputs.py").write_text("import torch\ndef example(f): return f, (torch.ones(2, requires_grad=True),)\n")
    plan = replace(entry("models/net.py"), inputs=(Path("inputs.py"), "example"))
    result = trial(plan, "models/deep.py", "models/net.py")
    assert [str(fix) for fix, _ in result.left_out] == ["models/deep.py:6:5"]


def test_an_edit_that_leaves_an_error_of_the_original_there_is_not_held_against_it() -> None:
    Path("a.py").write_text(HEAD + RIGHT + "    y.mul_(3)\n" + TAIL)
    result = trial(entry("a.py"), "a.py")
    assert result.left_out == []
    assert result.results[0].comparisons[0].proof.rewritten_error is None


def test_where_nothing_can_be_verified_nothing_is_written(run: Run) -> None:
    source = HEAD.replace("tanh()", "tanh() * float.fromhex(__import__('os').urandom(4).hex())") + RIGHT + TAIL
    Path("a.py").write_text(source)
    code, _, err = run("a.py", "--verify", "a.py:f")
    assert code == 2
    assert "can't verify, so nothing is written: a.py:f: the original differs from one run to the next" in err
    assert Path("a.py").read_text() == source
    assert "a.py:g" in run("a.py", "--verify", "a.py:g")[2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-", "--verify", "a.py:f"], "standard input cannot be verified"),
        (["a.py", "--inputs", "a.py:f"], "only goes with --verify"),
        (["a.py", "--measure"], "only goes with --verify"),
        (["a.py", "--verify", "a.py"], "a.py is not FILE:NAME"),
        (["a.py", "--verify-command", "true", "--timeout", "soon"], "soon is not a positive number"),
    ],
)
def test_usage_errors(arguments: list[str], words: str, run: Run) -> None:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert words in " ".join(err.split())


def test_without_verify_nothing_of_it_is_imported_and_no_code_is_run() -> None:
    Path("a.py").write_text("raise SystemExit('run')\n" + HEAD + RIGHT + TAIL)
    code = (
        "import sys\n"
        "from unplace.cli import main\n"
        "assert main(['rewrite', 'a.py']) == 0\n"
        "sys.exit(str([name for name in sys.modules if name == 'torch' or name.startswith('unplace.verification')]))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(rewriter.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.stderr.endswith("Rewrote 1 in-place operation in 1 file of 1.\n[]\n")


def test_later_rounds_stand_on_the_whole_first_round() -> None:
    """Text edits: `y += 1` and `y += 2` in the first round, and in the second something that needs both."""
    source = HEAD + RIGHT + "{}" + TAIL
    for first, kept in ((WRONG, 1), (RIGHT, 2)):
        Path("a.py").write_text(text := source.format(first))
        outcome = rewrite_file("a.py", Options())
        assert outcome.change is not None
        at = text.index("    return y")
        later = replace(outcome.findings[0], line=8, edits=(), fix=0)
        edits = (*outcome.edits, Edit(at, at, "    y = y * 3\n"))
        change = Change(outcome.change.before, outcome.change.before.with_text(apply_edits(text, edits)))
        outcome = replace(outcome, findings=(*outcome.findings, later), change=change, edits=edits)
        result = tried([outcome], entry("a.py"), lambda line: None).outcomes[0]
        assert result.count(Status.REWRITTEN) == kept
        assert result.change is not None
        assert result.change.after.text.count("y = y + 1") == kept
        assert "* 3" not in result.change.after.text
        assert result.findings[-1].status is Status.REFUSED


# -- commands ---------------------------------------------------------------------------------------------------------

CALC = "import os\n\n\ndef f(y):\n    {edit}\n    return y\n\n\ndef g(y):\n    y += 2\n    return y\n"
TESTS = """\
import os
import pytest
from calc import f, g

def test_f(): assert f(1) == 2
def test_g(): assert g(1) == 3
def test_always_failing(): assert f(1) == 7
@pytest.mark.skip
def test_skipped(): assert False
"""


def command(text: str, seconds: float = 60.0) -> Plan:
    return Plan(command=text, command_limits=Limits(seconds))


def test_a_test_suite_judges_and_what_failed_before_is_not_held_against_it(run: Run) -> None:
    Path("calc.py").write_text(CALC.format(edit="y += 1"))
    Path("test_calc.py").write_text(TESTS)
    code, out, err = run("calc.py", "--verify-command", PYTEST)
    assert code == 0
    assert Path("calc.py").read_text() == CALC.format(edit="y = y + 1")
    assert "without the rewrite: 2 tests pass; not held against it: 1 failing" in err
    assert "left out by the verification: 1 of 2 tests fail: test_calc::test_g" in out


@pytest.mark.slow
def test_a_package_below_src_is_tested_in_its_copy() -> None:
    Path("src/pkg").mkdir(parents=True)
    Path("src/pkg/__init__.py").write_text("")
    Path("src/pkg/calc.py").write_text(CALC.format(edit="y += 1"))
    Path("tests").mkdir()
    Path("tests/test_calc.py").write_text(TESTS.replace("calc", "pkg.calc"))
    result = trial(command(f"{PYTEST} tests"), "src/pkg/calc.py")
    assert [str(fix) for fix, _ in result.left_out] == ["src/pkg/calc.py:10:5"]


def test_another_command_judges_by_its_exit_code() -> None:
    Path("calc.py").write_text(CALC.format(edit="y += 1"))
    check = f"{shlex.quote(sys.executable)} -c 'from calc import f, g; assert (f(1), g(1)) == (2, 3)'"
    result = trial(command(check), "calc.py")
    assert [str(fix) for fix, _ in result.left_out] == ["calc.py:10:5"]
    assert "AssertionError" in result.left_out[0][1]


@pytest.mark.slow
def test_a_flaky_test_is_no_judge_of_anything() -> None:
    Path("calc.py").write_text(CALC.format(edit="y += 1").replace("y += 2", "y += 1"))
    flag = Path("flag").absolute()
    flaky = f"def test_flaky():\n    seen = os.path.exists({str(flag)!r})\n    open({str(flag)!r}, 'a')\n"
    flaky += "    assert not seen\n"
    Path("test_calc.py").write_text(TESTS.replace("g(1) == 3", "g(1) == 2") + flaky)
    said: list[str] = []
    result = tried([rewrite_file("calc.py", Options())], command(PYTEST), said.append)
    assert result.left_out == []
    assert "2 tests pass; not held against it: 1 failing, 1 flaky" in said[1]
    assert said[2] == "flaky, left out of the judgement: test_calc::test_flaky"
    assert result.flaky == ["test_calc::test_flaky"]


def test_a_test_that_fails_once_with_the_rewrite_is_named_and_blames_no_edit(run: Run) -> None:
    Path("a.py").write_text(HEAD + RIGHT + TAIL)
    Path("test_a.py").write_text(
        "from pathlib import Path\n\n"
        "def test_steady(): pass\n\n"
        "def test_third_time_unlucky():\n"
        f"    count = Path({str(Path('count').absolute())!r})\n"
        "    count.write_text((count.read_text() if count.exists() else '') + '.')\n"
        "    assert len(count.read_text()) != 3\n"
    )
    code, _, err = run("a.py", "--verify-command", PYTEST)
    assert code == 0
    assert Path("a.py").read_text() == HEAD + "    y = y + 1\n" + TAIL
    assert "flaky, left out of the judgement: test_a::test_third_time_unlucky\n" in err
    assert Path("count").read_text() == "...."  # twice without the rewrite, twice with it


@pytest.mark.parametrize(
    ("text", "seconds", "words"),
    [
        ("sleep 60", 0.5, "`sleep 60` timed out after 0 s|timed out after 1 s"),
        ("echo oh no; exit 3", 9, r"fails without a rewrite \(exit code 3\), and no test of pytest passes: oh no"),
        ("test ! -e flag && touch flag", 9, "is flaky: without a rewrite it ended with exit code 0, then 1"),
    ],
)
def test_a_command_that_is_no_judge(text: str, seconds: float, words: str) -> None:
    Path("calc.py").write_text(CALC.format(edit="y += 1"))
    with pytest.raises(CannotRunError, match=words):
        trial(command(text, seconds), "calc.py")


def test_an_edit_that_makes_the_command_hang_is_guilty(tmp_path: Path) -> None:
    runner = Command("sleep 60", tmp_path, [], Limits(seconds=0.3))
    baseline = Command("true", tmp_path, [], Limits()).baseline()
    complaint = baseline.complaint(runner.run())
    assert complaint is not None
    assert complaint.startswith("the command timed out")


# -- the scratch copy -------------------------------------------------------------------------------------------------


def test_what_cannot_be_read_is_linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "root"
    (root / "locked/inside").mkdir(parents=True)
    (root / "secret").touch()
    (root / "code.py").touch()
    monkeypatch.setattr(os, "access", lambda path, _: Path(path).name not in ("locked", "secret"))
    with scratch_copy(root, [root / "code.py"]) as scratch:
        assert {path.name for path in scratch.folder.iterdir() if path.is_symlink()} == {"locked", "secret"}


def test_nothing_done_to_the_copy_reaches_the_original(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "venv/lib").mkdir(parents=True)
    (root / "venv/pyvenv.cfg").touch()
    (root / ".git").mkdir()
    (root / "ignored").mkdir()
    (root / "ignored/a.py").write_text("a")
    (root / "ignored/b.py").write_text("b")
    (root / ".gitignore").write_text("ignored\n*.bin\n")
    (root / "code.py").write_text("code")
    (root / "weights.bin").write_text("data")
    (root / "large.npy").write_bytes(bytes(2**20 + 1))
    (root / "broken").symlink_to("nowhere")
    (root / "linked").symlink_to(tmp_path)
    os.mkfifo(root / "pipe")
    changed = root / "ignored/a.py"
    with scratch_copy(root, [changed]) as scratch:
        copy = scratch.folder
        links = {path.name for path in copy.iterdir() if path.is_symlink()}
        assert links == {"venv", "weights.bin", "large.npy", "linked"}
        assert {path.name for path in copy.iterdir()} - links == {".gitignore", "code.py", "ignored"}
        scratch.write({changed: b"changed"})
        (copy / "code.py").write_text("changed")
        assert (copy / "ignored/a.py").read_text() == "changed"
        assert scratch.covers(root / "ignored")
        assert not scratch.covers(root / "venv/lib")
    assert (changed.read_text(), (root / "code.py").read_text()) == ("a", "code")
    assert not copy.exists()
