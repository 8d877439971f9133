"""The page of a migration in a real browser: Debian's Chromium without a window, with 5,000 operations."""

from __future__ import annotations

import base64
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from unplace.batch.records import (
    ErrorRecord,
    FileRecord,
    ReasonRecord,
    RepositoryRecord,
    Result,
    SiteRecord,
    VerificationRecord,
)
from unplace.reporting.page import write_page

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    BROWSER is None or DRIVER is None, reason="needs a browser: apt-get install chromium chromium-driver"
)

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage"
)
REPOSITORIES, FILES, SITES = 25, 20, 10
READ = ReasonRecord("read", "`…` is read in line N")
HOSTILE = "</script><script>document.title = 'acted'</script><img src=x onerror=\"document.title = 'acted'\">"
FUNCTION = "def f{0}(x):\n    y = x.exp()\n    y += {0}\n    return y\n\n\n"


def site(number: int) -> SiteRecord:
    rule, line = f"UNP00{1 + number % 8}", 3 + number % SITES * 6
    if number % 5 == 0:
        return SiteRecord(line, 5, rule, "kept", None, "harmless", "an initialiser")
    if number % 5 == 1:
        return SiteRecord(
            line, 5, rule, "refused", None, "possible", f"`y` is read in line {line + 1}", reasons=(READ,)
        )
    harm = "harmful" if number % 10 == 2 else "harmless"
    return SiteRecord(line, 5, rule, "rewritten", "safe", harm, "`y` is rebound", source="y += 1")


def records() -> Iterator[RepositoryRecord]:
    before = "".join(FUNCTION.format(number) for number in range(SITES))
    after = re.sub(r"y \+= (\d)", r"y = y + \1", before)
    for repository in range(REPOSITORIES):
        first = repository * FILES * SITES
        found = tuple(
            FileRecord(
                f"src/module_{file}.py",
                tuple(site(first + file * SITES + number) for number in range(SITES)),
                before if repository else before.replace("y += 0", HOSTILE),
                after,
            )
            for file in range(FILES)
        )
        check = VerificationRecord("pytest -q", "passed", 2, 3.0, HOSTILE)
        name = f"repository-{repository:02}"
        yield RepositoryRecord(name, f"file:///{name}", Result.MIGRATED, seconds=5.0, found=found, verification=check)
    yield RepositoryRecord("dirty", "file:///dirty", Result.SKIPPED, "the working tree has changes", seconds=0.1)
    error = ErrorRecord("old.py", HOSTILE, 3, 7)
    yield RepositoryRecord(HOSTILE, "file:///x", Result.UNCHANGED, files=1, lines=20, errors=(error,))


@pytest.fixture(scope="module")
def chrome(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    for flag in (*FLAGS.split(), "--window-size=1400,1000", f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path: Path = tmp_path_factory.mktemp("report") / "report.html"
    write_page(records(), path, dry_run=False)
    return path.as_uri()


@pytest.fixture
def opened(chrome: Chrome, address: str) -> Callable[[str], Chrome]:
    def to(filters: str) -> Chrome:
        chrome.get("about:blank")
        chrome.get(address + filters)
        return chrome

    return to


@pytest.fixture
def page(opened: Callable[[str], Chrome]) -> Chrome:
    return opened("")


def run(page: Chrome, script: str) -> Any:
    return page.execute_script(script)


def shown(page: Chrome) -> str:
    return str(run(page, "return document.getElementById('shown').textContent"))


def choose(page: Chrome, **filters: str) -> float:
    """Set filters as a person would, and say how many milliseconds the page took."""
    return float(
        page.execute_script(
            """
            const start = performance.now();
            for (const [name, value] of Object.entries(arguments[0])) {
              const field = document.getElementById("filters").elements[name];
              field.value = value;
              field.dispatchEvent(new Event("input", { bubbles: true }));
            }
            return new Promise((done) => setTimeout(() => {
              document.body.offsetHeight;
              done(performance.now() - start);
            }, "text" in arguments[0] ? 150 : 0));
            """,
            filters,
        )
    )


def test_it_opens_without_errors_requests_or_scripts_of_others(page: Chrome) -> None:
    assert page.get_log("browser") == []  # type: ignore[no-untyped-call]
    assert page.title.startswith("unplace migration")
    assert run(page, "return performance.getEntriesByType('resource').length") == 0
    assert run(page, "return document.images.length + document.scripts.length") == 2
    assert shown(page) == "4,000 operations of 5,000, in 500 files of 25 repositories"


def test_its_policy_blocks_what_would_come_in(page: Chrome) -> None:
    blocked = page.execute_async_script(
        """
        const done = arguments[0];
        const blocked = new Set();
        document.addEventListener("securitypolicyviolation", (event) => blocked.add(event.effectiveDirective));
        document.body.append(Object.assign(document.createElement("script"), { text: "document.title = 'acted'" }));
        document.body.append(Object.assign(document.createElement("img"), { src: "https://example.org/" }));
        fetch("https://example.org/").catch(() => setTimeout(() => done([...blocked].sort())));
        """
    )
    assert blocked == ["connect-src", "img-src", "script-src-elem"]
    assert page.title.startswith("unplace")


@pytest.mark.parametrize(
    ("filters", "operations", "repositories"),
    [
        ({"rule": "UNP003"}, "500 operations", 25),
        ({"harm": "harmful"}, "500 operations", 25),
        ({"verdict": "refused"}, "1,000 operations", 25),
        ({"verdict": "any"}, "5,000 operations", 27),
        ({"fix": "none", "verdict": "kept"}, "1,000 operations", 25),
        ({"repository": "3"}, "160 operations", 1),
        ({"result": "skipped"}, "0 operations", 1),
        ({"text": "working tree"}, "0 operations", 1),
        ({"text": "REPOSITORY-07 module_3.py rebound"}, "6 operations", 1),
        ({"text": "y = y + 7"}, "4,000 operations", 25),
        ({"rule": "UNP003", "verdict": "kept", "text": "nowhere"}, "0 operations", 0),
    ],
)
def test_filters(page: Chrome, filters: dict[str, str], operations: str, repositories: int) -> None:
    assert choose(page, **filters) < 2000
    assert shown(page).startswith(operations)
    assert run(page, "return document.querySelectorAll('#repositories tbody tr:not([hidden])').length") == repositories
    address = run(page, "return location.hash")
    assert all(f"{name}=" in address for name in filters)


def test_filtered_figures_are_those_of_what_is_asked_for(page: Chrome) -> None:
    figure = "return document.querySelector('[data-repository=\"1\"] [data-count=%s]').textContent"
    assert run(page, figure % "kept") == "40"
    choose(page, harm="harmful")
    assert (run(page, figure % "rewritten"), run(page, figure % "kept")) == ("20", "0")
    run(page, "document.querySelector('[type=reset]').click()")
    choose(page)
    assert run(page, figure % "kept") == "40"
    assert run(page, "return location.hash") == ""


def test_an_address_brings_its_filters(opened: Callable[[str], Chrome]) -> None:
    page = opened("#rule=UNP002&verdict=refused")
    assert shown(page).endswith("Only: rule UNP002, verdict refused")
    run(page, "document.querySelector('#reasons tbody a').click()")
    choose(page)
    assert run(page, "return document.getElementById('filters').elements.rule.value") == ""
    assert shown(page).startswith("1,000 operations")
    run(page, "document.querySelector('nav a[href=\"#verification\"]').click()")
    assert run(page, "return document.activeElement.id") == "verification"
    assert "reason=" in run(page, "return location.hash")


def test_a_file_opens_by_keyboard_with_its_operations_and_diff(opened: Callable[[str], Chrome]) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    page = opened("#repository=1")
    file = page.find_element(By.CSS_SELECTOR, "#list details")
    assert file.find_elements(By.CSS_SELECTOR, "table.diff") == []
    file.find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)
    choose(page)
    assert len(file.find_elements(By.CSS_SELECTOR, ".sites li")) == 8
    changed = file.find_element(By.CSS_SELECTOR, ".diff tr:has(ins)")
    texts = run(page, "return [...document.querySelector('.diff tr:has(ins)').cells].map((cell) => cell.textContent)")
    assert texts == ["", "    y += 0", "", "    y = y + 0"]
    assert [cell.get_attribute("data-n") for cell in changed.find_elements(By.CSS_SELECTOR, ".n")] == ["3", "3"]
    assert run(page, "return document.querySelectorAll('.diff .gone.code').length") == SITES


def test_an_operation_opens_with_its_code_before_and_after(opened: Callable[[str], Chrome]) -> None:
    page = opened("#repository=1")
    run(page, "document.querySelector('#list details summary').click()")
    choose(page)
    assert run(page, "return document.querySelectorAll('.around table').length") == 0
    assert run(page, "return document.querySelectorAll('.around').length") == 8
    run(page, "document.querySelectorAll('.around > summary')[1].click()")
    choose(page)
    assert run(page, "return document.querySelectorAll('.around table').length") == 1
    rows = run(page, "return [...document.querySelectorAll('.around .site')].map((cell) => cell.dataset.n)")
    assert len(rows) == 1
    assert run(page, "return document.querySelectorAll('.around .new.code').length") >= 1


def test_hostile_code_is_shown_and_does_nothing(opened: Callable[[str], Chrome]) -> None:
    page = opened("#repository=0")
    run(page, "document.getElementById('open').click()")
    choose(page)
    assert HOSTILE in run(page, "return document.querySelector('.diff .gone.code').textContent")
    assert run(page, "return document.images.length") == 0
    assert page.title.startswith("unplace")


def test_sorting(page: Chrome) -> None:
    script = "const [head] = [...document.querySelectorAll('#rules th button')].filter((b) => b.textContent === '%s');"
    first = "head.click(); return [...document.querySelector('#rules tbody').rows].map((row) => row.dataset.rule)[0]"
    assert run(page, script % "Rule" + first) == "UNP001"
    assert run(page, script % "Rule" + first) == "UNP008"
    state = "return document.querySelector('#rules th[aria-sort]').ariaSort"
    assert run(page, state) == "descending"
    assert run(page, script % "Harmful" + first) == "UNP007", "equal figures stay as they were"
    assert run(page, state) == "descending"


def test_all_5000_operations_open(page: Chrome) -> None:
    choose(page, verdict="any")
    assert run(page, "return document.querySelectorAll('#list details').length") == 100
    run(page, "document.querySelector('[data-more=all]').click(); document.getElementById('open').click()")
    assert run(page, "return document.querySelectorAll('#list details[open] .sites li').length") == 5000
    assert run(page, "return document.querySelectorAll('table.diff').length") == REPOSITORIES * FILES


def test_it_prints_what_is_asked_for_in_dark_too(opened: Callable[[str], Chrome]) -> None:
    page = opened("#repository=1&rule=UNP003")
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": dark})
    colour = "return getComputedStyle(document.body).backgroundColor"
    assert run(page, colour) == "rgb(21, 23, 26)"
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": dark})
    assert run(page, colour) == "rgb(255, 255, 255)"
    assert run(page, "return getComputedStyle(document.querySelector('.fields')).display") == "none"
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    pdf = base64.b64decode(page.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"])
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 6


def test_a_narrow_window_needs_no_scrolling_sideways(opened: Callable[[str], Chrome]) -> None:
    page = opened("#repository=0")
    run(page, "document.querySelector('#list summary').click()")
    metrics = {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    choose(page)
    assert run(page, "return document.documentElement.scrollWidth") == 360
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
