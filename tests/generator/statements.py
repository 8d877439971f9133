"""The choice of the next statement."""

from __future__ import annotations

from collections.abc import Callable

from generator import classes, containers, control, forms, functions, idioms, lookalikes, views, writes
from generator.writer import Writer

Maker = Callable[[Writer], bool]
WRITES: dict[Maker, float] = {
    writes.augmented: 8, writes.method: 7, writes.store: 6, writes.masked: 3.5, writes.advanced: 1.2, writes.swap: 0.5,
    writes.data_store: 0.8, writes.function: 2.5, writes.out_argument: 0.5, writes.other_methods: 0.7,
    containers.element_write: 3,
}  # fmt: skip
OTHERS: dict[Maker, float] = {
    views.view: 6, views.pieces: 1.3, views.alias: 4, views.assign: 9, views.other_dtype: 1.5, containers.new_list: 1.5,
    containers.new_dict: 1.2, containers.new_object: 0.7, containers.append: 2, containers.take: 2, lookalikes.start: 1,
    lookalikes.step: 1, lookalikes.use: 0.8, functions.call_function: 3.5, functions.closure: 1,
    functions.small_function: 0.8,
    classes.memory: 3,
}  # fmt: skip
BLOCKS: dict[Maker, float] = {
    control.branch: 2, control.loop: 2, control.while_loop: 0.4, control.each: 1.2, control.attempt: 0.4,
    control.grad_mode: 0.5,
    control.early_return: 0.5, idioms.idiom: 2,
}  # fmt: skip
EVERYTHING = WRITES | OTHERS | BLOCKS


def profile(w: Writer, more: bool) -> dict[str, float]:
    """How much this program likes each kind of statement: some are left out, some are frequent (swarm testing)."""
    makers = (*EVERYTHING, *(forms.FORMS if more else ()))
    return {maker.__name__: w.pick([0.0, 0.5, 1.0, 1.0, 2.0, 3.0]) for maker in makers}


def statement(w: Writer) -> None:
    """Write one statement of any kind."""
    if w.budget > 0:
        w.budget -= 1
        if w.real and w.chance(0.5) and _one_of(w, w.real):
            return
        _one_of(w, EVERYTHING | forms.FORMS if w.more else EVERYTHING)


def write(w: Writer) -> None:
    """Write one statement that writes in place."""
    _one_of(w, WRITES)


def _one_of(w: Writer, table: dict[Maker, float]) -> bool:
    weights = [weight * w.weights.get(maker.__name__, 1.0) + 0.01 for maker, weight in table.items()]
    return any(maker(w) for maker in w.rng.choices(list(table), weights, k=8))
