"""The measurement of harm: what writes do is seen, and a verdict that is wrong shows up as one."""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from harm_observer import Harms  # noqa: E402
from harm_report import Judged, judged, render  # noqa: E402
from kinds_writes import Partial  # noqa: E402

SCRIPT = """
import torch


def run(x: torch.Tensor, is_on: bool) -> torch.Tensor:
    y = x.exp()
    y += 1  # raises in backward
    z = y * 2
    z += 1  # harmless
    u = x * 1
    w = x.sigmoid()
    w.mul_(2)  # nobody asks for it
    n = z.cos()
    if not is_on:
        n.add_(1)  # a false alarm, as it never ran with a graph
    u.data = x * 3  # cuts the gradient
    return n.sum() + z.sum() + u.sum()


def forbidden(x: torch.Tensor) -> None:
    x[0] = 1  # torch refuses it


def hidden(x: torch.Tensor) -> torch.Tensor:
    y = x.exp()
    y.data.mul_(2)  # a gradient is wrong
    return y.sum()


def train():
    run(torch.ones(3, requires_grad=True) * 1, True)
    hidden(torch.ones(3, requires_grad=True) * 1)
"""


@pytest.fixture(scope="module")
def writes(tmp_path_factory: pytest.TempPathFactory) -> list[Judged]:
    folder = tmp_path_factory.mktemp("measured")
    path = folder / "script.py"
    path.write_text(SCRIPT)
    names: dict[str, object] = {}
    harms = Harms(folder)
    with harms:
        exec(compile(SCRIPT, str(path), "exec"), names)
        run, refused, hidden = (names[name] for name in ("run", "forbidden", "hidden"))
        x = torch.rand(3, requires_grad=True)
        run(x * 1, True).backward()  # type: ignore[operator]
        hidden(x * 1).backward()  # type: ignore[operator]
        with torch.no_grad():
            run(x, False)  # type: ignore[operator]
        with pytest.raises(RuntimeError):
            refused(x)  # type: ignore[operator]
    harms.dump(folder / "seen.json")
    return judged(folder / "seen.json", None)


def of(writes: list[Judged], comment: str) -> Judged:
    """The write in the line with this comment."""
    line = next(number for number, text in enumerate(SCRIPT.split("\n"), 1) if comment in text)
    return next(w for w in writes if w.place.line == line)


@pytest.mark.parametrize(
    ("comment", "word", "hurts"),
    [
        ("raises in backward", "raised", True),
        ("nobody asks for it", "overwrote", False),
        ("cuts the gradient", "cut", True),
        ("torch refuses it", "forbidden", True),
        ("a gradient is wrong", "hidden", False),
    ],
)
def test_what_a_write_does_is_seen(writes: list[Judged], comment: str, word: str, hurts: bool) -> None:
    write = of(writes, comment)
    assert write.found[word]
    assert write.hurt is hurts
    assert not write.is_false_alarm


def test_what_hurts_nothing_is_told_from_it(writes: list[Judged]) -> None:
    write = of(writes, "# harmless")
    assert write.found == {"ran": 2, "recorded": 1}


def test_the_saver_is_named(writes: list[Judged]) -> None:
    (saver,) = of(writes, "raises in backward").savers
    assert saver.startswith("exp ")
    assert saver.endswith("script.py:6")


def test_a_false_alarm_and_a_miss_are_listed(writes: list[Judged]) -> None:
    alarm = of(writes, "a false alarm")
    assert not alarm.hurt
    missed = [w for w in writes if w.hurt and not w.is_harmful]
    text = render("script", writes)
    assert f"missed {missed[0]}" in text
    assert f"of these called harmful: {sum(w.hurt for w in writes) - len(missed)} of 3" in text


def test_what_a_partial_writes_counts_where_it_was_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functools, "partial", Partial)
    text = (
        "import functools\nimport torch\nimport torch.nn.functional as F\n\n"
        "act = functools.partial(F.relu, inplace=True)\n\n\n"
        "def run(x):\n    y = x.exp()\n    return act(y).sum()\n\n\n"
        "def train():\n    run(torch.rand(3, requires_grad=True))\n"
    )
    path = tmp_path / "script.py"
    path.write_text(text)
    names: dict[str, object] = {}
    harms = Harms(tmp_path)
    with harms:
        exec(compile(text, str(path), "exec"), names)
        names["run"](torch.rand(3, requires_grad=True)).backward()  # type: ignore[operator]
    harms.dump(tmp_path / "seen.json")
    (write,) = judged(tmp_path / "seen.json", None)
    assert write.place.line == 5
    assert write.hurt
    assert write.is_harmful
