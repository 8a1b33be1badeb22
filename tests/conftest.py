"""The browser tests' fixtures. Playwright is imported only when they run: the other tests do without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.browser import Office, Visitors

collect_ignore_glob = [] if find_spec("playwright") else ["test_browser*.py"]


@pytest.fixture(scope="session")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """What `up` starts, web server and worker, on a database of its own."""
    from tests.browser import open_office

    with open_office(
        tmp_path_factory.mktemp("office"), "--no-demo", filled_by="tests.browser_office"
    ) as opened:
        yield opened
    faults = [line for line in opened.log.read_text().splitlines() if "[error" in line or "[critical" in line]
    assert faults == []


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The browser that pages are walked with. From now on a loop runs in this thread, and Django would refuse
    the database to each later test of this process: nothing of those is asynchronous.
    """
    from playwright.sync_api import expect, sync_playwright

    from tests.browser import launch

    expect.set_options(timeout=60_000)
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def visitors(chromium: Browser, office: Office) -> Iterator[Visitors]:
    """Whoever comes in this test; at its end nothing may have gone wrong before their eyes."""
    from tests.browser import Visitors

    there = Visitors(chromium, office)
    yield there
    there.leave()
    assert there.faults() == []


@pytest.fixture
def sign_in(visitors: Visitors) -> Callable[..., Page]:
    """`sign_in("Amahle")`: the page before that person, at their desk."""
    from tests.browser_office import PASSWORD

    def enter(name: str, **options: Any) -> Page:
        return visitors.sign_in(f"{name.lower()}@csa.example", PASSWORD, **options)

    return enter


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """A browser test that failed leaves what was to be seen."""
    report = yield
    visitors = getattr(item, "funcargs", {}).get("visitors")
    if report.when == "call" and report.failed and visitors is not None:
        folder: Path = item.config._tmp_path_factory.getbasetemp() / "pictures" / item.name  # type: ignore[attr-defined]
        report.sections.append(("pictures", "\n".join(map(str, visitors.pictures(folder)))))
    return report
