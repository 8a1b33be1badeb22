"""The demo of Chess South Africa: nine regions, some thousand players, a list on the first of every month."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import partial
from random import Random
from typing import Any

from ratings.rulesets.demo import (
    ADMINISTRATOR,
    EVERY_MONTH,
    FILED,
    OFFICIAL,
    OPEN,
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
    NamePool,
    OfferedEvent,
    Person,
    Population,
    PresentDays,
    PresentEvent,
    first_days_of_months,
    make_name_pool,
    months_before,
)
from ratings.rulesets.facts import TimeControl

# ---- Places and kinds of events
PLACES = {
    "ECA": ("Gqeberha", "East London", "Mthatha", "Makhanda"),
    "FST": ("Bloemfontein", "Welkom", "Bethlehem"),
    "GAU": ("Johannesburg", "Pretoria", "Soweto", "Benoni", "Midrand", "Vereeniging"),
    "KZN": ("Durban", "Pietermaritzburg", "Richards Bay", "Newcastle", "Ladysmith"),
    "LIM": ("Polokwane", "Thohoyandou", "Tzaneen"),
    "MPU": ("Mbombela", "Emalahleni", "Secunda"),
    "NWE": ("Potchefstroom", "Rustenburg", "Mahikeng"),
    "NCA": ("Kimberley", "Upington"),
    "WCA": ("Cape Town", "Stellenbosch", "Paarl", "George", "Worcester"),
}
TREES = ("Marula", "Yellowwood", "Jacaranda", "Protea", "Baobab", "Aloe", "Fynbos", "Coral Tree", "Acacia")
REGION_EVENT_SHARES = {
    **{"GAU": 1.0, "WCA": 0.8, "KZN": 0.75, "ECA": 0.5, "FST": 0.4},
    **{"LIM": 0.4, "MPU": 0.35, "NWE": 0.3, "NCA": 0.25},
}
"""The number of events in each region, as a share of the number in the busiest."""

A_AND_B = (EntryGroup("A", above=1350), EntryGroup("B", below=1400))
TRIALS = (EntryGroup("U10", oldest=10), EntryGroup("U14", 11, 14), EntryGroup("U18", 15, 18))


def variant(minutes: int, increment: int, *, platform: str = "otb", disabled: bool = False) -> dict[str, Any]:
    """The fields of a section with one time control: minutes, and seconds a move."""
    control = TimeControl((Decimal(minutes),), Decimal(increment))
    return {"time_controls": (control,), "platform": platform, "disabled": disabled}


def variants(*controls: tuple[int, int], platform: str = "otb") -> tuple[Mapping[str, Any], ...]:
    return tuple(variant(minutes, increment, platform=platform) for minutes, increment in controls)


WEEKEND = EventKind(
    "{place} {epithet} Open {year}",
    2.6,
    groups=A_AND_B,
    size=(22, 46),
    rounds=(7, 8),
    days=4,
    weekday=3,
    variants=variants((90, 30), (60, 30)),
    visitors=0.15,
)
JUNIOR_TRIALS = EventKind(
    "{place} Junior Trials {year}",
    1.8,
    groups=TRIALS,
    size=(16, 36),
    rounds=(6, 7),
    days=2,
    variants=variants((60, 0), (60, 30)),
    months=(3, 4, 7, 8),
)
RAPID = EventKind(
    "{epithet} Rapid, {place}",
    6.5,
    size=(18, 44),
    rounds=(6, 7),
    variants=variants((15, 5), (25, 10), (20, 5)),
)
BLITZ_NIGHT = EventKind(
    "{place} Blitz Night", 4, size=(14, 30), rounds=(9, 11), weekday=4, variants=variants((3, 2), (5, 3))
)
ONLINE_RAPID = EventKind(
    "{place} Online Rapid",
    2,
    size=(16, 36),
    rounds=(7,),
    weekday=2,
    variants=variants((10, 5), (15, 5), platform="online"),
    visitors=0.3,
)
ONLINE_BLITZ = EventKind(
    "{epithet} Online Blitz",
    1.4,
    size=(16, 34),
    rounds=(9,),
    weekday=4,
    variants=variants((3, 2), platform="online"),
    visitors=0.4,
)
LEAGUE = EventKind(
    "{place} Team League {year}",
    1.2,
    "round-robin",
    size=(24, 24),
    rounds=(5,),
    days=5,
    apart=7,
    weekday=6,
    variants=variants((75, 30), (60, 30)),
    boards=4,
    months=(2, 3, 4, 5, 8, 9),
)
MASTERS = EventKind(
    "{place} {epithet} Masters {year}",
    1,
    "double-round-robin",
    size=(4, 6),
    rounds=(0,),
    days=5,
    weekday=2,
    groups=(EntryGroup("Masters", above=1800),),
    variants=variants((90, 30)),
)
CLUB = EventKind(
    "{place} Club Championship {year}",
    1.5,
    "round-robin",
    size=(8, 10),
    rounds=(0,),
    days=9,
    apart=7,
    weekday=1,
    variants=variants((60, 30)),
    visitors=0,
)
KINDS = (WEEKEND, JUNIOR_TRIALS, RAPID, BLITZ_NIGHT, ONLINE_RAPID, ONLINE_BLITZ, LEAGUE, MASTERS, CLUB)
"""The events that every region holds repeatedly."""
YEARLY_KINDS = (
    EventKind(
        "South African {epithet} Open {year}",
        groups=A_AND_B,
        size=(70, 110),
        rounds=(9,),
        days=7,
        months=(7, 12),
        variants=variants((90, 30)),
        visitors=0.6,
    ),
    EventKind(
        "South African Junior Championships {year}",
        groups=(*TRIALS, EntryGroup("U12 girls", 8, 12, women=True)),
        size=(46, 80),
        rounds=(9,),
        days=6,
        weekday=0,
        months=(1,),
        variants=variants((60, 30)),
        visitors=0.7,
    ),
    EventKind(
        "Board and Screen Mixed Rapid {year}",
        size=(20, 30),
        variants=variants((15, 10), platform="mixed"),
        visitors=0.5,
        months=(5,),
    ),
    EventKind(
        "{place} v. Guests, Scheveningen {year}",
        format="scheveningen",
        size=(12, 12),
        rounds=(6,),
        days=3,
        weekday=4,
        variants=variants((60, 30)),
        visitors=0.5,
        months=(9,),
    ),
    EventKind(
        "Braille Championship {year}",
        size=(8, 12),
        rounds=(4,),
        days=2,
        variants=(variant(60, 0, disabled=True),),
        visitors=0.4,
        months=(10,),
        only="GAU",
    ),
    EventKind(
        "Gaborone Winter Open {year}",
        groups=(EntryGroup("Open", youngest=12, above=1300),),
        size=(22, 30),
        rounds=(7,),
        days=4,
        weekday=3,
        variants=variants((90, 30)),
        visitors=1,
        foreign=2 / 3,
        months=(6,),
        only="GAU",
        country="BOT",
        places=("Gaborone",),
    ),
)
"""The events held once a year in the whole country."""

_pool = partial(make_name_pool, second_names=True)
POOLS: Mapping[str, NamePool] = {
    "zulu": _pool(
        "Sipho Thulani Bongani Sibusiso Mandla Nkosinathi Siyabonga Lwazi Sanele Mthokozisi Sandile"
        " Ayanda Mpendulo Senzo Langelihle Musa Vusi Njabulo Sizwe Themba Wandile Zakhele",
        "Nomvula Thandeka Zanele Nokuthula Sibongile Ntombi Lindiwe Nonhlanhla Busisiwe Hlengiwe Nompilo"
        " Samkelisiwe Zinhle Amahle Londiwe Ayanda Nomcebo Thobile Silindile Mbali",
        "Dlamini Khumalo Zulu Ndlovu Mkhize Buthelezi Cele Ngcobo Zungu Mthembu Sithole Gumede Hadebe"
        " Shabalala Ntuli Mchunu Zondi Dube Nxumalo Msomi Myeni Xaba Majola Ngubane Shezi Biyela",
    ),
    "xhosa": _pool(
        "Lwando Luyanda Mzwandile Sivuyile Xolani Anele Unathi Mihlali Lukhanyo Siphosethu Athenkosi"
        " Bulelani Khanya Mncedisi Onke Phakamile Thembinkosi Vuyo Ziyanda Zolani",
        "Nomfundo Asanda Babalwa Nosipho Yonela Zukiswa Sinovuyo Lilitha Nomonde Aphiwe Esona Siphokazi"
        " Vuyokazi Olwethu Ntombizanele Phumeza Bulelwa Akhona",
        "Mbekela Ngxola Mqhayi Jordaan Nkosi Ntshanga Gqirana Mabandla Qwabe Sigcau Tshaka Mfeketo"
        " Ntantiso Bavu Jijana Makeleni Dyantyi Fihla Magwaza Sodladla Nongxa Ngcuka Mpahlwa Mdingi"
        " Lolwana",
    ),
    "sotho": _pool(
        "Thabo Tshepo Teboho Lehlohonolo Mpho Katleho Neo Retselisitsoe Tumelo Thabiso Kabelo Lebohang"
        " Moeketsi Paballo Seabata Tlotlo Khotso Rorisang",
        "Lerato Palesa Dineo Refilwe Puleng Mamello Keneuoe Relebohile Nthabiseng Boitumelo Limpho Mpho"
        " Thato Bohlokoa Itumeleng Dikeledi Reitumetse",
        "Mokoena Mofokeng Motaung Tau Molefe Nhlapo Mohapi Sello Lekoto Ramohlale Thulo Motloung Selepe"
        " Lephoto Moloi Tsotetsi Radebe Mosia Motsoeneng Khoza Letsoela",
    ),
    "tswana": _pool(
        "Kagiso Tebogo Thuso Oratile Kgosi Lesego Onalenna Boipelo Thapelo Mothusi Gosego Atlegang"
        " Tshiamo Olebogeng Tiro Realeboga",
        "Keabetswe Kelebogile Gaone Tshegofatso Naledi Amogelang Goitseone Bontle Masego Larona Omphile"
        " Resego Sethunya Tlhogonolofatso Boikanyo",
        "Modise Molefi Seleka Kgosana Moilwa Mogale Phiri Sebego Tlhabane Mogotsi Morapedi Setlhare"
        " Mokgosi Lekgetho Montshiwa Sehularo Gaboutloeloe Moagi Ntshole",
    ),
    "pedi": _pool(
        "Lesiba Kgothatso Phuti Thabang Matome Sello Ngoako Hlompho Tshwarelo Kgaogelo Mahlatse Makgabo"
        " Tumi Lethabo",
        "Mmapula Kgaugelo Raisibe Mokgadi Ramasela Koketso Mahlako Lebogang Matlhodi Pheladi Tebatso"
        " Thabitha",
        "Mashaba Ledwaba Maloka Kekana Mothapo Mphahlele Ramaila Seshoka Moloto Letsoalo Maake Sekgobela"
        " Chuene Mabotja Rapetsoa Legodi Makgoba Phasha Malatji",
    ),
    "venda": _pool(
        "Rendani Mulalo Tshifhiwa Ndivhuwo Vhutshilo Rotondwa Mashudu Khathutshelo Fhatuwani Thendo"
        " Livhuwani",
        "Azwinndini Takalani Mukondeleli Rudzani Lufuno Mpfariseni Dakalo Ndamulelo Phathutshedzo Unarine",
        "Mudau Netshitenzhe Ramabulana Tshivhase Nemakonde Mulaudzi Ravele Sikhwari Makhado Nethononda"
        " Muthivhi Madzivhandila Phaswana Rambau",
    ),
    "tsonga": _pool(
        "Tiyani Hlulani Vutomi Ntsako Masingita Nkateko Rhulani Xihluke Wisani Mikateko Basani",
        "Tsakani Ntwanano Hlawulani Nyeleti Vongani Ripfumelo Tintswalo Rivoningo Khensani Makhanani Lulama",
        "Baloyi Maluleke Chauke Mathebula Hlungwani Nkuna Shivambu Mabunda Rikhotso Mabasa Makhubela"
        " Ngobeni Mbowe Sambo Valoyi",
    ),
    "swati": _pool(
        "Mancoba Sikhumbuzo Mfanafuthi Sabelo Celimpilo Majahonkhe Mduduzi Sifiso Wonder Bonginkosi",
        "Tengetile Nomcebo Temalangeni Phindile Lomagugu Gcinile Sizakele Notsile Zandile Fikile",
        "Mabuza Mnisi Nkambule Shongwe Maseko Simelane Lukhele Magagula Mavuso Thwala Malaza Motsa"
        " Fakudze Mahlangu Skosana Mtsweni",
    ),
    "afrikaans": _pool(
        "Pieter Johan Hendrik Willem Francois Jaco Ruan Dewald Christo Gerhard Andries Stefan Barend Deon"
        " Etienne Heinrich Kobus Marnus Riaan Schalk Tiaan Wian Zander Ockert",
        "Anneke Elsabé Marelize Chanté Liezel Riana Karlien Suné Hanlie Mariska Nadine Annelie Carina"
        " Ilse Jolandi Petro Wilma Zelda Anja Mieke",
        "Botha van_der_Merwe Pretorius Venter Nel Coetzee du_Plessis Kruger Steyn van_Wyk Fourie Joubert"
        " Swanepoel Viljoen le_Roux Erasmus Bezuidenhout Potgieter Olivier van_Zyl Marais Cilliers Lombard"
        " Vermeulen Strydom Basson Rossouw de_Klerk",
    ),
    "english": _pool(
        "James Michael David Ryan Matthew Luke Andrew Graham Craig Daniel Nicholas Sean Trevor Adam"
        " Connor Ethan Joshua Benjamin Neil Keith",
        "Sarah Emma Jessica Catherine Megan Hannah Rachel Claire Lauren Amy Bronwyn Nicola Olivia Kate"
        " Leigh Tamsin Georgia Alison",
        "Thompson Campbell Harris O'Brien Wright Baxter Fletcher Hughes Lawson Pearce Stewart Whitfield"
        " Barlow Chapman Dixon Emslie Grant Holloway Kemp McKenzie Palmer Rutherford Sinclair Turner-Hall",
    ),
    "indian": _pool(
        "Ashwin Kiran Yashveer Pranav Nikhil Rohan Suhail Imraan Thivesh Kavir Arjun Dhiren Vikesh Yusuf"
        " Zaheer Sashen Keshav",
        "Priya Nisha Kavitha Shreya Yashika Fathima Ayesha Saiuri Tanvi Anjali Diya Kimeshree Nabeela"
        " Reshma Trisha Zahra",
        "Naidoo Govender Pillay Moodley Reddy Naicker Chetty Singh Maharaj Padayachee Ramdass Essop Vawda"
        " Patel Mohamed Ebrahim Kara Bhana Rajkumar Sewpersad",
    ),
    "cape": _pool(
        "Ashraf Riedwaan Clinton Faizel Juanito Keanan Marlin Nazeem Shaun Tashreeq Waleed Zaid Denzil"
        " Earl Ricardo",
        "Chantal Fatima Candice Nuraan Shireen Tasneem Bianca Robin Celeste Gadija Lameez Zulfa Charmaine"
        " Monique",
        "Adams Jacobs Davids Abrahams Petersen September Isaacs Hendricks Arendse Fortuin Salie Gamiet"
        " Hartzenberg Cupido Williams Solomons Samsodien Titus Goliath Plaatjies",
    ),
}
POOLS_ABROAD: Mapping[str, NamePool] = {
    "ZIM": _pool(
        "Tendai Tatenda Farai Kudzai Simba",
        "Rudo Chipo Tariro Nyasha",
        "Moyo Chirwa Mutasa Gumbo Shumba",
    ),
    "BOT": _pool(
        "Kago Thato Mpho Pako",
        "Lorato Bame Wame Kesego",
        "Kgafela Seretse Molosi Tshukudu Masire",
    ),
    "NAM": _pool(
        "Tangeni Johannes Uaaka Ndapewa",
        "Selma Ndeshi Maria Tuli",
        "Shikongo Nangolo Haufiku Beukes",
    ),
    "LES": _pool("Tumisang Thabo Lebo", "Mpho Liteboho", "Lerotholi Ramaqabe Phafane"),
    "ZAM": _pool("Chanda Mwila Bwalya", "Mutinta Natasha", "Banda Mwansa Zulu Tembo"),
    "MOZ": _pool("Domingos Nelson Elias", "Graça Celina", "Macuácua Nhantumbo Sitoe Tembe"),
}
LANGUAGES: Mapping[str, Mapping[str, int]] = {
    "ECA": {"xhosa": 60, "afrikaans": 14, "english": 14, "cape": 8, "indian": 4},
    "FST": {"sotho": 55, "afrikaans": 27, "tswana": 8, "english": 6, "zulu": 4},
    "GAU": {
        **{"zulu": 22, "sotho": 15, "afrikaans": 16, "english": 14, "indian": 10, "tswana": 8},
        **{"pedi": 7, "tsonga": 4, "venda": 2, "cape": 2},
    },
    "KZN": {"zulu": 54, "indian": 26, "english": 14, "afrikaans": 4, "xhosa": 2},
    "LIM": {"pedi": 46, "venda": 22, "tsonga": 22, "afrikaans": 10},
    "MPU": {"swati": 48, "zulu": 20, "tsonga": 10, "pedi": 8, "afrikaans": 14},
    "NWE": {"tswana": 66, "afrikaans": 22, "sotho": 8, "english": 4},
    "NCA": {"tswana": 32, "afrikaans": 36, "cape": 26, "xhosa": 6},
    "WCA": {"cape": 30, "afrikaans": 26, "xhosa": 22, "english": 18, "indian": 4},
}
"""The pools of names in each region, with their shares in a hundred."""


# ---- Invented players
MASTER_SHARE, MASTER_STRENGTH = 0.014, 2140
"""The share of master players, and their mean strength."""
JUNIOR_SHARE, VETERAN_SHARE = 0.52, 0.09
YOUNGEST, ADULT_AGE, OLDEST = 6, 21, 79
TITLES = (("GM", 2500), ("IM", 2330), ("FM", 2200), ("CM", 2080))
WOMENS_TITLES = (("WIM", 2080), ("WFM", 1930), ("WCM", 1800))
FIDE_ID_ABOVE = 1500
"""The strength above which players have a FIDE id."""
TITLED_SHARE = 0.75
"""The share of players strong enough for a title who hold it."""


def draw_age(rng: Random) -> int:
    """Draw a player's age at the start of the record; later beginners may be very young then."""
    kind = rng.random()
    if kind < JUNIOR_SHARE:
        return round(rng.triangular(YOUNGEST - 1, ADULT_AGE - 1, 12))
    if kind < 1 - VETERAN_SHARE:
        return round(rng.triangular(ADULT_AGE, 59, 28))
    return rng.randint(60, OLDEST)


def draw_strength_and_growth(rng: Random, age: int, sex: str) -> tuple[float, float]:
    """Draw a player's true strength, and its growth in points a year."""
    gift = rng.gauss(0, 1)
    if age < ADULT_AGE:
        base = 420 + 62 * (age - YOUNGEST) + gift * (70 + 12 * age)
        growth = max(5.0, rng.gauss(45, 25) + 75 * gift) * (1.0 if age < 17 else 0.6)
    elif age < 60:
        base, growth = 1430 + gift * 275, rng.gauss(0, 14)
    else:
        base, growth = 1340 + gift * 230, rng.gauss(-14, 8)
    base -= 60 if sex == "f" and age >= 16 else 0
    if age >= 12 and rng.random() < MASTER_SHARE:
        base = rng.gauss(MASTER_STRENGTH, 130)
    return max(240.0, min(2470.0, base)), growth


def experienced_share(age: int) -> float:
    """The share of people of an age who played before the record began."""
    return 0.68 if age >= ADULT_AGE else min(0.62, 0.06 * (age - YOUNGEST + 1))


def give_titles_and_ids(rng: Random, people: list[Person], start: date) -> None:
    """Give the people titles and FIDE ids by their strength."""
    for person in people:
        if person.region:
            person.title = draw_title(rng, person)
        if person.base > FIDE_ID_ABOVE:
            person.fide_id = str(143 * 100_000 + int(person.number) % 100_000)


def draw_title(rng: Random, person: Person) -> str:
    if rng.random() > TITLED_SHARE:
        return ""
    titles = (*(WOMENS_TITLES if person.sex == "f" else ()), *TITLES)
    return max(((least, name) for name, least in titles if person.base >= least), default=(0, ""))[1]


POPULATION = Population(
    first_number=101_000_001,
    players=2_700,
    fewest=240,
    pools=POOLS,
    languages=LANGUAGES,
    shares={
        **{"GAU": 0.27, "WCA": 0.19, "KZN": 0.17, "ECA": 0.09, "FST": 0.07},
        **{"LIM": 0.07, "MPU": 0.06, "NWE": 0.05, "NCA": 0.03},
    },
    strength=draw_strength_and_growth,
    ages=draw_age,
    women=lambda age: 0.36 if age < ADULT_AGE else 0.17,
    there=experienced_share,
    keen=1900,
    beginners_lack=260,
    abroad=POOLS_ABROAD,
    foreigners=60,
    foreign=(1550, 200, 1950),
    withheld=2,
    finish=give_titles_and_ids,
)

SWISS_MANAGER, VEGA = "Swiss-Manager", "Vega"
ONE_SECTION = replace(WEEKEND, groups=OPEN, size=(18, 22))
FIVE_PLAYER_CLUB = replace(CLUB, size=(5, 5), days=5, apart=1)
FEW_PLAYERS_REASONS = {
    "too-few-players": "A sixth player fell ill on the morning of round 1; we asked the Bureau that day."
}
DIFFERENT_SHEETS = "The arbiter's sheets give boards 3 and 4 of round 5 otherwise."
NAME_ARBITERS = "Name the arbiters in order of appointment, with their numbers."
FILLER_REFUSAL = "An arbiter of the event played in it as a filler (clause 8). You may appeal within 21 days."

ONLINE_VARIANT = variant(10, 5, platform="online")
PRESENT_EVENTS = (
    PresentEvent(REGISTERED, RAPID, "GAU", "Midrand", 6, variant(15, 5)),
    PresentEvent(REGISTERED, WEEKEND, "GAU", "Johannesburg", 19, variant(90, 30)),
    PresentEvent(REGISTERED, BLITZ_NIGHT, "WCA", "Paarl", 5, variant(3, 2)),
    PresentEvent(REGISTERED, JUNIOR_TRIALS, "WCA", "George", 13, variant(60, 30)),
    PresentEvent(REGISTERED, RAPID, "KZN", "Newcastle", 9, variant(25, 10)),
    PresentEvent(REGISTERED, ONLINE_RAPID, "LIM", "Polokwane", 11, ONLINE_VARIANT),
    PresentEvent(REGISTERED, RAPID, "FST", "Welkom", 16, variant(15, 5)),
    PresentEvent(SUBMITTED, WEEKEND, "GAU", "Benoni", 6, variant(90, 30)),
    PresentEvent(SUBMITTED, ONLINE_RAPID, "KZN", "Durban", 5, ONLINE_VARIANT, VEGA),
    PresentEvent(SUBMITTED, RAPID, "ECA", "East London", 5, variant(15, 5)),
    PresentEvent(SUBMITTED, BLITZ_NIGHT, "WCA", "Cape Town", 4, variant(3, 2)),
    PresentEvent(SUBMITTED, RAPID, "LIM", "Tzaneen", 3, variant(20, 5), VEGA),
    PresentEvent(
        SUBMITTED, FIVE_PLAYER_CLUB, "NCA", "Kimberley", 4, variant(60, 30), reasons=FEW_PLAYERS_REASONS
    ),
    PresentEvent(RETURNED, RAPID, "GAU", "Vereeniging", 8, variant(15, 5), words=DIFFERENT_SHEETS),
    PresentEvent(RETURNED, RAPID, "MPU", "Secunda", 7, variant(15, 5), words=NAME_ARBITERS),
    PresentEvent(REFUSED, RAPID, "NWE", "Rustenburg", 8, variant(15, 5), words=FILLER_REFUSAL),
    # filed, with questions left: no time control; players who could be somebody else; no days of the rounds
    PresentEvent(FILED, RAPID, "WCA", "Stellenbosch", 3, variant(15, 5), timed=False),
    PresentEvent(FILED, BLITZ_NIGHT, "KZN", "Richards Bay", 2, variant(5, 3), VEGA, vague=(2, 5, 7)),
    PresentEvent(FILED, ONE_SECTION, "GAU", "Soweto", 2, variant(60, 30), vague=(4,), dated=False),
)
OFFERS = (
    OfferedEvent(
        replace(RAPID, size=(20, 20), rounds=(6,), visitors=0.1),
        "GAU",
        "Pretoria",
        3,
        "txt",
        (
            DemoNewcomer("Vilakazi-Moss", "Nandipha", "f", date(2012, 4, 17), "RSA"),
            DemoNewcomer("Terblanche", "Lourens Jakob", "m", date(1996, 11, 2), "RSA"),
        ),
        variant(15, 5),
    ),
    OfferedEvent(
        replace(WEEKEND, groups=OPEN, size=(16, 16), rounds=(7,)),
        "WCA",
        "Worcester",
        4,
        "trf",
        (
            DemoNewcomer("Quickfall", "Zoë", "f", date(2009, 8, 30), "RSA"),
            DemoNewcomer("Ontong", "Wilfred", "m", date(1961, 1, 9), "RSA"),
        ),
        variant(90, 30),
        VEGA,
        other_ids=True,
    ),
)

SMALLEST_CHANCE = 0.02


def draw_result(rng: Random, first_strength: float, second_strength: float) -> str:
    """Draw a game's result by the formula of §37, so that ratings settle at true strength."""
    expected = 0.542 + 0.001164 * (first_strength - second_strength)
    expected = max(SMALLEST_CHANCE, min(1 - SMALLEST_CHANCE, expected))
    level = (first_strength + second_strength) / 2
    draws = min(0.55, max(0.05, (level - 500) / 3500)) * 2 * min(expected, 1 - expected)
    chance = rng.random()
    if chance < draws:
        return "1/2"
    return "1-0" if chance < draws / 2 + expected else "0-1"


DEMO = Demo(
    home="RSA",
    population=POPULATION,
    events=DemoEvents(
        places=PLACES,
        kinds=KINDS,
        once=YEARLY_KINDS,
        epithets=TREES,
        busy=REGION_EVENT_SHARES,
        teams=("Knights", "Rooks", "Bishops", "Pawns", "Gambits", "Castles"),
    ),
    start=months_before(30),
    lists=first_days_of_months(EVERY_MONTH),  # §67
    result=draw_result,
    sign_ins=(
        DemoUser("Amahle", REGIONAL, "GAU"),
        DemoUser("Pieter", REGIONAL, "WCA"),
        DemoUser("Nomsa", OFFICIAL),
        DemoUser("Thandi", ADMINISTRATOR),
        *(
            DemoUser(name, REGIONAL, region, password=False)
            for name, region in (
                *(("Vuyo", "ECA"), ("Karlien", "FST"), ("Thivesh", "KZN"), ("Lesiba", "LIM")),
                *(("Sabelo", "MPU"), ("Naledi", "NWE"), ("Denzil", "NCA")),
            )
        ),
    ),
    present=PresentDays(live=PRESENT_EVENTS, offers=OFFERS, fuller=70),
    style=SWISS_MANAGER,
    openings=DemoOpenings(
        shares=(
            (1.0, ("otb-main", "hyb-main")),
            (0.85, ("otb-standard", "hyb-standard")),
            (0.8, ("otb-rapid", "hyb-rapid")),
            (0.5, ("otb-blitz", "hyb-blitz")),
            (0.2, ("ol-main", "ol-rapid")),
            (0.1, ("ol-blitz",)),
        ),
        digits=4,
    ),
    habits=DemoHabits(
        moved=0.012,
        organizer="{region} Chess, {email}",
        arbiter_titles=("IA", "FA", "NA", "NA"),
    ),
)
