"""The history of one register entry for staff: who changed what and when, and which file it came from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.utils.translation import gettext as _

from players.office.models import Decision, Federation
from players.pages.people_and_record_tables import DEEDS
from players.people.merging import entries_of
from players.people.particulars import Changes
from players.people.proof_files import ProofFile
from players.register.models import Player
from tournaments.events.models import Entry, Section
from tournaments.identity.id_kinds import label_of

SHOWN = 50
DEEDS_ON_PEOPLE = (
    *("correct", "merge", "part", "forget-name", "two-persons"),
    *("ask-transfer", "grant-transfer", "refuse-transfer"),
)


@dataclass(frozen=True, slots=True)
class EntryDeed:
    """One thing that was decided about a player."""

    at: datetime
    on: date
    by: str
    deed: str
    changes: list[tuple[str, str, str]]
    """Particular, before and after."""
    words: list[tuple[str, str]]
    """Labels and what was written."""
    proofs: list[ProofFile]
    """The files that prove it."""


def history_of(player: Player) -> list[EntryDeed]:
    """The decisions about the player and the entries merged into it, newest first."""
    abouts = [f"player {each.number}" for each in entries_of(player)]
    decisions = Decision.objects.filter(federation=player.federation, about__in=abouts)
    decisions = decisions.filter(kind__in=DEEDS_ON_PEOPLE).prefetch_related("words").order_by("-number")
    names = player.federation.appointments.names()
    proofs: defaultdict[int, list[ProofFile]] = defaultdict(list)
    for proof in ProofFile.objects.filter(player__in=entries_of(player)).defer("content"):
        proofs[proof.decision].append(proof)
    return [_line(player.federation, each, names, proofs[each.number]) for each in decisions[:SHOWN]]


def first_section(player: Player) -> Section | None:
    """The section whose file brought the player into the register; None where none did."""
    entries = Entry.objects.filter(player=player, match=Entry.Match.NEW).select_related(
        "section__event__federation"
    )
    found = entries.order_by("section__starts", "pk").first()
    return found.section if found else None


def _line(
    federation: Federation, decision: Decision, names: Mapping[int, str], proofs: list[ProofFile]
) -> EntryDeed:
    details: dict[str, Any] = decision.details
    told = details.get("changes")
    changes = told if isinstance(told, dict) else {}
    labels = {
        "reason": _("reason"),
        "proof": _("proof"),
        "into": _("into"),
        "out_of": _("out of"),
        "other": _("other entry"),
        "region": _("region"),
    }
    return EntryDeed(
        decision.at,
        decision.on,
        names.get(decision.by_id or 0, _("the office")),
        str(DEEDS.get(decision.kind, decision.kind)),
        worded_changes(federation, {name: (pair[0], pair[1]) for name, pair in changes.items()}),
        [
            (label, str(details[key]))
            for key, label in labels.items()
            if isinstance(details.get(key), str) and details[key]
        ],
        proofs,
    )


def worded_changes(federation: Federation, changes: Changes) -> list[tuple[str, str, str]]:
    """Changes for a table: the particular's name, before and after."""
    names = particular_names()
    return [
        (
            names.get(key) or label_of(federation.ruleset, key.removeprefix("id ")),
            *(_shown(federation, key, value) for value in pair),
        )  # type: ignore[misc]
        for key, pair in changes.items()
    ]


def particular_names() -> dict[str, str]:
    return {
        "surname": _("Surname"),
        "first_name": _("First name"),
        "sex": _("Sex"),
        "birth": _("Birth"),
        "nation": _("Nation"),
        "resident": _("Lives in the country"),
        "included_by": _("Included by the decision"),
        "region": _("Region"),
        "club": _("Club"),
        "title": _("Title"),
        "deceased": _("Deceased"),
        "withheld": _("Withheld"),
        "id fide": _("FIDE id"),
    }


def _shown(federation: Federation, key: str, value: str) -> str:
    said = {"yes": _("yes"), "no": _("no"), "": "–"}
    if key == "sex":
        said |= {"m": _("male"), "f": _("female")}
    if key == "region":
        said |= dict(federation.region_names)
    return str(said.get(value, value))
