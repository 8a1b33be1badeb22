"""The register's models: players, their sealed names, dates of birth, and ids given by others."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from django.db import connection, models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from players.register.name_comparison import fold
from players.register.sealing import new_salt

if TYPE_CHECKING:
    pass
from players.office.models import Federation, Region


class PlayerQuerySet(models.QuerySet["Player"]):
    def of(self, federation: Federation) -> PlayerQuerySet:
        return self.filter(federation=federation)

    def current(self) -> PlayerQuerySet:
        """Leave out the entries that were merged into another."""
        return self.filter(merged_into=None)

    def matching(self, text: str) -> PlayerQuerySet:
        """Search by the beginning of number or surname, then of the first name; never by birth."""
        wanted = text.strip()
        if any(letter.isdigit() for letter in wanted):
            return self.filter(number__gte=wanted, number__lte=wanted + "9" * 20)
        surname, comma, first_name = wanted.partition(",")
        named = _surname(surname)
        if comma:
            named &= Q(first_name__istartswith=first_name.strip())
        elif " " in wanted:  # one range of keys holds both: a surname of two words, and two names
            surname, _space, first_name = wanted.rpartition(" ")
            named = _surname(surname) & (named | Q(first_name__istartswith=first_name))
        return self.filter(named, withheld=False) if fold(wanted) else self.none()


def _surname(beginning: str) -> Q:
    """Match the beginning of the folded surname; on SQLite as a range, since its LIKE uses no index."""
    key = fold(beginning)
    if connection.vendor == "sqlite":
        return Q(name_key__gte=key, name_key__lt=key + "\uffff")
    return Q(name_key__startswith=key)


class Player(models.Model):
    """A player of a federation's register. The number is the id in the journal, for ever."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="players")
    number = models.CharField(_("number"), max_length=30)
    surname = models.CharField(_("surname"), max_length=100)
    first_name = models.CharField(_("first name"), max_length=100, blank=True)
    sex = models.CharField(_("sex"), max_length=1, blank=True, choices=[("m", _("male")), ("f", _("female"))])
    born = models.PositiveSmallIntegerField(_("year of birth"), null=True, blank=True)
    nation = models.CharField(_("nation"), max_length=3, blank=True)
    resident = models.BooleanField(_("resident"), default=True)
    included_by = models.CharField(max_length=100, blank=True)
    region = models.ForeignKey(
        Region, on_delete=models.PROTECT, null=True, blank=True, related_name="players"
    )
    title = models.CharField(_("title"), max_length=5, blank=True)
    salt = models.CharField(max_length=32, blank=True, default=new_salt, editable=False)
    """The salt that seals the name in the journal, another for each name; empty: no name is known."""
    name_seal = models.CharField(max_length=64, blank=True, editable=False)
    """The seal of an unknown name: it came with a journal, or the name was deleted."""
    name_key = models.CharField(max_length=120, db_index=True, editable=False)
    """The folded surname (`players.register.name_comparison.fold`), by which matching looks up first."""
    merged_into = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="merged"
    )
    """The entry as which the journal reads this one, at the end of the chain (`journal.read_facts`)."""
    withheld = models.BooleanField(default=False)
    """Asked not to be named: shown as “withheld” under the same number."""
    registered_on = models.DateField(null=True, blank=True)

    objects = PlayerQuerySet.as_manager()

    class Meta:
        ordering = ("surname", "first_name", "number")
        constraints = [models.UniqueConstraint(fields=["federation", "number"], name="one_player_a_number")]
        indexes = [
            models.Index(fields=["federation", "name_key", "born"]),
            models.Index(fields=["federation", "surname", "first_name"]),
        ]

    def __str__(self) -> str:
        return self.shown_name

    @property
    def name(self) -> str:
        """The name as the journal writes it: `Surname, First name`."""
        return ", ".join(filter(None, (self.surname, self.first_name)))

    @property
    def shown_name(self) -> str:
        return str(_("withheld")) if self.withheld or not self.name else self.name

    def get_absolute_url(self) -> str:
        return f"/{self.federation.code}/players/{quote(self.number, safe='')}/"


class SealedName(models.Model):
    """A name, with the salt that opens its seal in the journal. Rows may be deleted: the seal stays."""

    federation = models.ForeignKey(Federation, on_delete=models.CASCADE, related_name="sealed_names")
    seal = models.CharField(max_length=64)
    name = models.CharField(max_length=201)
    salt = models.CharField(max_length=32)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["federation", "seal"], name="one_name_a_seal")]

    def __str__(self) -> str:
        return self.seal


class BirthDate(models.Model):
    """The full date of birth, apart from the player, for the few who may see it."""

    player = models.OneToOneField(Player, on_delete=models.CASCADE, related_name="birth_date")
    day = models.DateField()

    def __str__(self) -> str:
        return f"{self.player.number}: {self.day}"


class Identifier(models.Model):
    """An id that somebody else gave a player: FIDE, a platform's handle."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="identifiers")
    kind = models.CharField(_("kind"), max_length=30)
    value = models.CharField(_("id"), max_length=60)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["federation", "kind", "value"], name="one_player_an_identifier")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.value}"
