"""Goes through the table: writes the programs of a name, rewrites them in both modes, runs and compares."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import torch

from operators import forms, samples
from operators.running import Seen, compare, run, slope
from operators.samples import Sample, quietly
from unplace import torchapi
from unplace.config.options import Options
from unplace.diagnostics.findings import Finding, Status
from unplace.transform.rewriter import rewrite_text

MODES = {"plain": Options(), "preserve-dtype": Options(preserve_dtype=True)}
RUNS = 30
"""How many inputs a program is run on at most."""
SIGNATURES = 4
"""How many different argument lists of a name are tried in all forms; the others only in the first one."""


@dataclass(frozen=True)
class Target:
    """A name of the table: how to call it, and the calls to try."""

    name: str
    call: Callable[[str, str], str]
    """Of the written expression and the text of the other arguments."""
    samples: Callable[[], list[Sample]]
    forms: dict[str, str]
    typed: bool = False
    counterpart: bool = True
    outs: int = 0
    smooth: bool = True
    """Finite differences tell its gradient."""


@dataclass
class Program:
    """A function in one form, and the inputs to run it on."""

    form: str
    text: str
    runs: list[tuple[str, torch.dtype, tuple[Any, ...]]] = field(default_factory=list)


@dataclass(frozen=True)
class Fault:
    """A wrong result."""

    target: str
    form: str
    kind: str
    mode: str
    where: str
    detail: str
    before: str
    after: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What stands for it in the list of known faults."""
        return self.target, self.kind, self.mode

    def __str__(self) -> str:
        """All of it."""
        place = f"{self.target}, {self.form}, {self.mode}, {self.where}"
        return f"{place}: {self.kind}: {self.detail}\n{self.before}-- becomes\n{self.after}"


@dataclass
class Tally:
    """What a sweep found."""

    counts: Counter[str] = field(default_factory=Counter)
    combinations: set[tuple[str, str, str]] = field(default_factory=set)
    statuses: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    """(name, form) -> statuses of its programs, of those that run at all."""
    reasons: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    idle: set[str] = field(default_factory=set)
    """Names of which no program ran."""

    def add(self, other: Tally) -> None:
        """Take in what another sweep found."""
        self.counts += other.counts
        self.combinations |= other.combinations
        self.statuses |= other.statuses
        self.reasons += other.reasons
        self.faults += other.faults
        self.names |= other.names
        self.idle |= other.idle


# -- targets --------------------------------------------------------------------------------------------------------


@cache
def targets() -> dict[str, Target]:
    """Every in-place name of the table."""
    found = [*_methods(), *_functions(), *_flags(), *_modules(), *_operators(), *_outs()]
    return {target.name: target for target in found}


def _hand(table: dict[str, tuple[str, ...]], name: str, *others: str, each: int = 3) -> Callable[[], list[Sample]]:
    def collect() -> list[Sample]:
        own: list[Sample] = samples.by_hand(table[name]) if name in table else []
        return own + samples.of_operator(*others, each=each)

    return collect


def table(section: str) -> list[str]:
    """The names of a section of the operator table."""
    return sorted(torchapi.table._table()[section])


def _methods() -> Iterator[Target]:
    for name in table("inplace_methods"):
        row = torchapi.inplace_method(name)
        assert row is not None
        base = name.removesuffix("_")
        yield Target(
            f"Tensor.{name}",
            partial("{1}.{0}({2})".format, name),
            _hand(samples.METHODS, name, base, f"nn.functional.{base}"),
            forms.STATEMENTS | forms.EXPRESSIONS,
            typed=row.dtype != "same",
            counterpart=row.kind not in ("storage", "flag", "detach"),
            smooth=row.kind not in ("detach", "random"),
        )


def _functions() -> Iterator[Target]:
    for name in table("inplace_functions"):
        row = torchapi.inplace_function(name)
        assert row is not None
        if row.kind in ("initialiser", "gradient", "foreach"):
            continue  # kept, see `kept_functions`
        base = name.rsplit(".", 1)[-1].removesuffix("_")
        called = name.replace("torch.nn.functional", "F")
        yield Target(
            name,
            partial(_call, called),
            _hand(samples.FUNCTIONS, name, f"nn.functional.{base}" if called[0] == "F" else base),
            forms.STATEMENTS | forms.EXPRESSIONS,
            counterpart=row.kind not in ("storage", "flag", "detach"),
            smooth=row.kind != "detach" and "dropout" not in name,
        )


def _call(called: str, y: str, rest: str) -> str:
    return f"{called}({_joined(y, rest)})"


def _flagged(called: str, y: str, rest: str) -> str:
    return f"{called}({_joined(y, rest, 'inplace=True')})"


def _call_out(called: str, y: str, rest: str) -> str:
    return f"{called}({_joined(rest, f'out={y}')})"


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _flags() -> Iterator[Target]:
    for name in table("inplace_flags"):
        base = name.removeprefix("torch.")

        def collect(base: str = base) -> list[Sample]:
            found = samples.of_operator(base, each=2) or samples.by_hand(("x - 2", "x, 0.5"))
            return [_without_flag(sample) for sample in found]

        yield Target(
            f"{name}(inplace=True)",
            partial(_flagged, f"F.{base.rsplit('.', 1)[-1]}"),
            collect,
            forms.STATEMENTS | forms.EXPRESSIONS,
        )


def _without_flag(sample: Sample) -> Sample:
    kwargs = {key: value for key, value in sample.kwargs.items() if key != "inplace"}
    return Sample(sample.label, sample.dtype, sample.args, kwargs)


def _modules() -> Iterator[Target]:
    for name in table("modules"):
        row = torchapi.module(name)
        assert row is not None
        if row.inplace is None or row.ignores_inplace:
            continue
        made = f"{name.replace('torch.nn', 'nn')}({_joined(samples.MODULES.get(name, ''), 'inplace=True')})"
        yield Target(
            f"{name}(inplace=True)",
            partial("{0}({1})".format, made),
            lambda: samples.by_hand(("x - 2", "torch.stack([x, a])[None] - 2")),
            {form: _with_module(text, made) for form, text in _MODULE_FORMS.items()} | _MODULE_DIRECT,
        )


_MODULE_FORMS = {
    "statement": "act = MADE\ny = x * 1\ny = act(y)\nreturn y",
    "assigned": "act = MADE\ny = x * 1\nz = act(y)\nreturn z",
    "assigned, read later": "act = MADE\ny = x * 1\nz = act(y)\nreturn z, y",
    "sequential": "net = nn.Sequential(nn.Identity(), MADE)\ny = x * 1\nreturn net(y)",
    "saved result": "act = MADE\ny = x.exp()\nreturn act(y)",
    "parameter": "act = MADE\nreturn act(x)",
}
_MODULE_DIRECT = {
    "returned": "y = x.clone()\nreturn <<y>>",
    "argument": "y = x.clone()\nreturn torch.stack([<<y>>, y])",
}


def _with_module(text: str, made: str) -> str:
    return text.replace("MADE", made)


def _operators() -> Iterator[Target]:
    for symbol in table("operators"):
        method = torchapi.augmented_functional(symbol)
        assert method is not None

        def collect(name: str = method.name) -> list[Sample]:
            found = samples.of_operator(name, each=3)
            own: list[Sample] = samples.by_hand(("x, a", "x, a[0]", "x, 2", "x, 1.5", "x, True"))
            return own + [sample for sample in found if len(sample.args) == 2 and not sample.kwargs]

        yield Target(
            f"{symbol}=",
            partial("{1} {0}= {2}".format, symbol),
            collect,
            forms.STATEMENTS,
            typed=True,
            counterpart=symbol != "@",  # torch has no in-place matrix product: `x @= w` rebinds already
        )


def _outs() -> Iterator[Target]:
    for name in table("functions"):
        row = torchapi.function(name)
        assert row is not None
        if not row.outs or name.rsplit(".", 1)[-1].startswith("empty"):
            continue  # of what `torch.empty` gives nothing can be compared
        base = name.removeprefix("torch.")
        yield Target(
            f"{name}(out=)",
            partial(_call_out, name),
            _hand(samples.OUT, name, base, base.rsplit(".", 1)[-1], each=1),
            forms.OUT,
            outs=row.outs,
            smooth=False,  # with out= autograd records nothing
        )


# -- programs -------------------------------------------------------------------------------------------------------


def programs(target: Target) -> list[Program]:
    """The programs of a name, each with the inputs that its text fits."""
    found: dict[tuple[str, str], Program] = {}
    shapes: list[str] = []
    for sample in target.samples():
        if sample.shape_of_call not in shapes:
            shapes.append(sample.shape_of_call)
        all_forms = shapes.index(sample.shape_of_call) < SIGNATURES
        written = _written_out if target.outs else _written
        for form, parameters, body, runs in written(target, sample, all_forms=all_forms):
            key = (form, forms.function("f", parameters, body))
            program = found.setdefault(key, Program(form, ""))
            program.text = program.text or forms.function(f"f{len(found)}", parameters, body)
            program.runs += runs
    return list(found.values())


Written = tuple[str, list[str], str, list[tuple[str, torch.dtype, tuple[Any, ...]]]]


def _written(target: Target, sample: Sample, *, all_forms: bool) -> Iterator[Written]:
    if not isinstance(sample.args[0], torch.Tensor):
        return
    numbers = any(
        isinstance(v, int | float | complex) and not isinstance(v, bool)
        for v in (*sample.args[1:], *sample.kwargs.values())
    )
    for literal in (False, True) if numbers else (False,):
        runs = []
        for variant in samples.variants(sample):
            arguments = forms.Arguments(variant.args[1:], variant.kwargs, literal=literal)
            runs.append((variant.label, variant.dtype, (variant.args[0], *arguments.values)))
        arguments = forms.Arguments(sample.args[1:], sample.kwargs, literal=literal)
        parameters = ["x: torch.Tensor", *arguments.parameters]

        def call(y: str, rest: str = arguments.text) -> str:
            return target.call(y, rest)

        for form, text in target.forms.items():
            if form == "statement" or (all_forms and not (literal and form in forms.EXPRESSIONS)):
                yield form, parameters, forms.filled(text, call), runs
        if target.typed and all_forms and not literal:
            yield from _typed(sample, arguments, parameters, call, runs[:1])


def _typed(
    sample: Sample,
    arguments: forms.Arguments,
    parameters: list[str],
    call: Callable[[str], str],
    runs: list[tuple[str, torch.dtype, tuple[Any, ...]]],
) -> Iterator[Written]:
    """Forms in which the text tells the dtypes."""
    if sample.dtype not in (torch.float64, torch.int64):
        return
    values = [
        p.partition(":")[0]
        for p, v in zip(arguments.parameters, arguments.values, strict=True)
        if isinstance(v, torch.Tensor) and v.dtype == sample.dtype
    ]
    for own, other in forms.TYPED if values else [(own, "") for own in ("float32", "int32", "bool", "complex64")]:
        converted = "".join(f"\n{value} = {value}.to(torch.{other})" for value in values)
        body = f"y = x.clone().to(torch.{own}){converted}\n<<y>>\nreturn y"
        yield f"typed {own} {other}".rstrip(), parameters, forms.filled(body, call), runs


def _written_out(target: Target, sample: Sample, *, all_forms: bool) -> Iterator[Written]:
    function = _resolve(target.name.removesuffix("(out=)"))
    kwargs = {key: value for key, value in sample.kwargs.items() if key != "out"}
    torch.default_generator.manual_seed(7)
    result = quietly(lambda: function(*sample.args, **kwargs))
    results = tuple(samples.tensors(result))
    if len(results) not in (1, target.outs) or any(r.layout != torch.strided for r in results):
        return
    arguments = forms.Arguments(sample.args, kwargs, literal=True)
    whole = [r.detach().clone() for r in results]
    runs = [("", sample.dtype, (*whole, *arguments.values))]
    wide = {torch.float32: torch.float64, torch.int64: torch.float64, torch.float64: torch.complex128}
    if whole[0].dtype in wide:
        other = [r.to(wide[r.dtype]) if r.dtype in wide else r for r in whole]
        runs.append(("out of another dtype", sample.dtype, (*other, *arguments.values)))

    def call(y: str) -> str:
        return target.call(y, arguments.text)

    if len(whole) == 1:
        given = forms.OUT
        if whole[0].dtype in forms.OUT_OF_DTYPE:
            given = given | {f"empty {str(whole[0].dtype)[6:]}": forms.OUT_OF_DTYPE[whole[0].dtype]}
        parameters = ["o: torch.Tensor", *arguments.parameters]
    else:
        numbered = range(len(whole))
        words = {
            "names": ", ".join(f"y{i}" for i in numbered),
            "clones": ", ".join(f"o{i}.clone()" for i in numbered),
            "others": ", ".join(f"z{i}" for i in numbered),
            "first": "y0",
        }
        given = {form: text.format(**words) for form, text in forms.OUTS.items()}
        parameters = [*(f"o{i}: torch.Tensor" for i in numbered), *arguments.parameters]
    for form, text in given.items():
        if form == "statement" or all_forms:
            typed = form.startswith("empty ")
            yield form, parameters, forms.filled(text, call), runs[:1] if typed else runs


def _resolve(name: str) -> Callable[..., Any]:
    found: Any = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    function: Callable[..., Any] = found
    return function


def table_names() -> list[str]:
    """The names of all targets."""
    return list(targets())


def statement_statuses(name: str) -> set[str]:
    """What becomes of a name as a statement of its own."""
    written = [program for program in programs(targets()[name]) if program.form in ("statement", "sequential")]
    found = set()
    for program in written:
        report = rewrite_text(forms.HEAD + program.text, "program.py", Options())
        found |= {finding.status.value for finding in report.findings}
    return found


# -- the sweep ------------------------------------------------------------------------------------------------------


def sweep(names: list[str]) -> Tally:
    """All programs of these names."""
    tally = Tally()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            tally.add(_sweep(targets()[name]))
    return tally


def _sweep(target: Target) -> Tally:
    tally = Tally(names={target.name})
    written = programs(target)
    text = forms.HEAD + "\n\n".join(program.text for program in written)
    before = _functions_of(text)
    reports = {mode: rewrite_text(text, "program.py", options) for mode, options in MODES.items()}
    afters = {mode: _functions_of(report.after) for mode, report in reports.items()}
    texts = {mode: _split(report.after) for mode, report in reports.items()}
    starts = [match.start() for match in re.finditer(r"^def ", text, re.M)]
    lines = [text.count("\n", 0, start) + 1 for start in starts] + [10**9]
    for number, program in enumerate(written):
        name = re.match(r"def (\w+)", program.text)
        assert name is not None
        original = _Original(before[name[1]], target)
        picked = _spread(program.runs)
        ran = False
        told: dict[str, set[str]] = {mode: set() for mode in MODES}
        for mode, report in reports.items():
            findings = [f for f in report.findings if lines[number] <= f.line < lines[number + 1]]
            changed = any(f.status is Status.REWRITTEN for f in findings)
            status = "rewritten" if changed else "refused" if _refused(findings) else "kept"
            if mode == "plain":
                tally.counts[f"programs {status}"] += 1
                if changed or any(not isinstance(original(p, "none"), str) for p in picked[:4]):
                    tally.statuses.setdefault((target.name, program.form), set()).add(status)
                    if not changed:
                        tally.reasons[_reason(findings)] += 1
            after = afters[mode][name[1]]
            same = mode != "plain" and texts[mode][name[1]] == texts["plain"][name[1]]
            for inputs in picked if changed else []:
                found = _judge(original, after, inputs, findings, mode)
                if found is None:
                    tally.counts["runs of programs that raise"] += mode == "plain"
                    continue
                ran = True
                if not same:
                    tally.counts[f"runs {mode}"] += 1
                tally.combinations.add((target.name, program.form, str(inputs[1])))
                where = f"{str(inputs[1])[6:]} {inputs[0]}".strip()
                for kind, detail in found:
                    if kind == "assumed":
                        tally.counts["runs with an assumed dtype"] += 1
                    elif kind not in told[mode] and not (same and kind in told["plain"]):
                        told[mode].add(kind)
                        tally.faults.append(
                            Fault(
                                target.name,
                                program.form,
                                kind,
                                mode,
                                where,
                                detail,
                                program.text,
                                texts[mode][name[1]],
                            )
                        )
            if not changed and mode == "plain":
                for inputs in picked:
                    if not isinstance(original(inputs, "none"), str):
                        ran = True
                        tally.combinations.add((target.name, program.form, str(inputs[1])))
        tally.counts["programs that run"] += ran
    if not tally.combinations:
        tally.idle.add(target.name)
    return tally


def _functions_of(text: str) -> dict[str, Callable[..., Any]]:
    names: dict[str, Any] = {}
    exec(compile(text, "program.py", "exec"), names)
    return names


def _split(text: str) -> dict[str, str]:
    return {match[1]: match[0].strip() + "\n" for match in re.finditer(r"^def (\w+).*\n(?:(?:    .*)?\n)*", text, re.M)}


def _spread(runs: list[tuple[str, torch.dtype, tuple[Any, ...]]]) -> list[tuple[str, torch.dtype, tuple[Any, ...]]]:
    """A choice in which each dtype and each variant comes up."""
    seen: Counter[tuple[str, torch.dtype]] = Counter()
    ranked = []
    for place, entry in enumerate(runs):
        seen[entry[:2]] += 1
        ranked.append((seen[entry[:2]], bool(entry[0]), place))
    return [runs[place] for rank, _, place in sorted(ranked)[:RUNS] if rank <= 2]


class _Original:
    """The original function, run once for each input and mode of gradients."""

    def __init__(self, function: Callable[..., Any], target: Target) -> None:
        self.function = function
        self.target = target
        self.seen: dict[tuple[int, str], Seen | str] = {}

    def __call__(self, inputs: tuple[str, torch.dtype, tuple[Any, ...]], grad: str) -> Seen | str:
        key = (id(inputs), grad)
        if key not in self.seen:
            self.seen[key] = run(self.function, inputs[2], grad, self.target.outs)
        return self.seen[key]


def _judge(
    original: _Original,
    after: Callable[..., Any],
    inputs: tuple[str, torch.dtype, tuple[Any, ...]],
    findings: list[Finding],
    mode: str,
) -> list[tuple[str, str]] | None:
    """What is wrong with the rewrite on these inputs; None where the original raises."""
    floating = inputs[1].is_floating_point or inputs[1].is_complex
    for grad in ("all", "first", "none") if floating else ("none",):
        wanted = original(inputs, grad)
        if not isinstance(wanted, str):
            break
    else:
        return None
    got = run(after, inputs[2], grad, original.target.outs)
    if isinstance(got, str):
        return [("raises", got)]
    found = [(difference.kind, difference.detail) for difference in compare(wanted, got)]
    if mode == "plain" and any(kind == "dtype" for kind, _ in found):
        if any("dtype" in assumption for finding in findings for assumption in finding.assumptions):
            return [("assumed", "")]
    if original.target.smooth and not found and floating and not inputs[0] and (wanted.broken or grad == "none"):
        repaired = got if grad == "all" else run(after, inputs[2], "all")
        if not isinstance(repaired, str) and not repaired.broken:
            complaint = slope(original.function, inputs[2], repaired)
            if complaint is not None:
                return [("slope", complaint)]
    return found


def _refused(findings: list[Finding]) -> bool:
    return any(finding.status is Status.REFUSED for finding in findings)


def _reason(findings: list[Finding]) -> str:
    """Why nothing was rewritten, without the names."""
    if not findings:
        return "kept: no finding"
    first = next((f for f in findings if f.status is Status.REFUSED), findings[0])
    return f"{first.status.value}: {re.sub(r'`[^`]*`', '`..`', first.message)}"
