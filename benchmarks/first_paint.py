"""When a reader sees the first of a page: headless Chromium and an open office on one machine.

    python manage.py up                                                the office, in another window
    python -m benchmarks.first_paint http://127.0.0.1:8000 /csa/ /csa/players/101000002/ [--loads 9]

Each load is a reader's who comes for the first time: nothing is in the browser's cache. Prints of each page
the medians of the first contentful paint (milliseconds from the request), of the answer's first byte in it,
and of the bytes that travelled, fonts apart; and the most that anything moved (layout shift). The load of
the machine stands beside them: a busy one paints later.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from tests.browser import launch

PHONE = {"width": 390, "height": 844}
SEEN = """() => new Promise(done => {
    let moved = 0;
    new PerformanceObserver(list => list.getEntries().forEach(entry => { moved += entry.value; }))
        .observe({type: "layout-shift", buffered: true});
    const [page] = performance.getEntriesByType("navigation");
    const all = [page, ...performance.getEntriesByType("resource")];
    const sum = fonts => all.filter(entry => entry.name.endsWith(".woff2") === fonts)
        .reduce((bytes, entry) => bytes + entry.transferSize, 0);
    setTimeout(() => done({
        paint: performance.getEntriesByName("first-contentful-paint")[0].startTime,
        answer: page.responseStart, bytes: sum(false), fonts: sum(true), moved,
    }), 500);
})"""
"""What a page's own clock tells once it is there; half a second more for what may still move."""


def load(browser: Browser, address: str) -> dict[str, Any]:
    """Open a page in a browser that has seen nothing yet."""
    with browser.new_context(viewport=PHONE) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(address, wait_until="networkidle")
        found: dict[str, Any] = page.evaluate(SEEN)
        return found


def tell(address: str, seen: Sequence[dict[str, Any]]) -> None:
    paint, answer, size, fonts = (
        statistics.median(each[name] for each in seen) for name in ("paint", "answer", "bytes", "fonts")
    )
    least, most = (end(each["paint"] for each in seen) for end in (min, max))
    moved, busy = max(each["moved"] for each in seen), os.getloadavg()[0]
    print(
        f"{address}: first paint {paint:.0f} ms ({least:.0f} to {most:.0f}), answer begun {answer:.0f} ms; "
        f"{size / 1000:.1f} kB and fonts {fonts / 1000:.1f} kB; moved {moved:.4f}; load {busy:.0f}",
        flush=True,
    )


def main(office: str, paths: Sequence[str], loads: int) -> None:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for path in paths:
            load(browser, f"{office}{path}")  # the office's own caches are warm, as on any day
            tell(path, [load(browser, f"{office}{path}") for _ in range(loads)])
        browser.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("office", help="the address of an open office, without the last slash")
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--loads", type=int, default=9)
    options = parser.parse_args()
    main(options.office, options.paths, options.loads)
    sys.exit()
