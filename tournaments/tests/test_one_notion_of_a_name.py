"""Search, matching and doubles have one notion of a name: in each spelling it is found, and no other is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from itertools import product

import pytest

from players.evidence import Described, fold_name, may_be_one, weigh
from players.identity import likely_doubles
from players.models import Federation, FormerName, Player
from players.names import fold
from ratings.pages.players import search_players
from tournaments.matching import match, search, suggest_players
from tournaments.models import Entry

CYRILLIC_SURNAMES = {
    "Ковалёв": ("Kovalyov", "Kowaljow"),
    "Щербаков": ("Shcherbakov", "Szczerbakow"),
    "Жуков": ("Zhukov", "Żukow"),
    "Хайруллин": ("Khairullin", "Hayrullin"),
    "Цветаев": ("Tsvetayev", "Cvetaev"),
    "Юрьев": ("Yuryev", "Jurjew"),
    "Соловьёв": ("Solovyov", "Soloviev"),
    "Горбачёв": ("Gorbachov", "Gorbatschew"),
    "Эйдельман": ("Eydelman", "Ejdelman"),
    "Воробьёв": ("Vorobyov", "Worobjew"),
}
LATIN_SURNAMES = {
    "Dvořák": ("Дворжак", "Dvorak"),
    "Müller": ("Мюллер", "Mueller"),
    "Łukasiewicz": ("Лукасевич", "Lukasiewicz"),
    "Růžička": ("Ружичка", "Ruzicka"),
    "Szczepański": ("Щепаньский", "Szczepanski"),
    "Preiß": ("Прейсс", "Preiss"),
    "Chytil": ("Хитил", "Chytil"),
    "Grzegorzek": ("Гжегожек", "Grzegorzek"),
    "Černý": ("Черный", "Cerny"),
    "Żeromski": ("Жеромский", "Zeromski"),
}
FIRST_NAMES = {
    "Пётр": ("Pyotr", "Petr"),
    "Юлия": ("Yulia", "Julia"),
    "Ксения": ("Kseniya", "Ksenia"),
    "Евгений": ("Yevgeny", "Jewgenij"),
    "Станислав": ("Stanislav", "Stanisław"),
    "Wojciech": ("Войцех", "Wojciech"),
    "Jürgen": ("Юрген", "Juergen"),
    "Tomáš": ("Томаш", "Tomas"),
    "Michał": ("Михал", "Michal"),
    "Zdeněk": ("Зденек", "Zdenek"),
}
FORMER_SURNAMES = (
    *("Мельник", "Гончаров", "Синицын", "Тихонов", "Лебедев", "Осипов", "Рыжов", "Быстров", "Носов", "Дёмин"),
    *(
        "Wiśniewski",
        "Nováček",
        "Kowalczyk",
        "Pospíšil",
        "Wróbel",
        "Zając",
        "Beneš",
        "Kupka",
        "Mazur",
        "Sýkora",
    ),
)
KINDS = ("script", "plain", "order", "former", "slip", "letters")


@dataclass(eq=False)
class Known:
    surname: str
    first_name: str
    former: str
    files: dict[str, tuple[str, str]]
    """How a file may write the name, by the kind of spelling."""


def everybody() -> list[Known]:
    """Two hundred people, named in two scripts."""
    found: list[Known] = []
    for surnames in (CYRILLIC_SURNAMES, LATIN_SURNAMES):
        for (surname, spelt), (first, firsts) in product(surnames.items(), FIRST_NAMES.items()):
            former = FORMER_SURNAMES[len(found) // len(FIRST_NAMES)]
            files = {
                "script": (spelt[0], firsts[0]),
                "plain": (spelt[1], firsts[1]),
                "order": (firsts[0], spelt[0]),
                "former": (former, firsts[0]),
                "slip": (slip(spelt[0], len(found)), firsts[0]),
                "letters": (in_mixed_letters(surname), first),
            }
            found.append(Known(surname, first, former, files))
    return found


def slip(name: str, which: int) -> str:
    """The name with two letters swapped, or one missing, doubled or wrong."""
    at = len(name) // 2 - 1
    before, letter, after = name[:at], name[at], name[at + 1 :]
    put = (after[0] + letter + after[1:], after, letter * 2 + after, ("m" if letter < "z" else "м") + after)
    return before + put[which % len(put)]


def in_mixed_letters(name: str) -> str:
    """The name with its letters that look Latin, or Cyrillic, typed on the other keyboard."""
    latin, cyrillic = "aeopcyx", "аеорсух"
    return name.translate(str.maketrans(latin + cyrillic, cyrillic + latin))


PEOPLE = everybody()


def register(csa: Federation, people: list[Known]) -> dict[Known, Player]:
    Player.objects.bulk_create(
        Player(
            federation=csa,
            number=str(at),
            surname=each.surname,
            first_name=each.first_name,
            name_key=fold(each.surname),
        )
        for at, each in enumerate(people, 1)
    )
    players = {player.number: player for player in Player.objects.of(csa)}
    return {each: players[str(at)] for at, each in enumerate(people, 1)}


def rename(player: Player, surname: str) -> None:
    FormerName.objects.create(
        player=player,
        surname=surname,
        first_name=player.first_name,
        name_key=fold(surname),
        until=date(2024, 1, 1),
    )


def disagreements(csa: Federation, people: list[Known]) -> list[str]:
    """Who, in which spelling, is not offered by matching, not found by a search, or no likely double of the
    same name in the register; or is taken by itself, without a birth.
    """
    players = register(csa, people)
    wrong = [f"doubles: {pair}" for pair in likely_doubles(csa)]
    for kind in KINDS:
        if kind == "former":
            for each, player in players.items():
                rename(player, each.former)
        entries = [
            Entry(number=at, surname=each.files[kind][0], first_name=each.files[kind][1])
            for at, each in enumerate(people, 1)
        ]
        match(csa, entries)
        suggested = suggest_players(entries, ())
        for each, entry in zip(people, entries, strict=True):
            player = players[each]
            name = f"{kind}: {each.surname} {each.first_name} as {entry.name}"
            if entry.match == Entry.Match.CERTAIN:
                wrong.append(f"taken by itself: {name}")
            if suggested.get(entry.number, player.pk) != player.pk:
                wrong.append(f"somebody else suggested: {name}")
            if player.pk not in {offered["player"] for offered in entry.candidates}:
                wrong.append(f"not offered: {name}")
            if player not in {found.player for found in search(csa, entry, entry.name)}:
                wrong.append(f"not found by staff: {name}")
            if player not in search_players(csa, entry.name):
                wrong.append(f"not found: {name}")
            filed = Described((fold_name(entry.surname, entry.first_name),))
            names = [fold_name(each.surname, each.first_name)]
            names += [fold_name(each.former, each.first_name)] if kind == "former" else []
            if not may_be_one(weigh(filed, Described(names))):
                wrong.append(f"no double: {name}")
    return wrong


def test_a_name_in_each_spelling_is_found_offered_and_a_likely_double(csa: Federation) -> None:
    assert disagreements(csa, PEOPLE[::17]) == []


@pytest.mark.long
def test_two_hundred_names_in_each_spelling_are_found_offered_and_likely_doubles(csa: Federation) -> None:
    assert disagreements(csa, PEOPLE) == []
