"""What answers say of children and of the withheld, in so many words or to whoever compares two of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import permutations
from typing import NamedTuple

from players.models import BirthDate, Federation, Player
from tests.children.crawl import NUMBER, Answer
from tests.children.office import CONTACT, FORGOTTEN, REGIONS, name_of

BLOCK = re.compile(r"<(?:tr|li|p|dd|h\d|option|div|section|meta|title)\b", re.IGNORECASE)
TAG = re.compile(r"<[^>]*>")
ANCHORED = re.compile(r'href="[^"]*/players/([^/?#"]+)/')
SEX = re.compile(
    r"\b(?:female|male|girls?|boys?|wom[ae]n|born|by age|under \d+|U(?:8|1[0-8]|20)|W(?:CM|FM|IM|GM))\b"
    r"|\"(?:sex|born|birth|age)\"",
    re.IGNORECASE,
)
CELL = re.compile(r"(?:^|,|;|\s)[fmw](?:,|;|\s|$)", re.IGNORECASE)
"""A sex as files write it."""
BEFORE_ROUNDS = 90
"""The columns of a TRF's line before its rounds, where `w` is White."""
OF_THE_LAW = re.compile(r"/regulations/|/tables/$|/journal/description|robots\.txt$")
"""Pages that speak of nobody: the law has years and ages of its own."""
DAY = re.compile(
    r"\b(?:\d{4}[-/]\d\d[-/]\d\d|\d\d[./]\d\d[./]\d{4}|\d{8}"
    r"|\d{1,2} [A-Z]\w+ \d{4}|[A-Z]\w+ \d{1,2}, \d{4})\b"
)
YEAR = re.compile(r"\b\d{4}\b")
AXIS = re.compile(r'<text\s+class="x"[^>]*>[^<]*</text>')
"""The years below a curve."""
BETWEEN = re.compile(r"\},\s*\{")
"""The place where one thing of a JSON file ends and the next begins."""
APART = re.compile(r'[\s,;:"\[\]{}]+')


class Finding(NamedTuple):
    kind: str
    address: str
    words: str


@dataclass(frozen=True)
class Secrets:
    """What nobody may learn, of an office as it is."""

    sexes: Mapping[str, str]
    """Of children, by number."""
    years: Mapping[str, int]
    days: frozenset[date]
    names: Mapping[str, str]
    """Of children who are named, surname → number."""
    hidden: Mapping[str, tuple[str, ...]]
    """Of who is withheld: number → the words that would name them."""
    around: Mapping[str, tuple[str, ...]]
    """Of the same: the words that would lead to them, where the number stands."""
    ids: frozenset[str]
    """Of children and of the withheld, in FIDE's register."""

    @cached_property
    def children(self) -> frozenset[str]:
        return frozenset(self.sexes)

    @cached_property
    def written_years(self) -> frozenset[str]:
        return frozenset(str(year) for year in self.years.values())

    @cached_property
    def written_days(self) -> frozenset[str]:
        return frozenset(words for day in self.days for words in written(day))


def secrets_of(office: Federation, children: int) -> Secrets:
    people = list(Player.objects.of(office).order_by("number").select_related("region"))
    young, hidden = people[:children], [player for player in people if player.withheld]
    return Secrets(
        sexes={player.number: player.sex for player in young},
        years={player.number: player.born for player in young if player.born},
        days=frozenset(BirthDate.objects.filter(player__in=young).values_list("day", flat=True)),
        names={player.surname: player.number for player in young if not player.withheld},
        hidden={player.number: _named(player) for player in hidden},
        around={
            player.number: (*REGIONS, *REGIONS.values(), f"Club {player.number[-1]}") for player in hidden
        },
        ids=frozenset(f"14{player.number}" for player in (*young, *hidden)),
    )


def _named(player: Player) -> tuple[str, ...]:
    """The words that would name them; of the office of a hundred children, the name that was deleted too."""
    words = (player.surname, player.first_name) if player.surname else name_of(FORGOTTEN)
    return tuple(filter(None, words))


# ---------------------------------------------------------------- in so many words


def told(answers: Iterable[Answer], secrets: Secrets) -> list[Finding]:
    return [finding for answer in answers for finding in told_by(answer, secrets)]


def told_by(answer: Answer, secrets: Secrets) -> Iterator[Finding]:
    whole = f"{answer.head}\n{answer.text}"
    if not OF_THE_LAW.search(answer.path):
        yield from _found(
            "year", secrets.written_years.intersection(YEAR.findall(AXIS.sub("", answer.text))), answer
        )
    yield from _found("day", secrets.written_days.intersection(DAY.findall(whole)), answer)
    yield from _found("contact", (each for each in CONTACT if each in whole), answer)
    yield from _found("foreign id", secrets.ids.intersection(re.findall(r"\d{11}", whole)), answer)
    small = whole.lower()
    for names in secrets.hidden.values():
        found = [name for name in names if name.lower() in small]
        if any(name.lower() in answer.address.lower() for name in names):  # the reader's own word
            # A page below a player's own leads back to that player, whatever is asked.
            others = answer.players.difference(NUMBER.findall(answer.path))
            found = ["found by name"] if others else []
        yield from _found("withheld", found, answer)
    for record in records(answer, secrets.children | secrets.hidden.keys()):
        yield from _of_record(record, answer, secrets)


def written(day: date) -> tuple[str, ...]:
    return (
        day.isoformat(),
        f"{day:%Y/%m/%d}",
        f"{day:%d.%m.%Y}",
        f"{day:%d/%m/%Y}",
        f"{day:%Y%m%d}",
        f"{day.day} {day:%B %Y}",
        f"{day.day} {day:%b %Y}",
        f"{day:%B} {day.day}, {day:%Y}",
    )


class Record(NamedTuple):
    """A row, an item or a line, and whom it speaks of."""

    numbers: frozenset[str]
    words: str


def records(answer: Answer, numbers: frozenset[str]) -> Iterator[Record]:
    if not answer.text.lstrip().startswith("<!doctype"):
        lines = BETWEEN.sub("},\n{", answer.text).splitlines()
        yield from (Record(frozenset(APART.split(line)) & numbers, line) for line in lines)
        return
    of_page = frozenset(re.findall(r"/players/([^/?#]+)/", answer.path))
    for block in BLOCK.split(answer.text):
        words = " ".join(TAG.sub(" ", block.partition(">")[2]).split())
        yield Record(frozenset(ANCHORED.findall(block)) | of_page, words)


def _of_record(record: Record, answer: Answer, secrets: Secrets) -> Iterator[Finding]:
    if record.numbers & secrets.children:
        words = record.words[:BEFORE_ROUNDS] if answer.path.endswith(".trf") else record.words
        said = SEX.findall(words) + (CELL.findall(words) if len(record.numbers) == 1 else [])
        yield from _found("sex or age", said, answer)
    if answer.path.endswith(".ndjson"):  # what proofs rest on stands there under the number
        return
    for number in record.numbers & secrets.hidden.keys() if len(record.numbers) == 1 else ():
        yield from _found("around", (w for w in secrets.around[number] if w in record.words), answer)


def _found(kind: str, words: Iterable[str], answer: Answer) -> Iterator[Finding]:
    if said := sorted(set(words)):
        yield Finding(kind, answer.address, ", ".join(said)[:200])


# ---------------------------------------------------------------- to whoever compares


def singled_out(answers: Iterable[Answer], secrets: Secrets) -> list[Finding]:
    """Questions to lists, and pairs of them, that part children of one sex or one year from the others."""
    sets: dict[str, frozenset[str]] = {}
    for answer in answers:
        if "/lists/" in answer.path and not {key for key, _value in answer.asked} & {"q", "player"}:
            question = f"{answer.path}?{sorted(answer.asked)}"
            sets[question] = sets.get(question, frozenset()) | answer.players & secrets.children
    parts = {members: question for question, members in sets.items()}
    for one, other in permutations(sets, 2):
        parts.setdefault(sets[one] - sets[other], f"{one} without {other}")
        parts.setdefault(sets[one] & sets[other], f"{one} and {other}")
    return [
        Finding(kind, question, ", ".join(sorted(members)[:5]))
        for members, question in parts.items()
        for kind in alike(members, secrets)
    ]


def alike(members: frozenset[str], secrets: Secrets) -> Iterator[str]:
    if members and len({secrets.sexes[number] for number in members}) == 1:
        yield "set of one sex"
    if members and len({secrets.years.get(number) for number in members}) == 1:
        yield "set of one year"


def differing(before: Mapping[str, Answer], after: Mapping[str, Answer]) -> list[Finding]:
    """Addresses that answer otherwise though nothing changed but births and sexes of children."""
    return [
        Finding("differs", address, "")
        for address in before.keys() | after.keys()
        if address not in before or address not in after or before[address] != after[address]
    ]
