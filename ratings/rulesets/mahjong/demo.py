"""The demo of Russian mahjong: every status, and enough years for the first results to lose all weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from random import Random
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
    DemoUser,
    EntryGroup,
    EventKind,
    OfferedEvent,
    Person,
    Population,
    PresentDays,
    PresentEvent,
    first_days_of_months,
    make_name_pool,
    months_before,
    steady_strength,
)

HOME = "RUS"
TABLE = "table"

RUSSIAN = make_name_pool(
    "Александр Сергей Дмитрий Андрей Алексей Максим Евгений Иван Михаил Николай Владимир Павел Роман Илья"
    " Антон Виктор Григорий Константин Олег Фёдор Юрий Ярослав",
    "Анна Екатерина Мария Наталья Ольга Татьяна Елена Ирина Полина Дарья Юлия Светлана Вера Ксения"
    " Валентина Алиса Людмила Марина Софья Надежда",
    "Соколов Лебедев Морозов Новиков Козлов Волков Зайцев Павлов Семёнов Голубев Виноградов Богданов"
    " Воробьёв Фёдоров Михайлов Беляев Тарасов Белов Комаров Орлов Киселёв Макаров Андреев Ковалёв Ильин"
    " Гусев Титов Кузьмин Кудрявцев Баранов Куликов Алексеев Степанов Яковлев Сорокин Романов Захаров"
    " Жуков Фролов Королёв Герасимов Пономарёв Щукин Осипов",
    "Соколова Лебедева Морозова Новикова Козлова Волкова Зайцева Павлова Семёнова Голубева Виноградова"
    " Богданова Воробьёва Фёдорова Михайлова Беляева Тарасова Белова Комарова Орлова Киселёва Макарова"
    " Андреева Ковалёва Ильина Гусева Титова Кузьмина Кудрявцева Баранова Куликова Алексеева Степанова"
    " Яковлева Сорокина Романова Захарова Жукова Фролова Королёва Герасимова Пономарёва Щукина Осипова",
)
POOLS_ABROAD = {
    "NLD": make_name_pool("Jeroen Maarten Pieter", "Anneke Sanne", "de_Wit Visser Bakker Dekker"),
    "DNK": make_name_pool("Lars Mads Søren", "Mette Karen", "Holm Krogh Bech Winther"),
    "FRA": make_name_pool("Julien Olivier", "Camille Élodie", "Girard Lefèvre Rey Perrot"),
    "CHN": make_name_pool("Wei Jun Hao", "Li Fang", "Chen Zhao Huang Sun"),
    "JPN": make_name_pool("Kenji Satoshi", "Naoko Emi", "Tanaka Kimura Hayashi Mori"),
}


def competition_fields(status: str, coefficient: int | None = None) -> Mapping[str, Any]:
    """§1.1 §1.4 §4: the fields of a competition with that status; a special one has its own coefficient."""
    common: dict[str, Any] = {"status": status, "played_by": "wmo", "entry": "open"}
    return common | ({"coefficient": coefficient, "entry": "closed"} if coefficient else {})


PLACEMENT = "placement"
MAIN = (EntryGroup("Общий зачёт"),)
new_kind = partial(EventKind, groups=MAIN)
CITY = new_kind(
    "Чемпионат города {place} {year}",
    4,
    PLACEMENT,
    size=(12, 24),
    rounds=(4,),
    variants=(competition_fields("city"),),
)
REGION = new_kind(
    "Чемпионат области, {place} {year}",
    3,
    PLACEMENT,
    size=(16, 28),
    rounds=(5,),
    days=2,
    variants=(competition_fields("region"),),
)
SPECIAL = new_kind(
    "Кубок «{epithet}» {year}",
    2,
    PLACEMENT,
    size=(16, 24),
    rounds=(6,),
    days=2,
    variants=(competition_fields("special", 1), competition_fields("special", 2)),
)
NATIONAL = new_kind(
    "Чемпионат России {year}",
    1,
    PLACEMENT,
    size=(36, 48),
    rounds=(8,),
    days=3,
    weekday=4,
    months=(9,),
    variants=(competition_fields("national"),),
    foreign=0.05,
    places=("Москва", "Санкт-Петербург"),
)
FOREIGN = new_kind(
    "Dutch Open {year}",
    1,
    PLACEMENT,
    size=(28, 36),
    rounds=(7,),
    days=2,
    months=(4, 5),
    variants=(competition_fields("foreign"),),
    foreign=0.7,
    country="NLD",
    places=("Utrecht", "Leiden"),
)
EUROPEAN = replace(
    FOREIGN,
    name="Open European Mahjong Championship {year}",
    rounds=(10,),
    days=3,
    months=(7,),
    variants=(competition_fields("european"),),
    country="DNK",
    places=("Copenhagen",),
    every=2,
)
WORLD = replace(
    EUROPEAN,
    name="World Mahjong Championship {year}",
    months=(6, 10),
    variants=(competition_fields("world"),),
    country="CHN",
    places=("Chengdu",),
    every=3,
)

INCLUDED_ABROAD, NOT_INCLUDED_ABROAD = 2, 3
"""The numbers of citizens who live abroad, with and without a decision that includes them (§2)."""


def move_citizens_abroad(rng: Random, people: list[Person], start: date) -> None:
    """§2: make some citizens live abroad, and include some of these in the rating by a decision."""
    keenest = sorted((p for p in people if p.region and p.joined < start), key=lambda p: (-p.zeal, p.number))
    for number, person in enumerate(keenest[5 : 5 + INCLUDED_ABROAD + NOT_INCLUDED_ABROAD]):
        person.resident = False
        if number < INCLUDED_ABROAD:
            on = start + timedelta(days=-20 - number)
            person.included_by = f"Решение Президиума от {on:%d.%m.%Y}"


NO_PLACES = "Места 9 и 10: у двух игроков поровну столовых очков. Напишите, как их развели."
OTHER_RULES = "Играли по правилам риичи, по которым рейтинг не считается (1.4)."

DEMO = Demo(
    home=HOME,
    population=Population(
        first_number=4001,
        players=150,
        pools={"russian": RUSSIAN},
        languages={HOME: {"russian": 100}},
        shares={HOME: 1.0},
        strength=steady_strength(100, 15),
        women=lambda age: 0.45,
        there=lambda age: 0.55,
        beginners_lack=5,
        abroad=POOLS_ABROAD,
        foreigners=40,
        fewest_foreigners=34,
        foreign=(102, 13, 150),
        finish=move_citizens_abroad,
        lowest=20,
    ),
    events=DemoEvents(
        places={
            HOME: ("Москва", "Санкт-Петербург", "Казань", "Екатеринбург", "Новосибирск", "Самара", "Воронеж")
        },
        kinds=(CITY, REGION, SPECIAL),
        once=(NATIONAL, FOREIGN, EUROPEAN, WORLD),
        epithets=("Нефритовый дракон", "Четыре ветра", "Бамбук", "Красный дракон", "Лунная терраса"),
    ),
    start=months_before(57),
    lists=first_days_of_months((1, 4, 7, 10)),
    result=lambda rng, one, other: "1/2",  # nobody plays single games here
    sign_ins=(DemoUser("Polina", REGIONAL, HOME), DemoUser("Anton", OFFICIAL)),
    present=PresentDays(
        asked="В тот же день мы спросили Президиум и получили согласие.",
        live=(
            PresentEvent(
                REGISTERED, SPECIAL, HOME, "Самара", 45, competition_fields("special", 2), admitted=False
            ),
            PresentEvent(REGISTERED, CITY, HOME, "Казань", 38, competition_fields("city"), admitted=False),
            PresentEvent(REGISTERED, REGION, HOME, "Воронеж", 12, competition_fields("region")),
            PresentEvent(FILED, CITY, HOME, "Новосибирск", 2, competition_fields("city"), vague=(3, 5)),
            PresentEvent(SUBMITTED, REGION, HOME, "Екатеринбург", 4, competition_fields("region")),
            PresentEvent(SUBMITTED, SPECIAL, HOME, "Москва", 3, competition_fields("special", 1)),
            PresentEvent(RETURNED, CITY, HOME, "Самара", 8, competition_fields("city"), words=NO_PLACES),
            PresentEvent(REFUSED, CITY, HOME, "Воронеж", 9, competition_fields("city"), words=OTHER_RULES),
        ),
        offers=(
            OfferedEvent(
                replace(CITY, size=(16, 16)),
                HOME,
                "Казань",
                3,
                "csv",
                (
                    DemoNewcomer("Вяземская", "Аделина", "f", date(2001, 4, 8), "RUS"),
                    DemoNewcomer("Добролюбов", "Прохор", "m", date(1968, 10, 27), "RUS"),
                ),
                competition_fields("city"),
            ),
        ),
        live_before=40,
        late=70,
        fuller=120,
        exchanged="В таблице переставлены два места. Исправьте её и представьте группу заново.",
    ),
    style=TABLE,
    habits=DemoHabits(
        registered_before=(36, 80),  # §1.6
        organizer="Федерация маджонга, {email}",
    ),
    accent=5,
)
