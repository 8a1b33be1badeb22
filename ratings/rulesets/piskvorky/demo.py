"""The demo of Czech piškvorky: two founding tournaments, novices, clubs, quarterly lists."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import partial

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
    DemoHabits,
    DemoNewcomer,
    DemoUser,
    EntryGroup,
    EventKind,
    OfferedEvent,
    Population,
    PresentDays,
    PresentEvent,
    elo_result,
    first_days_of_months,
    make_name_pool,
    months_before,
    steady_strength,
)

HOME = "CZ"
"""The code of the one region."""
SWISS_MANAGER, VEGA = "Swiss-Manager", "Vega"

CZECH = make_name_pool(
    "Jan Petr Tomáš Ondřej Matěj Jakub Vojtěch Lukáš Marek Filip Štěpán David Kryštof Radim Zdeněk"
    " Miloslav Bohumil Václav Jiří Dominik Šimon Aleš Vít",
    "Tereza Eliška Anežka Barbora Kateřina Lucie Veronika Markéta Zuzana Hana Klára Jitka Alžběta Daniela",
    "Novák Svoboda Dvořák Černý Procházka Kučera Veselý Horák Němec Pokorný Marek Pospíšil Hájek Jelínek"
    " Král Růžička Beneš Fiala Sedláček Doležal Zeman Kolář Navrátil Čermák Vaněk Urban Blažek Kříž"
    " Kovář Bartoš Vlček Polák Musil Kopecký Šimek Konečný Malý Holub Štěpánek Skála Hruška Bureš",
    "Nováková Svobodová Dvořáková Černá Procházková Kučerová Veselá Horáková Němcová Pokorná Marková"
    " Pospíšilová Hájková Jelínková Králová Růžičková Benešová Fialová Sedláčková Doležalová Zemanová"
    " Kolářová Navrátilová Čermáková Vaňková Urbanová Blažková Křížová Kovářová Bartošová Vlčková Poláková"
    " Musilová Kopecká Šimková Konečná Malá Holubová Štěpánková Skálová Hrušková Burešová",
)
POOLS_ABROAD = {
    "POL": make_name_pool("Michał Paweł Bartosz Kamil", "Agnieszka Magda", "Wrona Sobczak Maj Urbański", ""),
    "SVK": make_name_pool("Juraj Marián Ľuboš", "Zuzana Ivana", "Hudec Kováč Šimko Blaho", ""),
}

MAIN = (EntryGroup("Hlavní turnaj"),)
new_kind = partial(EventKind, groups=MAIN)
CLUB = new_kind(
    "Piškvorkový večer, {place}",
    12,
    size=(12, 22),
    rounds=(6, 7),
    weekday=3,
    foreign=0.04,
)
OPEN_CUP = new_kind("{place} Open {year}", 6, size=(20, 38), rounds=(8, 9), days=2, foreign=0.1)
LEAGUE = new_kind(
    "{place}: klubová liga {year}",
    3,
    "round-robin",
    size=(8, 12),
    rounds=(0,),
    days=6,
    apart=7,
    weekday=1,
)
SHORT_MATCHES = new_kind(
    "Zápasy na dvě hry, {place} {year}", 2, "double-round-robin", size=(6, 8), rounds=(0,), days=2
)
CHAMPIONSHIP = new_kind(
    "Mistrovství České republiky {year}",
    size=(40, 56),
    rounds=(9,),
    days=3,
    weekday=4,
    months=(5,),
    places=("Praha",),
)
MASTERS = new_kind(
    "Turnaj mistrů {year}",
    1,
    "round-robin",
    groups=(EntryGroup("A", above=1750),),
    size=(10, 10),
    rounds=(0,),
    days=2,
    months=(11,),
    places=("Brno",),
)
FOUNDING = (
    replace(OPEN_CUP, name="První počítaný turnaj, {place} {year}", size=(32, 32), rounds=(9,), foreign=0),
    replace(OPEN_CUP, name="Druhý počítaný turnaj, {place} {year}", size=(36, 36), rounds=(9,), foreign=0),
)
"""§6: the two founding tournaments, whose games make the first ratings."""

EXCHANGED_SHEETS = "V zápisech ze 4. kola jsou stoly 2 a 3 prohozené. Porovnejte je prosím."
A_TRAINING = "Byl to tréninkový večer, který nebyl ohlášen jako turnaj. Nezapočítává se."

DEMO = Demo(
    home="CZE",
    population=Population(
        first_number=3001,
        players=170,
        pools={"czech": CZECH},
        languages={HOME: {"czech": 100}},
        shares={HOME: 1.0},
        strength=steady_strength(1560, 170),
        keen=1750,
        there=lambda age: 0.6,
        abroad=POOLS_ABROAD,
        foreigners=12,
        fewest_foreigners=6,
        foreign=(1640, 120, 1950),
    ),
    events=DemoEvents(
        places={
            HOME: ("Praha", "Brno", "Ostrava", "Plzeň", "Olomouc", "Liberec", "Hradec Králové", "Pardubice")
        },
        kinds=(CLUB, OPEN_CUP, LEAGUE, SHORT_MATCHES),
        once=(CHAMPIONSHIP, MASTERS),
        founding=FOUNDING,
    ),
    start=months_before(29),
    lists=first_days_of_months((1, 4, 7, 10)),
    result=elo_result(draws=0.03, first_move_worth=15),
    sign_ins=(DemoUser("Tereza", REGIONAL, HOME), DemoUser("Ondrej", OFFICIAL)),
    present=PresentDays(
        asked="Kanceláře jsme se ptali ještě ten den a dovolila to.",
        live=(
            PresentEvent(REGISTERED, OPEN_CUP, HOME, "Plzeň", 16),
            PresentEvent(REGISTERED, CLUB, HOME, "Liberec", 4),
            PresentEvent(FILED, CLUB, HOME, "Olomouc", 2, style=VEGA, vague=(2, 5)),
            PresentEvent(SUBMITTED, OPEN_CUP, HOME, "Ostrava", 4),
            PresentEvent(SUBMITTED, CLUB, HOME, "Praha", 3),
            PresentEvent(RETURNED, CLUB, HOME, "Brno", 6, words=EXCHANGED_SHEETS),
            PresentEvent(REFUSED, CLUB, HOME, "Pardubice", 7, words=A_TRAINING),
        ),
        offers=(
            OfferedEvent(
                replace(OPEN_CUP, size=(18, 18), rounds=(7,), foreign=0),
                HOME,
                "Hradec Králové",
                3,
                "txt",
                (
                    DemoNewcomer("Vašíčková-Malá", "Jolana", "f", date(2008, 6, 3), "CZE"),
                    DemoNewcomer("Přibyl", "Oldřich", "m", date(1959, 12, 30), "CZE"),
                ),
            ),
        ),
        late=64,
        fuller=100,
        exchanged="Dva výsledky jsou prohozené, napsali nám hráči. Opravte soubor a odešlete soutěž znovu.",
    ),
    style=SWISS_MANAGER,
    habits=DemoHabits(filed_within=4, organizer="Klub piškvorek, {email}"),
    accent=4,
)
