"""Ways to alter an office by SQL for somebody who works every hash out again that stands in the database:
the record's chain, tiles, edges, checksums, what follows from a line. The key that signs is not theirs.

Each alters something that is older than the last signed head, and returns words that the report must have.
"""

from __future__ import annotations

import random

from django.db import connection

from players import seals
from players.models import Decision, DecisionWords, Federation, Ledger
from players.record import HEAD_KEY, LOST_KEY
from ratings import signing, transparency_log
from ratings.intake import Intake
from ratings.journal import sealed_lines
from ratings.models import Checkpoint, Fact, ListRow, RatingList, TreeTile
from ratings.recompute import checksum
from ratings.rules_change import fold_everything_again
from ratings.rulesets import journal, journal_lines
from ratings.tests.alterations import Alteration, a_line, rewrite
from tournaments.models import Upload

SIGNED_DECISIONS = "decisions are not those that were signed"
SIGNED_LINES = "lines are not those that were signed"


def chain_anew(office: Federation) -> None:
    previous = ""
    for row in Decision.objects.filter(federation=office).order_by("number"):
        if LOST_KEY in row.sealed_details:
            previous = row.sealed_details[HEAD_KEY]
        previous = seals.compute_hash(row, previous)
        Decision.objects.filter(pk=row.pk).update(hash=previous)


def tree_anew(office: Federation) -> None:
    facts = Ledger.objects.get(federation=office).facts
    TreeTile.objects.filter(federation=office)._raw_delete("default")
    signing.store_full_tiles(office, facts)
    for each in Checkpoint.objects.filter(federation=office, size__lte=facts):
        edge = signing.RootHashes(office, each.size).edge(each.size)
        Checkpoint.objects.filter(pk=each.pk).update(edge=edge)


def columns_anew(office: Federation) -> None:
    """What stands beside each line, as if the line had always said what it says now."""
    record = journal.read_journal(sealed_lines(office))
    keys = dict(Fact.objects.filter(federation=office).values_list("number", "pk"))
    for row in Intake(office, record.lines).rows:
        told = {name: getattr(row, name) for name in ("kind", "subject", "on", "order", "taken_back", "pres")}
        told |= {"particulars": row.particulars, "fingerprint": row.fingerprint}
        Fact.objects.filter(pk=keys[row.number]).update(**told)


def decisions_of(office: Federation) -> list[Decision]:
    return list(Decision.objects.filter(federation=office).order_by("number"))


def remove(rows: list[Decision]) -> None:
    keys = [row.pk for row in rows]
    DecisionWords.objects.filter(decision__in=keys)._raw_delete("default")
    Decision.objects.filter(pk__in=keys)._raw_delete("default")


def count_decisions(office: Federation, number: int) -> None:
    Ledger.objects.filter(federation=office).update(decisions=number)


# ---------------------------------------------------------------- decisions


def another_particular_of_a_decision(office: Federation, rng: random.Random) -> str:
    row = rng.choice(decisions_of(office))
    column, value = rng.choice(
        [("kind", "another"), ("about", "section 2024-999/Z"), ("on", "2019-01-01"),
         ("at", "2019-01-01T00:00Z"), ("sealed_details", {"fact": 1, "other": 2})]
    )  # fmt: skip
    Decision.objects.filter(pk=row.pk).update(**{column: value})
    chain_anew(office)
    return SIGNED_DECISIONS


def other_words_sealed_anew(office: Federation, rng: random.Random) -> str:
    words = rng.choice(list(DecisionWords.objects.select_related("decision")))
    row = words.decision
    digest = seals.digest(words.salt, "another reason")
    DecisionWords.objects.filter(pk=words.pk).update(value="another reason")
    details = {**row.sealed_details, words.key: {seals.SEALED: digest}}
    Decision.objects.filter(pk=row.pk).update(sealed_details=details)
    chain_anew(office)
    return SIGNED_DECISIONS


def a_decision_taken_out_and_the_rest_numbered_anew(office: Federation, rng: random.Random) -> str:
    rows = decisions_of(office)
    gone = rng.choice(rows)
    remove([gone])
    for row in rows[gone.number :]:
        Decision.objects.filter(pk=row.pk).update(number=row.number - 1)
    count_decisions(office, len(rows) - 1)
    chain_anew(office)
    return f"decision {len(rows)} is missing"


def a_decision_put_in_between(office: Federation, rng: random.Random) -> str:
    rows = decisions_of(office)
    before = rng.choice(rows)
    for row in reversed(rows[before.number - 1 :]):
        Decision.objects.filter(pk=row.pk).update(number=row.number + 1)
    Decision.objects.create(
        federation=office, number=before.number, kind="correct", at=before.at, on=before.on, about="player 1"
    )
    count_decisions(office, len(rows) + 1)
    chain_anew(office)
    return SIGNED_DECISIONS


def two_decisions_the_other_way_round(office: Federation, rng: random.Random) -> str:
    rows = decisions_of(office)
    at = rng.randrange(len(rows) - 1)
    one, other = rows[at], rows[at + 1]
    for number, row in ((10**6, one), (one.number, other), (other.number, one)):
        Decision.objects.filter(pk=row.pk).update(number=number)
    chain_anew(office)
    return SIGNED_DECISIONS


def the_whole_record(office: Federation, rng: random.Random) -> str:
    rows = decisions_of(office)
    remove(rows)
    count_decisions(office, 0)
    return f"decisions 1 to {len(rows)} are missing"


def the_end_of_the_record(office: Federation, rng: random.Random) -> str:
    rows = decisions_of(office)
    first = rng.randrange(1, len(rows))
    remove(rows[first:])
    count_decisions(office, first)
    return f"{'s' if first + 1 < len(rows) else ''} {first + 1}"


def a_restore_that_never_was(office: Federation, rng: random.Random) -> str:
    """A row that says a restore lost the decisions before it, and an import of all lines."""
    rows = decisions_of(office)
    first = rng.randrange(len(rows))
    remove(rows[first:])
    lost = {LOST_KEY: [first + 1, len(rows)], HEAD_KEY: rows[-1].hash}
    kind = rng.choice(["resume", "take-lines"])
    lines = Ledger.objects.get(federation=office).facts
    for number, verb, details in (
        (len(rows) + 1, kind, {**lost, "first": 1, "lines": lines}),
        (len(rows) + 2, "import", {"facts": lines}),
    ):
        Decision.objects.create(
            federation=office, number=number, kind=verb, at=rows[-1].at, on=rows[-1].on, about="log x",
            sealed_details=details,
        )  # fmt: skip
    count_decisions(office, len(rows) + 2)
    chain_anew(office)
    return "imports into an office that was not empty"


def a_forged_decision_far_away(office: Federation, rng: random.Random) -> str:
    """By nobody, of 2020, under a number that nobody comes to."""
    rows = decisions_of(office)
    number = rng.choice([len(rows) + 1, 99_999])
    Decision.objects.create(
        federation=office, number=number, kind="approve", at="2020-01-01T00:00Z", on="2020-01-01",
        about="section 2020-001/A", sealed_details={"fact": 3},
    )  # fmt: skip
    chain_anew(office)
    return f"the record goes up to decision {number}, the ledger counts {len(rows)}"


def a_decision_that_claims_anothers_line(office: Federation, rng: random.Random) -> str:
    row = rng.choice([row for row in decisions_of(office) if "fact" in row.sealed_details])
    number = Ledger.objects.get(federation=office).decisions + 1
    Decision.objects.create(
        federation=office, number=number, kind=row.kind, at=row.at, on=row.on, about=row.about,
        sealed_details={"fact": row.sealed_details["fact"]},
    )  # fmt: skip
    count_decisions(office, number)
    chain_anew(office)
    return f"wrote line {row.sealed_details['fact']}, decision {row.number} too"


# ---------------------------------------------------------------- lines


def a_result_with_all_that_follows(office: Federation, rng: random.Random) -> str:
    """A result, everything folded anew from it, and every hash."""
    section = a_line(office, rng, "section")
    rewrite(section, *rng.choice([('"1-0"', '"0-1"'), ('"0-1"', '"1/2"')]))
    columns_anew(office)
    fold_everything_again(office, Ledger.objects.get(federation=office))
    tree_anew(office)
    return SIGNED_LINES


def a_line_taken_out_and_the_rest_numbered_anew(office: Federation, rng: random.Random) -> str:
    """A player's line: the newest ones are of people who never played."""
    ledger = Ledger.objects.get(federation=office)
    gone = a_line(office, rng, "player")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM ratings_fact WHERE id = %s", [gone.pk])
    for fact in Fact.objects.filter(federation=office, number__gt=gone.number).order_by("number"):
        Fact.objects.filter(pk=fact.pk).update(number=fact.number - 1)
    Ledger.objects.filter(pk=ledger.pk).update(facts=ledger.facts - 1)
    tree_anew(office)
    return "of the journal is not the line that checkpoint"


def a_forged_line_far_away(office: Federation, rng: random.Random) -> str:
    last = Fact.objects.filter(federation=office).order_by("-number")[0]
    Fact.objects.create(federation=office, number=10**9, kind="player", subject="9", line=last.line)
    return f"line {10**9} of the journal stands beyond its end"


# ---------------------------------------------------------------- lists, files, counters


def a_list_in_bytes_rows_and_checksum(office: Federation, rng: random.Random) -> str:
    """Somebody's rating, wherever the list has it."""
    found = rng.choice(list(RatingList.objects.filter(federation=office)))
    row = rng.choice(list(found.rows.select_related("player")))
    text = bytes(found.content).decode()
    before = next(line for line in text.splitlines() if line.startswith(f"{row.player.number},"))
    number, _rating, games = before.split(",")
    content = text.replace(before, f"{number},{journal_lines.plain(row.rating + 1)},{games}").encode()
    ListRow.objects.filter(pk=row.pk).update(rating=row.rating + 1)
    RatingList.objects.filter(pk=found.pk).update(content=content, sha256=checksum(content))
    return f"list {found}"


def a_file_with_its_checksum(office: Federation, rng: random.Random) -> str:
    """Other bytes, with their own checksum or with the old one."""
    file = rng.choice(list(Upload.objects.filter(federation=office)))
    content = bytes(file.content or b"") + b"."
    told = {"content": content} | ({"sha256": checksum(content)} if rng.random() < 0.5 else {})
    Upload.objects.filter(pk=file.pk).update(**told)
    return f"file {file.name}: "


def a_deleted_file(office: Federation, rng: random.Random) -> str:
    file = rng.choice(list(Upload.objects.filter(federation=office)))
    Upload.objects.filter(pk=file.pk)._raw_delete("default")
    return f"filed {file.sha256[:12]}…, which is not here"


def the_newest_checkpoints(office: Federation, rng: random.Random) -> str:
    """So that nothing here is signed any more: the file outside still has the head."""
    some = Checkpoint.objects.filter(federation=office).order_by("-number")[: rng.randrange(1, 3)]
    oldest = transparency_log.read_checkpoint(list(some)[-1].note)
    Checkpoint.objects.filter(pk__in=[each.pk for each in some])._raw_delete("default")
    assert oldest.size
    return "the checkpoint kept outside the database"


def a_counter(office: Federation, rng: random.Random) -> str:
    ledger = Ledger.objects.get(federation=office)
    column, words = rng.choice(
        [("facts", "the ledger counts"), ("decisions", "the ledger counts"), ("line", "as the ledger says")]
    )
    Ledger.objects.filter(pk=ledger.pk).update(**{column: getattr(ledger, column) - 1})
    return words


HASHED_ANEW: tuple[Alteration, ...] = (
    another_particular_of_a_decision, other_words_sealed_anew,
    a_decision_taken_out_and_the_rest_numbered_anew, a_decision_put_in_between,
    two_decisions_the_other_way_round, the_whole_record, the_end_of_the_record,
    a_restore_that_never_was, a_forged_decision_far_away, a_decision_that_claims_anothers_line,
    a_result_with_all_that_follows, a_line_taken_out_and_the_rest_numbered_anew,
    a_forged_line_far_away, a_list_in_bytes_rows_and_checksum, a_file_with_its_checksum,
    a_deleted_file, the_newest_checkpoints, a_counter,
)  # fmt: skip
