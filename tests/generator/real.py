"""The statements of real code, and how often they are drawn."""

from __future__ import annotations

from collections.abc import Callable

from generator import (
    batched,
    captured,
    cuts,
    guards,
    held,
    helpers,
    hidden,
    listed,
    nested,
    networks,
    outs,
    paired,
    precision,
    tables,
    targets,
    unseen,
    weights,
)
from generator.writer import Writer

HEADER = [
    "import contextlib",
    "import functools",
    "from collections import defaultdict, namedtuple",
    "from contextlib import contextmanager, suppress",
    "from functools import partial",
    "from typing import NamedTuple",
    "",
]

STATEMENTS: dict[Callable[[Writer], bool], float] = {
    guards.guarded: 5, guards.open_write: 1.5, nested.nest: 4, cuts.cut: 4, cuts.one_line: 3, cuts.slices: 3,
    hidden.shared_data: 2, hidden.partial_data: 2,
    hidden.whole_data: 1, captured.callback: 4, precision.autocast: 3, precision.mixed: 4, precision.low_region: 2,
    targets.holder: 4, targets.tensor_attribute: 1.5, targets.getter: 2,
    targets.module_state: 6, outs.handed_out: 2.5, outs.nested_calls: 3,
    outs.twins: 2.5, networks.network: 5, networks.flagged: 3, helpers.call_shape: 5,
    helpers.namesakes: 1.5, helpers.layouts: 1.5, helpers.looked_up: 1.5, unseen.call: 4,
    unseen.pair: 2, unseen.converted: 3,
    held.custom_function: 2, held.record: 2, held.meter: 2, held.left: 2, held.factory: 1,
    paired.mixed: 3,
    batched.mapped: 3,
    tables.table: 2, tables.batched_table: 1.5, tables.closure: 1.5, tables.generator: 1.5, tables.nested_elements: 1,
    tables.optimised: 1,
    weights.module: 3, listed.elements: 3,
}  # fmt: skip
