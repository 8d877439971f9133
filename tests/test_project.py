"""What a file of a run learns from the others: the same file alone, and together with those that it imports."""

from __future__ import annotations

import gc
import importlib
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import torch

from importing import forget_package
from unplace.analysis.domain.refs import Member, Variant
from unplace.analysis.project import files
from unplace.analysis.project.files import Project
from unplace.analysis.project.module import ModuleIndex
from unplace.analysis.project.program import Program as Analysis
from unplace.analysis.syntax.scopes import Scope
from unplace.config.options import Options
from unplace.diagnostics.findings import Finding, Harm, Status
from unplace.runs.many import rewrite_files
from unplace.runs.outcome import Outcome
from unplace.verification.examples import Maker, Program
from unplace.verification.proof import prove


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def write(folder: Path, files: dict[str, str]) -> list[str]:
    """Write the files of a package `pkg`, and return their paths."""
    for name, text in {"__init__.py": "", **files}.items():
        path = folder / "pkg" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip())
    return sorted(map(str, folder.rglob("*.py")))


def outcomes(paths: Iterable[str], *, unsafe: bool = False, whole: bool = False, jobs: int = 1) -> dict[str, Outcome]:
    """What becomes of each file, by file name; none may have a problem."""
    found = list(rewrite_files(list(paths), Options(unsafe=unsafe, whole_program=whole), jobs))
    assert [outcome.problem for outcome in found if outcome.problem] == []
    return {Path(outcome.path).name: outcome for outcome in found}


def statuses(outcome: Outcome) -> list[str]:
    return [finding.status.value for finding in outcome.findings if not finding.is_unclear]


def alone_and_together(folder: Path, files: dict[str, str], *, unsafe: bool = False) -> tuple[list[str], list[str]]:
    """The statuses of the operations in `main.py`: of the file alone, and in a run with the others."""
    paths = write(folder, files)
    alone = outcomes([str(folder / "pkg" / "main.py")], unsafe=unsafe)["main.py"]
    return statuses(alone), statuses(outcomes(paths, unsafe=unsafe)["main.py"])


def program_of(folder: Path) -> Maker:
    """`pkg.main.example()` of the package in a folder, imported anew each time."""

    def make() -> Program:
        forget_package()
        importlib.invalidate_caches()
        sys.path.insert(0, str(folder))
        try:
            function, arguments = importlib.import_module("pkg.main").example()
        finally:
            sys.path.remove(str(folder))
        return Program(function, tuple(arguments))

    return make


def check(folder: Path, files: dict[str, str]) -> dict[str, Outcome]:
    """Rewrite a whole package and prove through torch that `pkg.main.example()` does the same afterwards."""
    found = outcomes(write(folder / "before", files))
    write(folder / "after", files)
    for name, outcome in found.items():
        if outcome.change is not None:
            (folder / "after" / "pkg" / name).write_bytes(outcome.change.after.data)
    assert prove(program_of(folder / "before"), program_of(folder / "after")).differences == ()
    return found


# -- functions --------------------------------------------------------------------------------------------------------

TOOLS = """
    import torch

    def soften(x):
        return torch.exp(x)

    def first(x: torch.Tensor):
        return x[0]

    def bump_(x):
        x.add_(1)
        return x
"""


def test_a_tensor_that_an_imported_function_makes_is_nobody_elses(tmp_path: Path) -> None:
    main = """
        import torch
        from .tools import soften

        def f(x):
            y = soften(x)
            y += x
            return y

        def example():
            return f, (torch.rand(3, requires_grad=True),)
    """
    assert alone_and_together(tmp_path / "plain", {"tools.py": TOOLS, "main.py": main}) == ([], ["rewritten"])
    found = check(tmp_path, {"tools.py": TOOLS, "main.py": main})["main.py"]
    assert found.change is not None
    assert "y = y + x" in found.change.after.text


def test_a_view_that_an_imported_function_returns_stays_a_view(tmp_path: Path) -> None:
    main = """
        import torch
        from .tools import first

        def f(x):
            y = x * 2
            z = first(y)
            z += 1
            return y

        def example():
            return f, (torch.rand(2, 3, requires_grad=True),)
    """
    files = {"tools.py": TOOLS, "main.py": main}
    assert alone_and_together(tmp_path / "plain", files, unsafe=True)[1] == ["refused"]
    assert check(tmp_path, files)["main.py"].change is None


def test_an_argument_that_an_imported_function_hands_back_is_rebound_with_its_result(tmp_path: Path) -> None:
    main = """
        import torch
        from .tools import bump_

        def f(x):
            y = torch.exp(x)
            z = bump_(y)
            z *= 2
            return y, z

        def example():
            return f, (torch.rand(3),)
    """
    found = check(tmp_path, {"tools.py": TOOLS, "main.py": main})["main.py"]
    assert found.change is not None
    assert "y = z = z * 2" in found.change.after.text or "z = y = z * 2" in found.change.after.text


def test_a_global_of_another_file_is_no_local_of_the_same_name(tmp_path: Path) -> None:
    tools = """
        import torch

        table = torch.ones(3)

        def look(x):
            return torch.exp(x) * table
    """
    main = """
        import torch
        from .tools import look

        def f(x):
            table = torch.cos(x)
            z = look(x)
            table += 1
            return table, z

        def example():
            return f, (torch.rand(3, requires_grad=True),)
    """
    found = check(tmp_path, {"tools.py": tools, "main.py": main})["main.py"].findings
    assert [(f.status, f.harm) for f in found] == [(Status.REWRITTEN, Harm.HARMLESS)]


# -- functions that other files call ----------------------------------------------------------------------------------

HELPERS = """
    import torch

    def _bump(h, x):
        h += x

    def run(x):
        y = torch.exp(x)
        _bump(y, x)
        return y
"""


def test_a_private_function_that_nobody_imports_hands_its_argument_back(tmp_path: Path) -> None:
    main = """
        import torch
        from .helpers import run

        def example():
            return run, (torch.rand(3, requires_grad=True),)
    """
    assert check(tmp_path, {"helpers.py": HELPERS, "main.py": main})["helpers.py"].change is not None


@pytest.mark.parametrize("unsafe", [False, True])
def test_a_function_that_another_file_uses_keeps_what_it_returns(tmp_path: Path, unsafe: bool) -> None:
    main = """
        import torch
        from . import helpers

        def f(x):
            y = x * 2
            helpers._bump(y, x)
            return y

        def example():
            return f, (torch.rand(3),)
    """
    files = {"helpers.py": HELPERS, "main.py": main}
    kept = "import torch\n\ndef _bump(h, x):\n    h += x\n\ndef run(x):\n    y = torch.exp(x).clone()\n"
    for found in (check(tmp_path, files), outcomes(write(tmp_path, files), unsafe=unsafe)):
        change = found["helpers.py"].change
        assert change is not None
        assert change.after.text.startswith(kept)


# -- classes ----------------------------------------------------------------------------------------------------------

BLOCKS = """
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.linear = nn.Linear(size, size)
            self.act = nn.ReLU()

        def forward(self, x):
            return self.act(self.linear(x))

    class Counted(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("seen", torch.zeros(3))
            self.scale = nn.Parameter(torch.ones(3))

    class Stepped(nn.Module):
        def step(self, x):
            return x * 2

        def forward(self, x: torch.Tensor):
            return self.step(x)
"""


def test_a_module_of_another_file_is_known_by_its_forward(tmp_path: Path) -> None:
    main = """
        import torch
        from torch import nn
        from pkg.blocks import Block

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                torch.manual_seed(0)
                self.block = Block(3)

            def forward(self, x):
                h = self.block(x)
                h += x
                return torch.exp(h)

        def example():
            return Net(), (torch.rand(2, 3),)
    """
    files = {"blocks.py": BLOCKS, "main.py": main}
    assert alone_and_together(tmp_path / "plain", files) == (["rewritten"], ["rewritten"])
    paths = [[str(tmp_path / "plain/pkg/main.py")], sorted(map(str, (tmp_path / "plain").rglob("*.py")))]
    assumed = [outcomes(each)["main.py"].findings[0].assumptions for each in paths]
    assert ["`h` is no list" in " ".join(each) for each in assumed] == [True, False]
    assert check(tmp_path, files)["main.py"].change is not None


def test_buffers_and_parameters_of_a_base_class_in_another_file_are_written_in_place(tmp_path: Path) -> None:
    main = """
        import torch
        from .blocks import Counted as Base

        class Average(Base):
            def forward(self, x):
                self.seen += x.detach()
                with torch.no_grad():
                    self.scale *= 0.5
                return x * self.seen

        def example():
            return Average(), (torch.rand(3, requires_grad=True),)
    """
    files = {"blocks.py": BLOCKS, "main.py": main}
    assert alone_and_together(tmp_path / "plain", files)[1] == ["rewritten", "kept"]  # the product saves a copy
    check(tmp_path, files)


def test_an_overridden_method_is_not_taken_from_the_base_class(tmp_path: Path) -> None:
    """`forward` calls `step`, which makes a new tensor in the base class and hands its argument back in `Identity`."""
    main = """
        import torch
        from .blocks import Stepped

        class Identity(Stepped):
            def step(self, x):
                return x

            def both(self, x):
                y = torch.exp(x)
                h = self.forward(y)
                h += 1
                return y, h

        def example():
            return Identity().both, (torch.rand(3),)
    """
    found = check(tmp_path, {"blocks.py": BLOCKS, "main.py": main})["main.py"]
    assert found.change is not None
    assert "y = torch.exp(x).clone()" in found.change.after.text
    assert "h += 1" in found.change.after.text


OVERRIDABLE = """
        import torch


        class Model:
            def norm(self, x: torch.Tensor):
                return x * 2

            def forward(self, x: torch.Tensor):
                y = x.exp()
                z = self.norm(y)
                y += 1
                return z * y
"""
"""A model of which other files override or replace `norm`."""


def test_a_class_of_another_file_may_override_a_method(tmp_path: Path) -> None:
    """`norm` makes a new tensor in the base class, and hands its argument back in a class of a class elsewhere."""
    middle = "from .base import Model\n\n\nclass Middle(Model):\n    pass\n"
    main = """
        import torch
        from .middle import Middle


        class Small(Middle):
            def norm(self, x):
                return x


        def example():
            return Small().forward, (torch.rand(3),)
    """
    found = check(tmp_path, {"base.py": OVERRIDABLE, "middle.py": middle, "main.py": main})["base.py"]
    assert found.change is not None
    assert "y = x.exp().clone()" in found.change.after.text
    assert "y += 1" in found.change.after.text


def test_a_method_that_many_classes_override_is_of_unknown_effect(tmp_path: Path) -> None:
    layers = {
        f"m{i}.py": f"from .base import Model\n\nclass M{i}(Model):\n    def norm(self, x): return x\n"
        for i in range(9)
    }
    assert statuses(outcomes(write(tmp_path, {"base.py": OVERRIDABLE, **layers}))["base.py"]) == ["refused"]


def test_a_class_of_another_file_may_store_something_else_in_an_attribute(tmp_path: Path) -> None:
    """The layer of the base class makes a new tensor, the one of the derived class returns its argument."""
    base = """
        from torch import nn


        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.down = nn.Linear(3, 3)

            def forward(self, x):
                h = x.exp()
                y = self.down(h)
                y += 1
                return y * h
    """
    derived = """
        from torch import nn
        from .base import Model


        class Plain(Model):
            def __init__(self):
                super().__init__()
                self.down = nn.Identity()
    """
    assert statuses(outcomes(write(tmp_path, {"base.py": base, "derived.py": derived}))["base.py"]) == ["refused"]


def test_a_name_that_a_starred_file_imports_is_followed(tmp_path: Path) -> None:
    """`F` comes from `utils`, which has it from torch; `exp` comes from the last star that has it."""
    main = """
        from torch.nn.functional import *
        from torch import *
        from .utils import *


        def scaled(x):
            y = F.softmax(x, dim=-1)
            F.dropout(y, 0.0, inplace=True)
            z = exp(x)
            z += 1
            return y * z


        def example():
            return scaled, (torch.rand(3, requires_grad=True),)
    """
    files = {"utils.py": "import torch\nimport torch.nn.functional as F\n", "main.py": main}
    found = check(tmp_path, files)["main.py"]
    assert found.change is not None
    assert "y = F.dropout(y, 0.0)" in found.change.after.text
    assert "z = z + 1" in found.change.after.text


def test_a_method_that_another_file_replaces_is_of_unknown_effect(tmp_path: Path) -> None:
    for patch in ("base.Model.norm = lambda self, x: x", "setattr(base.Model, 'norm', lambda self, x: x)"):
        files = {"base.py": OVERRIDABLE, "quick.py": f"from . import base\n\n{patch}\n"}
        assert statuses(outcomes(write(tmp_path, files))["base.py"]) == ["refused"]


def test_an_inherited_method_makes_what_it_makes_in_the_base_class(tmp_path: Path) -> None:
    main = """
        import torch
        from .blocks import Stepped

        class Twice(Stepped):
            def both(self, x):
                y = torch.exp(x)
                h = self.forward(y)
                h += 1
                return y, h

        def example():
            return Twice().both, (torch.rand(3),)
    """
    assert statuses(check(tmp_path, {"blocks.py": BLOCKS, "main.py": main})["main.py"]) == ["rewritten"]


def test_a_flag_in_a_base_class_is_not_looked_for_in_the_file_that_calls_the_module(tmp_path: Path) -> None:
    base = """
        from torch import nn

        class Base(nn.Module):
            def __init__(self):
                super().__init__()
                self.act = nn.Sequential(nn.ReLU(inplace=True))
                self.relu = nn.ReLU(inplace=True)
    """
    main = """
        import torch
        from .base import Base

        class Net(Base):
            def forward(self, x):
                y = torch.exp(self.relu(x * 1))
                return self.act(y) + x

        def example():
            return Net(), (torch.rand(3),)
    """
    found = check(tmp_path, {"base.py": base, "main.py": main})
    assert found["main.py"].findings == ()
    assert [f.line for f in found["base.py"].findings] == [6, 7]


# -- which file an import means ---------------------------------------------------------------------------------------

MAKES = "import torch\ndef make(x):\n    return torch.exp(x)\n"
USES = """
    import torch
    {imports}

    def f(x):
        y = {callee}(x)
        y += 1
        return y
"""


@pytest.mark.parametrize(
    ("imports", "callee", "others"),
    [
        ("from .tools import make", "make", {"tools.py": MAKES}),
        ("from .tools import make as build", "build", {"tools.py": MAKES}),
        ("from . import tools", "tools.make", {"tools.py": MAKES}),
        ("from pkg import tools as t", "t.make", {"tools.py": MAKES}),
        ("import pkg.tools", "pkg.tools.make", {"tools.py": MAKES}),
        ("import pkg.tools as t", "t.make", {"tools.py": MAKES}),
        ("from .sub.tools import make", "make", {"sub/__init__.py": "", "sub/tools.py": MAKES}),
        ("from .sub import make", "make", {"sub/__init__.py": "from .tools import make\n", "sub/tools.py": MAKES}),
        ("from .sub import make", "make", {"sub/__init__.py": "from .tools import *\n", "sub/tools.py": MAKES}),
        ("from .tools import *", "make", {"tools.py": MAKES}),
        ("from .sub import tools", "tools.make", {"sub/__init__.py": "", "sub/tools.py": MAKES}),
        ("from .sub.inner import make", "make", {
            "sub/__init__.py": "", "sub/inner.py": "from ..tools import make\n", "tools.py": MAKES,
        }),
        ("from .core import exp", "exp", {"core.py": "from torch import exp\n"}),
        ("from .core import ops", "ops.exp", {"core.py": "import torch as ops\n"}),
        ("from .make import make", "make", {"__init__.py": "from .make import make\n", "make.py": MAKES}),
        ("from . import make", "make", {"__init__.py": "from .make import make\n", "make.py": MAKES}),
    ],
)  # fmt: skip
def test_imports_are_followed(tmp_path: Path, imports: str, callee: str, others: dict[str, str]) -> None:
    files = {"main.py": USES.format(imports=imports, callee=callee), **others}
    assert alone_and_together(tmp_path, files) == ([], ["rewritten"])


@pytest.mark.parametrize(
    "tools",
    [
        "try:\n    from .fast import make\nexcept ImportError:\n    def make(x):\n        return x.exp()\n",
        "from torch import exp as make\n" + MAKES,
        MAKES + "make = print\n",
        MAKES + "def replace(f):\n    global make\n    make = f\n",
        "if __debug__:\n    def make(x):\n        return x.exp()\nelse:\n    make = abs\n",
        "import functools\n@functools.cache\ndef make(x):\n    return x.exp()\n",
        "from .main import make\n",
        "from somewhere import *\n",
        "def make(x:\n",
    ],
)
def test_a_name_that_may_be_bound_to_something_else_is_unknown(tmp_path: Path, tools: str) -> None:
    main = dedent(USES).format(imports="from .tools import make", callee="make")
    paths = write(tmp_path, {"main.py": main, "tools.py": tools})
    found = {Path(o.path).name: o for o in rewrite_files(paths, Options(), 1)}
    assert statuses(found["main.py"]) == []
    assert (found["tools.py"].problem is not None) == ("x:\n" in tools and "(x)" not in tools)


def test_a_name_that_the_file_binds_itself_is_its_own(tmp_path: Path) -> None:
    main = """
        import torch
        from .tools import make

        def f(x, make):
            y = make(x)
            y += 1
            return y
    """
    assert alone_and_together(tmp_path, {"main.py": main, "tools.py": MAKES}) == ([], [])


def test_modules_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    uses = dedent(USES).format(imports="from .tools import make", callee="make")
    paths = write(
        tmp_path,
        {
            "one/__init__.py": "",
            "one/tools.py": MAKES,
            "one/first.py": uses,
            "two/__init__.py": "",
            "two/tools.py": "def make(x):\n    return 1\n",
            "two/second.py": uses,
        },
    )
    found = outcomes(paths)
    assert (statuses(found["first.py"]), statuses(found["second.py"])) == (["rewritten"], [])


def test_scripts_find_each_other_by_folder_unless_two_may_be_meant(tmp_path: Path) -> None:
    uses = dedent(USES).format(imports="from tools import make", callee="make")
    for name, text in {"train.py": uses, "tools.py": MAKES, "more/evaluate.py": uses}.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    paths = sorted(map(str, tmp_path.rglob("*.py")))
    found = outcomes(paths)
    assert (statuses(found["train.py"]), statuses(found["evaluate.py"])) == (["rewritten"], ["rewritten"])
    (tmp_path / "more" / "tools.py").write_text("make = print\n")
    found = {Path(o.path).name: o for o in rewrite_files([*paths, str(tmp_path / "more" / "tools.py")], Options(), 1)}
    assert statuses(found["evaluate.py"]) == []


def test_tests_find_the_package_below_src(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    write(tmp_path / "src", {"tools.py": MAKES})
    path = tmp_path / "tests" / "main.py"
    path.parent.mkdir()
    path.write_text(dedent(USES).format(imports="from pkg.tools import make", callee="make"))
    assert statuses(outcomes(sorted(map(str, tmp_path.rglob("*.py"))))["main.py"]) == ["rewritten"]


def test_numbers_of_another_file_are_numbers(tmp_path: Path) -> None:
    main = """
        import torch
        from .tools import EPS, TABLE

        def f(x: torch.Tensor):
            n = EPS
            n += 1
            t = TABLE
            t += x
            return n, t
    """
    files = {"main.py": main, "tools.py": "import torch\nEPS = 1e-6\nTABLE = torch.zeros(3)\n"}
    found = outcomes(write(tmp_path, files), unsafe=True)["main.py"].findings
    assert [f.line for f in found] == [8]


def test_parameters_made_through_a_reexported_name_are_parameters(tmp_path: Path) -> None:
    main = """
        from .core import Module, Parameter, ones

        class Net(Module):
            def __init__(self):
                super().__init__()
                self.scale = Parameter(ones(3))

            def shrink(self):
                self.scale *= 0.5
    """
    core = "from torch import ones\nfrom torch.nn import Module, Parameter\n"
    found = outcomes(write(tmp_path, {"main.py": main + "        # of torch\n", "core.py": core}))["main.py"]
    assert statuses(found) == ["rewritten"]
    assert "torch forbids writing `self.scale`, a parameter" in found.findings[0].message
    assert found.change is not None
    assert b"with torch.no_grad():\n            self.scale *= 0.5" in found.change.after.data


# -- cycles, order and processes --------------------------------------------------------------------------------------

LEFT = """
    import torch
    from . import right

    def soft(x):
        return right.hard(x) if len(x) else x.exp()

    class Left(torch.nn.Module):
        def forward(self, x):
            y = right.Right()(x[1:]) if len(x) else x.unknown()
            y.add_(1)
            return y
"""
RIGHT = """
    import torch
    from . import left

    def hard(x):
        return torch.exp(left.soft(x))

    class Right(torch.nn.Module):
        def forward(self, x):
            y = left.Left()(x[1:]) if len(x) else x.unknown()
            y.sub_(1)
            return y
"""


def findings(found: dict[str, Outcome]) -> dict[str, tuple[Finding, ...]]:
    return {name: outcome.findings for name, outcome in sorted(found.items())}


def test_neither_the_order_of_files_nor_the_number_of_processes_matters(tmp_path: Path) -> None:
    """`soft` makes a new tensor, which isn't seen by whoever is asked about it on the way to `hard`."""
    early = dedent(USES).format(imports="from .right import hard", callee="hard")
    main = dedent(USES).format(imports="from .left import soft", callee="soft")
    paths = write(tmp_path, {"left.py": LEFT, "right.py": RIGHT, "early.py": early, "main.py": main})
    expected = findings(outcomes(paths))
    assert [f.status for f in expected["main.py"]] == [Status.REWRITTEN]
    assert [f.status for f in expected["left.py"]] == [Status.REFUSED]
    assert findings(outcomes(reversed(paths))) == expected
    assert findings(outcomes(paths, jobs=2)) == expected


RECURSIVE = """
    import torch
    from . import right

    def left(x, n):
        return right.right(x, n - 1) if n else torch.exp(x)
"""
BACK = """
    import torch
    from . import left

    def right(x, n):
        y = torch.exp(x)
        return left.left(y, n - 1) if n else y
"""


@pytest.mark.parametrize("asked", ["left", "right"])
def test_functions_that_call_each_other_have_effects_whichever_is_asked_first(tmp_path: Path, asked: str) -> None:
    main = dedent(USES).format(imports=f"from .{asked} import {asked}", callee=asked).replace("(x)\n", "(x, 3)\n", 2)
    other = {"left": "right", "right": "left"}[asked]
    early = f"from .{other} import {other}\ndef f(x):\n    y = {other}(x, 3)\n    y += 1\n    return y\n"
    texts = {"left.py": RECURSIVE, "right.py": BACK, "main.py": main.replace("def f(x, 3)", "def f(x)")}
    found = outcomes(write(tmp_path / "alone", texts))["main.py"]
    assert statuses(found) == ["rewritten"]
    after = outcomes(write(tmp_path / "later", {"early.py": early, **texts}))["main.py"]
    assert [f.message for f in after.findings] == [f.message for f in found.findings]


@pytest.mark.parametrize("is_split", [False, True])
def test_a_chain_of_helpers_is_walked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_split: bool) -> None:
    """Each asks for the effect of the next: in another file, a question must not begin anew."""
    count = 40
    chain = [f"def h{i}(x):\n    y = h{i + 1}(x)\n    return y\n\n\n" for i in range(count)]
    last = f"def h{count}(x):\n    return x.exp()\n\n\n"
    main = "def f(x):\n    y = h0(x)\n    y += h1(x)\n    y *= h2(x)\n    return y\n"
    texts = {
        "helpers.py": "import torch\n" + "".join(chain) + last,
        "main.py": "import torch\nfrom .helpers import h0, h1, h2\n" + main,
    }
    if not is_split:
        texts = {"both.py": texts["helpers.py"] + main, "other.py": "import torch\n"}
    walks: Counter[str] = Counter()
    walk = Analysis._walk

    def counted(program: Analysis, scope: Scope, variant: Variant) -> Any:
        walks[scope.name] += 1
        return walk(program, scope, variant)

    monkeypatch.setattr(Analysis, "_walk", counted)
    outcomes(write(tmp_path, texts))
    assert len(walks) >= count
    assert max(walks[f"h{i}"] for i in range(count)) == 1 if is_split else sum(walks.values()) <= 3 * count


def test_classes_that_derive_from_each_other_through_two_files_come_to_an_end(tmp_path: Path) -> None:
    one = "import torch\nfrom .two import B\nclass A(B):\n    def f(self, x):\n        self.t += torch.exp(x)\n"
    two = "import torch\nfrom .one import A\nclass B(A):\n    def f(self, x):\n        self.t += torch.exp(x)\n"
    assert set(outcomes(write(tmp_path, {"one.py": one, "two.py": two}))) == {"__init__.py", "one.py", "two.py"}


def test_what_an_inherited_method_saves_is_looked_for_in_its_own_file(tmp_path: Path) -> None:
    base = """
        import torch

        def activated(x):
            return x.exp()

        class Base:
            def features(self, x: torch.Tensor):
                return activated(x)
    """
    main = """
        import torch
        from .base import Base

        class Net(Base):
            def hidden(self, x: torch.Tensor):
                return self.features(x)

            def scanned(self, x: torch.Tensor):
                y = self.hidden(x)
                for i in range(1, len(x)):
                    y[i] = y[i - 1] * 2
                return y

        def example():
            return Net().scanned, (torch.tensor([0.5, 1.5], requires_grad=True),)
    """
    found = check(tmp_path, {"base.py": base, "main.py": main})
    assert statuses(found["main.py"]) != []


def test_objects_of_another_file_may_pose_as_tensors(tmp_path: Path) -> None:
    """Objects with `__torch_function__` go wherever the run passes them: `torch.clone(x)` proves no tensor there."""
    operators = """
        import torch


        class Diagonal:
            def clone(self):
                return Diagonal(self.values.clone())

            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return args[0].clone() if func is torch.clone else NotImplemented
    """
    moving = """
        import torch


        def shifted(operator):
            moved = torch.clone(operator)
            moved += 1.0
            return moved
    """
    alone = outcomes(write(tmp_path / "alone", {"moving.py": moving}))
    together = outcomes(write(tmp_path / "together", {"moving.py": moving, "operators.py": operators}))
    assert [f.status for f in alone["moving.py"].findings] == [Status.REWRITTEN]
    assert [f.is_unclear for f in together["moving.py"].findings] == [True]


def test_methods_of_the_run_are_not_looked_up_anew_for_each_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file asks which others define `add_`: parsing those again for each of them would be quadratic."""
    count = 12
    text = """
        import torch


        class Group{0}:
            def add_(self, x):
                return self.x[x]


        def shift{0}(u):
            u.add_(1)
            return u
    """
    paths = write(tmp_path, {f"m{i}.py": text.format(i) for i in range(count)})
    parsed: Counter[str] = Counter()

    def counted(project: Project, path: str, text: str) -> ModuleIndex:
        parsed[path] += 1
        return parse(project, path, text)

    def ended(project: Project) -> None:
        end(project)
        gc.collect()  # so that only what the project keeps is kept

    parse, end = Project._parsed, Project.end
    monkeypatch.setattr(files, "_MOST_OPEN", 1)
    monkeypatch.setattr(Project, "_parsed", counted)
    monkeypatch.setattr(Project, "end", ended)
    outcomes(paths)
    assert len(parsed) >= count
    assert max(parsed.values()) <= 2


def test_a_file_is_parsed_only_when_a_name_in_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main = """
        import torch
        from .tools import make, other
        from .unused import nothing

        def f(x):
            y = make(x)
            y += 1
            return y
    """
    write(tmp_path, {"main.py": main, "tools.py": MAKES, "unused.py": MAKES})
    indexed: list[str] = []
    parse = Project._parsed
    monkeypatch.setattr(Project, "_parsed", lambda *given: (indexed.append(Path(given[1]).name), parse(*given))[1])
    path = tmp_path / "pkg" / "main.py"
    project = Project(map(str, (tmp_path / "pkg").glob("*.py")))
    program = project.begin(str(path), path.read_text())
    assert program.module.place is not None
    assert project.find(program.module, ".tools.make") == Member(str(tmp_path / "pkg" / "tools.py"), "make")
    for scope in program.module.scopes.by_node.values():
        program.run(scope)
    assert indexed == ["main.py", "tools.py"]


BINDING = (
    "len = 3",
    "x, len = f()",
    "(x, len) = 1",
    "*len, y = 1",
    "len \\\n = 3",
    "for len in y: pass",
    "import len",
    "import a, len\n",
    "import len # c",
    "from a import (b,\n len\n)",
    "from a import len\\\n, b",
    "import b as len",
    "with f() as len: pass",
    "len: int = 3",
    "(len := 3)",
    "def len(x): pass",
    "def  \\\nlen(x): pass",
    "async def len(x): pass",
    "class len: pass",
    "class len(B): pass",
    "except E as len: pass",
    "case len: pass",
    "case [1, len] | (len, 2): pass",
    "case len if x: pass",
    "case {'a': len}: pass",
    "type len = int",
    "type len[T] = int",
)


@pytest.mark.parametrize("line", BINDING)
def test_a_file_that_may_bind_a_name_is_told_by_its_bytes(tmp_path: Path, line: str) -> None:
    write(tmp_path, {"main.py": "from .tools import *\n", "tools.py": line})
    project = Project(map(str, (tmp_path / "pkg").glob("*.py")))
    assert project._mentions.may_bind(str(tmp_path / "pkg" / "tools.py"), "len")


@pytest.mark.parametrize(
    "line", ["len(x)", "a.len = 3", "len [0]", "x = len.y", "# any len of", "mylen = 3", "lend = 3"]
)
def test_a_file_that_only_mentions_a_name_is_not_parsed_for_it(tmp_path: Path, line: str) -> None:
    write(tmp_path, {"main.py": "from .tools import *\n", "tools.py": line})
    project = Project(map(str, (tmp_path / "pkg").glob("*.py")))
    assert not project._mentions.may_bind(str(tmp_path / "pkg" / "tools.py"), "len")
