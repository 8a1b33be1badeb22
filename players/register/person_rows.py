"""People of the register as plain rows: pages and files tell of hundreds, and change none."""

from __future__ import annotations

from typing import NamedTuple

from django.utils.translation import gettext as _


class PersonRow(NamedTuple):
    """One player's row, with the fields of `Player` that the public may see some of."""

    pk: int
    number: str
    surname: str
    first_name: str
    sex: str
    born: int | None
    nation: str
    title: str
    withheld: bool

    @property
    def name(self) -> str:
        return full_name(self.surname, self.first_name)

    @property
    def shown_name(self) -> str:
        return shown_name(self.name, self.withheld)


def full_name(surname: str, first_name: str) -> str:
    """A name as the journal writes it: `Surname, First name`."""
    return f"{surname}, {first_name}" if surname and first_name else surname or first_name


def shown_name(name: str, withheld: bool) -> str:
    """The name that the public sees of a player whose full name is `name`."""
    return str(_("withheld")) if withheld or not name else name
