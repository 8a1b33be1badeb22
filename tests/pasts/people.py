"""Invented people of a past, and the ways in which a file may write one of them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta


def names(text: str) -> tuple[str, ...]:
    return tuple(" ".join(text.split()).split(", "))


SURNAMES = names("""
Adebayo, Baloyi, Botha, Cele, Chetty, Coetzee, De Klerk, Dlamini, Dube, Ebrahim, Erasmus, Fourie,
Govender, Gumede, Hadebe, Hlatshwayo, Ismail, Jacobs, Jonker, Kekana, Khumalo, Kruger, Le Roux, Lekota,
Mabaso, Maseko, Mbatha, Mokoena, Moodley, Mthembu, Müller, Naidoo, Ndlovu, Ngcobo, Nkosi, Ntuli,
Oosthuizen, Petersen, Pillay, Pretorius, Quluba, Radebe, Sibiya, Schröder, Sithole, Steyn, Swanepoel,
Tshabalala, Uys, Van Wyk, Venter, Vilakazi, Wessels, Xaba, Yende, Zondo, Zulu, Shcherbakov, Jørgensen,
Tchaikovsky
""")
MEN = names("""
Abel, Bongani, Craig, Dumisani, Ebenezer, Fanie, Gideon, Hendrik, Imraan, Jabulani, Kagiso, Lindani,
Mandla, Nathi, Owen, Pieter, Quinton, Rajesh, Sipho, Thabo, Unathi, Vusi, Wayne, Xolani, Yusuf, Zakes
""")
WOMEN = names("""
Amahle, Beauty, Charlene, Dineo, Elsabe, Fatima, Grace, Hannelie, Itumeleng, Jeanette, Kgomotso, Lerato,
Mpho, Nomsa, Olwethu, Priya, Queenie, Refilwe, Sunette, Thandi, Ursula, Vuyelwa, Winifred, Xoliswa,
Yolanda, Zanele
""")
TRANSLITERATED = {
    "Müller": "Mueller",
    "Schröder": "Schroeder",
    "Shcherbakov": "Scherbakow",
    "Jørgensen": "Joergensen",
    "Tchaikovsky": "Chaikovski",
}
EPOCH = date(1950, 1, 1)


@dataclass(frozen=True, slots=True)
class Written:
    """A person as one file writes them."""

    surname: str
    first_name: str
    how: str = "as ever"


@dataclass(frozen=True, slots=True, eq=False)
class Person:
    key: int
    surname: str
    first_name: str
    sex: str
    birth: date
    fide: str
    """Empty where the person has none."""
    married: tuple[str, date] | None = None
    """The surname from a day on."""

    @property
    def club(self) -> str:
        """The id of the clubs' own programs."""
        return str(50_001 + self.key)

    def surname_on(self, day: date) -> str:
        return self.married[0] if self.married and day >= self.married[1] else self.surname

    def written(self, day: date, rng: random.Random, slips: float, *, with_birth: bool) -> Written:
        """The person's names in a file of that day: now and then misspelt or in other letters. A program that
        keeps no day of birth keeps the old name: nobody could tell who the new one is.
        """
        surname, how = self.surname_on(day) if with_birth else self.surname, "as ever"
        if surname != self.surname:
            how = "married"
        if surname in TRANSLITERATED and rng.random() < 0.5:
            surname, how = TRANSLITERATED[surname], "transliterated"
        elif rng.random() < slips and len(surname) > 4:
            surname, how = misspelt(surname, rng), "misspelt"
        return Written(surname, self.first_name, how)


def misspelt(name: str, rng: random.Random) -> str:
    """A name with one letter twice, missing, or in its neighbour's place."""
    at = rng.randrange(1, len(name) - 2)
    return rng.choice(
        (
            name[:at] + name[at] + name[at:],
            name[:at] + name[at + 1 :],
            name[:at] + name[at + 1] + name[at] + name[at + 2 :],
        )
    )


def invent(count: int, rng: random.Random, *, doubts: bool) -> list[Person]:
    """So many people. With doubts one in twenty-five is a namesake of another, of another age, and three in
    ten have no id.
    """
    pairs = [(surname, sex) for surname in SURNAMES for sex in "mf"]
    names = [(surname, first, sex) for surname, sex in pairs for first in (MEN if sex == "m" else WOMEN)]
    chosen = rng.sample(names, count)
    people = [_person(key, name, rng, doubts=doubts) for key, name in enumerate(chosen)]
    for key in range(0, count - 1 if doubts else 0, 25):
        people[key + 1] = _namesake(people[key], key + 1)
    return people


def _person(key: int, name: tuple[str, str, str], rng: random.Random, *, doubts: bool) -> Person:
    surname, first_name, sex = name
    birth = EPOCH + timedelta(days=rng.randrange(62 * 365))
    fide = str(14_300_000 + 7 * key) if not doubts or rng.random() < 0.7 else ""
    married = None
    if sex == "f" and rng.random() < 0.15:
        day = date(2020, 7, 1) + timedelta(days=rng.randrange(4 * 365))
        married = (rng.choice([each for each in SURNAMES if each != surname]), day)
    return Person(key, surname, first_name, sex, birth, fide, married)


def _namesake(other: Person, key: int) -> Person:
    birth = other.birth.replace(year=1949 + (other.birth.year + 11) % 60, day=1 + other.birth.day % 27)
    return Person(key, other.surname, other.first_name, other.sex, birth, str(14_300_000 + 7 * key))
