"""Every file of a ZIP by itself, or the reason why none is unpacked: hostile archives end here."""

import io
import struct
from zipfile import ZIP_BZIP2, ZIP_STORED

import pytest

from tournaments.formats import read_any
from tournaments.formats.archive import ListedFile, Listing, load, unpack, write
from tournaments.formats.sheet import FileFinding
from tournaments.formats.text import MOST_BYTES
from tournaments.tests.event_files import FOUR, HEAD
from tournaments.tests.sm_files import PAIRINGS, PLAYERS
from tournaments.tests.table_files import workbook
from tournaments.tests.test_formats_archive import zipped

pytestmark = pytest.mark.boxed

EVENT = (HEAD + FOUR).encode()


def names(data: bytes) -> list[str]:
    return [listed.name for listed in unpack(data)[0].files]


def refusal(data: bytes) -> str:
    listing, contents = unpack(data)
    assert (listing.files, contents) == ((), [])
    [finding] = listing.findings
    return finding.key


def reasons(data: bytes) -> list[str]:
    return [listed.reason for listed in unpack(data)[0].files]


# ---------------------------------------------------------------- what is in it


def test_files_come_in_their_order_with_their_folders_and_bytes() -> None:
    listing, contents = unpack(
        zipped(("B/", b""), ("B/b.trf", EVENT), ("a.trf", b"012 A"), ("__MACOSX/._a", b""))
    )
    assert listing.files == (ListedFile("B/b.trf", len(EVENT)), ListedFile("a.trf", 5))
    assert contents == [EVENT, b"012 A"]


def test_what_systems_put_into_folders_is_no_file() -> None:
    assert names(
        zipped(("a.trf", EVENT), (".DS_Store", b"x"), ("B/Thumbs.db", b"x"), ("desktop.ini", b"x"))
    ) == ["a.trf"]


def test_names_are_only_shown() -> None:
    assert names(zipped(("../../etc/passwd", b"x"), ("/a\u202e.trf", b"x"))) == [
        "../../etc/passwd",
        "/a\ufffd.trf",
    ]


def test_a_workbook_is_a_file_like_any_other_and_no_archive() -> None:
    book = workbook(P=[["surname"], ["Nowak"]])
    [listed, _trf] = unpack(zipped(("a.xlsx", book), ("a.trf", EVENT), method=ZIP_STORED))[0].files
    assert (listed.name, listed.reason) == ("a.xlsx", "")
    assert refusal(book) == "archive-is-workbook"
    several = zipped(("a.xlsx", book), ("b.xlsx", book), method=ZIP_STORED)
    assert [finding.key for finding in read_any(several).findings] == ["zip-of-several"]


def test_an_archive_within_is_not_opened() -> None:
    assert reasons(zipped(("a.zip", zipped(("a.trf", EVENT))), ("b.trf", EVENT))) == ["zip-within", ""]


def test_a_document_of_an_office_program_is_left_to_its_reader_to_refuse() -> None:
    ods = zipped(("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", b"<x/>"))
    _listing, [content] = unpack(zipped(("a.ods", ods)))
    assert [finding.key for finding in read_any(content).findings] == ["is-office-document"]


@pytest.mark.parametrize(("size", "reason"), [(MOST_BYTES, ""), (MOST_BYTES + 1, "file-too-big")])
def test_a_file_has_two_megabytes_at_most(size: int, reason: str) -> None:
    assert reasons(zipped(("a.trf", EVENT), ("b.trf", b" " * size))) == ["", reason]


# ---------------------------------------------------------------- files that are one section


def test_swiss_managers_two_exports_are_one_file() -> None:
    [listed] = unpack(zipped(("A/players.txt", PLAYERS.encode()), ("A/pairings.txt", PAIRINGS.encode())))[
        0
    ].files
    assert listed.name == "A/players.txt + pairings.txt"
    _listing, [content] = unpack(zipped(("p.txt", PLAYERS.encode()), ("q.txt", PAIRINGS.encode())))
    together = read_any(f"{PLAYERS}\n{PAIRINGS}".encode()).sheet
    assert read_any(content).sheet == together
    assert together is not None


def test_pairings_go_with_the_players_of_their_folder_and_name() -> None:
    players, pairings = PLAYERS.encode(), PAIRINGS.encode()
    files = [("A players.txt", players), ("A pairings.txt", pairings), ("B pairings.txt", pairings)]
    files += [("B players.txt", players), ("C/x.txt", players), ("C/y.txt", pairings), ("C/z.txt", pairings)]
    assert names(zipped(*files)) == [
        "A players.txt + A pairings.txt",
        "B players.txt + B pairings.txt",
        "C/x.txt + y.txt + z.txt",
    ]


def test_pairings_that_could_be_anybodys_stay_alone() -> None:
    files = [("x.txt", PLAYERS), ("y.txt", PLAYERS), ("z.txt", PAIRINGS)]
    assert names(zipped(*[(name, text.encode()) for name, text in files])) == ["x.txt", "y.txt", "z.txt"]


def test_a_pairs_bytes_follow_from_its_files_alone() -> None:
    files = (("p.txt", PLAYERS.encode()), ("q.txt", PAIRINGS.encode()))
    assert unpack(zipped(*files))[1] == unpack(zipped(*files, method=ZIP_STORED))[1]


# ---------------------------------------------------------------- hostile


@pytest.mark.parametrize(
    ("count", "key"), [(200, ""), (201, "archive-too-many"), (10_000, "archive-too-many")]
)
def test_two_hundred_files_are_the_most(count: int, key: str) -> None:
    data = zipped(*[(f"{n}", b"x") for n in range(count)])
    assert (refusal(data) if key else "") == key
    assert len(names(data)) == (0 if key else count)


@pytest.mark.long
def test_fifty_megabytes_unpacked_are_the_most_whatever_the_archive_says() -> None:
    two = b"\0" * MOST_BYTES
    assert len(names(zipped(*[(f"{n}", two) for n in range(25)]))) == 25
    assert refusal(zipped(*[(f"{n}", two) for n in range(25)], ("more", b"x"))) == "archive-unpacks-too-big"
    bomb = zipped(*[(f"{n}", b"\0" * 20_000_000) for n in range(30)])
    small = bomb.replace(struct.pack("<I", 20_000_000), struct.pack("<I", 1_000))
    assert refusal(small) in ("archive-broken", "archive-unpacks-too-big")


def test_five_megabytes_packed_are_the_most() -> None:
    size = 5 * 1024 * 1024
    assert refusal(b"x" * size) == "archive-no-zip"
    assert refusal(b"x" * (size + 1)) == "archive-too-big"


def test_an_encrypted_file_is_named() -> None:
    data = bytearray(zipped(("a.trf", EVENT), ("b.trf", EVENT)))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert refusal(bytes(data)) == "archive-locked"


def test_files_packed_otherwise_or_under_one_name_are_named() -> None:
    assert refusal(zipped(("a.trf", EVENT), method=ZIP_BZIP2)) == "archive-packed-otherwise"
    with pytest.warns(UserWarning, match="Duplicate name"):
        twice = zipped(("a.trf", EVENT), ("a.trf", b"x"))
    assert refusal(twice) == "archive-same-name"


def overlapping() -> bytes:
    """The table of contents names the bytes of one file three times."""
    data = zipped(("a", b"\0" * 100_000))
    contents = data.index(b"PK\x01\x02")
    end = data.index(b"PK\x05\x06")
    entry = data[contents:end]
    more = entry.replace(b"a", b"b", 1) + entry.replace(b"a", b"c", 1)
    tail = bytearray(data[end:])
    tail[8:16] = struct.pack("<HHI", 3, 3, 3 * len(entry))
    return data[:end] + more + bytes(tail)


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (overlapping(), "archive-broken"),
        (zipped(("a", EVENT))[:-30], "archive-broken"),
        (zipped(("a", EVENT), method=ZIP_STORED).replace(b"Dlamini", b"Dlomini"), "archive-broken"),
        (b"PK\x03\x04" + b"\0" * 40, "archive-broken"),
        (zipped(), "archive-empty"),
        (zipped(("a/", b"")), "archive-empty"),
        (EVENT, "archive-no-zip"),
        (b"", "archive-no-zip"),
    ],
    ids=["overlap", "cut", "checksum", "head alone", "empty", "folder", "no zip", "nothing"],
)
def test_what_is_no_sound_archive_is_refused(data: bytes, key: str) -> None:
    assert refusal(data) == key


# ---------------------------------------------------------------- out of the box


def test_what_leaves_the_box_comes_back_the_same() -> None:
    listing, contents = unpack(zipped(("é.trf", EVENT), ("b.zip", zipped(("a", b""))), ("c", b"")))
    out = io.BytesIO()
    write(listing, contents, out)
    assert load(out.getvalue()) == (listing, contents)


@pytest.mark.parametrize(
    "said",
    [
        Listing((ListedFile("a", 4),)),
        Listing((ListedFile("a", -3), ListedFile("b", 6))),
        Listing((), (FileFinding("blocks", "archive-empty"),)),
    ],
)
def test_lengths_that_do_not_fit_are_refused(said: Listing) -> None:
    out = io.BytesIO()
    write(said, [b"abc"], out)
    with pytest.raises(ValueError, match="not as long"):
        load(out.getvalue())
