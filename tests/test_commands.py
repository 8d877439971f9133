"""What commands do without being told much, and what they say to habits from other tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests import samples

from unplace.cli import main
from unplace.cli.app import COMMANDS

MODEL = samples.MODEL.replace("train()", "train_f()")  # so that a copy with other names is another file
REFUSED = """\
import torch


def g(x: torch.Tensor):
    y = x.exp()
    r = y.expand(2, 3)
    r[x.expand(2, 3) > 0] = 2
    return r


def train_g():
    g(torch.ones(3, requires_grad=True) * 1)
"""
REPAIRED = MODEL.replace("y += 1", "y = y + 1")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    Path("model.py").write_text(MODEL)


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    output = capfd.readouterr()
    return code, output.out, output.err


def places(out: str) -> list[str]:
    return [line.split(": ")[0] for line in out.splitlines() if line[:1] not in ("", " ")]


def test_no_path_means_this_folder(capfd: pytest.CaptureFixture[str]) -> None:
    assert places(run(capfd, "check")[1]) == ["model.py:6:5"]
    assert run(capfd, "rewrite", "--diff")[1].count("+    y = y + 1") == 1
    assert Path("model.py").read_text() == MODEL
    assert run(capfd, "rewrite")[0] == 0
    assert Path("model.py").read_text() == REPAIRED


def test_exit_zero_and_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capfd, "check", "--exit-zero", "--quiet")
    assert (code, err) == (0, "")
    assert places(out) == ["model.py:6:5"]
    Path("broken.py").write_text("x = (\n")
    code, _, err = run(capfd, "check", "--exit-zero", "-q")
    assert code == 2
    assert err.startswith("broken.py:1:5: cannot parse")
    assert err.count("\n") == 1


def test_exclude_adds_to_the_configuration(capfd: pytest.CaptureFixture[str]) -> None:
    for folder in ("a", "b", "c"):
        Path(folder).mkdir()
        Path(folder, "net.py").write_text(MODEL)
    Path("unplace.toml").write_text('exclude = ["a/"]\n')
    out = run(capfd, "check", "--exclude", "b/", "--exclude", "model.py")[1]
    assert places(out) == ["c/net.py:6:5"]
    assert places(run(capfd, "check", "--exclude", "b/", "b/net.py")[1]) == ["b/net.py:6:5"]
    assert run(capfd, "check", "--exclude", "b/", "--force-exclude", "b/net.py")[1] == ""
    assert run(capfd, "check", "--exclude", "[z-a]")[0] == 2


def test_fix_rewrites_what_it_lists_and_reports_the_rest(capfd: pytest.CaptureFixture[str]) -> None:
    Path("other.py").write_text(REFUSED + MODEL.replace("f(", "h(").replace("y += 1", "z = y.detach()\n    y += 1"))
    code, out, err = run(capfd, "check", "--fix")
    assert code == 1
    assert places(out) == ["other.py:7:5"]
    assert Path("model.py").read_text() == REPAIRED
    assert err.startswith("Rewrote 2 in-place operations in 2 files of 2.\n")
    Path("other.py").unlink()
    assert run(capfd, "check", "--fix")[0] == 0
    Path("harmless.py").write_text("import torch\ny = torch.ones(3)\ny += 1\n")
    assert run(capfd, "check", "--fix")[0] == 0
    assert "y += 1" in Path("harmless.py").read_text()


def test_lines_of_what_remains_are_those_after_the_fix(capfd: pytest.CaptureFixture[str]) -> None:
    view = MODEL.replace("y += 1", "y[0] = 1")  # the clone takes a line
    Path("model.py").write_text(view + REFUSED)
    out = run(capfd, "check", "--fix", "--output-format", "concise")[1]
    lines = Path("model.py").read_text().splitlines()
    assert len(lines) > (view + REFUSED).count("\n")
    assert [lines[int(place.split(":")[1]) - 1] for place in places(out)] == ["    r[x.expand(2, 3) > 0] = 2"]


def test_fix_goes_alone(capfd: pytest.CaptureFixture[str]) -> None:
    for other in ("--add-ignores", "--all"):
        code, _, err = run(capfd, "check", "--fix", other)
        assert code == 2
        assert "doesn't go with" in err
    assert Path("model.py").read_text() == MODEL


def test_a_baseline_leaves_out_what_was_known(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capfd, "check", "--write-baseline", "known.json")
    assert (code, out) == (0, "")
    assert err == "Wrote 1 finding to known.json; --baseline known.json leaves them out.\n"
    document = json.loads(Path("known.json").read_text())
    assert document["findings"] == {"model.py": [{"code": "UNP001", "line": "y += 1", "count": 1}]}
    code, out, err = run(capfd, "check", "--baseline", "known.json")
    assert (code, out) == (0, "")
    assert err.endswith("Known from the baseline: 1.\n")

    Path("model.py").write_text("# a line above\n" + MODEL + MODEL.replace("f(", "g("))
    assert places(run(capfd, "check", "--baseline", "known.json")[1]) == ["model.py:18:5"]

    Path("unplace.toml").write_text('baseline = "known.json"\n')
    Path("model.py").write_text(REPAIRED)
    code, _, err = run(capfd, "check")
    assert code == 0
    assert err.endswith("1 finding of the baseline isn't there any more; write it anew.\n")


def test_a_baseline_knows_the_most_harmful_of_equal_lines(capfd: pytest.CaptureFixture[str]) -> None:
    harmless = "import torch\n\n\ndef h(x: torch.Tensor):\n    y = x * 2\n    y += 1\n    return y\n\n\n"
    Path("model.py").write_text(harmless + MODEL)
    assert run(capfd, "check", "--write-baseline", "known.json")[0] == 0
    code, out, err = run(capfd, "check", "--baseline", "known.json")
    assert (code, out) == (0, "")
    assert "Not listed: 1 harmless" in err
    assert "Known from the baseline: 1." in err


def test_markdown_without_its_option_is_said_to_be_markdown(capfd: pytest.CaptureFixture[str]) -> None:
    Path("README.md").write_text(f"# Hello world\n\n```python\n{MODEL}```\n")
    code, _, err = run(capfd, "check", "README.md")
    assert code == 2
    assert "this is Markdown: --markdown takes its Python blocks" in err
    assert run(capfd, "check", "--markdown", "README.md")[0] == 1


@pytest.mark.parametrize("content", [None, "{", "[]", '{"version": 2, "findings": {}}', '{"findings": {"a": 1}}'])
def test_a_file_that_is_no_baseline_is_said_to_be_none(content: str | None, capfd: pytest.CaptureFixture[str]) -> None:
    if content is not None:
        Path("known.json").write_text(content)
    code, out, err = run(capfd, "check", "--baseline", "known.json")
    assert (code, out) == (2, "")
    assert err.startswith("known.json: ")


def test_each_file_has_its_nearest_configuration(capfd: pytest.CaptureFixture[str]) -> None:
    for folder in ("lib", "lib/inner", "app"):
        Path(folder).mkdir()
        Path(folder, "net.py").write_text(MODEL)
    Path("unplace.toml").write_text('exclude = ["model.py"]\n')
    Path("lib/pyproject.toml").write_text('[tool.unplace]\nignore = ["UNP001"]\n')
    Path("lib/inner/unplace.toml").write_text("")
    assert places(run(capfd, "check")[1]) == ["app/net.py:6:5", "lib/inner/net.py:6:5"]
    assert places(run(capfd, "check", "--isolated", "lib")[1]) == ["lib/inner/net.py:6:5", "lib/net.py:6:5"]
    assert places(run(capfd, "check", "--config", "lib/pyproject.toml")[1]) == []
    assert run(capfd, "rewrite", "-q")[1].count("rewritten") == 2
    assert Path("lib/net.py").read_text() == MODEL
    Path("lib/inner/unplace.toml").write_text("unsave = true\n")
    code, _, err = run(capfd, "check")
    assert code == 2
    assert "unplace.toml: unknown key `unsave`" in err


def test_a_rewrite_of_several_files_follows_the_configuration_of_each(capfd: pytest.CaptureFixture[str]) -> None:
    Path("model.py").write_text(
        "import torch\nfrom lib.tools import _scale\n\n\n"
        "def f(x: torch.Tensor):\n    h = torch.sigmoid(x)\n    _scale(h, 2.0)\n    return h\n"
    )
    Path("lib").mkdir()
    helper = "import torch\n\n\ndef _scale(h: torch.Tensor, by: float):\n    h *= by\n"
    Path("lib/tools.py").write_text(helper)
    Path("lib/unplace.toml").write_text('ignore = ["UNP001"]\n')
    run(capfd, "rewrite")
    assert Path("lib/tools.py").read_text() == helper
    Path("lib/unplace.toml").write_text("")
    run(capfd, "rewrite")
    assert "h = _scale(h, 2.0)" in Path("model.py").read_text()
    assert "h = h * by" in Path("lib/tools.py").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("check", "--add-noqa"), "it is called `--add-ignores` here"),
        (("check", "--format", "json"), "`--output-format` says how to report"),
        (("rewrite", "--dry-run"), "`--diff` shows the changes"),
        (("rewrite", "--unsafe-fixes"), "it is called `--unsafe` here"),
        (("rewrite", "-i"), "`unplace rewrite` writes what it can"),
        (("check", "--quite"), "No such option: --quite. Did you mean --quiet?"),
        (("--vers",), "No such option: --vers. Did you mean --version?"),
        (("check", "--nonsense"), "No such option"),
    ],
)
def test_options_of_other_tools_are_answered(
    arguments: tuple[str, ...], words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capfd, *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert Path("model.py").read_text() == MODEL


def test_no_hint_is_given_for_an_option_that_exists() -> None:
    from unplace.cli import hints

    known = {name: set(hints._OF_COMMANDS.get(name, {})) | set(hints._EVERYWHERE) for name in ("check", "rewrite")}
    for command, answered in known.items():
        from importlib import import_module

        import typer

        parameters = typer.main.get_command(import_module(f"unplace.cli.{command}").app).params
        there = {option for parameter in parameters for option in (*parameter.opts, *parameter.secondary_opts)}
        assert not there & answered


def test_help_groups_commands_and_options_and_is_as_wide_as_the_terminal(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    listing = run(capfd, "-h")[1]
    assert all(f"\n  {command} " in listing for command in COMMANDS)
    assert "Find and repair:\n  check " in listing
    assert "Examples:" in listing
    monkeypatch.setenv("COLUMNS", "110")
    wide = run(capfd, "check", "-h")[1]
    assert [line for line in wide.splitlines() if line.endswith(":") and line[:1].strip()] == [
        "Arguments:",
        "The run:",
        "What counts as proved:",
        "What is judged:",
        "Output:",
        "Files:",
        "Configuration:",
        "Verification, which runs your code:",
        "Options:",
    ]
    monkeypatch.setenv("COLUMNS", "60")
    assert len(run(capfd, "check", "-h")[1].splitlines()) > len(wide.splitlines())


@pytest.mark.parametrize("command", COMMANDS)
def test_the_usage_line_has_no_braces(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capfd, command, "--help")
    usage = out.partition("\n\n")[0]
    assert usage.startswith(f"Usage: unplace {command} [OPTIONS]")
    assert "{" not in usage


def test_an_interrupted_check_speaks_of_checking(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("unplace.cli.files.rewrite_files", interrupted)
    assert run(capfd, "check") == (130, "", "Interrupted; checking changed no file.\n")
