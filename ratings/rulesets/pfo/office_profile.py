"""The office of the Polish Othello Federation: files, ids, and what it confirms."""

from __future__ import annotations

from ratings.equipment.office_profile import IdKind, Office, Registration, Statement
from ratings.law.fields import Choice
from ratings.law.translation_marks import gettext_noop as _

OFFICE = Office(
    time_zone="Europe/Warsaw",
    language="pl",
    regions=(Choice("POL", _("Poland")),),
    files=("elo", "trf", "flip-the-disc"),
    id_kinds=(IdKind("wof", _("Number at the World Othello Federation")),),
    asks=frozenset({"sex"}),  # §preamble
    wants_of_new=frozenset({"nation"}),  # §14
    confirmations=(
        Statement(
            "15", _("If this is a Grand Prix tournament: it was open to everybody, and members organized it.")
        ),
    ),
    registration=Registration(asks=frozenset({"place", "country"})),
    season_begins=12,  # a season has the label of two years: 2009/2010
)
