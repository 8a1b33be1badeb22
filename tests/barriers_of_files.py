"""`python -m tests.barriers_of_files FOLDER [WIDTH]`: what axe finds on the pages (`*.html`) in a folder.

For pages in states that no walk comes by: a test makes them with Django's client, and this program, which
uses no database, shows each in Chromium with its style sheets and scripts, on a desktop and on a phone, or a
phone so wide. Prints JSON: file → barriers.
"""

from __future__ import annotations

import json
import mimetypes
import sys
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Route, sync_playwright

from tests.browser import DESKTOP, PATIENCE, PHONE, ROOT, barriers, launch

HOST = "http://pages.invalid"


def main(folder: Path, width: int = PHONE[0]) -> None:
    found: dict[str, list[str]] = {}
    with sync_playwright() as playwright:
        browser = launch(playwright)
        context = browser.new_context(
            viewport={"width": DESKTOP[0], "height": DESKTOP[1]}, reduced_motion="reduce"
        )
        context.set_default_timeout(PATIENCE)
        context.route("**/*", lambda route: answer(route, folder))
        page = context.new_page()
        for path in sorted(folder.glob("*.html")):
            page.goto(f"{HOST}/{path.name}")
            found[path.stem] = barriers(page, (DESKTOP, (width, PHONE[1])))
            page.screenshot(path=path.with_suffix(".png"), full_page=True)
        browser.close()
    print(json.dumps(found))


def answer(route: Route, folder: Path) -> None:
    """A page of the folder, a file of the site's own static folders; nothing for any other request."""
    path = urlsplit(route.request.url).path.lstrip("/")
    for place in (folder / path, ROOT / path):
        if place.is_file() and (place.parent == folder or place.is_relative_to(ROOT / "static")):
            kind = mimetypes.guess_type(place.name)[0] or "text/plain"
            route.fulfill(body=place.read_bytes(), content_type=kind)
            return
    route.fulfill(status=204)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
