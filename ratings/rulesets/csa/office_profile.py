"""The office of Chess South Africa: regions, forms, files, ids, and what it confirms."""

from __future__ import annotations

from ratings.equipment.office_profile import IdKind, Office, Permit, Powers, Registration, Statement, Unrating
from ratings.law.fields import Choice, Field, flag
from ratings.law.translation_marks import gettext_noop as _

OFFICE = Office(
    time_zone="Africa/Johannesburg",  # D-CSA-16
    regions=(
        Choice("ECA", _("Eastern Cape")),
        Choice("FST", _("Free State")),
        Choice("GAU", _("Gauteng")),
        Choice("KZN", _("KwaZulu-Natal")),
        Choice("LIM", _("Limpopo")),
        Choice("MPU", _("Mpumalanga")),
        Choice("NWE", _("North West")),
        Choice("NCA", _("Northern Cape")),
        Choice("WCA", _("Western Cape")),
    ),
    files=("trf", "swiss-manager", "swiss-manager-own", "cross-table", "swiss-perfect", "games-abroad"),
    id_kinds=(  # §14.1.4 §14.2.1
        IdKind("fide", _("FIDE id")),
        IdKind("lichess", _("Name on Lichess"), platform=True),
        IdKind("chess.com", _("Name on Chess.com"), platform=True),
    ),
    asks=frozenset({"sex", "born"}),  # §16 §59
    wants_of_new=frozenset({"first-name", "birth-date"}),  # §14.1.1 §14.1.2
    filing_fields=(
        Field(
            name="fide_rated",
            label=_("FIDE rated"),
            kind="choice",
            clause="61.2",
            help=_("Leave this empty if only Chess South Africa rates the section."),
            choices=(Choice("non-norm", _("Yes, without norms")), Choice("norm", _("Yes, with norms"))),
            required=False,
        ),
        flag("club", _("Club event"), "8", _("Only in a club event may an appointed arbiter play.")),
    ),
    registration=Registration(
        wants=frozenset({"organizer", "arbiters"}),  # §6 §13.5
        refusable_before_play="11",
    ),
    confirmations=(
        Statement("6", _("A qualified arbiter was there for the whole of every round.")),
        Statement(
            "7", _("South African arbiters had paid the year's membership fee before the event began.")
        ),
        Statement("21", _("Both players of each game had the same time.")),
    ),
    powers=Powers(
        permits=(
            Permit("18", _("Fewer players or rounds than clause 17 asks for")),
            Permit("61", _("A registration after the last day"), waives=("registered-late",)),  # D-CSA-16
            Permit("62", _("Results after the last day"), waives=("filed-late",)),  # D-CSA-16
            Permit("10", _("Results from abroad after the last day"), waives=("abroad-late",)),  # D-CSA-16
        ),
        unrating=Unrating(
            clause="63",
            listed_clause="64",
            listed_words=_(
                "The Ratings Bureau itself decided that this section is rated again, although it stands in a "
                "published list."
            ),
        ),
        appeal_days=21,  # §11
        case_clauses=("63", "64"),
        one_regional_administrator="60",
    ),
)
