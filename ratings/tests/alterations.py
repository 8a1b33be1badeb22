"""Ways to alter an office by SQL with the triggers off, each at a random row: what `verify` must name.

Each alteration changes the database and returns words that the report must have.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

from players import seals
from players.models import Decision, DecisionWords, Federation, Ledger, Player, SealedName
from players.record import WRITE_ONCE, create_trigger_statements, drop_trigger_statements
from ratings import signing, transparency_log
from ratings.models import (
    Checkpoint,
    CorrectedRating,
    Erratum,
    Fact,
    ListRow,
    LogKey,
    PastChange,
    ProgramFile,
    RatingList,
    Standing,
    StatedPre,
    TreeTile,
)
from ratings.recompute import checksum
from ratings.rulesets.facts import name_seal
from tournaments.models import Section, Stage

Alteration = Callable[[Federation, random.Random], str]


@contextmanager
def triggers_off() -> Iterator[None]:
    """As somebody can who has the database's password; foreign keys are left unchecked too."""

    def run(statements: list[str]) -> None:
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    run([line for table in WRITE_ONCE for line in drop_trigger_statements(connection.vendor, table)])
    try:
        yield
    finally:
        run([line for table in WRITE_ONCE for line in create_trigger_statements(connection.vendor, table)])


def a_line(office: Federation, rng: random.Random, *kinds: str) -> Fact:
    return rng.choice(list(Fact.objects.filter(federation=office, kind__in=kinds)))


def rewrite(fact: Fact, before: str, after: str) -> None:
    assert before in fact.line
    Fact.objects.filter(pk=fact.pk).update(line=fact.line.replace(before, after, 1))


# ---------------------------------------------------------------- lines


def a_result(office: Federation, rng: random.Random) -> str:
    section = a_line(office, rng, "section")
    before, after = rng.choice([('"1-0"', '"0-1"'), ('"0-1"', '"1/2"'), ('"1/2"', '"1-0"')])
    rewrite(section, before, after)
    return f"line {section.number} of the journal"


def a_name(office: Federation, rng: random.Random) -> str:
    player = a_line(office, rng, "player")
    seal = json.loads(player.line)["name_seal"]
    rewrite(player, seal, seal[::-1])
    return f"line {player.number} of the journal"


def a_sealed_name(office: Federation, rng: random.Random) -> str:
    """What stands apart from the journal, under a seal that stays."""
    name = rng.choice(list(SealedName.objects.filter(federation=office)))
    SealedName.objects.filter(pk=name.pk).update(name="Somebody, Else")
    return "is not the name that was sealed"


def the_order(office: Federation, rng: random.Random) -> str:
    first = a_line(office, rng, "player")
    second = Fact.objects.get(federation=office, number=first.number + 1)
    for number, fact in ((10**6, first), (first.number, second), (first.number + 1, first)):
        Fact.objects.filter(pk=fact.pk).update(number=number)
    return f"line {first.number} of the journal"


def a_deleted_line(office: Federation, rng: random.Random) -> str:
    """A merge-free line that nothing points to: the newest version of a player."""
    player = a_line(office, rng, "player")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM ratings_fact WHERE id = %s", [player.pk])
    return f"line {player.number} of the journal is missing"


def a_line_with_the_tree_made_anew(office: Federation, rng: random.Random) -> str:
    """The attacker who works the tiles out again, below the last signed head."""
    section = a_line(office, rng, "section")
    rewrite(section, '"1-0"', '"0-1"')
    TreeTile.objects.all()._raw_delete("default")
    signing.store_full_tiles(office, Ledger.objects.get(federation=office).facts)
    for each in Checkpoint.objects.all():
        Checkpoint.objects.filter(pk=each.pk).update(
            edge=signing.RootHashes(office, each.size).edge(each.size)
        )
    return "lines are not those that were signed"


def a_lines_columns(office: Federation, rng: random.Random) -> str:
    fact = a_line(office, rng, "rated", "list")
    columns: dict[str, object] = {
        "subject": "2024-999/Z",
        "kind": "unrated",
        "on": "2019-01-01",
        "particulars": "{}",
        "takes": fact,
        "pres": {"9": 2000},
        "order": (fact.order or 0) + 1,
        "taken_back": 9_000_000,
        "fingerprint": "0" * 64,
        "folded": "0" * 64,
        "section": None,
    }
    column, value = rng.choice([each for each in columns.items() if getattr(fact, each[0]) != each[1]])
    Fact.objects.filter(pk=fact.pk).update(**{column: value})
    return f"line {fact.number}"


# ---------------------------------------------------------------- lists


def a_row(office: Federation, rng: random.Random) -> ListRow:
    rows = ListRow.objects.filter(rating_list__federation=office).select_related("rating_list")
    return rng.choice(list(rows))


def a_lists_row(office: Federation, rng: random.Random) -> str:
    row = rng.choice(
        list(ListRow.objects.filter(rating_list__federation=office).select_related("rating_list"))
    )
    column = rng.choice(["rating", "games", "rank", "position", "status", "player", "previous"])
    others = ListRow.objects.filter(rating_list=row.rating_list).exclude(player=row.player_id)
    value = {
        "rating": row.rating + 1,
        "games": row.games + 1,
        "rank": row.rank + 1,
        "position": row.position + 1000,
        "status": "another",
        "player": others[0].player_id,
        "previous": 1,
    }[column]
    ListRow.objects.filter(pk=row.pk).update(**{column: value})
    return f"list {row.rating_list}, row"


def a_deleted_row(office: Federation, rng: random.Random) -> str:
    row = rng.choice(
        list(ListRow.objects.filter(rating_list__federation=office).select_related("rating_list"))
    )
    ListRow.objects.filter(pk=row.pk)._raw_delete("default")
    return f"list {row.rating_list}, row"


def a_lists_bytes(office: Federation, rng: random.Random) -> str:
    """With the checksum or without it."""
    found = rng.choice(list(RatingList.objects.filter(federation=office)))
    content = bytes(found.content).replace(b"1", b"2", 1)
    told = {"content": content} | ({"sha256": checksum(content)} if rng.random() < 0.5 else {})
    RatingList.objects.filter(pk=found.pk).update(**told)
    return f"list {found}"


def a_lists_checksum(office: Federation, rng: random.Random) -> str:
    found = rng.choice(list(RatingList.objects.filter(federation=office)))
    RatingList.objects.filter(pk=found.pk).update(sha256="0" * 64)
    return f"list {found}"


def a_lists_head(office: Federation, rng: random.Random) -> str:
    found = rng.choice(list(RatingList.objects.filter(federation=office)))
    column, value = rng.choice(
        [("players", 999), ("edition", "1999"), ("on", "2019-01-01"), ("note", "by hand"), ("revision", 7),
         ("published_at", "2019-01-01T00:00Z"), ("program_version", "9.9"), ("program_sha256", "0" * 64)]
    )  # fmt: skip
    RatingList.objects.filter(pk=found.pk).update(**{column: value})
    return "list "


def a_deleted_list(office: Federation, rng: random.Random) -> str:
    found = rng.choice(list(RatingList.objects.filter(federation=office)))
    ListRow.objects.filter(rating_list=found)._raw_delete("default")
    RatingList.objects.filter(pk=found.pk)._raw_delete("default")
    return f"line {found.fact.number}: the list of {found.track} is missing"


# ---------------------------------------------------------------- decisions


def a_decision(office: Federation, rng: random.Random) -> str:
    row = rng.choice(list(Decision.objects.filter(federation=office)))
    column, value = rng.choice(
        [("kind", "another"), ("about", "section 2024-999/Z"), ("on", "2019-01-01"), ("by", None),
         ("at", "2019-01-01T00:00Z"), ("sealed_details", {"fact": 1}), ("hash", "0" * 64)]
    )  # fmt: skip
    if getattr(row, column) == value:
        column, value = "about", "another"
    Decision.objects.filter(pk=row.pk).update(**{column: value})
    return f"decision {row.number} "


def a_deleted_decision(office: Federation, rng: random.Random) -> str:
    row = rng.choice(list(Decision.objects.filter(federation=office)))
    DecisionWords.objects.filter(decision=row)._raw_delete("default")
    Decision.objects.filter(pk=row.pk)._raw_delete("default")
    return f"decision {row.number} is missing"


def a_decision_with_the_chain_made_anew(office: Federation, rng: random.Random) -> str:
    """The attacker who works the hashes out again, below the last signed head."""
    rows = list(Decision.objects.filter(federation=office).order_by("number"))
    rng.choice(rows).about = "section 2024-999/Z"
    previous = ""
    for row in rows:
        previous = seals.compute_hash(row, previous)
        Decision.objects.filter(pk=row.pk).update(hash=previous, about=row.about)
    return "decisions are not those that were signed"


def a_decisions_words(office: Federation, rng: random.Random) -> str:
    words = rng.choice(list(DecisionWords.objects.select_related("decision")))
    if rng.random() < 0.5:
        words.delete()
    else:
        DecisionWords.objects.filter(pk=words.pk).update(value="another reason")
    return f"decision {words.decision.number}: its words"


# ---------------------------------------------------------------- checkpoints and keys


def a_checkpoint(office: Federation, rng: random.Random) -> str:
    row = rng.choice(list(Checkpoint.objects.filter(federation=office)))
    letter = rng.choice([at for at, letter in enumerate(row.note) if letter.isalnum()])
    other = "A" if row.note[letter] != "A" else "B"
    told: Any = rng.choice(
        [
            {"note": row.note[:letter] + other + row.note[letter + 1 :]},
            {"size": row.size + 1},
            {"edge": b"0" * 32},
            {"at": rng.choice(["2019-01-01T00:00Z", "2099-01-01T00:00Z"])},
        ]
    )
    Checkpoint.objects.filter(pk=row.pk).update(**told)
    return f"checkpoint {row.number}"


def a_deleted_checkpoint(office: Federation, rng: random.Random) -> str:
    row = rng.choice(list(Checkpoint.objects.filter(federation=office)))
    Checkpoint.objects.filter(pk=row.pk)._raw_delete("default")
    newest = Checkpoint.objects.filter(federation=office, number__gt=row.number).exists()
    return f"checkpoint {row.number} is missing" if newest else "the checkpoint kept outside the database"


def a_key(office: Federation, rng: random.Random) -> str:
    """Another's key in place of ours, and everything signed anew with it."""
    stranger = signing.new_signer(LogKey.objects.get(federation=office).origin)
    LogKey.objects.filter(federation=office).update(vkey=str(stranger.key))
    if rng.random() < 0.5:
        for row in Checkpoint.objects.filter(federation=office):
            note = str(
                transparency_log.SignedNote(transparency_log.read_checkpoint(row.note).text).signed(stranger)
            )
            Checkpoint.objects.filter(pk=row.pk).update(note=note)
    return "is none of the keys that the database has"


def an_origin(office: Federation, rng: random.Random) -> str:
    LogKey.objects.filter(federation=office).update(origin="elsewhere.example.org/csa/journal")
    return "key 1: its name is not the origin"


def a_keys_day(office: Federation, rng: random.Random) -> str:
    LogKey.objects.filter(federation=office).update(at="2019-01-01T00:00Z")
    return "key 1: it was made at another time"


def an_erratum(office: Federation, rng: random.Random) -> str:
    """Its rows, the number of people, or the whole of it."""
    row = rng.choice(list(CorrectedRating.objects.filter(erratum__fact__federation=office)))
    line = f"line {row.erratum.fact.number}: its erratum"
    match rng.randrange(4):
        case 0:
            CorrectedRating.objects.filter(pk=row.pk).update(after=1)
        case 1:
            CorrectedRating.objects.filter(pk=row.pk)._raw_delete("default")
        case 2:
            Erratum.objects.filter(pk=row.erratum_id).update(players=999)
        case _:
            CorrectedRating.objects.filter(erratum=row.erratum_id)._raw_delete("default")
            Erratum.objects.filter(pk=row.erratum_id)._raw_delete("default")
    return line


def a_stated_pre(office: Federation, rng: random.Random) -> str:
    """A pre-rating that is looked up beside the lines that state it; or one that no line states."""
    rows = list(StatedPre.objects.filter(federation=office))
    if rows and rng.random() < 0.5:
        row = rng.choice(rows)
        StatedPre.objects.filter(pk=row.pk).update(pre=row.pre + 1)
        return f"line {row.line}: the pre-rating"
    section = a_line(office, rng, "section")
    StatedPre.objects.create(federation=office, player="9", line=section.number, pre=1500)
    return f"line {section.number}: the pre-rating"


def a_program(office: Federation, rng: random.Random) -> str:
    ProgramFile.objects.update(content=b"another program")
    return "the program that drew it up"


def a_section_as_it_is_shown(office: Federation, rng: random.Random) -> str:
    """What cross tables are drawn from, beside the line that was rated."""
    rated = Section.objects.filter(event__federation=office, stage=Stage.RATED)
    section = rng.choice(list(rated.select_related("event")))
    match rng.randrange(3):
        case 0:
            game = rng.choice(list(section.games.all()))
            section.games.filter(pk=game.pk).update(result="0-1" if game.result != "0-1" else "1-0")
        case 1:
            section.entries.filter(number=1).update(place=99)
        case _:
            rated.filter(pk=section.pk).update(rated_on="2019-01-01")
    return f"section {section.key}: "


def a_name_as_it_is_shown(office: Federation, rng: random.Random) -> str:
    player = rng.choice(list(Player.objects.filter(federation=office)))
    Player.objects.filter(pk=player.pk).update(surname="Somebody")
    return f"player {player.number}: the name that is shown"


def a_deleted_name(office: Federation, rng: random.Random) -> str:
    """One that nobody decided to forget; or another name with another salt and its own seal in its place."""
    player = a_line(office, rng, "player")
    name = SealedName.objects.get(federation=office, seal=json.loads(player.line)["name_seal"])
    if rng.random() < 0.5:
        name.delete()
    else:
        seal = name_seal("Somebody, Else", name.salt)
        SealedName.objects.filter(pk=name.pk).update(name="Somebody, Else", seal=seal)
    return f"line {player.number}: the name under its seal is gone"


def a_standing(office: Federation, rng: random.Random) -> str:
    row = rng.choice(list(Standing.objects.filter(federation=office).select_related("player")))
    column, value = rng.choice([("rating", 1), ("games", 9999), ("order", row.order + 1), ("state", "{}")])
    Standing.objects.filter(pk=row.pk).update(**{column: value})
    return f"player {row.player.number}, {row.track}"


def a_change_kept_of_the_past(office: Federation, rng: random.Random) -> str:
    """So that nothing can read it any more."""
    row = rng.choice(list(PastChange.objects.filter(fact__federation=office).select_related("fact")))
    PastChange.objects.filter(pk=row.pk).update(state="no standing")
    return f"line {row.fact.number}, player {row.player.number}, {row.track}, as it was known then"


def a_tile(office: Federation, rng: random.Random) -> str:
    tile = rng.choice(list(TreeTile.objects.filter(federation=office)))
    at = rng.randrange(transparency_log.WIDTH)
    content = bytearray(tile.content)
    content[at * 32] ^= 1
    TreeTile.objects.filter(pk=tile.pk).update(content=bytes(content))
    return f"line {at + 1} of the journal is not the line that"


def everything_signed_is_gone(office: Federation, rng: random.Random) -> str:
    for model in (TreeTile, Checkpoint, LogKey):
        model._default_manager.filter(federation=office)._raw_delete("default")
    return "is none of the keys that the database has"


ALTERATIONS: tuple[Alteration, ...] = (
    a_result, a_name, a_sealed_name, the_order, a_deleted_line, a_line_with_the_tree_made_anew,
    a_lines_columns, a_lists_row, a_deleted_row, a_lists_bytes, a_lists_checksum, a_lists_head,
    a_deleted_list,
    a_decision, a_deleted_decision, a_decision_with_the_chain_made_anew, a_decisions_words,
    a_checkpoint, a_deleted_checkpoint, a_key, a_keys_day, an_origin, a_tile,
    an_erratum, a_change_kept_of_the_past, a_section_as_it_is_shown, a_name_as_it_is_shown,
    a_deleted_name, a_standing, a_stated_pre, a_program, everything_signed_is_gone,
)  # fmt: skip
PUBLISHED: tuple[Alteration, ...] = (
    a_result, a_name, a_sealed_name, the_order, a_deleted_line, a_line_with_the_tree_made_anew, a_lists_bytes,
    a_lists_checksum, a_key,
)  # fmt: skip
"""Those of what the public has: kept lists, the journal of now and the lists of now do not agree any more."""
