"""The demo of Polish othello: seasons of the Grand Prix, one with a play-off, and missed championships."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from random import Random

from ratings.rulesets.demo import (
    FILED,
    OFFICIAL,
    REFUSED,
    REGIONAL,
    REGISTERED,
    RETURNED,
    SUBMITTED,
    Demo,
    DemoEvents,
    DemoFact,
    DemoHabits,
    DemoNewcomer,
    DemoOpenings,
    DemoUser,
    EntryGroup,
    EventKind,
    OfferedEvent,
    Person,
    PlayedSection,
    Population,
    PresentDays,
    PresentEvent,
    days_after_ratings,
    elo_result,
    entries_by_place,
    make_name_pool,
    rename_players,
    steady_strength,
    swap_players,
)
from ratings.rulesets.facts import Playoff, Section

HOME = "POL"
TABLE = "table"
SEASON_BEGINS = 12
"""The month in which a season begins: it runs from December to November."""
SEASONS = 3
"""The number of whole seasons before the present one."""

POLISH = make_name_pool(
    "Adam Piotr Krzysztof Andrzej Tomasz Paweł Michał Marcin Jakub Grzegorz Łukasz Zbigniew Maciej Rafał"
    " Szymon Wojciech Bartłomiej Kacper Igor Stanisław Mikołaj",
    "Anna Katarzyna Małgorzata Agnieszka Zofia Julia Maja Weronika Aleksandra Joanna Iga Ewelina Dorota",
    "Kowalski Wiśniewski Lewandowski Kamiński Zieliński Szymański Dąbrowski Kozłowski Jankowski Wojciechowski"
    " Kwiatkowski Mazur Krawczyk Piotrowski Grabowski Pawłowski Michalski Król Wieczorek Wróbel Jabłoński"
    " Dudek Adamczyk Nowicki Majewski Olszewski Jaworski Malinowski Pawlak Witkowski Walczak Sikora Baran"
    " Rutkowski Ostrowski Tomaszewski Pietrzak Zalewski Wrona Gajda",
    "Kowalska Wiśniewska Lewandowska Kamińska Zielińska Szymańska Dąbrowska Kozłowska Jankowska Wojciechowska"
    " Kwiatkowska Mazur Krawczyk Piotrowska Grabowska Pawłowska Michalska Król Wieczorek Wróbel Jabłońska"
    " Dudek Adamczyk Nowicka Majewska Olszewska Jaworska Malinowska Pawlak Witkowska Walczak Sikora Baran"
    " Rutkowska Ostrowska Tomaszewska Pietrzak Zalewska Wrona Gajda",
)
POOLS_ABROAD = {
    "CZE": make_name_pool("Jan Petr Tomáš", "Lucie Hana", "Hruška Beneš Kolář"),
    "DEU": make_name_pool("Matthias Jens Uwe", "Katrin", "Brandt Vogel Lorenz Haas"),
    "ITA": make_name_pool("Marco Luca Andrea", "Giulia Chiara", "Ferri Galli Conti Riva"),
    "JPN": make_name_pool("Takeshi Yusuke Kenta Hiroshi", "Misa Yuki", "Ogawa Nakano Fujita Sakai Ueda"),
    "SWE": make_name_pool("Erik Henrik", "Linnea", "Lindgren Åkesson Björk"),
}


def season_fields(day: date) -> dict[str, str]:
    """§17: the field `season_fields` of a section by its last day: a label of two years."""
    first = day.year - (day.month < SEASON_BEGINS)
    return {"season": f"{first}/{first + 1}"}


def record_start(today: date) -> date:
    """The first day of the demo's record, on which a season begins."""
    year = today.year - (today.month < SEASON_BEGINS)
    return date(year - SEASONS, SEASON_BEGINS, 1)


MAIN = (EntryGroup("Turniej główny"),)
new_kind = partial(EventKind, groups=MAIN)
GRAND_PRIX = new_kind(
    "Grand Prix Polski, {place} {year}",
    8,
    size=(16, 28),
    rounds=(7, 8, 9),
    months=(1, 2, 3, 4, 5, 6, 7, 8, 10, 11),
    variants=({"status": "gpp"},),
    foreign=0.06,
)
CHAMPIONSHIP = new_kind(
    "Mistrzostwa Polski {year}",
    size=(34, 44),
    rounds=(11,),
    days=2,
    months=(9,),
    variants=({"status": "mp"},),
    foreign=0.03,
    places=("Warszawa", "Kraków"),
)
EUROPEAN = new_kind(
    "European Grand Prix Warszawa {year}",
    size=(26, 32),
    rounds=(11,),
    days=2,
    months=(5,),
    variants=({"status": "egp"},),
    foreign=0.45,
    places=("Warszawa",),
)
ABROAD_EUROPEAN = replace(
    EUROPEAN,
    name="European Grand Prix {place} {year}",
    months=(3,),
    foreign=0.7,
    country="CZE",
    places=("Praha", "Brno"),
)
WORLD = replace(
    EUROPEAN,
    name="World Othello Championship {year}",
    size=(22, 24),
    rounds=(13,),
    days=3,
    weekday=3,
    months=(10,),
    variants=({"status": "woc"},),
    foreign=0.85,
    country="JPN",
    places=("Tokyo", "Osaka"),
)


# ---- A season that ended in a tie
def rewrite_season_as_tie(
    rng: Random, played: list[PlayedSection], people: Mapping[str, Person]
) -> tuple[list[PlayedSection], list[DemoFact]]:
    """§17: rewrite the season before the newest so that two players tie, and add their play-off."""
    labels = sorted({each.section.season or "" for each in played})
    if len(labels) < 2:
        return played, []
    label = labels[-2]
    sections = [each.section for each in played if each.section.season == label]
    one, other = players_to_tie(sections, people)
    rewritten = dict(tied_sections(sections, one, other))
    ends = [section.ends for section in sections if section.status == "mp"]
    if not ends:
        return played, []
    result = [each._replace(section=rewritten.get(each.section.id, each.section)) for each in played]
    return result, [DemoFact(Playoff(label, one, ends[-1]), "record-playoff")]


def players_to_tie(sections: Sequence[Section], people: Mapping[str, Person]) -> tuple[str, str]:
    """The ids of the two citizens who did best in these sections, and are to tie."""
    won: Counter[str] = Counter()
    for section in sections:
        for entry in section.entries:
            if people[entry.player].nation == HOME:
                won[entry.player] += (entry.place == 1) * 10 + ((entry.place or 99) < 4)
    (one, _n), (other, _m) = sorted(won.items(), key=lambda item: (-item[1], item[0]))[:2]
    return one, other


def tied_sections(sections: Sequence[Section], one: str, other: str) -> Iterator[tuple[str, Section]]:
    """The ids of a season's sections, and the sections rewritten so that two players have the same results.

    In each pair of Grand Prix tournaments, `one` wins the first and `other` the second, by the same games.
    They share third place in the championship, and play in no other section that gives points.
    """
    grand_prix = [section for section in sections if section.status == "gpp"]
    for first, second in zip(grand_prix[::2], grand_prix[1::2], strict=False):
        won = give_first_place(replace_players(first, {other}, second), one)
        yield first.id, won
        # `second` with its own players in the games of `won`, and `other` for the winner `one`
        losers = [entry.player for entry in entries_by_place(won) if entry.player != one]
        players = [entry.player for entry in entries_by_place(second) if entry.player not in (one, other)]
        players += [player for player in losers if player not in players and player != other]
        copy = rename_players(won, {one: other, **dict(zip(losers, players, strict=False))})
        second = replace(second, rounds=copy.rounds, games=copy.games, byes=copy.byes, entries=copy.entries)
        yield second.id, second
    if len(grand_prix) % 2:
        yield grand_prix[-1].id, replace_players(grand_prix[-1], {one, other}, grand_prix[0])
    for section in sections:
        if section.status == "mp":
            yield section.id, share_third_place(section, one, other)
        elif section.status == "egp" and section.country is None:
            yield section.id, replace_players(section, {one, other}, grand_prix[0])


def replace_players(section: Section, absent: set[str], others: Section) -> Section:
    """The section with each entrant in `absent` replaced by another player, of the section `others`."""
    here = {entry.player for entry in section.entries}
    free = [entry.player for entry in entries_by_place(others) if entry.player not in here | absent]
    return rename_players(section, dict(zip(sorted(absent & here), free, strict=False)))


def give_first_place(section: Section, player: str) -> Section:
    """The section with the player and the winner exchanged, or the player in the winner's place."""
    return give_place(section, player, next(entries_by_place(section)).player)


def give_place(section: Section, player: str, place_of: str) -> Section:
    here = {entry.player for entry in section.entries}
    return rename_players(section, swap_players(player, place_of) if player in here else {place_of: player})


def share_third_place(section: Section, one: str, other: str) -> Section:
    third, fourth = [entry.player for entry in entries_by_place(section)][2:4]
    section = give_place(section, one, third)
    section = give_place(section, other, fourth if fourth != one else third)
    entries = tuple(
        replace(entry, place=3) if entry.player in (one, other) else entry for entry in section.entries
    )
    return replace(section, entries=entries)


# ---- The demo
PLACES_MISSING = (
    "W tabeli miejsca 7–9 dzieli czterech graczy. Proszę sprawdzić rozstrzygnięcie według pionków."
)
CLOSED = "Turniej szkolny, zamknięty dla innych (15): nie należy do Grand Prix."

DEMO = Demo(
    home=HOME,
    population=Population(
        first_number=2001,
        players=105,
        pools={"polish": POLISH},
        languages={HOME: {"polish": 100}},
        shares={HOME: 1.0},
        strength=steady_strength(1400, 190),
        keen=1550,
        there=lambda age: 0.7,
        abroad=POOLS_ABROAD,
        foreigners=26,
        fewest_foreigners=22,
        foreign=(1580, 140, 1950),
        lowest=900,
    ),
    events=DemoEvents(
        places={HOME: ("Warszawa", "Kraków", "Wrocław", "Gdańsk", "Poznań", "Łódź", "Lublin", "Katowice")},
        kinds=(GRAND_PRIX,),
        once=(CHAMPIONSHIP, EUROPEAN, ABROAD_EUROPEAN, WORLD),
        of_day=season_fields,
        retell=rewrite_season_as_tie,
    ),
    start=record_start,
    lists=days_after_ratings,  # §3
    result=elo_result(draws=0.02),
    sign_ins=(DemoUser("Zofia", REGIONAL, HOME), DemoUser("Marek", OFFICIAL)),
    present=PresentDays(
        asked="Tego samego dnia zapytaliśmy biuro i wyraziło zgodę.",
        live=(
            PresentEvent(REGISTERED, GRAND_PRIX, HOME, "Lublin", 10),
            PresentEvent(REGISTERED, GRAND_PRIX, HOME, "Gdańsk", 31),
            PresentEvent(FILED, GRAND_PRIX, HOME, "Poznań", 2, vague=(2, 6)),
            PresentEvent(SUBMITTED, GRAND_PRIX, HOME, "Wrocław", 4),
            PresentEvent(
                SUBMITTED,
                replace(EUROPEAN, places=(), name="European Grand Prix {place} {year}"),
                HOME,
                "Kraków",
                5,
            ),
            PresentEvent(RETURNED, GRAND_PRIX, HOME, "Katowice", 8, words=PLACES_MISSING),
            PresentEvent(REFUSED, GRAND_PRIX, HOME, "Łódź", 9, words=CLOSED),
        ),
        offers=(
            OfferedEvent(
                replace(GRAND_PRIX, size=(14, 14), rounds=(7,), foreign=0),
                HOME,
                "Łódź",
                3,
                "csv",
                (
                    DemoNewcomer("Brzęczyszczykiewicz", "Gabriela", "f", date(2006, 5, 19), "POL"),
                    DemoNewcomer("Żółtowski", "Cezary", "m", date(1984, 8, 2), "POL"),
                ),
            ),
        ),
        late=150,
        exchanged="W rundzie 5 zamieniono dwa wyniki. Proszę poprawić tabelę i ponownie przesłać grupę.",
    ),
    style=TABLE,
    openings=DemoOpenings(
        source="lista sprzed początku zapisu",
        shares=((0.95, ("ranking",)),),
        noise=70,
        games=80,
    ),
    habits=DemoHabits(organizer="Polska Federacja Othello, {email}"),
    accent=3,
)
