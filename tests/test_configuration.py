"""Configuration files: where they are found, what they change, and what is wrong with them."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from unplace.cli import main

MODEL = """\
import torch
def f(x: torch.Tensor):
    y = x.exp()
    y += 1
    y.mul_(2)
    x += 1
    return y, x
def train():
    f(torch.ones(3, requires_grad=True) * 1)
"""


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("src").mkdir()
    Path("tests").mkdir()
    for name in ("src/model.py", "tests/model.py"):
        Path(name).write_text(MODEL)


def found(capfd: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    main(["check", "--output-format", "json", *arguments])
    document = json.loads(capfd.readouterr().out)
    return [f"{s['path']}:{s['code']}:{s['status']}" for s in document["sites"]]


def configure(text: str, name: str = "pyproject.toml") -> None:
    Path(name).write_text(f"[tool.unplace]\n{text}\n" if name == "pyproject.toml" else f"{text}\n")


ALL = ["UNP001:rewritten", "UNP002:rewritten", "UNP001:refused"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ALL),
        ('select = ["UNP002"]', ["UNP002:rewritten"]),
        ('ignore = ["UNP001"]', ["UNP002:rewritten"]),
        ('only = ["possible"]', ["UNP001:refused"]),
        ("unsafe = true", ["UNP001:rewritten", "UNP002:rewritten", "UNP001:rewritten"]),
        ('per-file-ignores = { "src/" = ["UNP001"] }', ["UNP002:rewritten"]),
        ('per-file-ignores = { "*.py" = ["UNP002"], "tests/" = ["UNP001"] }', ["UNP001:rewritten", "UNP001:refused"]),
    ],
)
def test_what_the_keys_do(text: str, expected: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    configure(text)
    assert found(capfd, "src") == [f"src/model.py:{entry}" for entry in expected]


def test_preserve_dtype(capfd: pytest.CaptureFixture[str]) -> None:
    Path("src/model.py").write_text(
        "import torch\ndef f(x: torch.Tensor, k: torch.Tensor):\n    y = x.exp()\n    y += k\n    return y\n"
    )
    configure("preserve-dtype = true")
    main(["rewrite", "--diff", "src"])
    assert "+    y = (y + k).to(y.dtype)" in capfd.readouterr().out
    main(["rewrite", "--diff", "--no-preserve-dtype", "src"])
    assert "+    y = y + k\n" in capfd.readouterr().out


def test_excluded_files_are_left_out_of_folders(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    configure('exclude = ["tests/", "*_old.py"]')
    Path("src/model_old.py").write_text(MODEL)
    assert {entry.split(":")[0] for entry in found(capfd, ".")} == {"src/model.py"}
    assert {entry.split(":")[0] for entry in found(capfd, "tests/model.py")} == {"tests/model.py"}
    monkeypatch.chdir("src")
    assert {entry.split(":")[0] for entry in found(capfd, ".")} == {"model.py"}


def test_what_is_excluded_can_be_left_out_where_it_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    configure('exclude = ["tests/", "*_old.py"]')
    Path("src/model_old.py").write_text(MODEL)
    named = ["src/model.py", "src/model_old.py", "tests/model.py", "tests"]
    assert {entry.split(":")[0] for entry in found(capfd, "--force-exclude", *named)} == {"src/model.py"}
    assert {entry.split(":")[0] for entry in found(capfd, *named)} == {*named} - {"tests"}
    assert main(["rewrite", "--force-exclude", "tests/model.py"]) == 0
    assert capfd.readouterr() == ("", "warning: No Python files found under the given path(s)\n")
    assert Path("tests/model.py").read_text() == MODEL
    assert main(["check", "--force-exclude", "-"]) == 2
    assert "says of standard input only with --stdin-filename" in " ".join(capfd.readouterr().err.split())


@pytest.mark.parametrize(("name", "is_rewritten"), [("tests/model.py", False), ("src/model.py", True)])
def test_a_buffer_that_is_called_like_an_excluded_file_stays(
    name: str, is_rewritten: bool, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    configure('exclude = ["tests/"]')
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(MODEL.encode())))
    main(["rewrite", "--force-exclude", "--stdin-filename", name, "-"])
    assert (capfd.readouterr().out != MODEL) is is_rewritten


def test_the_command_line_goes_before_the_file(capfd: pytest.CaptureFixture[str]) -> None:
    configure('select = ["UNP002"]\nignore = ["UNP002"]\nonly = ["harmless"]\nunsafe = true')
    assert found(capfd, "src") == []
    options = ["--select", "UNP001", "--ignore", "UNP003", "--only", "possible", "--safe"]
    assert found(capfd, *options, "src") == ["src/model.py:UNP001:refused"]


def test_the_nearest_file_holds(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    configure('select = ["UNP002"]')
    configure('select = ["UNP003"]', "unplace.toml")
    assert found(capfd, "src") == []
    Path("src/pyproject.toml").write_text("[tool.ruff]\nunplace = 1\n")  # without a section of ours: passed over
    monkeypatch.chdir("src")
    assert found(capfd, ".") == []
    Path("pyproject.toml").write_text('[tool.unplace]\nselect = ["UNP001"]\n')
    assert found(capfd, ".") == ["model.py:UNP001:rewritten", "model.py:UNP001:refused"]
    assert found(capfd, "--config", "../pyproject.toml", ".") == ["model.py:UNP002:rewritten"]
    assert found(capfd, "--isolated", ".") == [f"model.py:{entry}" for entry in ALL]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "pyproject.toml",
            "selct = []",
            "pyproject.toml: [tool.unplace]: unknown key `selct`. Did you mean select? Known: select, ignore, only, ",
        ),
        (
            "unplace.toml",
            "per_file_ignores = {}",
            "unplace.toml: unknown key `per_file_ignores`. Did you mean per-file-",
        ),
        ("unplace.toml", 'select = "UNP001"', 'unplace.toml: select: must be a list of strings, such as ["..."]'),
        (
            "unplace.toml",
            '[tool.unplace]\nselect = ["UNP001"]',
            "unplace.toml: unknown key `tool`. Leave out the header `[tool.unplace]` here. Known: select, ignore, ",
        ),
        (
            "unplace.toml",
            'select = ["UNP01"]',
            "unplace.toml: select: unknown rule UNP01. Did you mean UNP001? Known: ",
        ),
        ("unplace.toml", 'only = ["bad"]', "unplace.toml: only: unknown harm bad. Known: harmful, possible, harmless."),
        ("unplace.toml", "unsafe = 1", "unplace.toml: unsafe: must be true or false"),
        ("unplace.toml", "per-file-ignores = []", "unplace.toml: per-file-ignores: must be a table, such as "),
        ("unplace.toml", 'exclude = ["a.py", "[z-a]"]', "unplace.toml: exclude: [z-a] is no pattern, as nothing can "),
        ("unplace.toml", 'exclude = ["a\\\\"]', "unplace.toml: exclude: a\\ is no pattern, as nothing can match it"),
        ("unplace.toml", 'per-file-ignores = { "!" = ["UNP001"] }', "unplace.toml: per-file-ignores: ! is no pattern"),
        ("unplace.toml", "select = [", "unplace.toml: not valid TOML: "),
        ("pyproject.toml", "x = \n", "pyproject.toml: not valid TOML: "),
    ],
)
def test_mistakes_are_named(name: str, text: str, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    configure(text, name)
    for command in (["check", "src"], ["rewrite", "src"], ["explain", "src/model.py:4"], ["config"]):
        assert main(command) == 2
        out, err = capfd.readouterr()
        assert out == ""
        assert err.removeprefix(f"{Path.cwd()}/").startswith(message)
    assert Path("src/model.py").read_text() == MODEL
    assert main(["check", "--isolated", "src"]) == 1


def test_a_configuration_file_that_is_not_there(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--config", "none.toml", "src"]) == 2
    assert capfd.readouterr().err.startswith("none.toml: cannot read: No such file or directory; check the path")
    assert main(["check", "--config", "none.toml", "--isolated", "src"]) == 2
    assert "cannot be given together with --isolated" in " ".join(capfd.readouterr().err.split())


@pytest.mark.parametrize("name", ["pyproject.toml", "unplace.toml"])
def test_a_configuration_file_that_cannot_be_read(
    name: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    configure("", name)
    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == name:
            raise PermissionError(13, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert main(["check", "src"]) == 2
    expected = f"{Path.cwd()}/{name}: cannot read: Permission denied; check the path and its mode bits\n"
    assert capfd.readouterr() == ("", expected)


def test_what_holds_is_shown_with_its_source(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["config"]) == 0
    assert capfd.readouterr().out == (
        "# select is not set        # default\n"
        "ignore = []                # default\n"
        "# only is not set          # default\n"
        "# exclude is not set       # default\n"
        "# baseline is not set      # default\n"
        "per-file-ignores = {}      # default\n"
        "unsafe = false             # default\n"
        "strict = false             # default\n"
        "preserve-dtype = false     # default\n"
        'whole-program = "auto"     # default\n'
        "functional = false         # default\n"
        "# target-torch is not set  # default\n"
        "models = []                # default\n"
        "# facts is not set         # default\n"
    )
    configure(
        'select = ["UNP00"]\nexclude = ["a\\"b/"]\nper-file-ignores = { "t/" = ["UNP002", "UNP001"] }', "unplace.toml"
    )
    assert main(["config"]) == 0
    shown = capfd.readouterr().out
    assert f"  # {Path.cwd()}/unplace.toml\n" in shown
    Path("copy.toml").write_text(shown)
    assert main(["config", "--config", "copy.toml"]) == 0  # it is TOML that says the same
    values = [line.split("  # ")[0].rstrip() for line in shown.splitlines()]
    assert [line.split("  # ")[0].rstrip() for line in capfd.readouterr().out.splitlines()] == values
    assert 'exclude = ["a\\"b/"]' in values
    assert 'per-file-ignores = { "t/" = ["UNP001", "UNP002"] }' in values


# --since


def git(*arguments: str) -> None:
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *author, *arguments], check=True, capture_output=True)


@pytest.fixture
def _committed() -> None:
    git("init", "-q")
    Path('odd "name"\té.py').write_text(MODEL)
    git("add", ".")
    git("commit", "-qm", "first")


@pytest.mark.usefixtures("_committed")
def test_only_what_changed_since_a_revision(capfd: pytest.CaptureFixture[str]) -> None:
    assert found(capfd, "--since", "HEAD", ".") == []
    Path("src/model.py").write_text(MODEL.replace("mul_(2)", "mul_(3)"))
    Path('odd "name"\té.py').write_text(MODEL.replace("y += 1", "y += 5"))
    Path("src/new.py").write_text(MODEL.replace("    y.mul_(2)\n", ""))
    assert found(capfd, "--since", "HEAD", ".") == [
        'odd "name"\té.py:UNP001:rewritten',
        "src/model.py:UNP002:rewritten",
        "src/new.py:UNP001:rewritten",
        "src/new.py:UNP001:refused",
    ]
    git("add", "src")
    git("commit", "-qm", "second")
    assert len(found(capfd, "--since", "HEAD", ".")) == 1
    assert len(found(capfd, "--since", "HEAD~1", ".")) == 4


@pytest.mark.usefixtures("_committed")
def test_a_rewrite_since_a_revision_leaves_the_rest(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("src/model.py").write_text(MODEL.replace("mul_(2)", "mul_(3)"))
    monkeypatch.chdir("src")
    assert main(["rewrite", "--since", "HEAD", "."]) == 0
    capfd.readouterr()
    assert Path("model.py").read_text() == MODEL.replace("y.mul_(2)", "y = y.mul(3)")


@pytest.mark.usefixtures("_committed")
def test_since_what(capfd: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    assert main(["check", "--since", "nowhere", "."]) == 2
    assert capfd.readouterr().err == ".: Git knows no revision nowhere here; write a branch, tag or commit\n"
    assert main(["check", "--since", "--help", "."]) == 2
    capfd.readouterr()
    outside = tmp_path_factory.mktemp("outside") / "a.py"
    outside.write_text(MODEL)
    assert main(["check", "--since", "HEAD", str(outside)]) == 2
    expected = f"{outside}: in no Git repository, so --since says nothing of it; leave it out\n"
    assert capfd.readouterr().err == expected
    assert main(["check", "--since", "HEAD", "-"]) == 2
    assert "says nothing of standard input" in " ".join(capfd.readouterr().err.split())
