"""The register's models: players, their sealed names, dates of birth, and ids given by others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import Any, TypeVar
from urllib.parse import quote

from django.db import models
from django.db.models import Case, IntegerField, Q, Value, When
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from players.office.models import Federation, Region
from players.register.folded_name_field import FoldedNameField, NameOrderField, name_order_of
from players.register.key_beginnings import KeyField
from players.register.name_folding import LONGEST, fold, words
from players.register.name_salt import new_salt
from players.register.name_search import LONGEST_KEY, keys_near, keys_of_name, keys_of_word, taken_apart
from players.register.person_rows import full_name, shown_name
from ratings.storage.bulk_writing import NULL, Spool, batches, escaped

ANYWHERE = 3
"""The letters from which a word is looked for inside names."""
ENOUGH = 50
"""The players found by the beginnings of their names among whom nobody is looked for by what stands inside:
they fill a page.
"""
AT_ONCE = 500
"""The number of names whose words are written together."""
NAMES = frozenset({"surname", "first_name"})
Named = TypeVar("Named", bound=models.Model)


class NamedQuerySet(models.QuerySet[Named]):
    """Rows with a name, by whose words they are found: whoever writes rows here has the words written too."""

    def bulk_create(self, objs: Iterable[Named], *args: Any, **options: Any) -> list[Named]:
        written = super().bulk_create(objs, *args, **options)
        insert_name_words(written)
        return written

    def update(self, **values: Any) -> int:
        if NAMES.isdisjoint(values):
            return super().update(**values)
        keys = list(self.values_list("pk", flat=True))
        count = super().update(**values)
        rows = list(self.model._default_manager.filter(pk__in=keys))
        write_name_words(rows)
        write_name_order(row for row in rows if isinstance(row, Player))
        return count


class PlayerQuerySet(NamedQuerySet["Player"]):
    def of(self, federation: Federation) -> PlayerQuerySet:
        return self.filter(federation=federation)

    def current(self) -> PlayerQuerySet:
        """Leave out the entries that were merged into another."""
        return self.filter(merged_into=None)

    def of_one_person(self, player: Player) -> models.QuerySet[Player, Any]:
        """The keys of a player and of the entries merged into it, for subqueries. Each is looked up by
        itself: asked for either at once, SQLite would walk through the register.
        """
        merged = self.filter(merged_into=player.pk).order_by().values("pk")
        return self.filter(pk=player.pk).order_by().values("pk").union(merged)

    def matching(self, text: str, *, inside_too: bool = False, looked_up: bool = False) -> PlayerQuerySet:
        """Search by the beginning of the number, or by parts of names in any order, with or without accents,
        former names among them, or by both; never by birth, and nobody withheld by a name. `inside_too`,
        `looked_up`: as in `named`.
        """
        asked = taken_apart(text)
        rows = self
        for number in asked.numbers:
            rows = rows.filter(_begins_with(number))
        if asked.numbers and not asked.names:
            return rows
        # nobody withheld changes what is found of others
        return rows.filter(withheld=False).named(asked.names, inside_too=inside_too, looked_up=looked_up)

    def named(self, text: str, *, inside_too: bool = False, looked_up: bool = False) -> PlayerQuerySet:
        """Players in whose name, or one that they had, every word of a text begins a word, in any order and
        alphabet; where nobody has such a name, those in whose name each is a word but for one letter. Where
        there is nobody (`inside_too`: where they fill no page), also those in whose name it stands anywhere,
        which reads the register through; `looked_up` leaves that out. Also who is withheld, for staff.
        """
        parts = words(text)
        if not parts:
            return self.none()
        found = self._of_words(parts)
        if len(parts) > 1:
            found |= self.filter(pk__in=bearing({fold(text)}))
        enough = ENOUGH if inside_too else 1
        first = list(found.order_by().values_list("pk", flat=True)[:enough])
        if not first and any(map(keys_near, parts)):
            found = self._of_words(parts, misspelt=True)
            first = list(found.order_by().values_list("pk", flat=True)[:enough])
        if looked_up or len(first) == enough or max(map(len, parts)) < ANYWHERE:
            return found
        return self._with_inside(parts, first)

    def _of_words(self, parts: Sequence[str], *, misspelt: bool = False) -> PlayerQuerySet:
        """The players in whose name every one of some words begins a word, or is one but for one letter."""
        found = self
        for part in parts:
            near = keys_near(part) if misspelt else ()
            found = found.filter(pk__in=bearing(keys_of_word(part), near))
        return found

    def _with_inside(self, parts: Sequence[str], first: Sequence[int]) -> PlayerQuerySet:
        """The players of these keys, and those in whose name every one of some words stands, at any place; a
        short one where a word begins.
        """
        anywhere = Q()
        for part in parts:
            anywhere &= _inside(part) if len(part) >= ANYWHERE else Q(pk__in=bearing({part}))
        later = Case(When(pk__in=first, then=Value(0)), default=Value(1), output_field=IntegerField())
        return self.filter(Q(pk__in=first) | anywhere).alias(inside=later)

    def likeliest_first(self, text: str) -> PlayerQuerySet:
        """Order a search by names: first who has that very surname, then who has each of several words whole,
        then whose surname begins so, then who has the word whole, then by name; those in whose name it only
        stands somewhere come last.
        """
        names = taken_apart(text).names
        surname = names.partition(",")[0].strip()
        if not (parts := words(names)):
            return self.order_by("sort_key", "number")
        start = Q(name_key__startswith=fold(names)) | Q(name_key__startswith=fold(surname))
        whole = _has_whole(parts)
        ranks = [Q(surname=surname), Q(name_key=fold(surname))]
        ranks += [whole, start] if len(parts) > 1 else [start, whole]
        nearness = [When(said, then=Value(rank)) for rank, said in enumerate(ranks)]
        later = Case(*nearness, default=Value(len(ranks)), output_field=IntegerField())
        inside = ["inside"] if "inside" in self.query.annotations else []
        return self.order_by(*inside, later, "sort_key", "number")


def _begins_with(number: str) -> Q:
    """Whether a player's number begins so, in small or capital letters."""
    found = Q()
    for start in {number, number.lower(), number.upper()}:
        found |= Q(number__gte=start, number__lte=start + "9" * 20)
    return found


def _has_whole(parts: Sequence[str]) -> Q:
    """Whether each of some words is one of a name, as it is spelt or as it sounds."""
    found = Q()
    for part in parts:
        found &= Q(pk__in=bearing((), keys_of_word(part)))
    return found


def _inside(part: str) -> Q:
    """Whether a word stands anywhere in a name of a player, or in one that they had."""
    here = Q(name_key__contains=part) | Q(first_name_key__contains=part)
    former = FormerName.objects.filter(here).values(stands=Coalesce("player__merged_into", "player"))
    return here | Q(pk__in=former)


def bearing(beginnings: Iterable[str], whole: Iterable[str] = ()) -> models.QuerySet[Any, Any]:
    """The keys of the players who have, or had, a name with a word that begins so, or is one of some whole
    ones; of merged ones, of those into whom they were merged.
    """
    begins = Q(key__in=list(whole))
    for beginning in beginnings:
        begins |= Q(key__begins=beginning)
    return NameWord.objects.filter(begins).values(stands=Coalesce("player__merged_into", "player"))


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
    sort_key = NameOrderField()
    """The place of the name in the order of the office's language; the number decides among equal ones."""
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
        ordering = ("sort_key", "number")
        constraints = [models.UniqueConstraint(fields=["federation", "number"], name="one_player_a_number")]
        indexes = [
            models.Index(fields=["federation", "name_key", "born"]),
            models.Index(fields=["federation", "sort_key", "number"], name="players_by_name"),
        ]

    def __str__(self) -> str:
        return self.shown_name

    def save(self, *args: Any, **options: Any) -> None:
        if not NAMES.isdisjoint(options.get("update_fields") or ()):
            options["update_fields"] = {*options["update_fields"], "sort_key"}
        super().save(*args, **options)
        write_name_words([self])

    @property
    def name(self) -> str:
        """The name as the journal writes it: `Surname, First name`."""
        return full_name(self.surname, self.first_name)

    @property
    def shown_name(self) -> str:
        return shown_name(self.name, self.withheld)

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

    objects = NamedQuerySet.as_manager()

    class Meta:
        ordering = ("-until", "-pk")
        indexes = [models.Index(fields=["name_key", "player"])]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **options: Any) -> None:
        super().save(*args, **options)
        write_name_words([self])

    @property
    def name(self) -> str:
        return ", ".join(filter(None, (self.surname, self.first_name)))


class NameWord(models.Model):
    """A word of a name that a player has or had, by which a search finds them: as spelt, or as it sounds."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="name_words")
    former = models.ForeignKey(FormerName, on_delete=models.CASCADE, null=True, related_name="words")
    """The former name that the word is of; None: it is of the player's own."""
    key = KeyField(max_length=LONGEST_KEY)

    class Meta:
        indexes = [
            models.Index(
                fields=["key", "player"],
                name="players_by_a_names_word",
                opclasses=["varchar_pattern_ops", ""],
            )
        ]

    def __str__(self) -> str:
        return str(self.key)


def insert_name_words(rows: Iterable[Any]) -> None:
    """Write the words of names that have none yet: those of new players, or of new former names."""
    with closing(Spool(NameWord, ("player_id", "former_id", "key"))) as spool:
        for row in rows:
            for word in words_of_name(row):
                former = NULL if word.former_id is None else str(word.former_id)
                spool.add(str(word.player_id), former, escaped(word.key))
        if spool.rows:
            spool.write()


def write_name_words(rows: Iterable[Any]) -> None:
    """Write the words of players' or former names as they are now; words that are no more go."""
    for some in batches(rows, AT_ONCE):
        former = [row for row in some if isinstance(row, FormerName)]
        players = [row for row in some if isinstance(row, Player)]
        stored = NameWord.objects.filter(Q(former__in=former) | Q(player__in=players, former=None))
        known = {(word.player_id, word.former_id, word.key): word.pk for word in stored}
        now = {
            (word.player_id, word.former_id, word.key): word for row in some for word in words_of_name(row)
        }
        NameWord.objects.filter(pk__in=[key for word, key in known.items() if word not in now]).delete()
        NameWord.objects.bulk_create(row for word, row in now.items() if word not in known)


def write_name_order(players: Iterable[Player]) -> None:
    """Write the places of players' names in their offices' order, as the names and the languages are now."""
    for some in batches(players, AT_ONCE):
        models.prefetch_related_objects(some, "federation")
        for player in some:
            player.sort_key = name_order_of(player)
        Player.objects.bulk_update(some, ["sort_key"])


def words_of_name(row: Any) -> list[NameWord]:
    """The words of a player's or a former name, as rows to be written."""
    whose = (
        {"player_id": row.player_id, "former_id": row.pk}
        if isinstance(row, FormerName)
        else {"player_id": row.pk}
    )
    return [NameWord(key=key, **whose) for key in sorted(keys_of_name(row.surname, row.first_name))]


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
