"""After a restore no log has two histories.

The office stands still until it is said what was signed since, lines that are missing come back from a public
copy, and the record goes on from its signed head.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction
from django.utils import timezone

from players.models import Decision, Federation, Ledger, Player
from players.record import Refused, decide
from ratings import approval, people, signing, transparency_log
from ratings.intake import append_missing_lines
from ratings.journal import journal_lines
from ratings.merging import merge_players, part_players
from ratings.models import Checkpoint, LogKey, RatingList
from ratings.rulesets.facts import name_seal
from ratings.rulesets.journal import read_journal
from ratings.signing import resume_restored_office
from ratings.tests.ended import with_end
from ratings.tests.office import approved, published, recompute_all, register, stored, submitted
from ratings.tests.test_signing import add_lines, newest, tree_of
from ratings.transparency_log import Signer
from ratings.verify import verify
from tests.built_once import built_once
from tournaments.models import Section, Stage

pytestmark = [pytest.mark.django_db, pytest.mark.long]


@dataclass
class Restored:
    """An office as of its backup, and what the public has of the days since."""

    office: Federation
    copy: list[bytes]
    """The lines of a public copy of the journal, with line ends."""
    note: str
    """The newest checkpoint."""
    lists: list[tuple[Any, ...]]
    results: Any

    @property
    def head(self) -> transparency_log.Checkpoint:
        return transparency_log.read_checkpoint(self.note)

    def take(self, copy: list[bytes] | None = None, note: str | None = None) -> tuple[int, int]:
        return append_missing_lines(
            federation=self.office,
            journal_copy=read_journal(self.copy if copy is None else copy),
            checkpoint_note=note or self.note,
            on=date(2024, 7, 1),
            at=timezone.now(),
        )

    def resume(self, note: str | None = None) -> Checkpoint:
        return resume_restored_office(
            federation=self.office, note=note or self.note, on=date(2024, 7, 1), at=timezone.now()
        )


def sign(office: Federation) -> None:
    signing.sign_due_checkpoints(office, at=timezone.now())


def lists_of(office: Federation) -> list[tuple[Any, ...]]:
    lists = RatingList.objects.filter(federation=office).order_by("on", "track", "revision")
    return list(lists.values_list("on", "track", "revision", "sha256", "fact__number"))


@pytest.fixture
@built_once
def begun(csa: Federation) -> Federation:
    """An office with a rated and a submitted section and a signed list: the state of the backup."""
    players = register(csa, 12)
    approved(submitted(csa, players))
    published(csa, date(2024, 4, 1))
    submitted(csa, players, number="2024-002", ends=date(2024, 4, 20), seed=2)
    sign(csa)
    return csa


def some_weeks(office: Federation) -> None:
    """Decisions of every kind that writes a line: approvals, corrections, a merge and its parting, lists."""
    approved(Section.objects.get(event__number="2024-002"))
    more = register(office, 10, first=101000101)
    approved(submitted(office, more, number="2024-003", ends=date(2024, 5, 4), seed=3))
    approved(submitted(office, more, number="2024-004", ends=date(2024, 5, 11), seed=4))
    first = Player.objects.get(number="101000001")
    people.correct_player(player=first, by=None, on=date(2024, 5, 12), surname="Renamed")
    section = Section.objects.get(event__number="2024-001")
    approval.unrate(
        section=section,
        by=None,
        on=date(2024, 5, 14),
        version=section.version,
        reason="result",
        words="a slip",
        after_list=True,
    )
    recompute_all(office)
    one, other = (Player.objects.get(number=number) for number in ("101000112", "101000101"))
    merge_players(player=one, into=other, by=None, on=date(2024, 5, 15), reason="one person")
    recompute_all(office)
    published(office, date(2024, 6, 1))
    part_players(player=one, by=None, on=date(2024, 6, 2), reason="two people")
    people.correct_player(player=other, by=None, on=date(2024, 6, 3), withheld=True)
    recompute_all(office)
    published(office, date(2024, 6, 5))
    sign(office)


@pytest.fixture
def restored(begun: Federation) -> Restored:
    """The office with some weeks undone as a restore undoes them, the file with the newest checkpoint too."""
    kept = signing.checkpoint_file(begun).read_text()
    register(begun, 1, first=101000112)
    with transaction.atomic():
        some_weeks(begun)
        told = Restored(
            begun, list(with_end(journal_lines(begun))), newest(begun).served, lists_of(begun), stored(begun)
        )
        transaction.set_rollback(True)
    signing.checkpoint_file(begun).write_text(kept)
    Ledger.objects.filter(federation=begun).update(held=True, restored_at=timezone.now())
    told.office = Federation.objects.get(code="csa")
    return told


# ---------------------------------------------------------------- standing still


def test_a_restored_office_signs_nothing_and_decides_nothing(restored: Restored) -> None:
    before = Ledger.objects.get().facts
    section = Section.objects.get(event__number="2024-002")
    with pytest.raises(Refused, match="put back from a backup"):
        approved(section)
    with pytest.raises(Refused, match="put back from a backup"):
        decide(restored.office, kind="set", by=None, on=date(2024, 7, 1), about="settings")
    assert Ledger.objects.get().facts == before
    add_lines(restored.office, 3)
    with pytest.raises(Refused, match="log csa resume CHECKPOINT"):
        signing.sign_due_checkpoints(restored.office, at=timezone.now() + timedelta(days=2))
    assert {each.size for each in Checkpoint.objects.all()} <= set(range(before + 1))


def test_verify_finds_nothing_wrong_with_an_office_that_waits(restored: Restored) -> None:
    assert verify(restored.office).differences == []


# ---------------------------------------------------------------- taking lines back


def test_lines_taken_back_make_the_office_that_the_public_knows(restored: Restored) -> None:
    held = Ledger.objects.get().facts
    assert restored.take() == (held + 1, restored.head.size)
    recompute_all(restored.office)
    sign(restored.office)
    assert b"".join(with_end(journal_lines(restored.office))) == b"".join(restored.copy)
    assert lists_of(restored.office) == restored.lists
    assert stored(restored.office) == restored.results
    assert verify(restored.office).differences == []


def test_whoever_holds_the_newest_checkpoint_sees_one_history(restored: Restored) -> None:
    restored.take()
    recompute_all(restored.office)
    approved(
        submitted(restored.office, list(Player.objects.all()[:8]), number="2024-009", ends=date(2024, 6, 20))
    )
    published(restored.office, date(2024, 7, 1))
    sign(restored.office)
    for each in Checkpoint.objects.all():
        assert each.head.root == tree_of(restored.office).root(each.size)
    assert newest(restored.office).size > restored.head.size
    assert tree_of(restored.office).root(restored.head.size) == restored.head.root
    assert LogKey.objects.count() == 1


def test_stages_names_and_merges_are_those_of_the_lines(restored: Restored) -> None:
    restored.take()
    stages = {section.key: section.stage for section in Section.objects.select_related("event")}
    assert stages == {
        "2024-001/A": Stage.UNRATED,
        "2024-002/A": Stage.RATED,
        "2024-003/A": Stage.RATED,
        "2024-004/A": Stage.RATED,
    }
    assert Player.objects.get(number="101000001").surname == "Renamed"
    assert Player.objects.get(number="101000101").withheld
    assert not Player.objects.exclude(merged_into=None).exists()


def test_whoever_asked_not_to_be_named_since_the_backup_is_not_named_again(restored: Restored) -> None:
    lines = [line for line in restored.copy if b'"id":"101000003"' in line]
    assert b'"name":"Invented02, Person"' in lines[0]
    salt = json.loads(lines[0])["salt"]
    seal = name_seal("Invented02, Person", salt)
    said = f'"name":"Invented02, Person","salt":"{salt}"'.encode()
    sealed = lines[0].replace(said, f'"name_seal":"{seal}"'.encode())
    restored.take(copy=[sealed if line == lines[0] else line for line in restored.copy[:-1]])
    assert Player.objects.get(number="101000003").withheld
    assert f'"id":"101000003","name_seal":"{seal}"' in "".join(journal_lines(restored.office))
    assert Player.objects.filter(withheld=True).count() == 2


def test_entries_as_they_were_filed_stay_where_the_line_says_nothing_else(restored: Restored) -> None:
    filed = list(Section.objects.get(event__number="2024-002").entries.values_list("pk", flat=True))
    restored.take()
    taken = Section.objects.get(event__number="2024-002").entries.values_list("pk", flat=True)
    assert list(taken) == filed


def test_lines_below_the_newest_checkpoint_are_not_taken(
    restored: Restored, tmp_path: Path, capsys: Any
) -> None:
    copy, note = tmp_path / "csa.ndjson", tmp_path / "checkpoint"
    *lines, _end = restored.copy
    unsigned = b'{"fact":"player","id":"7","name":"Invented, Seven","salt":"' + b"7" * 32 + b'"}\n'
    copy.write_bytes(b"".join([*lines, unsigned]))
    note.write_text(restored.note)
    call_command("take_lines", "csa", copy, "--checkpoint", note)
    assert Ledger.objects.get().facts == restored.head.size
    assert "1 lines below them were not signed yet" in capsys.readouterr().out


@pytest.mark.parametrize("line", [2, -3])
def test_a_copy_that_is_not_what_was_signed_is_refused_whole(line: int, restored: Restored) -> None:
    before, people = Ledger.objects.get(), set(Player.objects.values_list("number", "surname"))
    lines = restored.copy[:-1]
    salted = next(n for n in range(len(lines))[:: 1 if line > 0 else -1] if b'"salt"' in lines[n])
    lines[salted] = lines[salted].replace(b'"name":"', b'"name":"X')
    with pytest.raises(Refused, match=r"are not those that were signed|of the copy is another"):
        restored.take(copy=lines)
    assert (Ledger.objects.get().facts, Ledger.objects.get().held) == (before.facts, True)
    assert set(Player.objects.values_list("number", "surname")) == people


def test_a_copy_older_than_the_checkpoint_is_refused(restored: Restored) -> None:
    with pytest.raises(Refused, match="and the checkpoint signs"):
        restored.take(copy=restored.copy[: restored.head.size - 1])


# ---------------------------------------------------------------- saying what was signed


def test_an_office_goes_on_where_nothing_was_signed_since(begun: Federation) -> None:
    note = newest(begun).served
    Ledger.objects.update(held=True)
    resume_restored_office(federation=begun, note=note, on=date(2024, 7, 1), at=timezone.now())
    assert not Ledger.objects.get().held
    assert Decision.objects.latest("number").kind == "resume"
    assert verify(begun).differences == []
    approved(Section.objects.get(event__number="2024-002"))
    signing.sign_due_checkpoints(begun, at=timezone.now() + timedelta(days=1))
    assert newest(begun).size == Ledger.objects.get().facts


def test_the_newest_checkpoint_alone_keeps_an_office_from_signing_anything_else(restored: Restored) -> None:
    with pytest.raises(Refused, match=r"lines, but .* were signed.*take_lines"):
        restored.resume()
    assert Ledger.objects.get().held
    Ledger.objects.update(held=False)  # whatever anybody does to the database
    add_lines(restored.office, 200, name="Other")
    with pytest.raises(Refused, match="are not those that were signed"):
        signing.sign_due_checkpoints(restored.office, at=timezone.now() + timedelta(days=2))


def test_a_checkpoint_older_than_one_that_is_known_says_nothing(restored: Restored) -> None:
    old = newest(restored.office).served
    with pytest.raises(Refused):
        restored.resume()
    with pytest.raises(Refused, match="it is not the newest"):
        restored.resume(note=old)
    assert Ledger.objects.get().held


def forged(head: transparency_log.Checkpoint, signer: Signer) -> str:
    return str(head.signed(signer))


@pytest.mark.parametrize(
    "signer",
    [lambda name: Signer(name, bytes(32)), lambda name: Signer("elsewhere.example.org/log", bytes(32))],
)
def test_a_checkpoint_that_is_not_ours_is_refused_and_not_kept(
    signer: Callable[[str], Signer], restored: Restored
) -> None:
    kept = signing.read_kept_checkpoint(restored.office)
    with pytest.raises(Refused, match="no checkpoint of localhost/csa/journal by a key that is known here"):
        restored.resume(note=forged(restored.head, signer(restored.head.origin)))
    assert signing.read_kept_checkpoint(restored.office) == kept


def test_a_checkpoint_is_taken_from_a_lists_file_too(restored: Restored, tmp_path: Path) -> None:
    file = tmp_path / "list.json"
    file.write_text(json.dumps({"checkpoint": restored.note}))
    with pytest.raises(CommandError, match="take_lines"):
        call_command("log", "csa", "resume", str(file))


# ---------------------------------------------------------------- the record of decisions


def test_the_record_goes_on_from_the_head_that_was_signed_and_names_what_is_lost(restored: Restored) -> None:
    here = Ledger.objects.get().decisions
    number, hash_ = restored.head.decisions or (0, "")
    assert number > here
    restored.take()
    row = Decision.objects.latest("number")
    assert (row.number, row.kind) == (number + 1, "take-lines")
    assert (row.details["lost"], row.details["head"]) == ([here + 1, number], hash_)
    decide(restored.office, kind="set", by=None, on=date(2024, 7, 2), about="settings")
    recompute_all(restored.office)
    sign(restored.office)
    assert verify(restored.office).differences == []


def test_an_office_in_which_something_was_decided_since_does_not_go_on(restored: Restored) -> None:
    Ledger.objects.update(held=False)
    for _each in range(60):
        decide(restored.office, kind="set", by=None, on=date(2024, 7, 1), about="settings")
    with pytest.raises(Refused, match="is not the one that was signed"):
        restored.take()


# ---------------------------------------------------------------- a new log


def test_where_lines_are_lost_another_log_begins_under_a_name_never_used(restored: Restored) -> None:
    signing.begin_origin(
        federation=restored.office,
        reason="The disk was lost.",
        by=None,
        on=date(2024, 7, 1),
        at=timezone.now(),
    )
    assert not Ledger.objects.get().held
    add_lines(restored.office, 3)
    sign(restored.office)
    head = newest(restored.office).head
    at = Ledger.objects.get().restored_at
    assert at is not None
    assert head.origin == f"localhost/csa/journal/{at:%Y-%m-%dT%H%M%S}"
    assert verify(restored.office).differences == []


def test_the_tree_of_the_copy_is_the_one_that_was_signed(restored: Restored) -> None:
    """The fixture itself: what the public holds agrees with its checkpoint."""
    assert restored.head.size == len(restored.copy) - 1
    assert restored.head.root != transparency_log.EMPTY_ROOT
    assert datetime.now(UTC) >= newest(restored.office).at
