"""The measurement of kinds: a package is observed and compared, and a verdict that is wrong shows up as one."""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))

from kinds_candidates import Shape, candidates  # noqa: E402
from kinds_observer import Observer, instrument  # noqa: E402
from kinds_report import Comparison, compared, render  # noqa: E402

MODULE = '''
"""A package with one candidate of each shape."""

import torch


def run(x: torch.Tensor, lied_about: torch.Tensor, anything):
    count = 0
    x[0] = 1.0
    x[1] += 1.0
    x.add_(1.0).mul_(2.0)
    count += 1
    found = {"a": x}
    found["a"] += 1.0
    anything[0] += 1.0
    lied_about += 1
    holder = torch.zeros(2)
    holder.data = x
    return x
'''


@pytest.fixture
def observed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Comparison:
    folder = tmp_path / "measured_package"
    folder.mkdir()
    (folder / "__init__.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    observer = Observer()
    observer.install("measured_package")
    module = importlib.import_module("measured_package")
    module.run(torch.ones(3), 1.0, [torch.ones(2)])
    module.run(torch.ones(3), 1.0, torch.ones(2))
    del sys.modules["measured_package"]
    observer.dump(tmp_path / "seen.json")
    return compared(folder, tmp_path, "seen")


def test_every_candidate_that_runs_is_compared(observed: Comparison) -> None:
    seen = {(s.judged.source, s.judged.candidate.shape): (s.judged.verdict.value, s.types) for s in observed.sites}
    tensor = {"torch.Tensor": 2}
    assert seen == {
        ("x", Shape.STORE): ("tensor", tensor),
        ("x", Shape.METHOD): ("tensor", tensor),
        ("x.add_(1.0)", Shape.METHOD): ("tensor", tensor),
        ("count", Shape.AUGMENTED): ("not a tensor", {"builtins.int": 2}),
        ("found", Shape.STORE): ("not a tensor", {"builtins.dict": 2}),
        ("found['a']", Shape.ELEMENT): ("tensor", tensor),
        ("anything", Shape.STORE): ("not known", {"builtins.list": 1, "torch.Tensor": 1}),
        ("anything[0]", Shape.ELEMENT): ("not known", {"torch.Tensor": 1}),
        ("lied_about", Shape.AUGMENTED): ("tensor", {"builtins.float": 2}),
        ("holder", Shape.DATA): ("tensor", tensor),
    }


def test_a_wrong_verdict_is_listed(observed: Comparison) -> None:
    text = render("package", observed)
    assert "precision of 'tensor': 6 of 7 = 85.7%" in text
    assert "said to be a tensor, was none (1):" in text
    assert "`lied_about` (x += v): builtins.float 2x" in text
    assert "1 a parameter without annotation\n" in text
    assert "1 an item of: a parameter without annotation\n" in text


def test_probes_keep_what_a_program_does() -> None:
    text = "log = []\ndef note(x):\n    log.append(x)\n    return x\n"
    text += "d = {1: 2}\nd[note(1)] += note(5)\nnote(d)[note(3)] = 4\n"
    plain: dict[str, object] = {}
    exec(compile(text, "plain.py", "exec"), plain)
    observer = Observer()
    observer.install("no_package_of_this_name")
    del sys.meta_path[0]
    probed: dict[str, object] = {}
    exec(compile(instrument(ast.parse(text), "probed.py"), "probed.py", "exec"), probed)
    assert probed["log"] == plain["log"] == [1, 5, {1: 7, 3: 4}, 3]


def test_links_of_a_chain_have_places_of_their_own() -> None:
    tree = ast.parse("x.add_(1).mul_(2)\nx[0][1] += 1\nx.data *= 2\n")
    places = [(ast.unparse(c.target), c.shape) for c in candidates(tree)]
    assert len({c.place for c in candidates(tree)}) == len(places) == 5
    assert ("x", Shape.DATA) not in places
