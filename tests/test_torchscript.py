"""What TorchScript compiles is compiled after the rewriting, too: no generators, no other types of results."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path

import pytest

from unplace.config.options import Options
from unplace.runs.many import rewrite_files
from unplace.transform.rewriter import rewrite_text

PIECES = """
def pieces(x: torch.Tensor):
    y = x.exp()
    parts = y.unbind(1)
    parts[0].add_(1)
    return y * 2
"""
HELPER = """
def _bump(h: torch.Tensor, x: torch.Tensor):
    h += x


def pieces(x: torch.Tensor):
    y = x.exp()
    _bump(y, x)
    return y * 2
"""
MODULE = """
class Gate(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 2.0

    def forward(self, x: torch.Tensor):
        return self.cut(x.exp())

    def cut(self, y: torch.Tensor):
        parts = y.unbind(1)
        parts[0].add_(self.scale)
        return y
"""
PROGRAMS = {
    "decorated": PIECES.replace("def pieces", "@torch.jit.script\ndef pieces"),
    "if tracing": PIECES.replace("def pieces", "@torch.jit.script_if_tracing\ndef pieces"),
    "handed over": f"{PIECES}\n\nquick = torch.jit.script(pieces)\n",
    "called": f"{PIECES}\n\n@torch.jit.script\ndef twice(x: torch.Tensor):\n    return pieces(x) * 2\n",
    "a helper that writes": f"{HELPER}\n\nquick = torch.jit.script(pieces)\n",
    "a module": f"{MODULE}\n\nquick = torch.jit.script(Gate())\n",
    "a module with a name": f"{MODULE}\n\ngate = Gate()\nquick = torch.jit.script(gate)\n",
    "a part of a module": f"{MODULE}\n\nclass Net(torch.nn.Module):\n    def __init__(self):\n"
    "        super().__init__()\n        self.gate = Gate()\n\n    def forward(self, x: torch.Tensor):\n"
    "        return self.gate(x)\n\n\nquick = torch.jit.script(Net())\n",
}


def run(path: Path) -> None:
    """Execute a module, and so compile what it hands to TorchScript."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None
    assert specification.loader is not None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        specification.loader.exec_module(importlib.util.module_from_spec(specification))


@pytest.mark.parametrize("case", PROGRAMS)
@pytest.mark.parametrize("unsafe", [False, True])
def test_what_is_compiled_goes_on_being_compiled(tmp_path: Path, case: str, unsafe: bool) -> None:
    before = f"import torch\n\n{PROGRAMS[case]}"
    after = rewrite_text(before, "module.py", Options(unsafe=unsafe)).after
    for name, text in (("before", before), ("after", after)):
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        run(path)
    assert "tuple(" not in after
    assert "return h" not in after


def test_what_another_file_compiles_is_known(tmp_path: Path) -> None:
    (tmp_path / "gates.py").write_text(f"import torch\n\n{MODULE}")
    (tmp_path / "test_gates.py").write_text(
        "import torch\n\nfrom gates import Gate\n\n\ndef test_it():\n    gate = Gate()\n    torch.jit.script(gate)\n"
    )
    alone = [str(tmp_path / "gates.py")]
    both = [*alone, str(tmp_path / "test_gates.py")]
    changed = [[o.path for o in rewrite_files(paths, Options(), 1) if o.change] for paths in (alone, both)]
    assert changed == [alone, []]


def test_what_is_exempt_from_compiling_is_rewritten() -> None:
    before = f"import torch\n\n{MODULE}\n\nquick = torch.jit.script(Gate())\n"
    before = before.replace("    def cut", "    @torch.jit.ignore\n    def cut")
    assert "tuple(" in rewrite_text(before, "module.py", Options()).after
