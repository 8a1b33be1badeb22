"""Invented people and numbers for styleguide.html, beside this file."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import django_tables2 as tables
from django import forms
from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.contrib.messages.storage.base import Message
from django.forms import formset_factory
from django.template import engines
from django.test import RequestFactory

from players.display import draw_bars
from players.models import User
from players.pages.tables import DeltaColumn, NumberColumn, RatingColumn, StageColumn
from players.templatetags.ui import STAGES
from ratings.cross_tables import EntrantRow, RoundCell
from ratings.rulesets import rulesets
from ratings.statement import Balance, Movement

ROUNDS = range(1, 10)
OFFICE = SimpleNamespace(
    code="demo",
    name="Chess Federation of Umhlaba",
    accent=1,
    get_absolute_url=lambda: "/demo/",
    ruleset=rulesets()["csa"],
)


class PlayersTable(tables.Table):
    caption = "Standard ratings, 1 November 2026"
    row_header = "name"
    rank = NumberColumn(verbose_name="Rank")
    name = tables.Column(verbose_name="Player", linkify=lambda record: f"#{record['number']}")
    number = tables.Column(verbose_name="Number", orderable=False)
    region = tables.Column(verbose_name="Region")
    rating = RatingColumn(verbose_name="Rating")
    points = DeltaColumn(verbose_name="Since October")
    games = NumberColumn(verbose_name="Games")

    class Meta:
        template_name = "django_tables2/office.html"
        attrs = {"class": "cards"}
        order_by = "rank"


class SectionsTable(tables.Table):
    caption = "Sections on the desk"
    row_header = "section"
    section = tables.Column(verbose_name="Section")
    event = tables.Column(verbose_name="Event")
    region = tables.Column(verbose_name="Region")
    ended = tables.DateColumn(verbose_name="Last day", format="Y-m-d")
    players = NumberColumn(verbose_name="Players")
    stage = StageColumn(verbose_name="Stage")

    class Meta:
        template_name = "django_tables2/office.html"
        attrs = {"class": "sticky"}
        prefix = "s-"


class EmptyTable(SectionsTable):
    caption = "Waiting for you"
    empty_title = "The desk is clear"

    class Meta:
        template_name = "django_tables2/office.html"
        empty_text = (
            "Nothing waits for a decision. New sections appear here as soon as a region submits them."
        )
        prefix = "e-"


class UploadForm(forms.Form):
    file = forms.FileField(label="Event file")


class SectionForm(forms.Form):
    name = forms.CharField(label="Name of the section", max_length=100, initial="Section A")
    platform = forms.ChoiceField(
        label="Played",
        choices=[("", "Choose…"), ("otb", "Over the board"), ("ol", "Online"), ("hyb", "Hybrid")],
        help_text="Decides which of a player's ratings move.",
    )
    starts = forms.DateField(label="First day", widget=forms.DateInput(attrs={"type": "date"}))
    minutes = forms.IntegerField(label="Minutes a player", help_text="Base time, without the increment.")
    format = forms.ChoiceField(
        label="Format",
        widget=forms.RadioSelect,
        choices=[("swiss", "Swiss"), ("round-robin", "Round robin")],
        initial="swiss",
    )
    braille = forms.BooleanField(label="A section for disabled players", required=False)
    remarks = forms.CharField(label="Remarks", required=False, widget=forms.Textarea(attrs={"rows": 3}))


class ArbiterForm(forms.Form):
    name = forms.CharField(label="Name")
    title = forms.CharField(label="Title", required=False)
    number = forms.CharField(label="Number", required=False)


def page() -> str:
    """The style guide as somebody sees it who is not signed in."""
    request = RequestFactory().get("/demo/events/")
    request.user = AnonymousUser()
    template = engines["django"].from_string(Path(__file__).with_suffix(".html").read_text(encoding="utf-8"))
    return template.render(context(), request)


def context() -> dict[str, Any]:
    """What the style guide's template wants."""
    return {
        "office": OFFICE,
        "facts": FACTS,
        "side_facts": [
            ("A", "24 players, 9 rounds"),
            ("B", "41 players, 7 rounds"),
            ("Under 12", "18 players"),
        ],
        "tiles": TILES,
        "stages": STAGES,
        "deltas": [Decimal("12.34"), Decimal("-4.04"), Decimal("0.02"), None],
        "tabs": [
            {"label": "Section A", "url": "#a", "current": True, "count": 24},
            {"label": "Section B", "url": "#b", "count": 41},
            {"label": "Under 12", "url": "#u12", "count": 18},
        ],
        "rounds": ROUNDS,
        "rows": [cross_row(place, name) for place, name in enumerate(NAMES, start=1)],
        "working": WORKING,
        "picture": picture("Scored", "1.5", "Expected", "1.043"),
        "picture_below": picture("Games", "14.2", "Placings", "-3.8"),
        "accents": range(1, 7),
        "signed_in": SIGNED_IN,
        "told": TOLD,
        "boards": BOARDS,
        "curve_points": curve_points(),
        "filters": FILTERS,
        "players_table": PlayersTable(list_rows()).paginate(page=2, per_page=4),
        "sections_table": SectionsTable(SECTIONS),
        "empty_table": EmptyTable([]),
        "steps": STEPS,
        "upload_form": UploadForm(),
        "found": FINDINGS,
        "form": SectionForm({"name": "Section A", "format": "swiss", "minutes": "ninety"}),
        "arbiters": formset_factory(ArbiterForm, extra=1)(
            initial=[{"name": "Pieter van Wyk", "title": "IA"}]
        ),
    }


NAMES = (
    "Mokwena, Naledi",
    "van der Westhuizen, Johannes Petrus",
    "Dlamini, Sipho",
    "Naidoo, Priya",
    "Botha, Annelie",
    "Khumalo, Thandeka",
    "Abrahams, Yusuf",
    "Sithole, Bongani",
    "Pretorius, Karel",
    "Maluleke, Tsakani",
)
FACTS = [
    ("Place", "Pretoria"),
    ("Region", "Gauteng North", "#region"),
    ("Dates", "2026-11-14 to 2026-11-17"),
    ("Organizer", "Thandi Nkosi"),
    ("Chief arbiter", "IA Pieter van Wyk"),
    ("Time control", "90 min + 30 s a move"),
]
TILES = [
    {"label": "Standard", "value": "1832.4", "note": "23rd of 1 204"},
    {"label": "Rapid", "value": "1790.0", "note": "41 games"},
    {"label": "Blitz", "value": "1655.7", "note": "118 games"},
    {"label": "Games this year", "value": "64"},
]
TOLD = [
    Message(messages.INFO, "The list of 1 December is drawn up on Tuesday."),
    Message(messages.SUCCESS, "Section A is rated; 24 ratings moved."),
    Message(messages.WARNING, "Two players of this section have no number."),
    Message(messages.ERROR, "Nothing was saved: the file names another event."),
]
BOARDS = [
    {"name": name, "best": [(each, f"{start - 37.4 * place:.1f}") for place, each in enumerate(NAMES[:4])]}
    for name, start in (("Standard", 2070.4), ("Rapid", 1990.0))
]
SECTIONS = [
    {"section": "A", "event": "Jacaranda Open", "region": "Gauteng North", "ended": date(2026, 11, 17),
     "players": 24, "stage": "submitted"},
    {"section": "B", "event": "Jacaranda Open", "region": "Gauteng North", "ended": date(2026, 11, 17),
     "players": 41, "stage": "filed"},
    {"section": "Premier", "event": "Boland Rapid", "region": "Boland", "ended": date(2026, 11, 8),
     "players": 16, "stage": "returned"},
    {"section": "Open", "event": "Karoo Spring Festival", "region": "Karoo", "ended": date(2026, 10, 25),
     "players": 33, "stage": "rated"},
]  # fmt: skip
FILTERS = [
    {"label": "Region", "options": [
        {"label": "All", "url": "?", "current": True},
        {"label": "Boland", "url": "?region=BOL"},
        {"label": "Gauteng North", "url": "?region=GTN"},
    ]},
    {"label": "Age", "options": [
        {"label": "Everyone", "url": "?", "current": True},
        {"label": "Under 18", "url": "?age=18"},
        {"label": "60 and over", "url": "?age=60"},
    ]},
]  # fmt: skip
STEPS = [
    {"label": "Register", "url": "#1", "state": "done"},
    {"label": "Upload", "url": "#2", "state": "done"},
    {"label": "Details", "state": "now"},
    {"label": "Players", "state": "todo"},
    {"label": "Submit", "state": "todo"},
]
FINDINGS = [
    SimpleNamespace(
        level="waivable", clause="17.1", clause_url="#c17", where="section A", line=None,
        words="The section has 5 players; the regulation asks for 6.",
        advice="If the office gave permission, say when and by whom; the office may waive this.",
        action_url="#waive", action_label="Ask for a waiver",
    ),
    SimpleNamespace(
        level="blocks", clause="14.1.2", clause_url="#c14", where="player 7", line=19, column=89,
        words="The two sides of a game disagree: players 7 and 12 both say that they won in round 1.",
        advice="Correct the result in the pairing program and upload the file again.",
        excerpt="001    7 m    Abrahams, Yusuf                   1711 RSA   163000007 2008/04/19  6.0    4"
                "    12 w 1     3 b 0    16 w =     9 b 1",
    ),
    SimpleNamespace(
        level="asks", clause="19", clause_url="#c19", where="", line=None,
        words="The file does not say how much time each player had.",
        advice="Enter it under Details.", action_url="#details", action_label="Go to Details",
    ),
    SimpleNamespace(
        level="notice", clause="", where="", line=3,
        words="The dates are written day first (17.11.2026); they were read as 17 November 2026.",
        excerpt="052 17.11.2026", column=5,
    ),
]  # fmt: skip


def step(clause: str, words: str, formula: str, total: str) -> SimpleNamespace:
    url = "" if clause.startswith("D-") else f"#c{clause}"
    return SimpleNamespace(clause=clause, clause_url=url, says="", words=words, formula=formula, total=total)


def game(round_number: int, opponent: str, **more: Any) -> SimpleNamespace:
    plain = {"side": "", "note": "", "opponent_rating": "", "score": None, "expected": None}
    return SimpleNamespace(round=round_number, opponent=opponent, **plain | more)


WORKING = SimpleNamespace(
    summary=[
        SimpleNamespace(clause="37", clause_url="#c37", words="1.5 of 3 points, 0.457 more than expected"),
        SimpleNamespace(clause="D-9", clause_url="", words="10.968 points gained"),
    ],
    games=[
        game(1, NAMES[5], side="White", opponent_rating="1702.5", score="1", expected="0.663"),
        game(2, NAMES[2], side="Black", opponent_rating="1905", score="½", expected="0.380"),
        game(3, NAMES[7], note="Not played: does not count"),
    ],
    steps=[
        step("30.1", "K for a standard game.", "", "24"),
        step("35", "What was expected against each opponent, added up.", "0.663 + 0.380 = 1.043", "1.043"),
        step("36", "What she scored in the games that count.", "1 + ½ = 1.5", "1.5"),
        step("37", "K times what she scored beyond it.", "24 × (1.5 − 1.043) = 10.968", "+10.968"),
        step("D-9", "The new rating, shown with one place.", "1820.0714 + 10.968", "1831.0"),
    ],
)


SIGNED_IN = SimpleNamespace(path="/demo/", user=User(email="thandi@example.org", name="Thandi Nkosi"))


def picture(*told: str) -> dict[str, Any]:
    """Draw bars of what two by two are words and a number."""
    return draw_bars(
        [(words, number, Decimal(number)) for words, number in zip(told[::2], told[1::2], strict=True)]
    )


def cross_row(place: int, name: str) -> EntrantRow:
    before = Decimal(2010 - 37 * place)
    points = Decimal(58 - 11 * place) / 4
    return EntrantRow(
        place=place,
        name=name,
        url=f"#p{place}",
        title="WFM" if place == 1 else "",
        note="Gauteng North" if place == 2 else "",
        movement=Movement(Balance(before), Balance(before + points)),
        score=f"{8 - place / 2:g}",
        tie_breaks=[],
        performance=None,
        working_url="#working",
        cells=[cell(place, round_number) for round_number in ROUNDS],
        marks=" ".join(cell(place, round_number).mark for round_number in ROUNDS),
    )


def cell(place: int, round_number: int) -> RoundCell:
    if place == 7 and round_number == 4:
        return RoundCell(said=("bye", "", ""), met=(("bye", ""),))
    opponent = (place * 3 + round_number * 5) % 24 + 1
    kind, mark = (("won", "1"), ("drawn", "½"), ("lost", "0"))[(place + round_number * round_number) % 3]
    side, word = ("w", "White") if (place + round_number) % 2 else ("b", "Black")
    said = f"{word} against ", str(opponent), f", {kind}"
    met = ((NAMES[(place + round_number) % len(NAMES)], "#p1"),)
    return RoundCell(mark, said, kind, ("#g", ""), side, str(opponent), met)


def list_rows() -> list[dict[str, Any]]:
    return [
        {
            "rank": rank,
            "name": name,
            "number": 101000000 + rank * 7,
            "region": ("Gauteng North", "Boland", "Karoo")[rank % 3],
            "rating": Decimal(2102) - Decimal("31.37") * rank,
            "points": Decimal(40 - 9 * rank) / 3,
            "games": 12 * rank + 5,
        }
        for rank, name in enumerate(NAMES * 3, start=1)
    ]


def curve_points() -> list[tuple[date, Decimal, str]]:
    moves = (0, 14, -6, 22, 31, -12, 8, 19, -25, 40, 11, -3, 27, -18, 6, 33, 12, -9, 21, 5)
    total, points = Decimal("1536.2"), []
    for month, move in enumerate(moves):
        total += move
        day = date(2024 + (month * 2) // 12, (month * 2) % 12 + 1, 1)
        points.append(
            (day, total, f"{('Jacaranda Open', 'Boland Rapid', 'Karoo Festival')[month % 3]}, section A")
        )
    return points
