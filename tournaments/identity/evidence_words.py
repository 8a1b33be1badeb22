"""Words of the evidence that an entry is a player of the register, as pages show it."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

EVIDENCE: Mapping[str, Promise] = {
    "number": gettext_lazy("this register's number"),
    "identifier": gettext_lazy("same id of another register"),
    "handle": gettext_lazy("same name on the platform"),
    "id-nearly": gettext_lazy("id nearly the same"),
    "birth-date": gettext_lazy("same date of birth"),
    "born": gettext_lazy("same year of birth"),
    "surname": gettext_lazy("same surname"),
    "surname-alike": gettext_lazy("similar surname"),
    "surname-nearly": gettext_lazy("surname nearly the same"),
    "first-name": gettext_lazy("same first name"),
    "initials": gettext_lazy("initials fit"),
    "first-name-alike": gettext_lazy("similar first name"),
    "former-surname": gettext_lazy("the surname was this before"),
    "names-swapped": gettext_lazy("surname and first name swapped"),
    "sex-differs": gettext_lazy("other sex"),
    "born-differs": gettext_lazy("other birth"),
    "day-differs": gettext_lazy("same year of birth, another day"),
    "nation-differs": gettext_lazy("other nation"),
    "first-name-differs": gettext_lazy("other first name"),
    "surname-differs": gettext_lazy("other surname"),
    "id-differs": gettext_lazy("other id"),
    "deceased": gettext_lazy("died, as the register says"),
    "id-of-another": gettext_lazy("the id is another player’s"),
}
