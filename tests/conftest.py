"""What all tests share: commands keep their results in a folder of the tests, not in that of the user."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from importing import forget_package
from unplace.runs.cache import VARIABLE

FOLDER = pytest.StashKey[str]()
QUICK_FIXTURES = Path(__file__).parent / "fixtures/quick.txt"
"""The fixtures of the quick tier, which `scripts/quick_fixtures.py` chooses."""

FULL = frozenset(
    [
        *("across", "diagnose_fix", "diagnosed_failures", "docs", "explain", "flow_traced", "functional"),
        *("fuzz", "generated", "human", "layouts", "limits", "loops", "measure_harm", "measure_kinds"),
        *("metamorphic", "migrate", "migrate_killed", "migration_report", "mutants", "needed_copies"),
        *("nothing_lost", "observe", "observed_calls", "observed_failures", "one_answer", "operator_sweep"),
        *("operator_table", "pre_commit", "property", "regressions", "report_browser", "server", "shared_seen"),
        *("strangers", "suppressions", "target_torch", "torchapi", "trial", "update_orders", "verifier"),
        *("workspace",),
    ]
)
"""The modules of tests that belong to the full tier as a whole: `across` stands for `tests/test_across.py`."""

# How long an example takes says more about what else the machine does.
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")


def pytest_configure(config: pytest.Config) -> None:
    """Before the test modules are imported, some of which copy the environment."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started by `nohup` or in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.stash[FOLDER] = os.environ[VARIABLE] = tempfile.mkdtemp(prefix="unplace-results-")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what the quick tier leaves out."""
    quick = frozenset(QUICK_FIXTURES.read_text("utf-8").split())
    for item in items:
        module = item.path.stem.removeprefix("test_")
        case = item.callspec.params.get("case") if hasattr(item, "callspec") else None
        if module in FULL or (module == "fixtures" and case is not None and case.name not in quick):
            item.add_marker(pytest.mark.full)


Collecting = Generator[None, pytest.CollectReport, pytest.CollectReport]
HAS_TORCH = importlib.util.find_spec("torch") is not None
WITHOUT_TORCH = "needs torch, which isn't installed"


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip a module that imports torch where there is none: most of the tool has to work without."""
    report = yield
    if not HAS_TORCH and report.failed and "No module named 'torch'" in str(report.longrepr):
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 0, WITHOUT_TORCH)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None]:
    """Skip a test that imports torch where there is none."""
    try:
        yield
    except ModuleNotFoundError as error:
        if HAS_TORCH or error.name != "torch":
            raise
        pytest.skip(WITHOUT_TORCH)


@pytest.fixture(scope="session", autouse=True)
def _seed_only_what_is_there() -> None:
    """Let `torch.manual_seed` leave out devices that aren't there: it notes each call for each with its whole stack.

    Most programs of the tests seed, and are called many times; that took a third of their time.
    """
    torch = sys.modules.get("torch")
    for name in ("cuda", "mtia", "xpu") if torch is not None else ():
        device = getattr(torch, name)
        if not device.is_available():
            device.manual_seed_all = lambda seed: None


@pytest.fixture(autouse=True)
def _no_package_outlives_its_test() -> Iterator[None]:
    yield
    forget_package()


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(config.stash[FOLDER], ignore_errors=True)
