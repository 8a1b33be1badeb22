"""The Points Regulations of 2009: their source, and what no program carries out of them."""

from __future__ import annotations

from ratings.law.ruleset_helpers.source_and_omissions import Enacted, EnactedText
from ratings.law.translation_marks import gettext_noop as _

AIM = _("It says what the ranking is for; there is nothing to work out.")

ENACTED = Enacted(
    source=EnactedText(
        "Regulamin punktowy Polskiej Federacji Othello",
        "Polska Federacja Othello",
        _("announced on 29 November 2009, in force from 12 December 2009"),
    ),
    chapters=(
        ("preamble", _("Before the articles")),
        ("1", _("In general")),
        ("5", _("Ranking points")),
        ("15", _("Season points of the Grand Prix")),
    ),
    not_computed={
        **dict.fromkeys(("1", "2", "5", "6"), AIM),
        "4": _(
            "Which rules hold in a season, the program takes from the edition in force: rules that change "
            "are another edition with a first day of its own."
        ),
        "7": _("It is about the rules before these, by which nothing here is rated."),
    },
    partly_computed={
        "15": _(
            "That a Grand Prix tournament was open to everybody and organized by members, who files it "
            "confirms."
        ),
        "3": _("The newest ranking and every list before it stand here; where else they are shown is open."),
        "preamble": _(
            "The places that the rules give are shown. Who in fact travels, and who steps in for them, the "
            "federation decides."
        ),
    },
    smaller_readings=(
        (
            "9",
            _(
                "A game that both lost counts as a game played: among the rated games, for the point of "
                "taking part, and against MAKS."
            ),
        ),
        (
            "8",
            _(
                "A Grand Prix tournament or championship abroad, and one without any game played, is left to "
                "the federation."
            ),
        ),
        (
            "16",
            _(
                "In a Grand Prix tournament or championship the whole field is filed; places that skip or "
                "repeat need the federation's reason."
            ),
        ),
        (
            "17",
            _(
                "Of several play-offs of a season the last stands, even where its winner is outside the tie "
                "and it so counts for nothing."
            ),
        ),
    ),
)
