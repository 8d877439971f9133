"""No copy that a rewrite makes for autograd can be taken away: without it, an operation is harmful again."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from unplace.config.options import Options
from unplace.diagnostics.findings import Harm, Status
from unplace.transform.rewriter import first_round, rewrite_text

FAILURES = Path(__file__).parent / "failures"
COPY = re.compile(r"\.clone\(\)")
CLONED = re.compile(r"\s*(?:[\w.\[\]]+ = )+[\w.\[\]]+\.clone\(\)")
"""A statement that clones a tensor, which is then written: it is there for those who read the old one."""

POSSIBLE = frozenset(["init_hidden_method_buffer", "place_module_level_notebook", "shadow_point_gather"])
"""Programs whose writes may do harm with the copy, too, as far as the analysis knows."""


def harms(source: str) -> tuple[int, int, int]:
    """Count the harmful operations of a program, the possible ones, and those that would be rewritten."""
    found = first_round(source, "program.py", Options()).findings
    by_harm = Counter(finding.harm for finding in found)
    return by_harm[Harm.HARMFUL], by_harm[Harm.POSSIBLE], sum(f.status is Status.REWRITTEN for f in found)


@pytest.mark.parametrize("path", sorted(FAILURES.glob("*.py")), ids=lambda path: path.stem)
def test_each_copy_is_needed(path: Path) -> None:
    before = path.read_text("utf-8")
    after = rewrite_text(before, "program.py", Options()).after
    if path.stem in POSSIBLE or after.count(".clone()") == before.count(".clone()"):
        return
    lines = set(before.splitlines())
    known = harms(after)
    for copy in COPY.finditer(after):
        line = after[: copy.start()].rpartition("\n")[2] + after[copy.start() :].partition("\n")[0]
        if line not in lines and not CLONED.fullmatch(line):
            less = harms(after[: copy.start()] + after[copy.end() :])
            assert any(now > then for now, then in zip(less, known, strict=True)), line


RESIDUAL = """\
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 1)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        out = self.relu(self.conv(x))
        out += x
        return self.relu(out)
"""


def test_a_flag_stays_that_other_edits_make_harmless() -> None:
    harmful = Options(only=frozenset([Harm.HARMFUL]))
    report = rewrite_text(RESIDUAL, "program.py", harmful)
    assert report.after == RESIDUAL.replace("out += x", "out = out + x")
    assert [str(f.reason) for f in report.findings][:1] == ["the edits beside it repair it, too"]
    assert not rewrite_text(report.after, "program.py", harmful).findings
    assert "inplace" not in rewrite_text(RESIDUAL, "program.py", Options()).after
