"""The style sheets of every page come in one file, once they are collected."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import brotli
import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.template import Context, Template
from whitenoise.compress import Compressor

from federation_site.public_files import lay_out_for_proxy
from players.templatetags.ui import ALL_STYLES, STYLES

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]


def linked() -> list[str]:
    """The addresses of the sheets that the head of a page links."""
    drawn = Template('{% include "components/styles.html" %}').render(Context())
    return re.findall(r'rel="stylesheet" href="([^"]*)"', drawn)


@pytest.fixture
def collected(settings: Any, tmp_path: Path) -> Path:
    """The folder into which static files were collected, as an office has them."""
    settings.STATIC_ROOT = str(tmp_path)
    named = {"BACKEND": "federation_site.public_files.StaticFiles"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": named}
    call_command("collectstatic", interactive=False, verbosity=0)
    return tmp_path


def test_files_that_are_served_as_they_lie_are_linked_one_by_one() -> None:
    assert linked() == [f"/static/{sheet}" for sheet in STYLES]


def test_collected_sheets_are_linked_as_one_that_has_all_of_them_in_their_order(collected: Path) -> None:
    [address] = linked()
    assert re.fullmatch(r"/static/css/all\.\w+\.css", address)
    sheets = [(ROOT / "static" / sheet).read_text() for sheet in STYLES]
    assert (collected / ALL_STYLES).read_text() == "".join(sheets)
    found = (collected / address.removeprefix("/static/")).read_text()
    assert len(found) >= sum(map(len, sheets))  # what it names is named by its content
    assert all((collected / f"{address.removeprefix('/static/')}{kind}").exists() for kind in (".br", ".gz"))


def test_collecting_again_changes_nothing(collected: Path) -> None:
    before = linked(), sorted(each.name for each in collected.rglob("*"))
    call_command("collectstatic", interactive=False, verbosity=0)
    assert (linked(), sorted(each.name for each in collected.rglob("*"))) == before


def test_collecting_again_compresses_only_what_is_not_whole(
    collected: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [address] = linked()
    cut, gone = (collected / f"{address.removeprefix('/static/')}{kind}" for kind in (".br", ".gz"))
    whole = cut.read_bytes()
    compressed = list[bytes]()

    def noting(data: bytes) -> bytes:
        compressed.append(data)
        packed: bytes = brotli.compress(data)
        return packed

    monkeypatch.setattr(Compressor, "compress_brotli", staticmethod(noting))
    call_command("collectstatic", interactive=False, verbosity=0)
    many = len(compressed)
    cut.write_bytes(whole[:100])
    gone.unlink()
    call_command("collectstatic", interactive=False, verbosity=0)
    assert len(compressed) == 2 * many + 1
    assert cut.read_bytes() == whole
    assert gone.exists()


def test_no_sheet_of_every_page_is_forgotten() -> None:
    """Pages that file events have one more of their own."""
    assert {path.name for path in (ROOT / "static/css").glob("*.css")} == {
        *(Path(sheet).name for sheet in STYLES),
        "filing.css",
    }
    assert staticfiles_storage.url(STYLES[0]) == f"/static/{STYLES[0]}"


def test_web_processes_that_start_together_lay_the_style_out_for_the_proxy_once(
    settings: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def slowly(unfinished: Path, path: Path) -> Path:
        time.sleep(0.005)
        return replace(unfinished, path)

    monkeypatch.setattr(Path, "replace", slowly)
    settings.STATIC_ROOT, settings.KEPT_DIR, settings.KEPT_FOR_PROXY = tmp_path / "s", tmp_path / "k", True
    settings.STATIC_ROOT.mkdir()
    names = {f"{n}.css" for n in range(30)}
    for name in names:
        (settings.STATIC_ROOT / name).write_text(name)
    with ThreadPoolExecutor(4) as processes:
        list(processes.map(lambda _: lay_out_for_proxy(), range(4)))
    assert caplog.text == ""
    assert {path.name for path in (settings.KEPT_DIR / "static").iterdir()} == names
