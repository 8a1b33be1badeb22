"""Everything that an office holds goes out as one archive, and comes in elsewhere digit for digit."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import CommandError, call_command
from django.utils import timezone

from players.models import Appointment, Federation, Ledger, Letter, Player, User
from ratings import moving, signing, transparency_log
from ratings.letters import order_due_letters
from ratings.models import Checkpoint, Erratum, RatingList
from ratings.moving import (
    ALL_TABLES,
    ArchiveRefused,
    export_office,
    import_office,
)
from ratings.tests.moved_offices import altered, archive_of
from tournaments.models import Section

pytestmark = pytest.mark.long
OFFICES = ("csa", "mahjong", "pfo", "piskvorky", "ssdc")
LARGE_AT_NIGHT = (pytest.param("csa", marks=pytest.mark.nightly), *OFFICES[1:])
ONE = "pfo"
"""The office in whose archive things are altered."""


@pytest.fixture(scope="module")
def archives(
    django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """`archives("csa")`: that office's archive, made once. The office itself is nowhere."""
    folder, made = tmp_path_factory.mktemp("archives"), {}

    def archive(slug: str) -> Path:
        if slug not in made:
            with django_db_blocker.unblock():
                made[slug] = archive_of(slug, folder)
        return made[slug]

    return archive


@pytest.fixture
def one(archives: Callable[[str], Path], db: None) -> Path:
    return archives(ONE)


def take(archive: Path) -> Federation:
    office, _manifest, _report = import_office(archive, at=timezone.now())
    return office


def members(archive: Path, *, private: bool) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as packed:
        names = [name for name in packed.namelist() if name.startswith("private/") is private]
        return {name: packed.read(name) for name in names}


# ---------------------------------------------------------------- there and back


@pytest.mark.django_db
@pytest.mark.parametrize("slug", LARGE_AT_NIGHT)
def test_an_office_s_archive_gives_an_office_that_gives_the_same_archive(
    slug: str, archives: Callable[[str], Path], tmp_path: Path
) -> None:
    """Among rows of another office, so that no database key is what it was."""
    archive = archives(slug)
    other = Federation.objects.create(code="other", name="Another", ruleset_slug="csa")
    other.regions.create(code="ONE", name="One")
    Player.objects.create(federation=other, number="1", surname="Nobody")
    office = take(archive)
    assert Erratum.objects.filter(fact__federation=office, fact__kind="merged").exists()
    assert Section.objects.filter(event__federation=office, stage="unrated").exists()
    assert Player.objects.filter(federation=office, withheld=True).exists()
    second = tmp_path / "second.zip"
    export_office(office, second)
    assert second.read_bytes() == archive.read_bytes()


@pytest.mark.django_db
def test_a_list_that_was_published_again_comes_in_both_versions(archives: Callable[[str], Path]) -> None:
    office = take(archives("csa"))
    revised = RatingList.objects.of(office).exclude(supersedes=None)
    assert revised
    assert all(each.supersedes.content != each.content for each in revised if each.supersedes)


def test_what_everybody_may_read_is_read_by_the_program_for_strangers(one: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(one) as packed:
        packed.extractall(tmp_path)
    replay = [sys.executable, "-m", "ratings.replay", str(tmp_path / "journal.ndjson")]
    told = subprocess.run(replay, capture_output=True, check=True, cwd=settings.ROOT)
    assert told.stdout == (tmp_path / "answer.json").read_bytes()


def test_names_that_are_withheld_births_and_words_stand_in_the_private_part_alone(one: Path) -> None:
    office = take(one)
    everybody = members(one, private=False)
    text = {name: told for name, told in everybody.items() if not name.startswith(("programs/", "log/"))}
    public = b"".join(text.values())
    for player in Player.objects.filter(federation=office, withheld=True):
        assert player.name.encode() not in public
        assert player.salt.encode() not in public
        assert player.name.encode() in members(one, private=True)["private/tables/sealed_names.ndjson"]
    for told in members(one, private=True)["private/tables/births.ndjson"].splitlines():
        assert json.loads(told)["day"]
    assert not [name for name in everybody if "birth" in name or "words" in name]
    assert b'"born"' not in public
    assert b"@" not in public


def test_the_archive_and_its_private_part_are_readable_by_their_owner_alone(one: Path) -> None:
    assert one.stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(one) as packed:
        for member in packed.infolist():
            private = member.filename.startswith("private/")
            assert (member.external_attr >> 16) & 0o777 == (0o600 if private else 0o644)
            assert member.date_time == (1980, 1, 1, 0, 0, 0)


def test_members_stand_sorted_above_the_manifest(one: Path) -> None:
    with zipfile.ZipFile(one) as packed:
        *names, last = packed.namelist()
    assert names == sorted(names)
    assert last == "manifest.json"


# ---------------------------------------------------------------- people, the log, letters


def test_accounts_stay_behind_and_appointments_come_with_their_names(one: Path) -> None:
    office = take(one)
    for person in User.objects.all():
        assert not person.is_active
        assert not person.has_usable_password()
        assert person.email == f"person-{person.pk}@{office.code}.invalid"
    assert all(each.known_as == each.name for each in Appointment.objects.filter(federation=office))
    assert b"example.org" not in members(one, private=True)["private/tables/people.ndjson"]


def test_an_office_that_signed_decides_and_signs_nothing_until_its_operator_says_how(one: Path) -> None:
    office = take(one)
    assert Ledger.objects.get(federation=office).held
    call_command("log", office.code, "new-origin", reason="The office moved, and its key did not.")
    assert not Ledger.objects.get(federation=office).held
    call_command("appoint", office.code, administrator="thandi@example.org", stdout=io.StringIO())


def test_with_the_old_office_s_key_its_log_goes_on(one: Path) -> None:
    office = take(one)
    old = one.parent / "keys"
    signing.save_signer(
        signing.key_file(office), transparency_log.parse_signer((old / f"{ONE}.key").read_text())
    )
    call_command("log", office.code, "resume", str(old / f"{ONE}.checkpoint"))
    before = Checkpoint.objects.of(office).count()
    call_command("log", office.code, "sign", "--all")
    newest = Checkpoint.objects.of(office).newest_first().first()
    assert newest
    assert newest.key.number == 1
    assert Checkpoint.objects.of(office).count() >= before


def test_no_secret_key_is_in_the_archive(one: Path) -> None:
    secret = (one.parent / "keys" / f"{ONE}.key").read_bytes().strip()
    everything = {**members(one, private=True), **members(one, private=False)}
    assert not [name for name, content in everything.items() if secret in content]


def test_no_letter_about_what_was_decided_elsewhere_is_ordered(one: Path) -> None:
    take(one)
    order_due_letters(timezone.now())
    assert not Letter.objects.exists()


MODELS_IN_OTHER_FORM = {
    "players.Federation": "private/office.json",
    "players.User": "private/tables/people.ndjson: numbers and names; accounts stay behind",
    "ratings.Fact": "journal.ndjson; names and salts: sealed_names",
    "ratings.ProgramFile": "programs/",
}
"""Models that move in another form than a table's rows, and where they are."""
MODELS_LEFT_BEHIND = {
    "players.Ledger": "counts, which are made anew",
    "players.Letter": "letters still to go: the old office sends them",
    "players.FilingKey": "a program asks at the new address with a new key",
    "players.LettersOrdered": "no letter is ordered again",
    "players.SentForm": "marks of forms in open browsers",
    "players.NameWord": "follows from names",
    "ratings.StatedPre": "follows from the journal",
    "ratings.Change": "follows from the journal",
    "ratings.PastChange": "follows from the journal",
    "ratings.Standing": "follows from the journal",
    "ratings.Wide": "follows from the journal",
    "ratings.PastWide": "follows from the journal",
    "ratings.TreeTile": "follows from the journal",
    "ratings.Hint": "drawn up anew by the worker",
    "ratings.HintsSearch": "drawn up anew by the worker",
    "ratings.DoublesCount": "counted anew by the worker",
    "ratings.ReviewFigures": "counted anew by the worker",
    "ratings.Following": "readers follow at the new address: they agreed to letters from the old one",
    "ratings.MergeOutlook": "worked out anew by the worker",
}
"""Models of which nothing moves, and why."""


def test_each_model_moves_or_is_said_to_stay_behind() -> None:
    ours = [
        each for each in apps.get_models() if each._meta.app_label in ("players", "ratings", "tournaments")
    ]
    known = (
        {each.model._meta.label for each in ALL_TABLES}
        | MODELS_IN_OTHER_FORM.keys()
        | MODELS_LEFT_BEHIND.keys()
    )
    assert {each._meta.label for each in ours} == known


# ---------------------------------------------------------------- refused


def refused(archive: Path) -> str:
    with pytest.raises(ArchiveRefused) as error:
        take(archive)
    assert not Federation.objects.filter(code=ONE).exists()
    assert not User.objects.filter(email__endswith=".invalid").exists()
    return str(error.value)


def told_otherwise(**changes: Any) -> Callable[[bytes], bytes]:
    return lambda content: json.dumps({**json.loads(content), **changes}).encode()


def test_an_office_that_is_here_already_is_not_written_over(one: Path) -> None:
    take(one)
    with pytest.raises(CommandError, match="an office “pfo” here already"):
        call_command("import_office", str(one))


def test_an_altered_member_is_named(one: Path) -> None:
    archive = altered(one, "journal.ndjson", lambda content: content + b" ")
    assert refused(archive) == "journal.ndjson is not what the manifest says: the archive was altered."


@pytest.mark.parametrize(
    ("member", "old", "new", "words"),
    [
        ("answer.json", b'"games":', b'"games":1', "answer.json, line 1: the archive has"),
        ("private/tables/decisions.ndjson", b'"kind":"approve"', b'"kind":"refuse"', "decision "),
        ("journal.ndjson", b'"1-0"', b'"0-1"', "line "),
        ("private/tables/players.ndjson", b'"surname":"', b'"surname":"X', ""),
        ("private/tables/players.ndjson", b'"nation"', b'"notion"', "players.ndjson, line 1: 'nation'"),
    ],
)
def test_who_alters_the_manifest_too_is_found_out_by_the_first_difference(
    one: Path, member: str, old: bytes, new: bytes, words: str
) -> None:
    def change(content: bytes) -> bytes:
        assert old in content
        return content.replace(old, new, 1)

    assert words in refused(altered(one, member, change, manifest_too=True))


def test_an_archive_whose_journal_is_of_form_2_is_refused_with_the_program_that_reads_it(one: Path) -> None:
    archive = altered(
        one, "journal.ndjson", lambda content: content.replace(b'"form":3', b'"form":2', 1), manifest_too=True
    )
    words = "journal.ndjson: line 1: form: this journal is in form 2, which Federation Ratings 0.1.0rc1 reads"
    assert refused(archive) == f"{words}; this program reads form 3"


def test_a_list_of_other_ratings_is_refused(one: Path) -> None:
    member = next(name for name in members(one, private=False) if name.startswith("lists/"))
    archive = altered(one, member, lambda content: content.replace(b",", b",1", 1), manifest_too=True)
    assert "is not what a replay gives: list" in refused(archive)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"form": 2}, "an archive in form 2, and this program reads form 1"),
        ({"ruleset": "nowhere"}, "the rules “nowhere”, which this program lacks"),
        ({"editions": ["Points Regulations of 2009", "2031"]}, "the edition “2031” of the rules “pfo”"),
    ],
)
def test_what_this_program_does_not_know_is_refused_by_name(
    one: Path, changes: dict[str, Any], words: str
) -> None:
    assert words in refused(altered(one, "manifest.json", told_otherwise(**changes)))


def test_a_file_that_is_no_archive_or_was_cut_short_is_refused(one: Path, tmp_path: Path) -> None:
    short = tmp_path / "short.zip"
    short.write_bytes(one.read_bytes()[:-100])
    assert "cut short, or is no archive" in refused(short)
    with zipfile.ZipFile(short, "w") as other:
        other.writestr("something", "else")
    assert "is no archive of an office" in refused(short)


def test_a_number_of_the_record_that_is_given_out_here_is_refused(one: Path) -> None:
    told = members(one, private=True)["private/tables/people.ndjson"].splitlines()[0]
    number = json.loads(told)["record_number"]
    User.objects.create(pk=number, email="somebody@example.org")
    assert f"names user {number}, and another has that number here" in refused(one)


# ---------------------------------------------------------------- whole or not at all


def test_killed_before_it_is_checked_nothing_of_the_office_is_there(
    one: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(moving, "verify", kill)
    with pytest.raises(KeyboardInterrupt):
        take(one)
    assert not Federation.objects.exists()
    assert not User.objects.exists()


def test_killed_while_it_is_packed_the_archive_of_before_stays_and_nothing_else(
    one: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kill(*args: object) -> None:
        raise KeyboardInterrupt

    office, path = take(one), tmp_path / "office.zip"
    path.write_bytes(b"of before")
    monkeypatch.setattr(moving, "write_zip", kill)
    with pytest.raises(KeyboardInterrupt):
        export_office(office, path)
    assert [each.name for each in tmp_path.iterdir()] == ["office.zip"]
    assert path.read_bytes() == b"of before"


def test_while_ratings_are_computed_no_archive_is_written(one: Path, tmp_path: Path) -> None:
    office = take(one)
    Ledger.objects.filter(federation=office).update(wanted=1_000_000)
    with pytest.raises(CommandError, match="still to be computed"):
        call_command("export_office", office.code, output=tmp_path / "office.zip")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("told", ["{}", "[1]", "null", '"x"', "no JSON", '[["form", 1]]'])
def test_the_manifest_of_something_else_is_told(db: None, tmp_path: Path, told: str) -> None:
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("manifest.json", told)
    assert re.search("manifest.json (is that of something else|cannot be read)", refused(path))
