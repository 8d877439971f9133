"""The judge of a rewrite: runs a program before and after through the verification engine and names what differs.

The expected gradient is the original's own where its backward works. Where it raises an in-place error there are two
references, and a rewrite is right when it agrees with either: autograd itself, with copies of what it saves
(`saved_copies`) and leave to write the pieces of a tensor (`WritablePieces`), and finite differences of the original's
forward in float64 along a few directions. Differences that are mere rounding (another order of additions, vectorised or
not) don't count.
"""

from __future__ import annotations

import ast
import inspect
import re
import signal
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum

import torch

from generator.compiling import called
from generator.derivatives import KINK, differentiated, directions, is_another_in_float64
from generator.pieces import WritablePieces
from generator.variants import VARIANTS, contained, varied
from unplace.config.options import Options
from unplace.diagnostics.findings import FileReport, Harm, Status
from unplace.transform.rewriter import rewrite_text
from unplace.verification.compare import (
    Difference,
    Tolerance,
    compare_flags,
    compare_gradients,
    compare_notes,
    compare_random_state,
    deviation,
)
from unplace.verification.examples import Maker, Program
from unplace.verification.observe import Note, Observation, describe, observe
from unplace.verification.reference import forward_only
from unplace.verification.saved_copies import saved_copies
from unplace.verification.transforms import without_transforms

IN_PLACE = re.compile(
    r"in-?place|leaf Variable|a view of a leaf|modified by|single memory location|written-to tensor"
    r"|because there exists a Tensor|match the broadcast shape|that can support dynamic shape"  # under vmap
)
ROUNDING = Tolerance(2e-5, 2e-6)
WIDE = Tolerance(1e-6, 1e-7)
KEPT_ON_CONTEXT = re.compile(r"\bctx\.\w+ = ")
HIDDEN_WRITE = re.compile(r"\.data\b|\.detach\(\)\.\w+_\(")
"""A write that autograd doesn't see, left in the rewritten program: its gradient is nobody's."""

WHOLE_STORE = re.compile(r"\.data\s*=[^=]")
REPAIRS = "repairs the gradient"
"""What the tool repairs by letting autograd see it, so that the gradient becomes another; how the report says so."""

LOW = re.compile(r"\b(half|bfloat16|float16|float32)\b|\.float\(\)")
UNDERSCORE = re.compile(r"[a-z]_$")
NOT_READ = re.compile(r"no caller reads the argument `(\w+)` after the call")
INPUT_UNREAD = re.compile(r"nobody reads the input of the \w+ after it was called")
LIMIT = 1e5
ALONE = "by finite differences alone"
CUT = re.compile(r"\.(detach|item|tolist)\(")
UNJUDGED = "raises in float64"


class Result(str, Enum):
    """What became of a program."""

    DISCARDED = "discarded"
    RIGHT = "right"
    WRONG = "wrong"


class Fault(str, Enum):
    """What is wrong with a rewrite."""

    VALUES = "wrong values"
    GRADIENTS = "wrong gradients"
    MUTATIONS = "lost mutations"
    RANDOM = "another random state"
    RAISES = "the rewritten program raises"
    CRASH = "the tool crashes"
    COMPILE = "does not compile"
    REPEATED = "not idempotent"
    INPLACE = "an in-place operation stands where none stood"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of one program.

    `complaint` is what autograd says about the original (None: it works), `works` whether autograd
    likes the rewritten one, `fixed` that it does so only now and that it is right. `assumed`: it is right but for what
    the caller sees of arguments that the report assumes not to be read after the call.
    `unclear`: the gradients differ from every reference, and none of these can be trusted on this program.
    `introduced`: underscore methods and keywords of which the rewritten program has more.
    `unexplained`: autograd still complains, although the report calls everything harmless that is left.
    `variant`: the call that shows what is wrong, where the plain one doesn't.
    """

    result: Result
    fault: Fault | None = None
    details: tuple[str, ...] = ()
    complaint: str | None = None
    works: bool = False
    fixed: bool = False
    assumed: bool = False
    unclear: bool = False
    unexplained: bool = False
    introduced: tuple[str, ...] = ()
    changed: bool = False
    after: str = ""
    variant: str = ""
    report: FileReport | None = field(default=None, compare=False)


def judge(
    text: str,
    *,
    unsafe: bool = False,
    rewritten: str | None = None,
    assumed: Sequence[str] = (),
    variants: Iterable[str] = tuple(VARIANTS),
    compiled: bool = False,
) -> Verdict:
    """Rewrite a program (or take `rewritten` as its rewriting, which rests on `assumed`) and compare both.

    They are called in other ways, too (`VARIANTS`), and with `compiled` as `torch.compile` makes them.
    """
    with warnings.catch_warnings(), alarm(60.0 if compiled else 5.0), filled_memory():
        warnings.simplefilter("ignore")
        try:
            verdict = _judge(text, unsafe, rewritten, assumed)
            verdict = _varied(text, verdict, assumed, variants) if _is_proved(verdict) else verdict
            return _compiled(text, verdict) if compiled and _is_proved(verdict) else verdict
        except TimeoutError:
            return Verdict(Result.DISCARDED, details=("takes too long",))


@contextmanager
def filled_memory() -> Iterator[None]:
    """Let `torch.empty` give NaN, so that programs that read it are discarded and not compared."""
    outer = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(outer)


@contextmanager
def alarm(seconds: float = 5.0) -> Iterator[None]:
    """Interrupt what takes more of the processor's time, again and again: a program can run for ever."""

    def ring(number: int, frame: object) -> None:
        raise TimeoutError("takes too long")

    outer = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, outer)


def _judge(text: str, unsafe: bool, rewritten: str | None, assumed: Sequence[str]) -> Verdict:
    before = contained(text)
    original = watched(before)
    complaint = original.error or original.backward_error
    plain = without_autograd(before) if original.error else original
    if plain.error or not _sound(plain) or (complaint and not IN_PLACE.search(complaint)):
        return Verdict(Result.DISCARDED, details=(plain.error or complaint or "huge numbers",), complaint=complaint)
    if rewritten is not None:
        start = Verdict(Result.RIGHT, complaint=complaint, after=rewritten)
        return _proved(text, before, original, start, assumed)
    try:
        report = rewrite_text(text, "before.py", Options(unsafe=unsafe, strict=not unsafe))
        again = rewrite_text(report.after, "before.py", Options(unsafe=unsafe, strict=not unsafe)).after
    except Exception as error:
        fault = Fault.COMPILE if isinstance(error, SyntaxError) else Fault.CRASH
        return Verdict(Result.WRONG, fault, (_crash(error),), complaint)
    start = Verdict(Result.RIGHT, complaint=complaint, after=report.after, report=report)
    verdict = _proved(text, before, original, start, _assumptions(report))
    had, has = inplace_calls(text), inplace_calls(report.after)
    verdict = replace(verdict, introduced=tuple(sorted(has - had)))
    if verdict.result is Result.RIGHT and has.total() > had.total():
        return replace(verdict, result=Result.WRONG, fault=Fault.INPLACE, details=(f"{verdict.introduced} is new",))
    if verdict.result is Result.RIGHT and again != report.after:
        return replace(
            verdict, result=Result.WRONG, fault=Fault.REPEATED, details=(_first_change(report.after, again),)
        )
    return verdict


def inplace_calls(text: str) -> Counter[str]:
    """The underscore methods and functions, `out=` and `inplace=True` of a program, and how often they stand there."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    names = Counter(c.func.attr for c in calls if isinstance(c.func, ast.Attribute) and UNDERSCORE.search(c.func.attr))
    keywords = [k for c in calls for k in c.keywords if not (isinstance(k.value, ast.Constant) and not k.value.value)]
    return names + Counter(f"{k.arg}=" for k in keywords if k.arg in ("out", "inplace"))


def _proved(text: str, before: Maker, original: Observation, start: Verdict, assumed: Sequence[str]) -> Verdict:
    """The verdict after the comparison through torch; `assumed` is what the rewriting rests on."""
    if start.after == text:
        return replace(start, unexplained=start.complaint is not None and _is_silent(start))
    start = replace(start, changed=True)
    try:
        after = contained(start.after)
    except SyntaxError as error:
        return replace(start, result=Result.WRONG, fault=Fault.COMPILE, details=(str(error),))
    return _compared(text, before, after, original, start, assumed)


def _is_proved(verdict: Verdict) -> bool:
    """Whether a changed program was compared, and nothing was found."""
    return verdict.result is Result.RIGHT and verdict.changed and not verdict.unclear


def _varied(text: str, verdict: Verdict, assumed: Sequence[str], names: Iterable[str]) -> Verdict:
    """The verdict after the comparison of other calls; those that the original doesn't stand say nothing."""
    before, after = contained(text), contained(verdict.after)
    rests = [*assumed, *_assumptions(verdict.report)]
    for name in names:
        first, second = varied(before, name), varied(after, name)
        original = watched(first)
        complaint = original.error or original.backward_error
        plain = without_autograd(first) if original.error else original
        if plain.error or not _sound(plain) or (complaint and not IN_PLACE.search(complaint)):
            continue
        start = replace(verdict, complaint=complaint)
        found = _compared(text, first, second, original, start, rests)
        if found.result is Result.WRONG:
            details = tuple(f"{detail} ({name})" for detail in found.details)
            return replace(found, details=details, complaint=verdict.complaint, variant=name)
    return verdict


def _compiled(text: str, verdict: Verdict) -> Verdict:
    """The verdict after a comparison under `torch.compile`, if that makes of the original what it is."""
    before = contained(text)
    eager, original = called(before, compiled=False), called(before, compiled=True)
    if eager.error or original.error or behaviour(eager, original):
        return verdict
    rewritten = called(contained(verdict.after), compiled=True)
    raises = [Difference("rewritten program", f"raises {rewritten.error}")] if rewritten.error else []
    found = raises or behaviour(original, rewritten)
    if not found:
        return verdict
    details = tuple(f"{difference} (torch.compile)" for difference in found[:6])
    return replace(verdict, result=Result.WRONG, fault=_fault(found), details=details, variant="torch.compile")


def _compared(
    text: str, before: Maker, after: Maker, original: Observation, start: Verdict, assumed: Sequence[str]
) -> Verdict:
    """The verdict on one way to call both programs."""
    repairs = bool(WHOLE_STORE.search(text)) or _repairs(start)
    differences, works = compare(before, after, original, repairs)
    fixed = works and start.complaint is not None
    start = replace(start, works=works)
    if not differences:
        return replace(start, fixed=fixed, unexplained=start.complaint is not None and not works and _is_silent(start))
    fault, details = _fault(differences), tuple(str(difference) for difference in differences[:6])
    if assumed and _are_assumed(contained(text)(), assumed, differences):
        return replace(start, fixed=fixed, assumed=True)
    is_silent = repairs or KEPT_ON_CONTEXT.search(text)  # the original's gradient may be wrong, unseen
    is_kept = start.complaint is None and not is_silent  # the gradient is what it was, or wrong
    if (
        fault is Fault.GRADIENTS
        and not (is_kept and UNJUDGED not in details[0])
        and (_is_unclear(text, start.after, details[0]) or _depends_on_autograd(before, original))
    ):
        return replace(start, fixed=fixed, unclear=True)
    return replace(start, result=Result.WRONG, fault=fault, details=details)


def _assumptions(report: FileReport | None) -> list[str]:
    """What the rewritten findings rest on."""
    findings = report.findings if report is not None else ()
    return [words for f in findings if f.status is Status.REWRITTEN for words in f.assumptions]


def _repairs(verdict: Verdict) -> bool:
    """Whether the report says that a rewrite repairs a gradient which the original loses."""
    findings = verdict.report.findings if verdict.report is not None else ()
    return any(f.status is Status.REWRITTEN and REPAIRS in f.message for f in findings)


def _is_silent(verdict: Verdict) -> bool:
    """Whether the report has nothing left that could be harmful."""
    findings = verdict.report.findings if verdict.report is not None else ()
    return all(f.status is Status.REWRITTEN or f.harm is Harm.HARMLESS for f in findings)


def _are_assumed(program: Program, texts: Sequence[str], differences: Sequence[Difference]) -> bool:
    """Whether only arguments differ, of which a rewrite assumes that no caller reads them after the call."""
    assumed = {name for text in texts for name in NOT_READ.findall(text)}
    names = list(inspect.signature(getattr(program.function, "forward", program.function)).parameters)
    if any(INPUT_UNREAD.fullmatch(text) for text in texts):
        assumed = {*names}
    places = [re.match(r"argument\[(\d+)\]", difference.place) for difference in differences]
    return all(place is not None and {*names[int(place[1]) :][:1]} & assumed for place in places)


def _is_unclear(before: str, after: str, detail: str) -> bool:
    """Whether no reference can be trusted.

    There is no derivative (`KINK`); writes behind autograd's back stay, which finite differences do see; or a `.data`
    store is repaired, so that the original's gradient is none, while differences see through what the program detaches
    on purpose.
    """
    if "requires_grad" in detail or "no gradient at all" in detail:
        return False
    if (
        UNJUDGED in detail or KINK in detail or (ALONE in detail and "nan instead" in detail)
    ):  # 0 * nan, which no difference shows
        return True
    if LOW.search(before) or is_another_in_float64(contained(before)):  # or steps are lost in rounding
        return True
    if KEPT_ON_CONTEXT.search(before):  # autograd doesn't know what is written of that
        return True
    if HIDDEN_WRITE.search(before) and CUT.search(after):
        return True
    return bool(HIDDEN_WRITE.search(after)) or "torch.no_grad()" in after


def _depends_on_autograd(before: Maker, original: Observation) -> bool:
    """Whether a program computes something else where nothing is recorded, since it handles what autograd raises."""
    return original.error is None and bool(behaviour(original, without_autograd(before)))


def watched(make: Maker, *, backward: bool = True) -> Observation:
    """One run; looking at its result can raise as well (a stale view of `unbind`)."""
    try:
        return observe(make, backward=backward)
    except Exception as error:
        return Observation(error=describe(error))


def without_autograd(make: Maker) -> Observation:
    """One run without autograd; an `example()` that raises is an error like any other."""
    try:
        return forward_only(make)
    except Exception as error:
        return Observation(error=describe(error))


def _crash(error: Exception) -> str:
    trace, where = error.__traceback__, ""
    while trace is not None:
        where = f"{trace.tb_frame.f_code.co_filename.rsplit('/', 1)[-1]}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{describe(error)} at {where}"


def _first_change(a: str, b: str) -> str:
    pairs = zip([*a.splitlines(), ""], [*b.splitlines(), ""], strict=False)
    return next((f"{x.strip()!r} becomes {y.strip()!r}" for x, y in pairs if x != y), "lines are added")


def _sound(seen: Observation) -> bool:
    """Whether all numbers are finite and not so large that nothing can be said about gradients."""
    values = [note.value for note in (*seen.outputs, *seen.state)]
    real = [value for value in values if isinstance(value, torch.Tensor) and value.is_floating_point()]
    return all(bool((value.abs() < LIMIT).all()) for value in real)


def compare(before: Maker, after: Maker, original: Observation, repairs: bool) -> tuple[list[Difference], bool]:
    """All differences, and whether autograd has no complaint about the rewritten program."""
    rewritten = watched(after)
    failure = rewritten.error or rewritten.backward_error
    if original.error is None and rewritten.error is not None:
        return [Difference("rewritten program", f"raises {failure}")], False
    if original.error is None and original.backward_error is None:
        if failure is not None:
            return [Difference("rewritten program", f"raises {failure}")], False
        found = behaviour(original, rewritten)
        return found or _gradients(before, after, original, rewritten, repairs), True
    a, b = (original, rewritten) if original.error is None else (without_autograd(before), without_autograd(after))
    if b.error is not None:
        return [Difference("rewritten program", f"raises {b.error}")], False
    found = behaviour(a, b)
    if found or failure is not None:
        return found, failure is None
    return _references(before, after), True


def behaviour(original: Observation, rewritten: Observation) -> list[Difference]:
    """What two runs show that differs, in values, dtypes and shapes; mere rounding doesn't count."""
    found = [
        *compare_notes(original.outputs, rewritten.outputs),
        *compare_notes(original.state, rewritten.state),
        *compare_random_state(original, rewritten),
    ]
    notes = {note.place: note for note in (*original.outputs, *original.state)}
    other = {note.place: note for note in (*rewritten.outputs, *rewritten.state)}
    return [d for d in found if not _is_rounding(notes.get(d.place), other.get(d.place))]


def _is_rounding(a: Note | None, b: Note | None) -> bool:
    if a is None or b is None:
        return False
    if isinstance(a.value, float) and isinstance(b.value, float):
        return abs(a.value - b.value) <= 1e-5 * (1 + abs(a.value))
    if isinstance(a.value, torch.Tensor) and isinstance(b.value, torch.Tensor):
        return deviation(a.value, b.value, ROUNDING) is None
    return False


def _gradients(
    before: Maker, after: Maker, original: Observation, rewritten: Observation, repairs: bool
) -> list[Difference]:
    flags = list(compare_flags(original, rewritten))
    if repairs:  # a graph that `.data` kept away may come back
        flags = [flag for flag in flags if "False instead of True" in flag.message]
    if flags or not list(compare_gradients(original.gradients, rewritten.gradients, ROUNDING)):
        return flags
    try:
        expected, actual = differentiated(before), differentiated(after)
    except RuntimeError as error:
        return [Difference("gradient", f"{UNJUDGED}: {describe(error)}")]
    found = list(compare_gradients(expected, actual, WIDE))
    return [] if found and repairs and not directions(before, actual) else found


def _references(before: Maker, after: Maker) -> list[Difference]:
    """What distinguishes the gradients of the rewritten program from both references, nothing where one agrees."""
    try:
        actual = differentiated(after)
    except Exception as error:
        return [Difference("gradient", f"{UNJUDGED}: {describe(error)}")]  # another branch was taken, perhaps
    with saved_copies(), WritablePieces(), without_transforms():
        try:
            expected = differentiated(before)
        except Exception:
            expected = None
    if expected is not None and not list(compare_gradients(expected, actual, WIDE)):
        return []
    if expected is not None and any(g.value is not None and bool(g.value.isnan().any()) for g in expected):
        expected = None  # no reference for a gradient that isn't a number either
    found = directions(before, actual)
    if found and all(gradient.value is None for gradient in actual):
        return [Difference("gradient of all leaves", "there is no gradient at all")]
    return [Difference(d.place, f"{d.message} {ALONE if expected is None else ''}".rstrip()) for d in found]


def _fault(differences: Sequence[Difference]) -> Fault:
    place = differences[0].place
    if place.startswith(("argument", "function")):
        return Fault.MUTATIONS
    if place.startswith("output"):
        return Fault.GRADIENTS if "requires_grad" in differences[0].message else Fault.VALUES
    if place.startswith("random"):
        return Fault.RANDOM
    return Fault.RAISES if place == "rewritten program" else Fault.GRADIENTS


def is_valid(text: str) -> bool:
    """Whether a text is Python."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True
