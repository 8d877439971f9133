"""The in-place names of the table, in every form and dtype: what the rewrite gives is what the original gave.

A third of the names is taken, or all with `EVERY_VARIANT` in the environment.
The programs are written from torch's own samples by `operators.sweep`. Each wrong result is either new, and fails here,
or listed in `operators.known.KNOWN` with its reason; an entry there that is no longer wrong fails too.
"""

from __future__ import annotations

import pytest
import torch

from operators.known import KNOWN, NOT_RUN
from operators.running import Function, Seen, compare, run
from operators.sweep import Tally, statement_statuses, sweep, table_names, targets
from sampling import one_in

PORTION = 20
QUICK = (
    *("Tensor.add_", "Tensor.relu_", "Tensor.zero_", "Tensor.normal_", "Tensor.copy_", "Tensor.eq_", "Tensor.t_"),
    *(
        "Tensor.masked_fill_",
        "Tensor.cumsum_",
        "Tensor.resize_",
        "torch.relu_",
        "torch.nn.functional.elu_",
        "+=",
        "**=",
    ),
    *("torch.nn.functional.relu(inplace=True)", "torch.nn.ReLU(inplace=True)", "torch.linalg.qr(out=)"),
)
PORTIONS = [table_names()[first : first + PORTION] for first in range(0, len(table_names()), PORTION * one_in(9))]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def check(names: list[str]) -> Tally:
    """Sweep these names; nothing is wrong but what is known to be, and all of that still is."""
    tally = sweep(names)
    new = [fault for fault in tally.faults if fault.key not in KNOWN]
    assert not new, f"{len(new)} wrong results, such as\n" + "\n".join(map(str, new[:5]))
    gone = [key for key in KNOWN if key[0] in tally.names and key not in {fault.key for fault in tally.faults}]
    assert not gone, f"no longer wrong; take these out of KNOWN: {gone}"
    return tally


@pytest.mark.parametrize("name", QUICK)
def test_quick(name: str) -> None:
    assert check([name]).counts["programs that run"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("names", PORTIONS, ids=lambda names: f"{names[0]}...{names[-1]}")
def test_sweep(names: list[str]) -> None:
    tally = check(names)
    assert tally.idle == NOT_RUN & tally.names


@pytest.mark.slow
def test_nearly_all_operators_with_a_counterpart_are_rewritten() -> None:
    able = [name for name, target in targets().items() if target.counterpart and name not in NOT_RUN]
    missing = [name for name in able if "rewritten" not in statement_statuses(name)]
    assert len(missing) <= 0.03 * len(able), f"{len(missing)} of {len(able)}: {missing}"


def test_known_names_exist() -> None:
    names = set(table_names())
    assert {key[0] for key in KNOWN} <= names
    assert names >= NOT_RUN


@pytest.mark.parametrize(
    ("after", "kind"),
    [
        pytest.param(lambda x: (x * 3, 1), "value", id="value"),
        pytest.param(lambda x: ((x * 2).float(), 1), "dtype", id="dtype"),
        pytest.param(lambda x: ((x * 2)[None], 1), "shape", id="shape"),
        pytest.param(lambda x: (x + x.detach(), 1), "gradient", id="gradient"),
        pytest.param(lambda x: ((x * 2).detach(), 1), "requires_grad", id="requires_grad"),
        pytest.param(lambda x: (x * 2 + torch.rand(2) * 0, 1), "random", id="random"),
        pytest.param(lambda x: (x * 2, 2), "structure", id="structure"),
        pytest.param(lambda x: (x.data.add_(1) * 0 + (x - 1) * 2, 1), "argument", id="argument"),
    ],
)
def test_the_comparison_sees(after: Function, kind: str) -> None:
    inputs = (torch.tensor([1.0, 2.0], dtype=torch.float64),)
    before, changed = run(lambda x: (x * 2, 1), inputs, "all"), run(after, inputs, "all")
    assert isinstance(before, Seen)
    assert isinstance(changed, Seen)
    assert kind in {difference.kind for difference in compare(before, changed)}
    assert not list(compare(before, before))
