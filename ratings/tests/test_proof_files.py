"""Files that prove a correction or a transfer: what is taken, who may have them, and for how long."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from players.files import MOST_PROOF_BYTES, NoRoom, detect_kind, validate_proof
from players.models import Decision, Federation, Player, ProofFile, Region, User
from players.record import Refused
from players.settings import today
from ratings.pages.people import correction_form_initial
from ratings.people import ask_transfer, correct_player, forget_name, grant_transfer, refuse_transfer
from ratings.personal_data import get_player_data
from ratings.tests.alterations import triggers_off
from ratings.tests.office import register
from ratings.verify import verify
from tests.built_once import built_once
from tournaments.retention import iter_due_files, let_go

pytestmark = pytest.mark.django_db
ClientOf = Callable[[User], Client]
DAY = date(2026, 3, 2)
PROOFS_GO_AFTER = date(2027, 12, 31)  # decided in March 2026: 21 days of §11, and the season 2027
PDF = b"%PDF-1.7\n1 0 obj << >> endobj\ntrailer << >>\n%%EOF\n"
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\x00" + bytes(30) + b"\xff\xd9"


def chunk(name: bytes, data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + name + data + zlib.crc32(name + data).to_bytes(4, "big")


PNG = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes(13)) + chunk(b"IDAT", b"x") + chunk(b"IEND", b"")


@pytest.fixture
@built_once
def player(csa: Federation, gauteng: Region) -> Player:
    [player] = register(csa, 1)
    Player.objects.update(region=gauteng)
    player.refresh_from_db()
    return player


def corrected(player: Player, data: bytes = PDF, on: date = DAY) -> ProofFile:
    """A correction of the club with a file that proves it."""
    club = f"Club {player.proof_files.count()}"
    correct_player(
        player=player, by=None, on=on, reason="a letter", proof_file=validate_proof(data), club=club
    )
    return ProofFile.objects.latest("pk")


def asked(player: Player, taking: Region, region: Region | None) -> ProofFile:
    ask_transfer(
        player=player,
        taking=taking,
        by=None,
        on=DAY,
        reason="moved house",
        proof=validate_proof(PNG),
        region=region,
    )
    return ProofFile.objects.latest("pk")


def differences(office: Federation) -> list[str]:
    return [words for words in verify(office).differences if "file" in words or "filed" in words]


# ---------------------------------------------------------------- what is taken


@pytest.mark.parametrize(("data", "kind"), [(PDF, "pdf"), (JPEG, "jpg"), (PNG, "png")])
def test_a_pdf_a_jpeg_and_a_png_are_known_by_their_bytes(data: bytes, kind: str) -> None:
    assert detect_kind(data) == kind


@pytest.mark.parametrize(
    "data",
    [
        b"<html><script>alert(1)</script></html>",
        b"GIF89a" + bytes(20),
        b"PK\x03\x04" + bytes(20),
        b"%PDF-1.7 without an end",
        b" " + PDF,
        JPEG[:-2],
        PNG[:-1],
        PNG + b"<script>",
        PNG.replace(b"IHDR", b"IDAT"),
        PNG[:8] + b"\0\0\0\rIHDR",
    ],
)
def test_whatever_else_comes_and_a_broken_file_is_refused(data: bytes) -> None:
    with pytest.raises(Refused, match="no PDF, JPEG or PNG"):
        validate_proof(data)


def test_five_megabytes_are_taken_and_not_a_byte_more() -> None:
    body = PDF[:9] + bytes(MOST_PROOF_BYTES - len(PDF)) + PDF[9:]
    assert validate_proof(body).size == MOST_PROOF_BYTES
    with pytest.raises(Refused, match="larger than 5 MB"):
        validate_proof(body[:9] + b"\0" + body[9:])
    with pytest.raises(Refused, match="is empty"):
        validate_proof(b"")


def test_a_proof_counts_against_the_room_of_the_office_and_of_the_region_that_attached_it(
    csa: Federation, player: Player, gauteng: Region, western_cape: Region
) -> None:
    csa.settings = {"region_megabytes": 1}
    csa.save()
    large = validate_proof(PDF[:9] + bytes(1024 * 1024) + PDF[9:])
    told: dict[str, Any] = {
        "player": player,
        "taking": western_cape,
        "by": None,
        "on": DAY,
        "reason": "moved",
    }
    with pytest.raises(NoRoom, match="Gauteng"):
        ask_transfer(**told, proof=large, region=gauteng)
    assert not player.transfers.exists()
    ask_transfer(**told, proof=large, region=None)


# ---------------------------------------------------------------- on the pages


def form_of(player: Player, **given: Any) -> dict[str, Any]:
    held = {
        name: value
        for name, value in correction_form_initial(player, []).items()
        if value not in (None, False)
    }
    held["region"] = player.region_id
    return {**held, "reason": "married", "proof": "", "surname": "Mokoena", **given}


def sent(name: str, data: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data, content_type="text/html")


def test_a_correction_takes_a_file_with_its_confirmation_and_the_record_names_its_checksum(
    client_of: ClientOf, csa: Federation, nomsa: User, player: Player
) -> None:
    browser, page = client_of(nomsa), f"/csa/players/{player.number}/correct/"
    assert 'type="file"' in browser.post(page, form_of(player)).content.decode()
    file = sent("Mokoena marriage.html", PDF)
    done = browser.post(page, {**form_of(player), "confirm": "1", "file": file})
    assert done.status_code == 302
    proof = ProofFile.objects.get()
    decision = Decision.objects.get(kind="correct", number=proof.decision)
    assert decision.details["sha256"] == proof.sha256 == hashlib.sha256(PDF).hexdigest()
    assert proof.name == f"proof-{player.number}-{proof.decision}.pdf"
    history = browser.get(page).content.decode()
    assert f"/csa/proofs/{proof.pk}/" in history
    assert "whose SHA-256 begins with" in browser.get("/csa/record/").content.decode()


def test_a_file_of_another_kind_is_told_and_nothing_is_corrected(
    client_of: ClientOf, nomsa: User, player: Player
) -> None:
    page, surname = f"/csa/players/{player.number}/correct/", player.surname
    file = sent("scan.pdf", b"<html></html>")
    answer = client_of(nomsa).post(page, {**form_of(player), "confirm": "1", "file": file})
    assert answer.status_code == 400
    assert "no PDF, JPEG or PNG" in answer.content.decode()
    player.refresh_from_db()
    assert player.surname == surname
    assert not ProofFile.objects.exists()


def test_a_correction_without_a_file_is_made_as_before(
    client_of: ClientOf, nomsa: User, player: Player
) -> None:
    page = f"/csa/players/{player.number}/correct/"
    assert client_of(nomsa).post(page, {**form_of(player), "confirm": "1"}).status_code == 302
    assert not ProofFile.objects.exists()
    assert "sha256" not in Decision.objects.get(kind="correct").details


def test_a_region_attaches_a_file_to_a_transfer_that_the_office_opens_and_the_other_region_does_not(
    client_of: ClientOf, player: Player, amahle: User, pieter: User, nomsa: User, western_cape: Region
) -> None:
    page = f"/csa/players/{player.number}/transfer/"
    given = {"taking": western_cape.pk, "reason": "moved house", "proof": sent("lease", JPEG)}
    assert client_of(amahle).post(page, given).status_code == 302
    proof = ProofFile.objects.get()
    assert proof.region == player.region
    here = f"/csa/proofs/{proof.pk}/"
    for user, answer in ((amahle, 200), (nomsa, 200), (pieter, 404)):
        assert (here in client_of(user).get("/csa/transfers/").content.decode()) == (answer == 200)
        assert client_of(user).post(here).status_code == answer


def test_a_region_opens_no_proof_of_a_correction(client_of: ClientOf, amahle: User, player: Player) -> None:
    assert client_of(amahle).post(f"/csa/proofs/{corrected(player).pk}/").status_code == 404


@pytest.mark.parametrize(
    ("data", "content_type"), [(PDF, "application/pdf"), (JPEG, "image/jpeg"), (PNG, "image/png")]
)
def test_a_proof_is_handed_out_to_be_saved_as_what_its_bytes_are_and_that_is_on_record(
    client_of: ClientOf, nomsa: User, player: Player, data: bytes, content_type: str
) -> None:
    proof = corrected(player, data)
    assert client_of(nomsa).get(f"/csa/proofs/{proof.pk}/").status_code == 405
    answer = client_of(nomsa).post(f"/csa/proofs/{proof.pk}/")
    assert b"".join(answer) == data
    assert answer["Content-Type"] == content_type
    assert answer["Content-Disposition"] == f'attachment; filename="{proof.name}"'
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert "no-store" in answer["Cache-Control"]
    opened = Decision.objects.get(kind="open-proof")
    assert (opened.by, opened.details["sha256"]) == (nomsa, proof.sha256)


# ---------------------------------------------------------------- how long it is kept


@pytest.mark.parametrize(
    ("day", "gone"), [(PROOFS_GO_AFTER, False), (PROOFS_GO_AFTER + timedelta(days=1), True)]
)
def test_a_proof_goes_after_the_season_that_follows_the_time_for_appeals(
    client_of: ClientOf, csa: Federation, nomsa: User, player: Player, day: date, gone: bool
) -> None:
    proof = corrected(player)
    assert bool(let_go(csa, day)) == gone
    proof.refresh_from_db()
    assert (proof.content is None) == gone
    assert differences(csa) == []
    if gone:
        assert client_of(nomsa).post(f"/csa/proofs/{proof.pk}/").status_code == 410
        page = client_of(nomsa).get(f"/csa/players/{player.number}/correct/").content.decode()
        assert "The file that proved it was deleted on" in page


def test_a_proof_of_a_transfer_stays_while_it_is_open_and_counts_from_the_day_that_it_holds(
    csa: Federation, player: Player, gauteng: Region, western_cape: Region
) -> None:
    proof = asked(player, western_cape, gauteng)
    later = date(2035, 1, 1)
    assert list(iter_due_files(csa, later)) == []
    assert proof.transfer is not None
    grant_transfer(transfer=proof.transfer, by=None, on=DAY, starts=date(2027, 3, 1))
    assert list(iter_due_files(csa, later)) == []
    proof.transfer.refresh_from_db()
    proof.transfer.state = "done"
    proof.transfer.save()
    assert [file.until for file in iter_due_files(csa, later)] == [date(2028, 12, 31)]


def test_a_proof_of_a_refused_transfer_counts_from_the_refusal(
    csa: Federation, player: Player, western_cape: Region
) -> None:
    proof = asked(player, western_cape, None)
    assert proof.transfer is not None
    refuse_transfer(transfer=proof.transfer, by=None, on=date(2026, 6, 1), words="no")
    assert [file.until for file in iter_due_files(csa, date(2035, 1, 1))] == [PROOFS_GO_AFTER]


def test_who_has_a_name_deleted_has_the_proofs_about_it_deleted_and_the_record_says_so(
    csa: Federation, player: Player
) -> None:
    proof = corrected(player)
    forget_name(player=player, by=None, on=DAY)
    proof.refresh_from_db()
    assert (proof.content, proof.let_go_because) == (None, "forgotten")
    assert Decision.objects.get(kind="let-go").details["sha256"] == {"forgotten": [proof.sha256]}
    assert differences(csa) == []


@pytest.mark.parametrize("harm", ["bytes", "gone", "row"])
def test_verify_finds_a_proof_that_was_changed_or_taken_away(
    csa: Federation, player: Player, harm: str
) -> None:
    proof = corrected(player)
    assert differences(csa) == []
    rows = ProofFile.objects.filter(pk=proof.pk)
    if harm == "row":
        with triggers_off():
            rows.delete()
    else:
        rows.update(content=b"other" if harm == "bytes" else None)
    assert len(differences(csa)) == 1


def test_a_proof_is_among_what_is_held_about_the_player_by_name_and_checksum(player: Player) -> None:
    proof = corrected(player)
    told = get_player_data(player, today(player.federation))
    [kept] = told["proof files (player)"]
    assert (kept["name"], kept["sha256"]) == (proof.name, proof.sha256)
    assert "content" not in kept
