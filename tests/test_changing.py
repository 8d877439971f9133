"""A project that is changed in place tells what a new one of the same texts tells."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from unplace.analysis.domain.refs import GENERAL, Variant
from unplace.analysis.interpret.run import Run
from unplace.analysis.project.files import Project
from unplace.analysis.project.program import Program
from unplace.analysis.syntax.scopes import Scope
from unplace.config.options import Options
from unplace.transform.rewriter import first_round

FILES = {
    "base.py": """
        import torch.nn as nn
        class Base(nn.Module):
            def scale(self, x):
                return x * 2
        """,
    "net.py": """
        from pkg.base import Base
        from pkg.tools import mend
        class Net(Base):
            def forward(self, x):
                y = self.scale(x).exp()
                mend(y)
                z = self.scale(x)
                z.exp_()
                return y, z
        """,
    "tools.py": """
        KIND = 1
        def mend(t):
            t.add_(1)
        """,
    "between.py": """
        from pkg import tools
        KIND = tools.KIND
        def both(t):
            return tools.mend(t)
        """,
    "train.py": """
        from pkg import between, tools
        def step(x):
            y = x.sigmoid()
            z = between.both(y)
            z.mul_(2)
            tools.mend(x.exp())
            return y, z
        def count():
            number = between.KIND
            number += 1
            return number
        """,
    "apart.py": """
        def alone(x):
            y = x.exp()
            y.add_(1)
            return y
        """,
}

CHANGES = {
    "a function no longer writes": ("tools.py", "t.add_(1)", "return t.add(1)"),
    "a name is bound to something else": ("tools.py", "KIND = 1", "KIND = torch.ones(2)"),
    "a function is called otherwise": ("tools.py", "def mend(", "def repair("),
    "a file imports nothing any more": ("between.py", "from pkg import tools", "tools = None"),
    "a method of a base class hands its argument back": ("base.py", "return x * 2", "return x"),
    "a class overrides the method": (
        "train.py",
        "def step",
        "import pkg.net\nclass O(pkg.net.Net):\n    def scale(self, x): return x\ndef step",
    ),
    "another file calls the function": ("apart.py", "y.add_(1)", "from pkg.tools import mend; mend(y.exp_())"),
    "a file can't be parsed": ("tools.py", "def mend(t):", "def mend(t:"),
}


def reports(project: Project, texts: dict[str, str]) -> dict[str, object]:
    """What a round finds in each file."""
    found: dict[str, object] = {}
    for path, text in texts.items():
        if "t:" not in text:
            made = first_round(text, path, Options(), project)
            found[Path(path).name] = made.after, made.findings
    project.end()
    return found


@pytest.fixture
def texts(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg/__init__.py").write_text("")
    for name, text in FILES.items():
        (tmp_path / "pkg" / name).write_text("import torch\n" + dedent(text).lstrip())
    return {str(path): path.read_text() for path in sorted(tmp_path.rglob("*.py"))}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_project_tells_what_a_new_one_tells(change: str, texts: dict[str, str]) -> None:
    name, before, after = CHANGES[change]
    project = Project(texts)
    first = reports(project, texts)
    path = next(path for path in texts if path.endswith(name))
    changed = {**texts, path: texts[path].replace(before, after)}
    assert changed != texts

    project.change({path: changed[path].encode()})
    found = reports(project, changed)

    assert found == reports(Project(texts, {path: changed[path].encode()}), changed)
    assert any(found[each] != first[each] for each in found if each != name)  # else the change says nothing
    project.change({path: texts[path].encode()})
    assert reports(project, texts) == first


@pytest.mark.parametrize("is_new", [False, True])
def test_what_depends_on_no_changed_file_is_not_walked_again(
    is_new: bool, texts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project = Project(texts)
    reports(project, texts)
    walked: list[str] = []
    walk = Program._walk

    def noted(program: Program, scope: Scope, variant: Variant = GENERAL) -> Run:
        assert program.module.place is not None
        walked.append(Path(program.module.place.path).name)
        return walk(program, scope, variant)

    monkeypatch.setattr(Program, "_walk", noted)
    path = next(path for path in texts if path.endswith("tools.py"))
    changed = {**texts, path: texts[path].replace("add_(1)", "add_(2)")}
    contents = {path: changed[path].encode()}
    if is_new:
        project = Project(texts, contents)
    else:
        project.change(contents)
    reports(project, changed)
    assert {"tools.py", "net.py", "train.py"} <= set(walked)
    assert ("base.py" in walked) is is_new
