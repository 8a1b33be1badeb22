"""The office of Czech piškvorky: its one region and its days."""

from __future__ import annotations

from ratings.equipment.office_profile import Office, Registration
from ratings.law.fields import Choice
from ratings.law.translation_marks import gettext_noop as _

OFFICE = Office(
    time_zone="Europe/Prague",
    language="cs",
    regions=(Choice("CZ", _("Czech piškvorky")),),
    registration=Registration(asks=frozenset({"place"})),
)
