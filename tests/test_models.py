"""Models as files: what they say of libraries decides rewrites, and whoever wrote them is told what is wrong."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import einops
import pytest
import torch

from unplace.analysis.effects.model_files import SHIPPED, ModelsError, documentation, known_libraries
from unplace.cli import main
from unplace.config.configuration import load
from unplace.config.options import Options
from unplace.diagnostics.findings import Finding, Harm, Status
from unplace.runs.many import rewrite_files
from unplace.transform.rewriter import rewrite_text

OURS = """
[functions]
"ours.norm" = { takes = "x", returns = "new" }
"ours.flat" = { takes = "x *", returns = "view of x", saves = [] }
"ours.same" = { takes = "x", returns = "the argument x", saves = [] }
"ours.parts" = { takes = "x", returns = "list of new" }
"ours.size" = { takes = "x", returns = "number" }
"ours.register" = { takes = "x", returns = "nothing", keeps = ["x"] }
"ours.saving" = { takes = "x", returns = "new", saves = ["x"] }

[layers]
"ours.Scale" = { takes = "x", returns = "new" }
"ours.Flat" = { takes = "x", returns = "view or copy of x", weights = false, saves = [] }

[names]
"ours.Module" = "torch.nn.Module"
"ours.Act" = "torch.nn.ReLU"
"""
TEXTS = (("ours.toml", OURS),)


def finding(body: str, models: tuple[tuple[str, str], ...] = TEXTS, **options: bool) -> Finding:
    """What is found about the last write of a function's body."""
    inside = dedent(body).strip().replace("\n", "\n    ")
    text = f"import torch\nimport ours\nfrom ours import Act, Module\n\n\ndef f(x: torch.Tensor):\n    {inside}\n"
    return rewrite_text(text, "model.py", Options(models=models, **options)).findings[-1]


REWRITTEN = {
    "a new tensor": "y = ours.norm(x)\ny += 1\nreturn y",
    "one of several": "a, b = ours.parts(x)\na += 1\nreturn a",
    "a layer": "y = ours.Scale()(x)\ny += 1\nreturn y",
    "a layer in a Sequential": "y = torch.nn.Sequential(ours.Scale(), ours.Scale())(x)\ny += 1\nreturn y",
    "one of two layers": "layer = ours.Scale() if len(x) else ours.Scale()\ny = layer(x)\ny += 1\nreturn y",
}


@pytest.mark.parametrize("body", REWRITTEN.values(), ids=REWRITTEN)
def test_what_is_said_to_be_new_is_rebound(body: str) -> None:
    assert finding(body, strict=True).status is Status.REWRITTEN
    assert finding(body, (), strict=True).status is not Status.REWRITTEN


def test_a_write_through_a_view_reaches_the_argument() -> None:
    body = "    y = x * 1\n    z = ours.flat(y)\n    z += 1\n    return y\n"
    text = f"import ours\nimport torch\n\n\ndef f(x: torch.Tensor):\n{body}"
    assert "z = z + 1\n    return y" not in rewrite_text(text, "model.py", Options(models=TEXTS)).after


def test_an_argument_that_is_handed_back_is_the_same_tensor() -> None:
    assert finding("y = torch.exp(x)\nz = ours.same(y)\nz += 1\nreturn z").harm is finding("y = x.exp()\ny += 1").harm


def test_nothing_is_known_of_a_call_that_leaves_out_what_is_handed_back() -> None:
    models = (("ours.toml", '[functions]\n"ours.into" = { takes = "x out?", returns = "view or copy of out" }\n'),)
    without = finding("y = ours.into(x)\ny += 1\nreturn y", models)
    assert (without.status, without.harm) == (finding("y = ours.into(x)\ny += 1\nreturn y", ()).status, Harm.POSSIBLE)
    assert finding("z = x * 1\ny = ours.into(x, z)\ny += 1\nreturn y", models).status is Status.REWRITTEN


def test_a_number_is_no_tensor() -> None:
    text = "import ours\n\n\ndef f(x):\n    n = ours.size(x)\n    n += 1\n    return n\n"
    assert not rewrite_text(text, "model.py", Options(models=TEXTS)).findings


def test_what_a_function_saves_must_not_be_overwritten() -> None:
    body = "y = torch.ones(3, requires_grad=True) * 1\nz = ours.saving(y)\ny += 1\nreturn z"
    assert finding(body).harm is Harm.HARMFUL
    assert finding(body.replace("saving", "norm")).harm is Harm.POSSIBLE


def test_a_name_stands_for_a_class_of_torch() -> None:
    text = """
    import torch
    from ours import Act, Module


    class Net(Module):
        def __init__(self):
            super().__init__()
            self.act = Act()
            self.layer = torch.nn.Linear(3, 3)

        def forward(self, x):
            y = self.act(self.layer(x))
            y += 1
            return y
    """
    (found,) = rewrite_text(dedent(text), "model.py", Options(models=TEXTS)).findings
    assert (found.harm, found.saved_by and found.saved_by.operation) == (Harm.HARMFUL, "torch.nn.ReLU()")


def test_a_file_of_the_run_is_not_replaced_by_a_name(tmp_path: Path) -> None:
    (tmp_path / "ours.py").write_text("class Act:\n    def __call__(self, x):\n        return x\n")
    body = "    y = Act()(x * 1)\n    y += 1\n    return y\n"
    (tmp_path / "use.py").write_text(f"import torch\nfrom ours import Act\n\n\ndef f(x: torch.Tensor):\n{body}")
    found = list(rewrite_files([str(tmp_path / "ours.py"), str(tmp_path / "use.py")], Options(models=TEXTS), 1))
    assert [each.saved_by for each in found[1].findings] == [None]


# -- files ------------------------------------------------------------------------------------------------------------

WRONG = {
    "no TOML": ("a = ", "ours.toml: not valid TOML"),
    "another table": ("[function]\n", "function: must be one of the tables [functions], [layers], [names]"),
    "no table": ("layers = 1", "layers: must be one of the tables"),
    "an unknown key": ('[functions]\n"a.f" = { give = "new" }', 'functions."a.f": give: no such key; there are takes'),
    "weights of a function": ('[functions]\n"a.f" = { weights = false }', "weights: no such key"),
    "no result": ('[functions]\n"a.f" = { takes = "x" }', "returns: must be one of 'new'"),
    "another result": ('[layers]\n"a.F" = { takes = "x", returns = "view of y" }', "not 'view of y'"),
    "an unknown parameter": (
        '[functions]\n"a.f" = { takes = "x", returns = "new", writes = ["y"] }',
        "writes: must be a list of 'x'",
    ),
    "a name of a number": ('[names]\n"a.F" = 1', 'names."a.F": must be another name'),
    "a text": ('[functions]\n"a.f" = "new"', 'functions."a.f": must be a table'),
    "takes a list": ('[functions]\n"a.f" = { takes = ["x"], returns = "new" }', "takes: must be a string"),
    "weights of text": ('[layers]\n"a.F" = { returns = "new", weights = "no" }', "weights: must be true or false"),
}


@pytest.mark.parametrize(("text", "told"), WRONG.values(), ids=WRONG)
def test_a_wrong_file_is_a_clear_error(text: str, told: str) -> None:
    with pytest.raises(ModelsError) as error:
        known_libraries((("ours.toml", text),))
    assert str(error.value).startswith("ours.toml: ")
    assert told in str(error.value)


def test_a_configuration_names_files_from_its_folder(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text(OURS)
    (tmp_path / "unplace.toml").write_text('models = ["ours.toml"]\n')
    assert load(str(tmp_path / "unplace.toml")).options.models == ((str(tmp_path / "ours.toml"), OURS),)


@pytest.mark.parametrize("files", ["missing.toml", "net.py,ours.toml"])
def test_the_command_says_which_file_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], files: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.py").write_text("import torch\n")
    (tmp_path / "ours.toml").write_text(OURS)
    assert main(["check", "--models", files, "net.py"]) == 2
    assert files.partition(",")[0] in capsys.readouterr().err


def test_the_rule_command_says_how_files_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "models"]) == 0
    assert "overlapping view or copy of x" in capsys.readouterr().out


def test_what_the_documentation_shows_can_be_read() -> None:
    shown = "\n".join(line[4:] for line in documentation().split("\n") if line.startswith("    "))
    assert known_libraries((("shown.toml", shown),)).layers


# -- the files that the package has ------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*.toml")), ids=lambda path: path.stem)
def test_each_file_is_about_a_library_of_its_name(path: Path) -> None:
    own = known_libraries((("own.toml", path.read_text("utf-8")),))
    assert own.functions or own.layers or own.names
    assert path.read_text("utf-8").startswith("# ")


X = torch.arange(6.0).view(2, 3)
SHARED = {
    "rearrange": lambda: einops.rearrange(X, "a b -> b a"),
    "reduce": lambda: einops.reduce(X, "a b -> a 1 b", "sum"),
    "repeat": lambda: einops.repeat(X, "a b -> c a b", c=2),
    "einsum": lambda: einops.einsum(X, "a b -> a b"),
}


@pytest.mark.parametrize("name", SHARED)
def test_functions_of_einops_hand_out_views(name: str) -> None:
    made = SHARED[name]()
    assert made.untyped_storage().data_ptr() == X.untyped_storage().data_ptr()
    model = known_libraries().functions[f"einops.{name}"][0]
    assert model.effect.returned is not None
    assert model.effect.returned.source is not None
