"""The repairs that leave each optimizer its gradients, for the proof to judge: restrict, swap, restrict and move."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from unplace.loops.code import Code, moved
from unplace.loops.events import Spot
from unplace.loops.scene import Scene, Texts, Together
from unplace.text.edits import Edit, apply_edits

_BACKWARDS = frozenset({"backward", "manual_backward"})


class Promise(Enum):
    """What a repair keeps."""

    GRADIENTS = "gradients"
    """Each step gets the gradients that it would have got from the values that were saved."""
    VALUES = "values"
    """Each backward starts from the same values, too."""
    LOSSES = "losses"
    """The later loss is computed again with the new weights; with weights that stay, all gradients are the same."""
    FIRST_ROUND = "first round"
    """The gradient stops where a round begins."""


@dataclass(frozen=True, slots=True)
class Repairing:
    """A repair to be tried: the new texts of the files that change, and what is to be proved of it."""

    name: str
    texts: Texts
    promise: Promise = Promise.GRADIENTS


def repairs(scene: Scene) -> Iterator[Repairing]:
    """Yield the repairs of a scene, those that change least first."""
    apart = scene.wanted != scene.stepping
    restricted = list(_restricted(scene, scene.later, scene.wanted)) if apart else []
    for texts in restricted:
        yield Repairing("restrict", texts)
    yield from (Repairing("swap", texts) for texts in (_swapped(scene, scene.texts) if apart else ()))
    for texts in restricted:
        yield from (Repairing("restrict and move", late) for late in stepping_later(scene, texts))
        yield from (Repairing("restrict and move", early) for early in _going_back_earlier(scene, texts))
    for texts in (*restricted, *_restricted(scene, scene.first, scene.stepping)) if apart else ():
        yield from (Repairing("restrict and swap", swapped) for swapped in _swapped(scene, texts))
    yield from (Repairing("write later", texts, Promise.VALUES) for texts in _writing_later(scene))


def changed(before: Texts, after: Texts) -> Texts:
    """Return the texts that differ."""
    return {path: text for path, text in after.items() if before[path] != text}


# -- restrict ------------------------------------------------------------------------------------------------------


def _restricted(scene: Scene, position: int, optimizer: int) -> Iterator[Texts]:
    """Yield the texts in which a backward only runs for the parameters of an optimizer."""
    written = dict(zip(_activations(scene, scene.later), (scene.log.parameters or {}).get(optimizer, ()), strict=False))
    for spot in reversed(scene.event(position).stack):
        code = _code_at(scene.texts, spot)
        call = code.call_at(spot.span) if code is not None else None
        if code is None or call is None or not _is_backward(call):
            continue
        for parameters in written.get(spot.activation, ()):
            yield with_edits(scene.texts, spot.path, [code.with_keyword(call, f"inputs={parameters}")])


def _activations(scene: Scene, position: int) -> list[int]:
    return [spot.activation for spot in scene.event(position).stack]


def _is_backward(call: ast.Call) -> bool:
    return _name_of(call) in _BACKWARDS and not any(keyword.arg in ("inputs", None) for keyword in call.keywords)


# -- swap ----------------------------------------------------------------------------------------------------------


def _swapped(scene: Scene, texts: Texts) -> Iterator[Texts]:
    """Yield the texts in which the update after the failing backward goes in front of the one before it."""
    zero_first = scene.zeroing(scene.stepping, scene.first)
    zero_later = scene.zeroing(scene.wanted, scene.later, scene.early)
    zeroes = [position for position in (zero_first, zero_later) if position is not None]
    found = scene.together([scene.first, scene.early, scene.later, scene.last, *zeroes])
    if found is None:
        found, zeroes, zero_first, zero_later = (
            scene.together([scene.first, scene.early, scene.later, scene.last]),
            [],
            None,
            None,
        )
    if found is None:
        return
    first, early, later, last, *others = found.indices
    before = min([first, *others[: zero_first is not None]])
    start = min([later, *others[len(others) - (zero_later is not None) :]])
    if not before <= early < start <= last:
        return
    texts = _handing_on_the_graph(texts, found)
    code = Code.of(texts[found.path])
    assert code is not None
    for begin in dict.fromkeys((start, early + 1)):
        lines = found.code.lines_of(found.block[begin : last + 1])
        target = found.code.lines_of(found.block[before : before + 1])
        if lines is not None and target is not None:
            yield {**texts, found.path: moved(texts[found.path], lines, before=target[0])}


def _handing_on_the_graph(texts: Texts, found: Together) -> Texts:
    """Move `retain_graph=True` from the backward that was the first to the one that is the first now."""
    code = Code.of(texts[found.path])
    assert code is not None
    first, later = (_call_in_line(code, found.spots[number]) for number in (0, 2))
    taken = code.without_keyword(first, "retain_graph") if first is not None else None
    if taken is None or later is None or first is later or any(k.arg == "retain_graph" for k in later.keywords):
        return texts
    return with_edits(texts, found.path, [taken, code.with_keyword(later, "retain_graph=True")])


def _call_in_line(code: Code, spot: Spot) -> ast.Call | None:
    """Return the call at a spot of the text before edits within its lines."""
    line, column, *_ = spot.span
    calls = [node for node in ast.walk(code.tree) if isinstance(node, ast.Call) and node.lineno == line]
    return next((call for call in calls if column < 0 or call.col_offset == column), None)


# -- restrict and move ---------------------------------------------------------------------------------------------


def stepping_later(scene: Scene, texts: Texts) -> Iterator[Texts]:
    """Yield the texts in which the early step goes behind the later backward."""
    found = scene.together([scene.early, scene.later])
    if found is None:
        return
    early, later = found.indices
    lines = found.code.lines_of(found.block[early : early + 1])
    target = found.code.lines_of(found.block[later : later + 1])
    if early < later and lines is not None and target is not None:
        yield {**texts, found.path: moved(texts[found.path], lines, before=target[1] + 1)}


def _going_back_earlier(scene: Scene, texts: Texts) -> Iterator[Texts]:
    """Yield the texts in which the later backward goes in front of the early step, and of all that writes after it."""
    zero = scene.zeroing(scene.wanted, scene.later, scene.early)
    positions = [scene.early, scene.later, *([zero] if zero is not None else [])]
    found = scene.together(positions) or scene.together(positions[:2])
    if found is None:
        return
    early, later, *zeroes = found.indices
    lines = found.code.lines_of(found.block[min([later, *zeroes]) : later + 1])
    target = found.code.lines_of(found.block[early : early + 1])
    if early < min([later, *zeroes]) and lines is not None and target is not None:
        yield {**texts, found.path: moved(texts[found.path], lines, before=target[0])}


# -- write later ---------------------------------------------------------------------------------------------------


def _writing_later(scene: Scene) -> Iterator[Texts]:
    """Yield the texts in which what wrote goes behind the later backward: an average, a weight that was loaded."""
    for spot in scene.event(scene.later).stack:
        code = _code_at(scene.texts, spot)
        for line in _writing_lines(scene, spot) if code is not None else ():
            assert code is not None
            found = code.common_block([(line, -1, line, -1), spot.span])
            if found is None or found[1][0] >= found[1][1]:
                continue
            block, (write, later) = found
            lines, target = code.lines_of(block[write : write + 1]), code.lines_of(block[later : later + 1])
            if lines is not None and target is not None:
                text = moved(scene.texts[spot.path], lines, before=target[1] + 1)
                yield {**scene.texts, spot.path: text}


def _writing_lines(scene: Scene, spot: Spot) -> Iterator[int]:
    """Yield the lines of a file that wrote, and those that call the functions which wrote."""
    here = _code_at(scene.texts, spot)
    for path, line in scene.culprits:
        if path == spot.path:
            yield line
        there = Code.of(scene.texts[path]) if path in scene.texts else None
        function = there.function_at(line) if there is not None else None
        for node in ast.walk(here.tree) if here is not None and function is not None else ():
            if isinstance(node, ast.Call) and function is not None and _name_of(node) == function.name:
                yield node.lineno


def _name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


# -- texts ---------------------------------------------------------------------------------------------------------


def with_edits(texts: Texts, path: str, edits: list[Edit]) -> Mapping[str, str]:
    """Return the texts with edits of one."""
    return {**texts, path: apply_edits(texts[path], edits)}


def _code_at(texts: Texts, spot: Spot) -> Code | None:
    text = texts.get(spot.path)
    return None if text is None else Code.of(text)
