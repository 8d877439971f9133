"""The repairs that train otherwise, for people to choose: compute a loss again after the step, detach a state."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from unplace.loops.code import Code, inserted
from unplace.loops.edits import Promise, Repairing, with_edits
from unplace.loops.events import STEP, Spot, State
from unplace.loops.scene import Scene, Texts, Together

_DETACHED = {
    "Tensor": "{0} = {0}.detach()",
    "tuple": "{0} = tuple(s.detach() for s in {0})",
    "list": "{0} = [s.detach() for s in {0}]",
    "dict": "{0} = {{key: s.detach() for key, s in {0}.items()}}",
}


def choices(scene: Scene) -> Iterator[Repairing]:
    """Yield the repairs by choice, those that change least first."""
    yield from _detached(scene)
    for texts in (*_computed_again(scene), *_computed_in_each_round(scene)):
        yield Repairing("compute again", texts, Promise.LOSSES)


# -- compute again -------------------------------------------------------------------------------------------------


def _computed_again(scene: Scene) -> Iterator[Texts]:
    """Yield the texts in which the last statements that make the later loss stand behind the last step before it."""
    steps = [p for p in range(scene.early, scene.later) if scene.event(p).kind == STEP]
    found = next(filter(None, (scene.together([p, scene.later]) for p in reversed(steps))), None)
    if found is None:
        return
    step, later = found.indices
    if step >= later:
        return
    needed = _makers(found, step, later)
    for some in _some(needed):
        text = _behind(found, some, step)
        if text is not None:
            yield {**scene.texts, found.path: text}


def _some(indices: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield single statements and then statements up to the last one, in each case the latest ones first."""
    yield from ([index] for index in reversed(indices))
    yield from (indices[start:] for start in range(len(indices) - 2, -1, -1))


def _makers(found: Together, step: int, later: int) -> list[int]:
    """Return the statements before a step that the value of a later backward is made by, in order."""
    wanted = _read(found.block[later])
    makers: list[int] = []
    for index in range(later - 1, -1, -1):
        statement = found.block[index]
        if isinstance(statement, ast.Assign) and _bound(statement) & wanted:
            wanted = (wanted - _bound(statement)) | _read(statement)
            if index < step:
                makers.insert(0, index)
    return makers


def _behind(found: Together, indices: Sequence[int], step: int) -> str | None:
    """Return the text with statements behind a step; those that others need before it stay there, too."""
    rows = found.code.text.splitlines(keepends=True)
    target = found.code.lines_of(found.block[step : step + 1])
    ranges = [found.code.lines_of(found.block[i : i + 1]) for i in indices]
    if target is None or not all(ranges):
        return None
    taken: list[str] = []
    dropped: set[int] = set()
    staying = [s for i, s in enumerate(found.block[: step + 1]) if i > indices[0] and i not in indices]
    for index, lines in reversed(list(zip(indices, ranges, strict=True))):
        assert lines is not None
        taken[:0] = [row.rstrip("\r\n") for row in rows[lines[0] - 1 : lines[1]]]
        if any(_read(other) & _bound(found.block[index]) for other in staying):
            staying.append(found.block[index])
        else:
            dropped.update(range(lines[0], lines[1] + 1))
    text = inserted(found.code.text, taken, before=target[1] + 1)
    return "".join(row for number, row in enumerate(text.splitlines(keepends=True), 1) if number not in dropped)


def _read(statement: ast.stmt) -> set[str]:
    """Return the names and attributes that a statement reads."""
    reads = (n for n in ast.walk(statement) if isinstance(n, ast.Name | ast.Attribute))
    return {ast.unparse(node) for node in reads if isinstance(node.ctx, ast.Load)}


def _bound(statement: ast.stmt) -> set[str]:
    """Return the names and attributes that a statement binds."""
    stores = (n for n in ast.walk(statement) if isinstance(n, ast.Name | ast.Attribute))
    return {ast.unparse(node) for node in stores if isinstance(node.ctx, ast.Store)}


def _computed_in_each_round(scene: Scene) -> Iterator[Texts]:
    """Yield the texts in which the last statements before a loop that its backward needs stand in the loop."""
    found = scene.together([scene.later])
    loop = found.code.loop_around(found.block[found.indices[0]]) if found is not None else None
    if found is None or loop is None or found.block is not loop.body:
        return
    outer = found.code.block_of(loop)
    around = Together(found.code, found.path, outer, [outer.index(loop)], found.spots)
    needed = _makers(around, outer.index(loop), outer.index(loop))
    first = found.code.lines_of(loop.body[:1])
    for some in _some(needed):
        ranges = [found.code.lines_of(outer[i : i + 1]) for i in some]
        if first is None or not all(ranges):
            return
        rows = found.code.text.splitlines(keepends=True)
        numbers = [n for lines in ranges if lines is not None for n in range(lines[0], lines[1] + 1)]
        deeper = " " * (loop.body[0].col_offset - loop.col_offset)
        taken = [deeper + rows[n - 1].rstrip("\r\n") for n in numbers]
        text = inserted(found.code.text, taken, before=first[0])
        kept = [row for n, row in enumerate(text.splitlines(keepends=True), 1) if n not in numbers]
        yield {**scene.texts, found.path: "".join(kept)}


# -- detach --------------------------------------------------------------------------------------------------------


def _detached(scene: Scene) -> Iterator[Repairing]:
    """Yield the repairs that detach the states which one round hands to the next."""
    by_spot: dict[Spot, list[State]] = {}
    for state in scene.log.states:
        by_spot.setdefault(state.spot, []).append(state)
    bases = [texts for texts in (_not_retaining(scene), scene.texts) if texts is not None]
    for spot, states in by_spot.items():
        groups = [states, *([state] for state in (states if len(states) > 1 else ()))]
        for group in groups:
            for base in bases:
                for texts in _with_detached(scene, base, spot, group):
                    yield Repairing("detach", texts, Promise.FIRST_ROUND)


def _with_detached(scene: Scene, base: Texts, spot: Spot, states: Sequence[State]) -> Iterator[Texts]:
    """Yield the texts with detached states where a round begins, and those with them where it ends."""
    text = base.get(spot.path)
    code = Code.of(text) if text is not None else None
    stepping = [s for s in scene.event(scene.early).stack if (s.path, s.function) == (spot.path, spot.function)]
    around = code.statements_around(stepping[0].span) if code is not None and stepping else []
    if code is None or text is None or not around:
        return
    block = code.block_of(around[0])
    lines = [_DETACHED[state.form].format(state.text) for state in states if state.form in _DETACHED]
    indent = " " * block[0].col_offset
    new = [indent + line for line in lines]
    loop = code.loop_around(around[0])
    if loop is not None and loop.body is block and code.begins_its_line(block[0]):
        yield {**base, spot.path: inserted(text, new, before=block[0].lineno)}
    ends = isinstance(block[-1], ast.Return | ast.Continue | ast.Break)
    if code.begins_its_line(block[-1]) or not ends:
        line = block[-1].lineno if ends else (block[-1].end_lineno or 0) + 1
        yield {**base, spot.path: inserted(text, new, before=line)}


def _not_retaining(scene: Scene) -> Texts | None:
    """Return the texts in which the later backward no longer keeps its graph; None where it doesn't anyway."""
    for spot in scene.event(scene.later).stack:
        code = Code.of(scene.texts[spot.path]) if spot.path in scene.texts else None
        call = code.call_at(spot.span) if code is not None else None
        edit = code.without_keyword(call, "retain_graph") if code is not None and call is not None else None
        if edit is not None:
            return with_edits(scene.texts, spot.path, [edit])
    return None
