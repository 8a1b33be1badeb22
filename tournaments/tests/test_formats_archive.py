"""A ZIP of one file is that file; of several it is refused by their names; and no bomb goes off."""

import io
import random
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest

from tournaments.formats import read_any
from tournaments.formats.text import MOST_BYTES
from tournaments.tests.event_files import FOUR, HEAD, adjustments, keys, read
from tournaments.tests.table_files import BOTH, workbook
from tournaments.tests.test_formats_mutated import by_bytes, must_answer
from tournaments.tests.trf_files import TRF26

EVENT = (HEAD + FOUR).encode()


def zipped(*files: tuple[str, bytes], method: int = ZIP_DEFLATED) -> bytes:
    stored = io.BytesIO()
    with ZipFile(stored, "w", method) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return stored.getvalue()


@pytest.mark.parametrize("data", [EVENT, TRF26.encode(), BOTH.encode(), workbook(P=[["surname"], ["Nowak"]])])
def test_the_one_file_in_an_archive_is_read_and_that_is_said(data: bytes) -> None:
    reading = read_any(zipped(("Section A/", b""), ("Section A/a.trf", data), ("__MACOSX/._a.trf", b"\0")))
    assert reading.sheet == read_any(data).sheet
    assert ("unpacked", None, "ZIP", "Section A/a.trf") in adjustments(reading)


def test_several_files_are_refused_by_their_names() -> None:
    [finding] = read_any(zipped(("a.trf", EVENT), ("b\u202e.trf", EVENT))).findings
    assert (finding.key, finding.params["names"]) == ("zip-of-several", "a.trf, b\ufffd.trf")
    assert len(str(read_any(zipped(*[(f"{n}.trf", b"") for n in range(500)])).findings)) < 400


def test_a_file_in_an_archive_has_no_more_bytes_than_another() -> None:
    assert "too-big" not in keys(read_any(zipped(("a.trf", EVENT.ljust(MOST_BYTES)))))
    assert keys(read_any(zipped(("a.trf", EVENT.ljust(MOST_BYTES + 1))))) == ["too-big"]
    assert keys(read_any(zipped(("a.trf", b"\0" * 50_000_000)))) == ["too-big"]


def test_an_archive_in_an_archive_is_not_opened() -> None:
    assert keys(read_any(zipped(("a.zip", zipped(("a.trf", EVENT)))))) == ["is-zip"]


@pytest.mark.parametrize(
    "data",
    [
        zipped(),
        zipped(("a/", b"")),
        zipped(("a.trf", EVENT), method=ZIP_BZIP2),
        zipped(("a.trf", EVENT))[:-30],
        zipped(("a.trf", EVENT), method=ZIP_STORED).replace(b"Dlamini", b"Dlomini"),
    ],
)
def test_a_broken_or_empty_archive_is_named(data: bytes) -> None:
    assert keys(read_any(data)) == ["is-zip"]
    assert not read(HEAD + FOUR).blocked


@pytest.mark.parametrize("seed", range(10))
def test_an_archive_changed_at_random_is_read_or_refused(seed: int) -> None:
    chance = random.Random(seed)
    archives = [
        zipped(("a.trf", EVENT)),
        zipped(("a", EVENT), ("b", b"")),
        zipped(("a", EVENT), method=ZIP_STORED),
    ]
    for _ in range(20):
        must_answer(by_bytes(chance.choice(archives), chance))


@pytest.mark.parametrize(
    "parts",
    [
        ("mimetype", "content.xml", "META-INF/manifest.xml"),
        ("[Content_Types].xml", "word/document.xml"),
        ("[Content_Types].xml", "ppt/presentation.xml"),
    ],
)
def test_a_document_of_an_office_program_is_no_archive_of_files(parts: tuple[str, ...]) -> None:
    assert keys(read_any(zipped(*((part, b"<x/>") for part in parts)))) == ["is-office-document"]
