"""The demo of the Sevastopol club: classic and rapid, every category, replays, ranks to be confirmed."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

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
    DemoOpenings,
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

HOME = "SSDC"
"""The code of the one region: the Club itself."""
TABLE = "table"


def section_fields(time_class: str, category: str, **conditions: Any) -> dict[str, Any]:
    """§1.5 §3.2: the fields of a section held by the Club under conditions that allow the category."""
    return {"time_class": time_class, "category": category, "held_by": "club", **conditions}


RUSSIAN = make_name_pool(
    "Aleksandr Sergey Dmitriy Andrey Mikhail Nikolay Ilya Pavel Artyom Maksim Konstantin Yuriy Viktor Gleb"
    " Stanislav Roman Timofey Vadim Leonid Fyodor",
    "Anna Olga Yelena Tatyana Nataliya Kseniya Polina Darya Svetlana Yuliya Vera Alisa",
    "Sokolov Lebedev Morozov Novikov Kozlov Volkov Zaytsev Pavlov Semyonov Golubev Vinogradov Bogdanov"
    " Vorobyov Fyodorov Mikhaylov Belyaev Tarasov Belov Komarov Orlov Kiselyov Makarov Andreev Kovalyov"
    " Ilyin Gusev Titov Kuzmin Kudryavtsev Baranov Kulikov Alekseev Yakovlev Sorokin Romanov Zhukov"
    " Frolov Korolyov Gerasimov Ponomaryov Osipov Safonov Yefimov Matveev",
    "Sokolova Lebedeva Morozova Novikova Kozlova Volkova Zaytseva Pavlova Semyonova Golubeva Vinogradova"
    " Bogdanova Vorobyova Fyodorova Mikhaylova Belyaeva Tarasova Belova Komarova Orlova Kiselyova Makarova"
    " Andreeva Kovalyova Ilyina Guseva Titova Kuzmina Kudryavtseva Baranova Kulikova Alekseeva Yakovleva"
    " Sorokina Romanova Zhukova Frolova Korolyova Gerasimova Ponomaryova Osipova Safonova Yefimova Matveeva",
)
UKRAINIAN = make_name_pool(
    "Oleksandr Andriy Taras Bohdan Mykola",
    "Oksana Halyna Iryna",
    "Shevchenko Kravchenko Tkachenko Bondarenko Oliynyk Lysenko Marchenko Savchenko Petrenko Moroz",
)
POOLS_ABROAD = {
    "BLR": make_name_pool("Aleh Yauhen Dzmitry", "Alena", "Kavalchuk Marozau Zhuk", ""),
    "POL": make_name_pool("Jacek Tomasz", "Ewa", "Wilk Lis", ""),
}

MAIN = (EntryGroup("Основной"),)
new_kind = partial(EventKind, groups=MAIN)
EVENING = new_kind(
    "Быстрые точки по средам, {place}",
    14,
    size=(10, 18),
    rounds=(6, 7),
    weekday=2,
    variants=(section_fields("rapid", "third"), section_fields("rapid", "fourth")),
)
BLITZ = new_kind(
    "Блиц, {place} {year}",
    4,
    "round-robin",
    size=(8, 10),
    rounds=(0,),
    weekday=6,
    variants=(section_fields("blitz", "third"), section_fields("blitz", "fourth")),
)
SWISS = new_kind(
    "Турнир «{epithet}» {year}",
    5,
    size=(16, 26),
    rounds=(7,),
    days=3,
    weekday=4,
    variants=(section_fields("classic", "second"), section_fields("classic", "third")),
    annulled=0.012,
)
LEAGUE = new_kind(
    "Лига, {place} {year}",
    2,
    "round-robin",
    groups=(EntryGroup("Дивизион 2", below=1750),),
    size=(10, 12),
    rounds=(0,),
    days=6,
    apart=7,
    variants=(section_fields("classic", "third", division=2),),
    annulled=0.01,
)
NOVICES = new_kind(
    "Первые шаги, {place} {year}",
    2,
    groups=(EntryGroup("Основной", below=1500),),
    size=(10, 14),
    rounds=(6,),
    variants=(section_fields("rapid", "fourth", highest_rank="2"),),
)
CUP = new_kind(
    "Кубок, {place} {year}",
    2.5,
    "knockout",
    size=(16, 16),
    rounds=(0,),
    days=4,
    weekday=3,
    variants=(section_fields("classic", "second"),),
    replays=True,
    annulled=0.03,
)
CHAMPIONSHIP = new_kind(
    "Чемпионат клуба {year}",
    1,
    "round-robin",
    groups=(EntryGroup("Финал", above=1650),),
    size=(12, 12),
    rounds=(0,),
    days=6,
    apart=7,
    weekday=5,
    months=(3,),
    variants=(section_fields("classic", "first", territory=True),),
    places=("Севастополь",),
    annulled=0.02,
)
OPEN = replace(
    CHAMPIONSHIP,
    name="Открытый чемпионат Севастополя {year}",
    groups=(EntryGroup("Финал", above=1750),),
    months=(8, 9),
    variants=(section_fields("classic", "highest"),),
    every=2,
)
WOMEN = new_kind(
    "Кубок среди женщин {year}",
    1,
    groups=(EntryGroup("Женщины", women=True),),
    size=(8, 12),
    rounds=(5,),
    days=2,
    months=(10,),
    variants=(section_fields("classic", "third", one_gender=True),),
    places=("Севастополь",),
)
MATCH = new_kind(
    "Матч за титул {year}",
    1,
    "match",
    groups=(EntryGroup("Матч", above=1850),),
    size=(2, 2),
    rounds=(8,),
    days=4,
    months=(6,),
    variants=(section_fields("classic", "second", for_a_title=True),),
    places=("Севастополь",),
)

NOT_IN_ORDER = "Тур 3: партии стоят не в том порядке, в каком были сыграны (4.3)."
NOT_APPROVED = "Положение изменили после того, как мы его утвердили (4.2.2): турнир не официальный."

DEMO = Demo(
    home="RUS",
    population=Population(
        first_number=1001,
        players=150,
        pools={"russian": RUSSIAN, "ukrainian": UKRAINIAN},
        languages={HOME: {"russian": 84, "ukrainian": 16}},
        shares={HOME: 1.0},
        strength=steady_strength(1500, 310),
        keen=1800,
        abroad=POOLS_ABROAD,
        foreigners=10,
        fewest_foreigners=4,
        foreign=(1750, 250, 2300),
        lowest=800,
    ),
    events=DemoEvents(
        places={HOME: ("Севастополь", "Балаклава", "Инкерман", "Симферополь", "Ялта")},
        kinds=(EVENING, BLITZ, SWISS, LEAGUE, NOVICES, CUP),
        once=(CHAMPIONSHIP, OPEN, WOMEN, MATCH),
        epithets=("Нахимовский", "Херсонес", "Морской", "Старая гавань", "Маяк"),
    ),
    start=months_before(34),
    lists=first_days_of_months((1, 4, 7, 10)),
    result=elo_result(draws=0.12),
    sign_ins=(DemoUser("Kseniya", REGIONAL, HOME), DemoUser("Gleb", OFFICIAL)),
    present=PresentDays(
        asked="В тот же день мы спросили Клуб и получили согласие.",
        live=(
            PresentEvent(REGISTERED, EVENING, HOME, "Инкерман", 6, section_fields("rapid", "third")),
            PresentEvent(REGISTERED, CUP, HOME, "Ялта", 20, section_fields("classic", "second")),
            PresentEvent(
                FILED, EVENING, HOME, "Балаклава", 2, section_fields("rapid", "third"), vague=(3, 6)
            ),
            PresentEvent(SUBMITTED, CUP, HOME, "Севастополь", 4, section_fields("classic", "second")),
            PresentEvent(SUBMITTED, BLITZ, HOME, "Симферополь", 3, section_fields("blitz", "third")),
            PresentEvent(
                RETURNED, EVENING, HOME, "Ялта", 8, section_fields("rapid", "third"), words=NOT_IN_ORDER
            ),
            PresentEvent(
                REFUSED,
                NOVICES,
                HOME,
                "Симферополь",
                7,
                section_fields("rapid", "fourth"),
                words=NOT_APPROVED,
            ),
        ),
        offers=(
            OfferedEvent(
                replace(
                    SWISS, name="Осенний турнир, {place} {year}", size=(16, 16), rounds=(6,), annulled=0.05
                ),
                HOME,
                "Балаклава",
                3,
                "csv",
                (
                    DemoNewcomer("Chernyshevskaya", "Inna", "f", date(2007, 2, 11), "RUS"),
                    DemoNewcomer("Dobronravov", "Prokhor", "m", date(1971, 9, 5), "RUS"),
                ),
                section_fields("classic", "second"),
            ),
        ),
        late=58,
        fuller=110,
        exchanged="Результаты двух партий переставлены. Исправьте таблицу и представьте группу заново.",
    ),
    style=TABLE,
    openings=DemoOpenings(
        source="список до начала записи",
        shares=((0.9, ("classic",)), (0.7, ("rapid",))),
        noise=60,
        games=50,
    ),
    habits=DemoHabits(filed_within=3, organizer="{region}, {email}"),  # §4.3
    accent=2,
)
