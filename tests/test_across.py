"""Rewrites that edit several files of a run: the files are worked out, changed and written together."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.test_project import program_of, prove, write

from unplace.config.options import Options
from unplace.diagnostics.findings import Applicability, Finding, Harm, Status
from unplace.reporting import sarif
from unplace.runs.across import across
from unplace.runs.many import rewrite_files, together, written
from unplace.runs.outcome import Outcome
from unplace.text.edits import apply_edits
from unplace.text.positions import Text

BEGIN = "    import torch\n"
EXAMPLE = """

    def example():
        return f, (torch.rand(3, 3, requires_grad=True),)

    def train():
        f(torch.rand(3, 3, requires_grad=True) * 1)
"""
SHIFT = """
    def _shift(h, by):
        h += by
"""
CALL = """
    from .utils import _shift

    def f(x):
        h = torch.sigmoid(x)
        _shift(h, 1.0)  # shifted
        return h * 2
"""


def texts_of(files: dict[str, str]) -> dict[str, str]:
    """The files of a package, of which `main.py` has the example."""
    texts = {name: BEGIN + text for name, text in files.items()}
    return {**texts, "main.py": texts["main.py"] + EXAMPLE}


def worked_out(paths: Sequence[str], options: Options, jobs: int = 1) -> list[Outcome]:
    found = across(list(rewrite_files(paths, options, jobs)), lambda _: options)
    assert [outcome.problem for outcome in found if outcome.problem] == []
    return found


def rewritten(folder: Path, files: dict[str, str], *, unsafe: bool = False, jobs: int = 1) -> dict[str, Outcome]:
    """What becomes of each file, by name, after a proof through torch; a second run has nothing more to do."""
    options = Options(unsafe=unsafe, spans_later=True)
    write(folder / "before", texts_of(files))
    paths = write(folder / "after", texts_of(files))
    found = worked_out(paths, options, jobs)
    assert written(found) == found
    proof = prove(program_of(folder / "before"), program_of(folder / "after"))
    assert not proof.is_worse, proof.differences
    assert [outcome.path for outcome in worked_out(paths, options) if outcome.change] == []
    for outcome in found:
        if outcome.change is not None:
            assert apply_edits(outcome.change.before.text, outcome.edits) == outcome.change.after.text
    return {Path(outcome.path).name: outcome for outcome in found}


def repaired(folder: Path, files: dict[str, str], *, unsafe: bool = False) -> dict[str, str]:
    """The new texts of the changed files, which autograd accepts now, as it didn't before."""
    found = rewritten(folder, files, unsafe=unsafe)
    proof = prove(program_of(folder / "before"), program_of(folder / "after"))
    assert proof.original_error is not None
    assert proof.differences == ()
    return {name: o.change.after.text for name, o in found.items() if o.change is not None}


def only_finding(found: dict[str, Outcome], name: str = "utils.py") -> Finding:
    (finding,) = found[name].findings
    return finding


# -- a function returns what it wrote, and its calls take it -----------------------------------------------------------


def test_the_caller_in_another_file_takes_the_new_tensor(tmp_path: Path) -> None:
    texts = repaired(tmp_path, {"utils.py": SHIFT, "main.py": CALL})
    assert texts["utils.py"] == "import torch\n\ndef _shift(h, by):\n    h = h + by\n    return h\n"
    assert "    h = _shift(h, 1.0)  # shifted\n" in texts["main.py"]


def test_what_a_function_of_a_public_name_returns_rests_on_an_assumption(tmp_path: Path) -> None:
    files = {"utils.py": SHIFT.replace("_shift", "shift"), "main.py": CALL.replace("_shift", "shift")}
    texts = repaired(tmp_path / "unsafe", files, unsafe=True)
    assert "h = shift(h, 1.0)  # shifted" in texts["main.py"]
    finding = only_finding(rewritten(tmp_path / "told", files, unsafe=True))
    assert finding.applicability is Applicability.UNSAFE
    assert finding.assumptions[0] == "no code outside this run calls `shift`"
    assert repaired(tmp_path / "safe", files)["main.py"].count("torch.sigmoid(x).clone()") == 1


FORMS = {
    "a module's attribute": (
        SHIFT,
        "from . import utils\n\n    def f(x):\n        h = x.exp()\n        utils._shift(h, 2)\n        return h\n",
        "    h = utils._shift(h, 2)\n",
    ),
    "another name": (
        SHIFT,
        "from .utils import _shift as s\n\n    def f(x):\n        h = x.exp()\n        s(h, by=2)\n        return h\n",
        "    h = s(h, by=2)\n",
    ),
    "a function that returns something": (
        "\n    def _scaled(h):\n        h *= 2\n        return h.sum()\n",
        "from .utils import _scaled\n\n    def f(x):\n        h = x.exp()\n        s = _scaled(h)\n"
        "        return h * s\n",
        "    s, h = _scaled(h)\n",
    ),
    "a view": (
        SHIFT,
        "from .utils import _shift\n\n    def f(x):\n        h = x.exp()\n        _shift(h[0], 1)\n        return h\n",
        "    new_h = _shift(h[0], 1)\n    h = h.clone()\n    h[0] = new_h\n",
    ),
    "an early return": (
        "\n    def _step(h, k=1):\n        h += k\n        if k > 2:\n            return\n        h *= 2\n",
        "from .utils import _step\n\n    def f(x):\n        h = x.exp()\n        _step(h, k=1)\n        return h\n",
        "    h = _step(h, k=1)\n",
    ),
    "a method": (
        "\n    class Cell:\n        def _update(self, h, x):\n            h.mul_(0.5).add_(x)\n",
        "from .utils import Cell\n\n    def f(x):\n        h = x.exp()\n        Cell()._update(h, x)\n"
        "        return h\n",
        "    h = Cell()._update(h, x)\n",
    ),
    "a static method": (
        "\n    class Cell:\n        @staticmethod\n        def _less(h):\n            h -= h.mean()\n",
        "from .utils import Cell\n\n    def f(x):\n        h = x.exp()\n        Cell._less(h)\n        return h\n",
        "    h = Cell._less(h)\n",
    ),
    "two parameters": (
        "\n    def _pair(a: torch.Tensor, b: torch.Tensor) -> None:\n        a += b\n        b *= 2\n",
        "from .utils import _pair\n\n    def f(x):\n        a, b = x.exp(), x.tanh()\n        _pair(a, b)\n"
        "        return a, b\n",
        "    a, b = _pair(a, b)\n",
    ),
    "an attribute": (
        SHIFT,
        "from .utils import _shift\n\n    class Box:\n        pass\n\n    def f(x):\n        box = Box()\n"
        "        box.h = x.exp()\n        _shift(box.h, 1)\n        return box.h\n",
        "    box.h = _shift(box.h, 1)\n",
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_calls_take_the_new_tensor_in_whatever_form(form: str, tmp_path: Path) -> None:
    utils, main, line = FORMS[form]
    texts = repaired(tmp_path, {"utils.py": utils, "main.py": f"    {main}"})
    assert line in texts["main.py"]


def test_all_callers_take_the_new_tensor_and_edits_of_their_own_stay(tmp_path: Path) -> None:
    mid = """
    from .utils import _shift

    def use(x):
        y = x.tanh()
        _shift(y, 1)
        return y
    """
    main = """
    from .mid import use
    from .utils import _shift

    def f(x):
        y = x.exp(); y += 1
        h = torch.sigmoid(x); _shift(h, 1.0)
        return h * y, use(x)
    """
    texts = repaired(tmp_path, {"utils.py": SHIFT, "mid.py": mid, "main.py": main})
    assert "    y = _shift(y, 1)\n" in texts["mid.py"]
    assert "    y = x.exp(); y = y + 1\n    h = torch.sigmoid(x); h = _shift(h, 1.0)\n" in texts["main.py"]


def test_a_caller_that_passes_its_argument_on_hands_it_back_in_turn(tmp_path: Path) -> None:
    mid = """
    from .utils import _shift

    def _middle(p: torch.Tensor):
        _shift(p, 1)
    """
    main = CALL.replace(".utils import _shift", ".mid import _middle").replace("_shift(h, 1.0)", "_middle(h)")
    texts = repaired(tmp_path, {"utils.py": SHIFT, "mid.py": mid, "main.py": main})
    assert "    p = _shift(p, 1)\n    return p\n" in texts["mid.py"]
    assert "    h = _middle(h)  # shifted\n" in texts["main.py"]


# -- what can't be done is refused, and nothing is changed by half -----------------------------------------------------

OTHER = """
    from .utils import _shift

    def other(x):
        h = x.tanh()
        _shift(h, 1)
        return h
"""
HIDDEN = {
    "a name that a second file gave it": (
        SHIFT,
        "from .utils import _shift as s\n",
        "    from .other import other\n    from .user import s\n\n    def f(x):\n        h = x.exp()\n        s(h, 1)\n"
        "        return h, other(x)\n",
    ),
    "an import that may be another function": (
        SHIFT,
        "def _shift(h, by):\n        h -= by\n",
        "    from .other import other\n    try:\n        from .missing import _shift\n    except ImportError:\n"
        "        from .utils import _shift\n\n    def f(x):\n        h = x.exp()\n        _shift(h, 1)\n"
        "        return h, other(x)\n",
    ),
    "an object of a class that overrides the method": (
        SHIFT + "\n    class Cell:\n        def _update(self, h):\n            h += 1\n",
        "from .utils import Cell\n\n    class Own(Cell):\n        def _update(self, h):\n            h += 2\n",
        "    from .user import Own\n    from .utils import Cell\n\n    def g(cell: Cell, h: torch.Tensor):\n"
        "        y = h.exp()\n        cell._update(y)\n        return y\n\n    def f(x):\n"
        "        return g(Own(), x), g(Cell(), x)\n",
    ),
    "a function that is looked up": (
        SHIFT,
        "from . import utils\n\n    def run(name, h):\n        getattr(utils, '_' + name)(h, 1)\n        return h\n",
        "    from .other import other\n    from .user import run\n\n    def f(x):\n"
        "        return other(x), run('shift', x.exp())\n",
    ),
    "a tensor that is also in a list": (
        SHIFT,
        "from .utils import _shift\n\n    def both(h):\n        held = [h]\n        _shift(h, 1)\n"
        "        return held[0] + h\n",
        "    from .other import other\n    from .user import both\n\n    def f(x):\n"
        "        return both(x.exp()), other(x)\n",
    ),
    "a tensor of a module": (
        SHIFT,
        "from .utils import _shift\n\n    STATE = torch.zeros(3)\n\n    def grow(x):\n        y = STATE * x\n"
        "        _shift(STATE, 1)\n        return y\n",
        "    from .other import other\n    from .user import STATE, grow\n\n    def f(x):\n"
        "        return grow(x), grow(x), STATE * 1, other(x)\n",
    ),
}


@pytest.mark.parametrize("unsafe", [False, True])
@pytest.mark.parametrize("case", HIDDEN)
def test_no_call_that_is_not_edited_gets_another_result(case: str, unsafe: bool, tmp_path: Path) -> None:
    utils, user, main = HIDDEN[case]
    files = {"utils.py": utils, "user.py": f"    {user}", "main.py": main, "other.py": OTHER}
    rewritten(tmp_path, files, unsafe=unsafe)


NOT_TAKEN = {
    "a use that is no call": (
        "from .utils import _shift\n\n    OPS = [_shift]\n",
        "OPS[0](h, 1)",
        "not every use of `_shift` is a call that can be given a new tensor",
    ),
    "a call in a lambda": (
        "from .utils import _shift\n",
        "(lambda: _shift(h, 1))()",
        "it isn't a statement or an assignment of its own",
    ),
    "a call whose failure is caught": (
        "from .utils import _shift\n",
        "try:\n            _shift(h, 1)\n        except ValueError:\n            pass",
        "an exception in it would leave the tensor half written",
    ),
    "a file that a comment leaves out": (
        "from .utils import _shift  # unplace: skip-file\n",
        "_shift(h, 1)",
        "a comment leaves out the file of the call in line 2 of user.py",
    ),
}


@pytest.mark.parametrize("case", NOT_TAKEN)
def test_one_call_that_cannot_take_the_tensor_is_enough(case: str, tmp_path: Path) -> None:
    begin, call, words = NOT_TAKEN[case]
    user = f"    {begin}\n    def use(h):\n        {call}\n        return h\n"
    found = rewritten(tmp_path, {"utils.py": SHIFT, "user.py": user, "main.py": CALL})
    finding = only_finding(found)
    assert "_shift(h, 1.0)  # shifted" in (tmp_path / "after" / "pkg" / "main.py").read_text("utf-8")
    assert "h = _shift(h, 1.0)" not in (tmp_path / "after" / "pkg" / "main.py").read_text("utf-8")
    if finding.status is Status.REFUSED:
        assert words in finding.message, finding.message


def test_a_call_that_omits_the_argument_keeps_what_the_function_returns(tmp_path: Path) -> None:
    utils = """
    def _total(x, h=None):
        if h is None:
            h = x * 2
        h += 1
        return h.sum()
    """
    user = """
    from .utils import _total

    def use(x):
        return _total(x)
    """
    main = """
    from .user import use
    from .utils import _total

    def f(x):
        h = x.exp()
        s = _total(x, h)
        return s + use(x), h
    """
    rewritten(tmp_path, {"utils.py": utils, "user.py": user, "main.py": main})
    assert "return h.sum()\n" in (tmp_path / "after" / "pkg" / "utils.py").read_text("utf-8")


def test_a_default_that_lasts_is_written_in_place_even_if_all_calls_are_known(tmp_path: Path) -> None:
    utils = """
    def _add(x, total: torch.Tensor = torch.zeros(3)):
        total += x.detach()
        return total * 1
    """
    main = "    from .utils import _add\n\n    def f(x):\n        return _add(x[0]), _add(x[1])\n"
    paths = write(tmp_path, texts_of({"utils.py": utils, "main.py": main}))
    for options in (Options(whole_program=True, spans_later=True), Options(spans_later=True)):
        (finding,) = [finding for outcome in worked_out(paths, options) for finding in outcome.findings]
        assert finding.status is Status.REFUSED
        assert finding.message == "the default of `total` lasts from one call to the next"


# -- the operation of a caller in another file saves a copy ------------------------------------------------------------


def test_a_caller_in_another_file_saves_a_copy_of_what_a_public_function_writes(tmp_path: Path) -> None:
    utils = "\n    def shifted(x, by):\n        x += by\n        return x\n"
    main = """
    from .utils import shifted

    def f(x):
        h = torch.sigmoid(x)
        return shifted(h, 1.0).sum()
    """
    files = {"utils.py": utils, "main.py": main}
    texts = repaired(tmp_path / "a", files)
    assert list(texts) == ["main.py"]
    assert "    h = torch.sigmoid(x).clone()\n" in texts["main.py"]
    finding = only_finding(rewritten(tmp_path / "b", files))
    assert (finding.status, finding.applicability, finding.harm) == (Status.REWRITTEN, Applicability.SAFE, Harm.HARMFUL)
    assert finding.message == "the write stays; sigmoid() in line 6 of main.py gets a copy to save for backward"


def test_callers_here_and_elsewhere_save_copies(tmp_path: Path) -> None:
    utils = """
    def shifted(x, by):
        x += by
        return x

    def own(x):
        y = x.tanh()
        return shifted(y, 2)
    """
    main = """
    from .utils import own, shifted

    def f(x):
        return shifted(torch.sigmoid(x), 1.0) * own(x)
    """
    texts = repaired(tmp_path, {"utils.py": utils, "main.py": main})
    assert "y = x.tanh().clone()" in texts["utils.py"]
    assert "shifted(torch.sigmoid(x).clone(), 1.0)" in texts["main.py"]


def test_lines_of_other_files_are_those_before_the_run(tmp_path: Path) -> None:
    main = """
    from .utils import shifted

    def g(x, k):
        y = x.exp()
        z = y[0]
        y += k
        return z, y

    def f(x):
        h = torch.sigmoid(x)
        return shifted(h, 1.0).sum(), g(x, 1)
    """
    utils = "\n    def shifted(x, by):\n        x += by\n        return x\n"
    found = rewritten(tmp_path, {"utils.py": utils, "main.py": main})
    finding = only_finding(found)
    assert "sigmoid() in line 12 of main.py" in finding.message
    assert finding.saved_by is not None
    assert finding.saved_by.line == 12


# -- all ways to run it ------------------------------------------------------------------------------------------------


def test_processes_make_no_difference(tmp_path: Path) -> None:
    files = {"utils.py": SHIFT, "main.py": CALL}
    one, two = rewritten(tmp_path / "one", files), rewritten(tmp_path / "two", files, jobs=2)
    changed = [{name: o.change and o.change.after.text for name, o in found.items()} for found in (one, two)]
    assert changed[0] == changed[1]
    assert only_finding(one) == only_finding(two) or only_finding(one).message == only_finding(two).message


def test_sarif_fixes_span_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = write(tmp_path, texts_of({"utils.py": SHIFT, "main.py": CALL}))
    monkeypatch.chdir(tmp_path)
    found = worked_out(paths, Options(spans_later=True))
    (result,) = [r for r in json.loads(sarif.document(found))["runs"][0]["results"] if "fixes" in r]
    for change in result["fixes"][0]["artifactChanges"]:
        path = Path(change["artifactLocation"]["uri"])
        (outcome,) = [o for o in found if o.path == path.as_posix()]
        assert outcome.change is not None
        text = Text(outcome.change.before.text)
        for each in reversed(change["replacements"]):
            region = each["deletedRegion"]
            start = text.offset_of(region["startLine"], region["startColumn"])
            end = text.offset_of(region["endLine"], region["endColumn"])
            text = Text(text.text[:start] + each["insertedContent"]["text"] + text.text[end:])
        assert text.text == outcome.change.after.text


def test_the_files_of_a_rewrite_are_written_all_or_none(tmp_path: Path) -> None:
    paths = write(tmp_path, texts_of({"utils.py": SHIFT, "main.py": CALL, "other.py": "X = 1\n"}))
    before = {path: Path(path).read_bytes() for path in paths}
    found = worked_out(paths, Options(spans_later=True))
    (group,) = [group for group in together(found) if len(group) > 1]
    assert sorted(Path(outcome.path).name for outcome in group) == ["main.py", "utils.py"]
    utils = tmp_path / "pkg" / "utils.py"
    utils.write_bytes(before[str(utils)] + b"# edited meanwhile\n")
    done = {Path(outcome.path).name: outcome for outcome in written(group)}
    assert all(outcome.problem is not None and outcome.change is None for outcome in done.values())
    assert "changed on disk" in str(done["utils.py"].problem)
    assert "has to change with it" in str(done["main.py"].problem)
    assert (tmp_path / "pkg" / "main.py").read_bytes() == before[str(tmp_path / "pkg" / "main.py")]


def run(folder: Path, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "unplace", *arguments]
    return subprocess.run(command, cwd=folder, input=stdin, capture_output=True, text=True, check=False, timeout=100)


def test_the_command_writes_shows_and_lists_them(tmp_path: Path) -> None:
    write(tmp_path, texts_of({"utils.py": SHIFT, "main.py": CALL}))
    before = (tmp_path / "pkg" / "main.py").read_text("utf-8")
    for more in ([], ["--no-cache"], []):  # the second and third run may know the results of the first
        shown = run(tmp_path, "rewrite", "--diff", ".", *more).stdout
        assert "-    _shift(h, 1.0)  # shifted\n+    h = _shift(h, 1.0)  # shifted\n" in shown
        assert "+    return h\n" in shown
    listed = run(tmp_path, "check", "--output-format", "concise", ".")
    assert "utils.py:4:5: UNP001" in listed.stdout
    assert "[harmful, fix]" in listed.stdout  # its dtype is assumed
    assert (tmp_path / "pkg" / "main.py").read_text("utf-8") == before
    done = run(tmp_path, "rewrite", ".")
    assert done.returncode == 0, done.stderr
    assert "h = _shift(h, 1.0)" in (tmp_path / "pkg" / "main.py").read_text("utf-8")
    assert "return h" in (tmp_path / "pkg" / "utils.py").read_text("utf-8")


def test_what_takes_each_file_by_itself_says_what_it_leaves_out(tmp_path: Path) -> None:
    write(tmp_path, texts_of({"utils.py": SHIFT, "main.py": CALL}))
    for command in (
        ["git", "init", "-q"],
        ["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
    ):
        subprocess.run(command, cwd=tmp_path, check=True, timeout=20)
    told = run(tmp_path, "rewrite", "--check", "--since", "HEAD", ".")
    assert "warning: --since leaves out rewrites that need edits in several files" in told.stderr
    assert "h = _shift" not in told.stdout


def test_one_file_alone_is_told_to_be_run_with_its_callers(tmp_path: Path) -> None:
    text = BEGIN.strip() + SHIFT.replace("\n    ", "\n").replace("(h, by)", "(h: torch.Tensor, by)")
    told = run(tmp_path, "check", "-", "--output-format", "json", stdin=text)
    (site,) = json.loads(told.stdout)["sites"]
    assert site["status"] == "refused"
    assert site["message"].endswith("a run with their files may rewrite it")
