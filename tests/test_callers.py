"""What the callers of a function do with its argument, in whatever file of the run they stand."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

import pytest
from tests.test_project import outcomes, program_of, prove, statuses, write

from unplace.config.options import Options
from unplace.diagnostics.findings import Applicability, Finding, Harm, Status
from unplace.runs.cache import Results
from unplace.runs.many import rewrite_files

SHIFT = """
    import torch

    def shifted(x, by):
        x += by
        return x
"""
EXAMPLE = """

    def example():
        return f, (torch.rand(3, requires_grad=True),)

    def train():
        f(torch.rand(3, requires_grad=True) * 1)
"""
CALLS = f"""
    import torch
    from .utils import shifted

    def f(x):
        h = torch.sigmoid(x)
        return shifted(h, 1.0).sum()
    {EXAMPLE}
"""


def finding_in(
    folder: Path, files: dict[str, str], name: str = "utils.py", *, unsafe: bool = False, whole: bool = False
) -> Finding:
    """The only finding in one of the files; what the run does to all of them is proved through torch."""
    found = outcomes(write(folder / "before", files), unsafe=unsafe, whole=whole)
    write(folder / "after", files)
    for file, outcome in found.items():
        if outcome.change is not None:
            (folder / "after" / "pkg" / file).write_bytes(outcome.change.after.data)
    proof = prove(program_of(folder / "before"), program_of(folder / "after"))
    assert not proof.is_worse, proof.differences
    (finding,) = found[name].findings
    assert finding.status is not Status.REWRITTEN or proof.rewritten_error is None
    return finding


def test_a_write_to_what_a_caller_in_another_file_saved_is_harmful(tmp_path: Path) -> None:
    finding = finding_in(tmp_path, {"utils.py": SHIFT, "main.py": CALLS}, unsafe=True)
    assert (finding.status, finding.harm) == (Status.REWRITTEN, Harm.HARMFUL)
    assert finding.message.endswith("sigmoid() in line 5 of main.py saved it for backward")
    assert finding.saved_by is not None
    assert finding.saved_by.file == "main.py"


def test_harm_is_followed_through_a_caller_that_passes_its_own_argument_on(tmp_path: Path) -> None:
    between = """
        from .utils import shifted

        def center(x):
            return shifted(x, 0.5)
    """
    main = CALLS.replace("utils import shifted", "between import center").replace("shifted(h, 1.0)", "center(h)")
    finding = finding_in(tmp_path, {"utils.py": SHIFT, "between.py": between, "main.py": main}, unsafe=True)
    assert (finding.status, finding.harm) == (Status.REWRITTEN, Harm.HARMFUL)
    assert finding.saved_by is not None
    assert finding.saved_by.place == "line 5 of main.py"


@pytest.mark.parametrize(
    ("importing", "call"),
    [
        ("from .utils import shifted as moved", "moved(h, 1.0)"),
        ("from . import utils", "utils.shifted(h, 1.0)"),
        ("from .utils import *", "shifted(h, 1.0)"),
        ("from .between import shifted", "shifted(by=1.0, x=h)"),
    ],
)
def test_the_caller_is_found_however_it_imports_the_function(tmp_path: Path, importing: str, call: str) -> None:
    main = CALLS.replace("from .utils import shifted", importing).replace("shifted(h, 1.0)", call)
    files = {"utils.py": SHIFT, "between.py": "from .utils import shifted\n", "main.py": main}
    assert finding_in(tmp_path, files).harm is Harm.HARMFUL


LAYER = """
    from torch import nn

    class Shift(nn.Module):
        def forward(self, x):
            x += 1.0
            return x * x
"""
NET = """
    import torch
    from torch import nn
    from .layers import Shift

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.act = nn.Sigmoid()
            self.shift = Shift()

        def forward(self, x):
            h = {first}
            y = self.shift(h)
            return {last}.sum()

    def example():
        return Net(), (torch.rand(3, requires_grad=True),)

    def train():
        Net()(torch.rand(3, requires_grad=True) * 1)
"""


@pytest.mark.parametrize(
    ("first", "last", "saver"),
    [
        ("self.act(x)", "y", "torch.nn.Sigmoid() in line 12 of main.py"),
        ("x.exp()", "(y * 2)", "exp() in line 12 of main.py"),
    ],
)
def test_a_forward_that_writes_what_its_caller_saved_is_harmful(
    tmp_path: Path, first: str, last: str, saver: str
) -> None:
    files = {"layers.py": LAYER, "main.py": NET.format(first=first, last=last)}
    finding = finding_in(tmp_path, files, "layers.py", unsafe=True)
    assert (finding.status, finding.harm) == (Status.REWRITTEN, Harm.HARMFUL)
    assert saver in finding.message


@pytest.mark.parametrize(
    ("last", "line"),
    [("(y * h)", 13), ("(y + self.shift(h))", 13)],  # the caller's own use, and a second call
    ids=["used", "called again"],
)
def test_no_assumption_says_that_callers_do_not_read_what_one_in_another_file_reads(
    tmp_path: Path, last: str, line: int
) -> None:
    files = {"layers.py": LAYER, "main.py": NET.format(first="x.exp()", last=last)}
    finding = finding_in(tmp_path, files, "layers.py", unsafe=True)
    assert (finding.status, finding.harm) == (Status.REFUSED, Harm.HARMFUL)
    assert f"the caller in line {line} of main.py reads its argument for `x` after the call" in finding.message


def test_a_function_that_another_file_hands_on_as_a_value_is_not_rebound(tmp_path: Path) -> None:
    main = """
        import torch
        from .utils import shifted

        def run(function, h):
            function(h, 1.0)
            return h

        def f(x):
            return run(shifted, torch.sigmoid(x)).sum()
    """
    files = {"utils.py": SHIFT.replace("x, by", "x: torch.Tensor, by"), "main.py": dedent(main) + dedent(EXAMPLE)}
    finding = finding_in(tmp_path, files, unsafe=True)
    assert finding.status is Status.REFUSED
    assert "the caller in line 5 of main.py reads its argument for `x` after the call" in finding.message


def test_what_is_rewritten_first_does_not_hide_the_callers_of_the_rest(tmp_path: Path) -> None:
    """In its second round, a file is no longer the one that others import."""
    utils = """
    import torch

    def both(x):
        y = x.exp()
        y *= 2
        x -= y
        return x
    """
    main = CALLS.replace("import shifted", "import both").replace("shifted(h, 1.0)", "both(h) * h")
    found = outcomes(write(tmp_path, {"utils.py": utils, "main.py": main}), unsafe=True)["utils.py"].findings
    assert [(f.line, f.status) for f in found] == [(5, Status.REWRITTEN), (6, Status.REFUSED)]


def test_a_remembered_result_does_not_outlast_a_new_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNPLACE_CACHE_DIR", str(tmp_path / "cache"))
    quiet = CALLS.replace("torch.sigmoid(x)", "x + torch.ones(3)")
    paths = write(tmp_path / "run", {"utils.py": SHIFT, "main.py": quiet, "other.py": "import torch\n"})

    def harm() -> Harm:
        results = Results(tmp_path / "cache", paths, Options())
        found = {Path(o.path).name: o for o in rewrite_files(paths, Options(), 1, results)}
        results.save()
        (finding,) = found["utils.py"].findings
        return finding.harm

    before = harm()
    main = (tmp_path / "run" / "pkg" / "main.py").read_text()
    (tmp_path / "run" / "pkg" / "other.py").write_text(main.replace("x + torch.ones(3)", "x.exp()"))
    assert (before, harm()) == (Harm.POSSIBLE, Harm.HARMFUL)


# -- the whole program ------------------------------------------------------------------------------------------------


def test_a_function_is_judged_by_its_callers_where_the_run_is_the_whole_program(tmp_path: Path) -> None:
    files = {"utils.py": SHIFT, "main.py": CALLS}
    alone = finding_in(tmp_path / "part", files)
    assert alone.status is Status.REFUSED
    assert alone.message == "needs --unsafe, which assumes: no caller reads the argument `x` after the call"
    finding = finding_in(tmp_path / "whole", files, whole=True)
    assert (finding.status, finding.harm, finding.applicability) == (
        Status.REWRITTEN,
        Harm.HARMFUL,
        Applicability.SAFE,
    )


def test_what_no_caller_saved_is_harmless_where_the_run_is_the_whole_program(tmp_path: Path) -> None:
    files = {"utils.py": SHIFT, "main.py": CALLS.replace("torch.sigmoid(x)", "x + torch.ones(3)")}
    assert finding_in(tmp_path / "part", files).harm is Harm.POSSIBLE
    assert finding_in(tmp_path / "whole", files, whole=True).harm is Harm.HARMLESS


@pytest.mark.parametrize(
    ("utils", "more"),
    [
        ('__all__ = ["shifted"]', ""),
        ("", 'CHOICES = {"shifted": 1}'),
        ("", "CHOICES = [shifted]"),
        ("", "def other(name, x): return getattr(utils, name)(x)"),
        ("", "same = utils\ndef other(x): return same.shifted(x, 1.0)"),
        ("", "def other(net, x): return net.shifted(x, 1.0)"),
        ("", "def other(*given): return shifted(*given)"),
        ("", "import importlib\ndef other(a, b): return getattr(importlib.import_module(a), b)"),
        ("@register", ""),
    ],
    ids=["exported", "named", "value", "looked up", "module", "method", "starred", "imported by name", "registered"],
)
def test_an_entry_point_is_not_judged_by_the_callers_in_sight(tmp_path: Path, utils: str, more: str) -> None:
    text = dedent(SHIFT).replace("def shifted", f"{utils}\ndef shifted").replace("x, by", "x: torch.Tensor, by")
    text = text.replace("import torch\n", "import torch\n\ndef register(function): return function\n")
    main = dedent(CALLS) + "\nfrom . import utils\n" + more + "\n"
    assert finding_in(tmp_path, {"utils.py": text, "main.py": main}, whole=True).status is Status.REFUSED


def test_what_a_notebook_names_is_an_entry_point(tmp_path: Path) -> None:
    paths = write(tmp_path, {"utils.py": SHIFT, "main.py": CALLS})
    (tmp_path / "pkg" / "tries.ipynb").write_text('{"cells": [], "metadata": {"of": "shifted"}, "nbformat": 4}')
    found = outcomes([*paths, str(tmp_path / "pkg" / "tries.ipynb")], whole=True)
    assert statuses(found["utils.py"]) == ["refused"]


def test_a_forward_is_judged_by_the_calls_of_its_objects(tmp_path: Path) -> None:
    layer = dedent(LAYER).replace("self, x", "self, x: torch.Tensor").replace("from torch", "import torch\nfrom torch")
    main = NET.format(first="self.act(x)", last="y")
    files = {"layers.py": layer, "main.py": main}
    assert finding_in(tmp_path / "part", files, "layers.py").status is Status.REFUSED
    finding = finding_in(tmp_path / "whole", files, "layers.py", whole=True)
    assert (finding.status, finding.assumptions) == (Status.REWRITTEN, ())


HOOKED = """
    def hooked(self):
        self.shift.register_forward_hook(lambda layer, given, found: self.seen.append(given[0] * 1))
        return self.shift
"""


@pytest.mark.parametrize(
    "call",
    [
        "checkpoint(self.shift, h, use_reentrant=False)",
        "nn.Sequential(self.shift)(h)",
        "[layer(h) for layer in self.children()][-1]",
        'getattr(self, "sh" + "ift")(h)',
        "next(map(self.shift, [h]))",
        "copy(self.shift)(h)",
        "self.shift.forward(h)",
        "self.hooked()(h)",
    ],
)
def test_a_forward_that_may_be_called_otherwise_is_not_judged_by_the_calls_in_sight(tmp_path: Path, call: str) -> None:
    layer = dedent(LAYER).replace("self, x", "self, x: torch.Tensor").replace("from torch", "import torch\nfrom torch")
    main = dedent(NET.format(first="x + torch.ones(3)", last="(y + h)")).replace("self.shift(h)", call)
    if "hooked" in call:
        main = main.replace("self.act = nn.Sigmoid()", "self.seen = []").replace(
            "    def forward", f"{HOOKED}\n    def forward"
        )
    imports = "from copy import copy\nfrom torch.utils.checkpoint import checkpoint\n"
    files = {"layers.py": layer, "main.py": imports + main}
    assert finding_in(tmp_path, files, "layers.py", whole=True).status is Status.REFUSED


MODEL = """
    import torch
    from torch import nn

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.act = nn.Sigmoid()

        def codes(self, x):
            return self.act(x)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = Encoder()
            self.scale = nn.Parameter(torch.ones(3))

        def forward(self, x):
            return torch.sigmoid(x * self.scale)

        def encode(self, x):
            return torch.sigmoid(x)
"""
STEP = """
    def loss_of(model, x):
        h = {given}
        h *= 2
        return h.sum()
"""
STEP_OF_OBJECT = """
    class Trainer:
        def __init__(self, net):
            self.model = net

        def loss_of(self, x):
            h = {given}
            h *= 2
            return h.sum()
"""
OF_MODEL = ("model(x)", "model.encode(x)", "model.encoder.codes(x)", "model.encoder.act(x)")


def calling(imports: str, body: str) -> str:
    """A file whose function of one tensor returns a loss, with an example of its argument."""
    return f"import torch\nfrom .net import Net\n{imports}\n\ndef f(x):\n{indent(body, '    ')}\n{dedent(EXAMPLE)}"


@pytest.mark.parametrize("given", OF_MODEL)
def test_what_callers_in_other_files_pass_for_a_model_tells_what_it_saves(tmp_path: Path, given: str) -> None:
    """Another caller may pass another model, so that the repair is an assumption."""
    main = calling("from .utils import loss_of", "net = Net()\nreturn loss_of(net, x)")
    files = {"net.py": MODEL, "utils.py": STEP.format(given=given), "main.py": main}
    finding = finding_in(tmp_path, files, unsafe=True)
    assert (finding.status, finding.applicability) == (Status.REWRITTEN, Applicability.UNSAFE)
    assert finding.harm is Harm.HARMFUL


@pytest.mark.parametrize("given", OF_MODEL)
def test_what_a_constructor_gets_in_other_files_tells_what_it_saves(tmp_path: Path, given: str) -> None:
    main = calling("from .utils import Trainer", "return Trainer(Net()).loss_of(x)")
    utils = STEP_OF_OBJECT.format(given=f"self.{given}")
    finding = finding_in(tmp_path, {"net.py": MODEL, "utils.py": utils, "main.py": main}, unsafe=True)
    assert (finding.status, finding.applicability) == (Status.REWRITTEN, Applicability.UNSAFE)
    assert finding.harm is Harm.HARMFUL


def test_a_parameter_of_the_model_that_a_caller_in_another_file_passes_is_one(tmp_path: Path) -> None:
    utils = "def clamp(model):\n    model.scale.clamp_(min=0)\n"
    main = calling("from .utils import clamp", "net = Net()\nclamp(net)\nreturn net(x).sum()")
    finding = finding_in(tmp_path, {"net.py": MODEL, "utils.py": utils, "main.py": main})
    assert (finding.status, finding.applicability) == (Status.REWRITTEN, Applicability.SAFE)


def test_a_method_of_objects_of_two_classes_is_followed_in_both(tmp_path: Path) -> None:
    other = "import torch\n\nclass Doubling:\n    def encode(self, x):\n        return torch.mul(x, 2)\n"
    main = calling(
        "from .other import Doubling\nfrom .utils import loss_of",
        "return loss_of(Net(), x) + loss_of(Doubling(), x)",
    )
    files = {"net.py": MODEL, "other.py": other, "utils.py": STEP.format(given="model.encode(x)"), "main.py": main}
    finding = finding_in(tmp_path, files, unsafe=True)
    assert (finding.status, finding.harm) == (Status.REWRITTEN, Harm.HARMFUL)
