"""§6, §8, §15: the arbiters of an event."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import combinations

from ratings.law.facts import Section
from ratings.law.filing_particulars import Arbiter, Entrant, Filing
from ratings.law.rule_outputs import Finding, Level, Value
from ratings.rulesets.csa.edition_2020.submission_days import fide_rated

WHERE = "arbiters"


def check_arbiters(section: Section, filing: Filing) -> Iterator[Finding]:
    """§6 §15.1 §15.2 §15.3 §15.4: check that there is an arbiter, and each has name, id and title and is
    named once.
    """
    if not filing.arbiters:
        yield Finding("6", filing.incomplete(Level.BLOCKS), "no-arbiter", where=WHERE)
    asked = (
        ("15.1", "arbiter-name", [a for a in filing.arbiters if len(words_in(a.name)) < 2]),
        *_ids_asked(filing),
        ("15.3", "arbiter-title", [a for a in filing.arbiters if not a.title]),
    )
    for clause, key, lacking in asked:
        if lacking:
            names = "; ".join(arbiter.name for arbiter in lacking)
            yield Finding(clause, filing.incomplete(), key, {"names": names}, WHERE)
    for one, other in combinations(filing.arbiters, 2):
        if same_arbiter(one, other):
            yield Finding("15.4", filing.incomplete(), "arbiter-twice", {"arbiter": other.name}, WHERE)


def _ids_asked(filing: Filing) -> Iterator[tuple[str, str, list[Arbiter]]]:
    """§15.2: the clause, the message key and the arbiters who lack an id, for one finding: any id will do,
    but a FIDE rated section asks for FIDE's.
    """
    if fide_rated(filing):
        yield "15.2", "arbiter-fide-id", [a for a in filing.arbiters if not a.id or a.in_register]
    else:
        yield "15.2", "arbiter-id", [a for a in filing.arbiters if not a.id]


def check_arbiters_play(section: Section, filing: Filing) -> Iterator[Finding]:
    """§8: check that no arbiter plays in any section of the event, unless it is said to be a club's."""
    if filing.said.get("club"):
        return
    for arbiter in filing.arbiters:
        for entrant in (*filing.entrants, *filing.elsewhere):
            if is_arbiter(entrant, arbiter):
                params: dict[str, Value] = {
                    "arbiter": arbiter.name,
                    "player": entrant.name,
                    "section": entrant.section,
                }
                yield Finding("8", Level.WAIVABLE, "arbiter-plays", params, WHERE)


def is_arbiter(entrant: Entrant, arbiter: Arbiter) -> bool:
    """Whether an entrant is an arbiter: by an id in common; or by the name, unless both have an id of one
    kind and these differ.
    """
    own = entrant.player if not entrant.new and entrant.decided else ""
    if arbiter.id and arbiter.id in (own, entrant.fide_id):
        return True
    comparable = own if arbiter.in_register else entrant.fide_id
    return same_name(arbiter.name, entrant.name) and not (arbiter.id and comparable)


def same_arbiter(one: Arbiter, other: Arbiter) -> bool:
    if one.id and other.id:
        return one.id == other.id
    return same_name(one.name, other.name)


def words_in(name: str) -> frozenset[str]:
    """The words of a name in plain small letters, whatever their order, capitals and accents, to compare
    names by.
    """
    plain = unicodedata.normalize("NFKD", name.casefold())
    letters = (c if c.isalnum() else " " for c in plain if not unicodedata.combining(c))
    return frozenset("".join(letters).split())


def same_name(one: str, other: str) -> bool:
    """Whether two names may be one person's: the shorter, of two words at least, stands in the longer."""
    shorter, longer = sorted((words_in(one), words_in(other)), key=len)
    return len(shorter) > 1 and shorter <= longer


def names_of(entrants: Iterable[Entrant], most: int = 3) -> str:
    """The names of the first `most` of these entrants for a message, parted by semicolons; `…` stands for
    more.
    """
    names = [entrant.name for entrant in entrants]
    return "; ".join(names[:most] + ["…"] * (len(names) > most))
