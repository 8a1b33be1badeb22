"""The style guide's pictures: `python -m tests.style_guide_pictures` takes them anew.

Chromium shows the page without a server, in the house's own letters throughout, so that another machine sees
the same; at half size, since what a picture holds is how the parts stand and which colours they have.
"""

from __future__ import annotations

import io
import mimetypes
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from PIL import Image, ImageChops
from playwright.sync_api import Browser, Route

from tests.browser import DESKTOP, PHONE, ROOT, Size

FOLDER = ROOT / "tests" / "pictures"
STATIC = ROOT / "static"
ADDRESS = "http://guide.test/"
Scheme = Literal["light", "dark"]
VIEWS: dict[str, tuple[Size, Scheme]] = {
    "desktop-light": (DESKTOP, "light"),
    "desktop-dark": (DESKTOP, "dark"),
    "phone-light": (PHONE, "light"),
    "phone-dark": (PHONE, "dark"),
}
COLOURS = 64
"""Of a picture that is kept: a quarter of the bytes, and no part has more."""
FAINT = 64
"""Of 255: by so much a channel may differ, as edges of letters and kept colours do."""
MOST_DIFFERING = 0.001
"""Of all dots: a button in another colour is more; hinting of letters, colour profiles and rasters less."""


def photograph(browser: Browser, html: str, view: str) -> Image.Image:
    """What somebody sees of the style guide."""
    (width, height), scheme = VIEWS[view]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        reduced_motion="reduce",
        locale="en-GB",
    )
    page = context.new_page()
    page.route(f"{ADDRESS}**", lambda route: answer(route, html))
    page.goto(ADDRESS, wait_until="networkidle")
    page.evaluate("document.fonts.ready.then(() => undefined)")
    seen = Image.open(io.BytesIO(page.screenshot(full_page=True, animations="disabled", caret="hide")))
    context.close()
    return half(seen)


def half(picture: Image.Image) -> Image.Image:
    return picture.convert("RGB").resize((picture.width // 2, picture.height // 2), Image.Resampling.BOX)


def answer(route: Route, html: str) -> None:
    """The page or a static file; of the styles those of letters such that all wait for ours."""
    path = urlsplit(route.request.url).path
    file = STATIC / path.removeprefix("/static/")
    if path == "/":
        route.fulfill(body=html, content_type="text/html; charset=utf-8")
    elif path == "/static/css/tokens.css":
        route.fulfill(body=steady(file.read_text()), content_type="text/css")
    elif file.is_file():
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        route.fulfill(body=file.read_bytes(), content_type=kind)
    else:
        route.fulfill(status=404)


def steady(tokens: str) -> str:
    """The tokens with no letter of the machine's own."""
    return tokens.replace("font-display: optional", "font-display: block").replace(
        "--mono: ", '--mono: "Record Sans", '
    )


def differing(seen: Image.Image, kept: Image.Image) -> tuple[float, Image.Image]:
    """The share of dots that differ, and a picture on which they are red."""
    size = (max(seen.width, kept.width), max(seen.height, kept.height))
    both = [Image.new("RGB", size, "fuchsia") for _ in range(2)]
    for ground, picture in zip(both, (seen, kept), strict=True):
        ground.paste(picture.convert("RGB"))
    channels = ImageChops.difference(*both).split()
    most = ImageChops.lighter(ImageChops.lighter(channels[0], channels[1]), channels[2])
    mask = most.point(lambda value: 255 if value > FAINT else 0)
    marked = Image.blend(both[0], Image.new("RGB", size, "white"), 0.6)
    marked.paste("red", mask=mask)
    return mask.histogram()[255] / (size[0] * size[1]), marked


def keep(picture: Image.Image, path: Path) -> None:
    path.parent.mkdir(exist_ok=True)
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    import os

    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "federation_site.test_settings"
    django.setup()
    from playwright.sync_api import sync_playwright

    from players.tests.styleguide import page
    from tests.browser import launch

    with sync_playwright() as playwright:
        browser = launch(playwright)
        html = page()
        for view in VIEWS:
            path = FOLDER / f"{view}.png"
            keep(photograph(browser, html, view), path)
            print(f"{path.name}: {path.stat().st_size} bytes")
        browser.close()


if __name__ == "__main__":
    main()
