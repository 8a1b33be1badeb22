"""The register's models: players, their sealed names, dates of birth, and ids given by others."""

from __future__ import annotations

from urllib.parse import quote

from django.db import models
from django.db.models import Case, IntegerField, Q, Value, When
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from players.office.models import Federation, Region
from players.register.folded_name_field import FoldedNameField
from players.register.name_folding import LONGEST, fold, words
from players.register.name_salt import new_salt

ANYWHERE = 3
"""The letters from which a searched word is looked for inside names; a shorter one begins a name."""


class PlayerQuerySet(models.QuerySet["Player"]):
    def of(self, federation: Federation) -> PlayerQuerySet:
        return self.filter(federation=federation)

    def current(self) -> PlayerQuerySet:
        """Leave out the entries that were merged into another."""
        return self.filter(merged_into=None)

    def matching(self, text: str) -> PlayerQuerySet:
        """Search by the beginning of the number, or by parts of names in any order, with or without accents,
        former names among them; never by birth, and nobody withheld by a name.
        """
        wanted = text.strip()
        if any(letter.isdigit() for letter in wanted):
            return self.filter(number__gte=wanted, number__lte=wanted + "9" * 20)
        if not fold(wanted):
            return self.none()
        return self.named(wanted).filter(withheld=False)

    def named(self, text: str) -> PlayerQuerySet:
        """Players in whose name, or one that they had, every word of a text stands, in any order; also who is
        withheld, for staff.
        """
        stands = Coalesce("player__merged_into", "player")
        former = FormerName.objects.filter(named_so(text)).values(stands=stands)
        merged = Player.objects.filter(named_so(text), merged_into__isnull=False).values("merged_into")
        return self.filter(named_so(text) | Q(pk__in=former) | Q(pk__in=merged))

    def likeliest_first(self, text: str) -> PlayerQuerySet:
        """Order a search by names: whose surname begins so comes first, then by name."""
        begins = Q(name_key__startswith=fold(text)) | Q(name_key__startswith=fold(text.partition(",")[0]))
        later = Case(When(begins, then=Value(0)), default=Value(1), output_field=IntegerField())
        return self.order_by(later, "surname", "first_name", "number")


def named_so(text: str) -> Q:
    """Match rows with a folded surname and first name in which every word of a text stands, in any order."""
    parts = words(text)
    if not parts:
        return Q(pk__in=[])
    whole = Q(name_key__startswith=fold(text)) if len(parts) > 1 else Q()
    each_word = Q()
    for part in parts:
        each_word &= _holds(part)
    return each_word | whole if whole else each_word


def _holds(word: str) -> Q:
    if len(word) >= ANYWHERE:
        return Q(name_key__contains=word) | Q(first_name_key__contains=word)
    begins = Q(first_name_key__startswith=word) | Q(first_name_key__contains=f" {word}")
    return Q(name_key__startswith=word) | begins


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
    """The folded surname (`players.register.name_folding.fold`), by which matching looks up first."""
    first_name_key = FoldedNameField("first_name")
    """The folded words of the first name, by which a search and a look for doubles find it."""
    club = models.CharField(_("club"), max_length=100, blank=True)
    deceased = models.BooleanField(_("deceased"), default=False)
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
        return f"{self.federation.get_absolute_url()}players/{quote(self.number, safe='')}/"


class FormerName(models.Model):
    """A name that a player had until a day: searches and the matching of files know it, no page shows it to
    the public.
    """

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="former_names")
    surname = models.CharField(max_length=100)
    first_name = models.CharField(max_length=100, blank=True)
    name_key = models.CharField(max_length=LONGEST, editable=False)
    """The folded surname, as `Player.name_key`."""
    first_name_key = FoldedNameField("first_name")
    until = models.DateField()
    """The day on which the register took another name."""

    class Meta:
        ordering = ("-until", "-pk")
        indexes = [models.Index(fields=["name_key", "player"])]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        return ", ".join(filter(None, (self.surname, self.first_name)))


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
    day = models.DateField(db_index=True)

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
