"""The Rating Regulations of 2020: their source, and what no program carries out of them."""

from __future__ import annotations

from ratings.law.ruleset_helpers.source_and_omissions import Enacted, EnactedText
from ratings.law.translation_marks import gettext_noop as _

WORDS = _("It says what words mean; there is nothing to work out.")

ENACTED = Enacted(
    source=EnactedText(
        "Rating Regulations", "Chess South Africa, Ratings Bureau", _("effective 1 July 2020")
    ),
    chapters=(
        ("1", _("Introduction")),
        ("4", _("Words and abbreviations")),
        ("6", _("Arbiters")),
        ("9", _("Events that are rated")),
        ("13", _("What a file says")),
        ("16", _("Age groups")),
        ("17", _("Players and rounds")),
        ("19", _("Time controls")),
        ("24", _("Platforms")),
        ("25", _("Kinds of ratings")),
        ("29", _("K")),
        ("32", _("Performance")),
        ("35", _("Expected score")),
        ("39", _("Weight performance")),
        ("45", _("The lowest rating")),
        ("47", _("What counts")),
        ("51", _("Penalties")),
        ("53", _("Activity")),
        ("54", _("A first rating")),
        ("60", _("Handing files in")),
        ("63", _("Changes afterwards")),
        ("65", _("When ratings change")),
        ("68", _("Winners of sections")),
    ),
    not_computed={
        **dict.fromkeys(("2", "3", "4", "4.1", "4.2", "4.3", "4.4"), WORDS),
        **dict.fromkeys(("5", "5.1", "5.2", "5.3", "5.4", "5.5", "5.6", "5.7"), WORDS),
        "7": _(
            "This office keeps no register of arbiters' fees, so it cannot look: the region confirms it when "
            "it submits a section."
        ),
        "12": _("A decision of people: officials can register and file any event themselves."),
        "21": _("A section has one time control here, for both players of a game; the region confirms it."),
        "63": _(
            "No rule of computation: officials un-rate a section and rate it again, and everything after it "
            "is recomputed."
        ),
        "64": _(
            "Published lists cannot be altered here at all. Whether the Bureau decided to rate a section "
            "again after a list, the program takes from the official who does it."
        ),
        "D-CSA-4": _("It is about the printed examples; the examples below show the exact values."),
        "D-CSA-21": _("The program that reads event files does it, before there is anything to rate."),
    },
    partly_computed={
        "6": _(
            "The office looks whether an arbiter is named. That one was there for the whole of each round, "
            "the region confirms."
        ),
        "8": _(
            "Arbiters and players are compared by number and name; somebody under another name is not seen."
        ),
        "10": _(
            "That nobody may have such an event un-rated on request is left to the officials, who give a "
            "reason for every un-rating."
        ),
        "11": _(
            "Officials refuse a section with a reason, before it is played or after; the region appeals on "
            "its page, within 21 days from the day of the refusal, and officials decide. What CSA itself "
            "would say to an appeal, an official enters."
        ),
        "60": _(
            "The office looks who uploaded the file. What else an administrator answers for is between the "
            "region and the federation."
        ),
    },
    smaller_readings=(
        ("10", _("The players themselves send results from abroad, so no region is asked for them.")),
        ("17", _("Only players with a game participate; an annulled game is not a result of a round.")),
        ("17", _(
            "An individual section in a format that the text does not name is refused, save under 17.4."
        )),
        ("17.3", _(
            "A Scheveningen section without two named teams is refused: nobody could count its players."
        )),
        ("45", _("A rating taken over below 100 is 100 at once.")),
        (
            "52",
            _(
                "In the rounds after an unexcused withdrawal, a round whose forfeit an official excused is "
                "not charged."
            ),
        ),
        ("53", _("Games that came with a rating taken over count as activity.")),
        (
            "67",
            _("Points stand with the section that brought them; a list's own are only what the floor gives."),
        ),
    ),
    settings={
        "deadlines": frozenset({"10", "18", "61.1", "61.2", "62", "D-CSA-16"}),
        "particulars": frozenset(
            {
                "6", "13.5", "14.1.1", "14.1.2", "14.1.3", "14.1.4", "14.2.1", "15.1", "15.2", "15.3",
                "15.4", "60",
            }
        ),
    },
)  # fmt: skip
