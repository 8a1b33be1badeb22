"""Answers that are text travel compressed, in the encoding that the reader's program takes."""

from __future__ import annotations

import gzip
from datetime import date
from typing import Any

import brotli
import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory

from federation_site.middleware import compress_answers
from players.models import Federation, User
from players.pages.encodings import accepted_encoding
from ratings.models import RatingList
from ratings.pages.proof import open_or_write_journal_file
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once

UNPACK = {"br": brotli.decompress, "gzip": gzip.decompress, "": bytes}
LIST = "/csa/lists/2024-04/otb-main"
TEXTS = (
    "/",
    "/csa/",
    f"{LIST}/",
    "/csa/players/101000001/",
    "/csa/regulations/",
    "/csa/journal.ndjson",
    "/csa/journal/",
    f"{LIST}/r1/list.csv",
    f"{LIST}/r1/names.json",
    f"{LIST}/r1/content",
    "/accounts/login/",
)


@pytest.fixture
@built_once
def listed(csa: Federation) -> RatingList:
    players = register(csa, 30)
    for number, seed in (("2024-001", 1), ("2024-002", 2)):
        approved(submitted(csa, players, number=number, seed=seed))
    return next(each for each in published(csa, date(2024, 4, 1)) if each.track == "otb-main")


def body_of(response: Any) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


def asked(address: str, takes: str, client: Client | None = None) -> tuple[Any, bytes]:
    response = (client or Client()).get(address, headers={"Accept-Encoding": takes} if takes else {})
    return response, body_of(response)


@pytest.mark.parametrize("address", TEXTS)
@pytest.mark.parametrize("takes", ["gzip, deflate, br, zstd", "gzip"])
def test_every_text_travels_compressed_and_opens_into_what_it_is_without(
    listed: RatingList, address: str, takes: str
) -> None:
    plain, content = asked(address, "")
    packed, sent = asked(address, takes)
    assert plain.status_code == packed.status_code == 200
    assert "Content-Encoding" not in plain.headers
    encoding = packed.headers["Content-Encoding"]
    public = "public" in plain.headers.get("Cache-Control", "")
    assert encoding == ("br" if "br" in takes and public and not address.endswith(".ndjson") else "gzip")
    opened = UNPACK[encoding](sent)
    assert opened == content or "login" in address  # its form has another token each time
    assert len(sent) < len(opened)
    assert "Accept-Encoding" in plain.headers["Vary"]
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert int(packed.headers.get("Content-Length", len(sent))) == len(sent)


@pytest.mark.parametrize("address", [f"{LIST}/r1/list.xlsx", f"{LIST}/r1/chessa.zip"])
def test_a_file_that_is_packed_by_itself_travels_as_it_is(listed: RatingList, address: str) -> None:
    assert "Content-Encoding" not in asked(address, "gzip, br")[0].headers


@pytest.mark.parametrize(
    ("takes", "encoding"),
    [
        ("", ""),
        ("identity", ""),
        ("gzip", "gzip"),
        ("br", "br"),
        ("gzip, br", "br"),
        ("BR;q=0.5, gzip;q=1", "br"),
        ("br;q=0, gzip", "gzip"),
        ("br;q=0.0, gzip; q=0", ""),
        ("deflate, zstd", ""),
    ],
)
def test_an_answer_travels_in_the_smallest_encoding_that_the_program_takes_and_in_none_that_it_refuses(
    takes: str, encoding: str
) -> None:
    assert accepted_encoding(RequestFactory().get("/", headers={"Accept-Encoding": takes})) == encoding


@pytest.mark.parametrize(("length", "packed"), [(399, False), (400, True)])
def test_an_answer_of_less_than_400_bytes_travels_as_it_is(length: int, packed: bool) -> None:
    def answer(_: HttpRequest) -> HttpResponse:
        return HttpResponse("a" * length)

    asking = RequestFactory().get("/", headers={"Accept-Encoding": "gzip"})
    assert compress_answers(answer)(asking).has_header("Content-Encoding") == packed


def test_a_page_that_is_compressed_is_not_sent_again_while_it_stands(listed: RatingList) -> None:
    first, _ = asked(f"{LIST}/", "br")
    assert first.headers["ETag"].startswith('W/"')
    again = Client().get(
        f"{LIST}/", headers={"Accept-Encoding": "br", "If-None-Match": first.headers["ETag"]}
    )
    assert again.status_code == 304
    content, _ = asked(f"{LIST}/r1/content", "br")
    assert content.headers["ETag"] == f'W/"{listed.sha256}"'
    headers = {"If-None-Match": content.headers["ETag"]}
    assert Client().get(f"{LIST}/r1/content", headers=headers).status_code == 304


def test_a_page_of_somebody_who_is_signed_in_has_another_length_each_time_so_that_nobody_guesses_by_it(
    listed: RatingList, nomsa: User
) -> None:
    client = Client()
    client.force_login(nomsa)
    answers = [asked("/csa/lists/", "gzip, br", client) for _ in range(12)]
    assert {response.headers["Content-Encoding"] for response, _ in answers} == {"gzip"}
    assert len({len(sent) for _, sent in answers}) > 3
    assert "Content-Encoding" not in asked("/csa/lists/", "br", client)[0].headers


def test_the_journal_is_packed_once_for_each_state_of_the_record(listed: RatingList) -> None:
    with (
        open_or_write_journal_file(listed.federation) as plain,
        open_or_write_journal_file(listed.federation, packed=True) as packed,
    ):
        written = packed.read()
        assert gzip.decompress(written) == plain.read()
    response: Any = Client().get("/csa/journal.ndjson", headers={"Accept-Encoding": "gzip"})
    assert response.getvalue() == written
