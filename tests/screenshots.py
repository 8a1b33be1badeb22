"""The README's pictures: `python -m tests.screenshots` opens a demo office and photographs its main pages.

They are written to docs/screenshots/, each under 300 kB; an office that is open already is photographed with
`--office http://127.0.0.1:8000`.
"""

from __future__ import annotations

import argparse
import os
import struct
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import django
from django.utils import translation
from playwright.sync_api import Page, sync_playwright

from tests.browser import PHONE, ROOT, Office, Visitors, launch, open_office

FOLDER = ROOT / "docs" / "screenshots"
DESKTOP = (1280, 900)
MOST_BYTES = 300_000
OFFICIAL = "nomsa@example.org"


def photograph(visitors: Visitors, password: str) -> None:
    """What everybody sees, on the way from the office to one game; then what the official decides on."""
    reader = visitors.enter(DESKTOP)
    reader.goto("/csa/")
    save(visitors, reader, "office")
    newest = reader.get_by_role("main").get_by_role("link", name="OTB Main").first.get_attribute("href")
    risen = reader.get_by_role("list").filter(has=reader.locator(".delta")).get_by_role("link").first
    player = risen.get_attribute("href")
    risen.click()
    played = reader.locator("#changes tr:has(th a) + .folded").first
    played.locator("summary").click()
    played.get_by_role("link", name="The whole working").click()
    reader.get_by_role("heading", level=2, name="The games").evaluate("it => it.scrollIntoView()")
    save(visitors, reader, "working")
    reader.get_by_role("heading", level=1).get_by_role("link").click()
    save(visitors, reader, "section")
    nomsa = visitors.sign_in(OFFICIAL, password, size=DESKTOP)
    nomsa.locator("main a[href$='/review/']").first.click()
    save(visitors, nomsa, "review")
    phone = visitors.enter(PHONE, device_scale_factor=2, is_mobile=True)
    phone.goto(str(newest))
    save(visitors, phone, "list-phone")
    phone.goto(str(player))
    save(visitors, phone, "player-phone")
    phone.emulate_media(color_scheme="dark")
    phone.locator(".curve, figure").first.evaluate("it => it.scrollIntoView()")
    save(visitors, phone, "player-dark-phone")


def save(visitors: Visitors, page: Page, name: str) -> None:
    """What is on the screen once everything stands; nothing of a page on which something went wrong."""
    page.wait_for_load_state("networkidle")
    if visitors.faults():
        raise SystemExit("\n".join(visitors.faults()))
    path = FOLDER / f"{name}.png"
    path.write_bytes(squeezed(page.screenshot()))
    size = path.stat().st_size
    print(f"{path.relative_to(ROOT)}  {size / 1000:.0f} kB")
    if size > MOST_BYTES:
        raise SystemExit(f"{path.name} is too large for a README.")


def squeezed(picture: bytes) -> bytes:
    """The same PNG with its pixels deflated as far as they go: browsers write them in haste."""
    chunks = list(chunks_of(picture))
    pixels = zlib.compress(zlib.decompress(b"".join(data for kind, data in chunks if kind == b"IDAT")), 9)
    parts = (chunks[0], (b"IDAT", pixels), (b"IEND", b""))
    return picture[:8] + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )


def chunks_of(picture: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at < len(picture):
        [length] = struct.unpack_from(">I", picture, at)
        yield picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]
        at += length + 12


@contextmanager
def demo(address: str) -> Iterator[Office]:
    """The office at that address, or one made for the occasion."""
    if address:
        yield Office(address.rstrip("/"), Path())
        return
    with tempfile.TemporaryDirectory() as folder, open_office(Path(folder)) as office:
        yield office


def speak_english() -> None:
    """Have whoever comes before the browser read English: outside the tests nothing else says so."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "federation_site.settings")
    django.setup()
    translation.activate("en")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--office", default="", metavar="ADDRESS", help="an open demo office")
    parser.add_argument("--var", type=Path, help="that office's VAR_DIR, which keeps the demo's password")
    given = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    speak_english()
    with demo(given.office) as office, sync_playwright() as playwright:
        browser = launch(playwright)
        visitors = Visitors(browser, office)
        photograph(visitors, (given.var or office.log.parent).joinpath("demo_password").read_text())
        visitors.leave()
        browser.close()


if __name__ == "__main__":
    main()
