"""Models: users, federations, regions, appointments, the record, letters, the register and its imports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from urllib.parse import quote

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models import Case, F, IntegerField, Q, Value, When
from django.db.models.functions import Coalesce
from django.urls import get_script_prefix
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _, pgettext_lazy

from players.languages import mark_language
from players.names import (
    LONGEST_FOLDED,
    LONGEST_SEARCH,
    FoldedNameField,
    KeyField,
    NameOrderField,
    can_have_typo,
    fold,
    fold_words,
    key_beginnings_of_word,
    keys_of_name,
    keys_with_one_typo,
    parse_query,
    player_sort_key,
    shown_name,
    sort_key,
    surname_comma_first_name,
)
from players.seals import is_sealed, new_salt
from players.writing import NULL, Spool, batches, escape_copy_text
from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of

if TYPE_CHECKING:
    from ratings.rulesets.profile import Equipment, Publication
    from ratings.rulesets.ruleset import Ruleset


# ---- Jobs: see `players.jobs`
class LeasedJob(models.Model):
    """A row that one worker at a time works on."""

    silence: ClassVar[timedelta]
    """A worker silent for longer is dead, unless its transaction has locked the row."""
    holder = models.UUIDField(null=True)
    """A random id of the worker's claim; None while nobody works on it."""
    heartbeat = models.DateTimeField(null=True)
    """None while nobody works on it."""
    attempts = models.PositiveSmallIntegerField(default=0)
    """The number of claims, counted before the work, so that a killed worker's counts too."""

    class Meta:
        abstract = True


# ---- Users, federations and the record
class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, *, name: str = "") -> User:
        user = self.model(email=self.normalize_email(email).lower(), name=name)
        user.set_password(password)
        user.save(using=self._db)
        return user


class User(AbstractBaseUser):
    """A person who signs in. Their appointments say what they may do."""

    class Letters(models.TextChoices):
        """The letters that a person wants; those that guard the account always come."""

        ALL = "all", _("All")
        WAITING = "waiting", _("Only what waits for me")
        SECURITY = "security", _("Only about my account and appointments")

    email = models.EmailField(_("e-mail address"), unique=True)
    name = models.CharField(_("name"), max_length=100, blank=True)
    is_active = models.BooleanField(default=True)
    joined = models.DateTimeField(auto_now_add=True)
    session_number = models.PositiveIntegerField(default=0)
    """Incremented to end all sessions of the person."""
    language = models.CharField(_("language of letters"), max_length=10, blank=True, default="")
    """The language of pages and letters; empty: none was chosen."""
    letters = models.CharField(_("letters"), max_length=10, choices=Letters, default=Letters.ALL)

    objects: ClassVar[UserManager] = UserManager()
    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return self.name or self.email

    def get_session_auth_hash(self) -> str:
        return self.session_hash(settings.SECRET_KEY)

    def get_session_auth_fallback_hash(self) -> Iterator[str]:
        return map(self.session_hash, settings.SECRET_KEY_FALLBACKS)

    def session_hash(self, secret: str) -> str:
        mark = f"{self.password}:{self.session_number}"
        return salted_hmac("players.User.sessions", mark, secret=secret, algorithm="sha256").hexdigest()


class Federation(models.Model):
    """An office: a federation with its ruleset and settings."""

    code = models.SlugField(_("code"), max_length=20, unique=True)
    name = models.CharField(_("name"), max_length=100)
    ruleset_slug = models.CharField(_("ruleset"), max_length=40)
    accent = models.PositiveSmallIntegerField(default=1)
    settings = models.JSONField(default=dict, blank=True)
    """See `players.settings.Settings`."""
    next_player_number = models.PositiveBigIntegerField(default=101000001)
    demo = models.BooleanField(default=False)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    @property
    def language(self) -> str:
        """The language for readers who chose none."""
        own = settings.OFFICE_LANGUAGE or self.equipment.office.language
        return own if own in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE

    @property
    def ruleset(self) -> Ruleset:
        return rulesets()[self.ruleset_slug]

    @property
    def equipment(self) -> Equipment:
        """What the federation's profile sets beside the regulations."""
        return equipment_of(self.ruleset)

    @property
    def publication(self) -> Publication:
        return self.equipment.publication

    @cached_property
    def regions_by_key(self) -> dict[int, Region]:
        """The regions by primary key, in order of code; `federation` is not set, for caches would keep it."""
        regions = Region.objects.filter(federation_id=self.pk).order_by("code")
        return {each.pk: each for each in regions}

    @cached_property
    def region_names(self) -> list[tuple[str, str]]:
        """Code and name of each region, sorted by name in the office's language."""
        rows = [(each.code, each.name) for each in self.regions_by_key.values()]
        return sorted(rows, key=lambda row: sort_key(row[1], "", self.equipment.office.language))

    @property
    def regional(self) -> bool:
        """Whether there are several regions; a single one is the federation itself and is not shown."""
        return len(self.region_names) > 1

    def get_absolute_url(self) -> str:
        return f"{get_script_prefix()}{self.code}/"


class Region(models.Model):
    """A region, which files events. A federation without regions has one for itself."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="regions")
    code = models.CharField(_("code"), max_length=10)
    name = models.CharField(_("name"), max_length=100)

    class Meta:
        ordering = ("name",)
        constraints = [models.UniqueConstraint(fields=["federation", "code"], name="one_region_a_code")]

    def __str__(self) -> str:
        return self.name


class Role(models.TextChoices):
    REGIONAL = "regional", _("regional administrator")
    OFFICIAL = "official", _("official")
    ADMINISTRATOR = "administrator", _("federation administrator")


class AppointmentQuerySet(models.QuerySet["Appointment"]):
    def on(self, day: date) -> AppointmentQuerySet:
        """Appointments in force on a day."""
        return self.filter(Q(starts__lte=day), Q(ends=None) | Q(ends__gte=day))

    def ending_after(self, day: date) -> AppointmentQuerySet:
        """Appointments in force on a day or later; not those that were ended before they began."""
        return self.filter(Q(ends=None) | Q(ends__gte=day) & Q(ends__gte=F("starts")))

    def ended_before(self, day: date) -> AppointmentQuerySet:
        return self.filter(ends__lt=day)

    def names(self, key: str = "user_id") -> dict[int, str]:
        """Each person's name in the latest appointment, by user id; with `pk`, by appointment."""
        return {getattr(each, key): each.known_as for each in self.select_related("user").order_by("pk")}


class Appointment(models.Model):
    """A person's role in a federation or one of its regions, for a period."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="appointments")
    role = models.CharField(_("role"), max_length=20, choices=Role.choices)
    federation = models.ForeignKey(Federation, on_delete=models.CASCADE, related_name="appointments")
    region = models.ForeignKey(Region, on_delete=models.CASCADE, null=True, blank=True)
    name = models.CharField(_("name"), max_length=100, blank=True)
    """The person's name as this office wrote it; other offices do not see it."""
    starts = models.DateField(_("from"))
    ends = models.DateField(_("to"), null=True, blank=True)
    invited_at = models.DateTimeField(null=True)
    """When the newest invitation was sent; None: there was none, or it was voided."""

    objects = AppointmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(role="regional", region__isnull=False) | (~Q(role="regional") & Q(region=None)),
                name="a_regional_administrator_has_a_region",
            )
        ]

    def __str__(self) -> str:
        return f"{self.known_as}: {self.get_role_display()}"

    @property
    def known_as(self) -> str:
        return self.name or self.user.email


class FilingKey(models.Model):
    """The key with which programs file to the sections of a region, until it or its appointment ends."""

    appointment = models.ForeignKey(Appointment, on_delete=models.CASCADE, related_name="filing_keys")
    region = models.ForeignKey(Region, on_delete=models.CASCADE, related_name="filing_keys")
    name = models.CharField(_("name"), max_length=60)
    digest = models.CharField(max_length=64, unique=True)
    """The SHA-256 of the key, which is random and stored nowhere."""
    made_on = models.DateField()
    ended_on = models.DateField(null=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.name


class Decision(models.Model):
    """A row of the record: added, never changed (database triggers prevent it)."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="decisions")
    number = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=40)
    """The verb of the service: `submit`, `approve`, `return`, `publish` …"""
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True)
    """None: done by a program (the demo, an import at the command line)."""
    at = models.DateTimeField()
    on = models.DateField()
    about = models.CharField(max_length=120)
    """The object of the decision: `section 2026-017/A`, `list 2026-11-01`."""
    sealed_details = models.JSONField(default=dict)
    """Details, with salted digests in place of words and personal values (`players.seals.seal_details`)."""
    held = models.CharField(max_length=64, blank=True)
    """The digest over what it left of its subject, its rows of `HeldPart`; empty: it changed nothing."""
    hash = models.CharField(max_length=64, blank=True)
    """SHA-256 of the previous hash and this row, which checkpoints sign (`players.seals.compute_hash`)."""

    class Meta:
        ordering = ("-number",)
        constraints = [
            models.UniqueConstraint(fields=["federation", "number"], name="decisions_are_numbered")
        ]
        indexes = [models.Index(fields=["federation", "about"])]

    def __str__(self) -> str:
        return f"{self.kind} {self.about}"

    @property
    def details(self) -> dict[str, Any]:
        """The details with the words in place of digests; withdrawn words are None."""
        words = {each.key: each.value for each in self.words.all()}
        return {
            key: words.get(key) if is_sealed(value) else value for key, value in self.sealed_details.items()
        }


class DecisionWords(models.Model):
    """Words or a personal value of a decision, kept apart so that they can be withdrawn.

    Rows may be deleted, but never changed (a trigger prevents it).
    """

    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="words")
    key = models.CharField(max_length=40)
    salt = models.CharField(max_length=32)
    """16 random bytes in hexadecimal, so that nobody can guess words by their digest."""
    value = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["decision", "key"], name="words_of_a_detail")]

    def __str__(self) -> str:
        return f"{self.decision_id} {self.key}"


class HeldPart(models.Model):
    """The salted digest of a part of the office, such as an event, as a decision left it (`players.held`)."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="+", db_index=False)
    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="held_parts")
    part = models.CharField(max_length=80)
    digest = models.CharField(max_length=64)
    salt = models.CharField(max_length=32, blank=True)
    """Empty once a later decision holds the part: then nobody can try likely values against the digest."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["decision", "part"], name="a_decision_holds_a_part_once")
        ]
        indexes = [
            models.Index(
                fields=["federation", "part"], condition=~Q(salt=""), name="parts_held_by_the_newest"
            )
        ]

    def __str__(self) -> str:
        return f"{self.decision_id}: {self.part}"


class SentForm(models.Model):
    """A form that was sent and created something: sent again, it leads to the same thing."""

    federation = models.ForeignKey(Federation, on_delete=models.CASCADE, related_name="+")
    mark = models.CharField(max_length=64)
    """The digest of what was sent (`players.pages.forms`)."""
    made = models.CharField(max_length=500)
    """What it created, as its service finds it again: a number, codes, a key."""
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["federation", "mark"], name="a_form_makes_one_thing")]

    def __str__(self) -> str:
        return self.made


class LedgerQuerySet(models.QuerySet["Ledger"]):
    def pending(self) -> LedgerQuerySet:
        return self.filter(done__lt=F("wanted"))

    def computed_by_rules(self, rules: str) -> LedgerQuerySet:
        """Ledgers whose stored results are by these rules, with no change agreed; or without results."""
        theirs = Q(rules=rules, agreed_rules__in=("", rules))
        return self.filter(theirs | Q(line=0))


class Ledger(LeasedJob):
    """The state of a federation's journal and its computation, which is pending while `done < wanted`."""

    silence = timedelta(seconds=5)
    federation = models.OneToOneField(Federation, on_delete=models.PROTECT, related_name="ledger")
    wanted = models.PositiveBigIntegerField(default=0)
    done = models.PositiveBigIntegerField(default=0)
    facts = models.PositiveBigIntegerField(default=0)
    """The number of the newest line of the journal."""
    line = models.PositiveBigIntegerField(default=0)
    """The last line of the journal that is computed."""
    rules = models.CharField(max_length=64, blank=True)
    """The hash of the rules by which the stored results were computed; empty: not known yet."""
    agreed_rules = models.CharField(max_length=64, blank=True)
    """The hash of the rules by which everything is to be computed again; empty: none."""
    decisions = models.PositiveBigIntegerField(default=0)
    """The number of the newest decision."""
    signed = models.PositiveBigIntegerField(default=0)
    """The number of signatures: checkpoints, and cosignatures of witnesses."""
    restored_at = models.DateTimeField(null=True)
    """When the office was last restored from a backup."""
    held = models.BooleanField(default=False)
    """Nothing is decided or signed after a restore until somebody says what was signed since the backup."""
    folded = models.PositiveBigIntegerField(default=0)
    """The number of facts that the running recompute has done, of `to_fold`."""
    to_fold = models.PositiveBigIntegerField(default=0)
    not_before = models.DateTimeField(null=True)
    """When a failed recompute is tried again; None: at once."""
    last_error = models.TextField(blank=True)
    finished_at = models.DateTimeField(null=True)

    objects = LedgerQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(done__lte=F("wanted")), name="nothing_done_that_was_not_wanted"
            )
        ]

    def __str__(self) -> str:
        return f"{self.federation}: {self.done} of {self.wanted}"

    @property
    def pending(self) -> bool:
        return self.done < self.wanted

    @property
    def progress(self) -> dict[str, Any]:
        return {"value": self.folded, "max": self.to_fold}


class Letter(models.Model):
    """An e-mail that is not sent yet (`players/mail.py`)."""

    email = models.EmailField()
    kind = models.CharField(max_length=20, blank=True)
    """The key of the composer that writes it when it is sent; empty: subject and text are final."""
    particulars = models.JSONField(default=dict)
    subject = models.CharField(max_length=200, blank=True)
    text = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now)
    due = models.DateTimeField(default=timezone.now, db_index=True)
    """The time of the next attempt."""
    tries = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.kind or 'letter'} {self.pk}"


class LettersOrdered(models.Model):
    """The number of the last decision for which an office's letters were ordered; without a row, none."""

    federation = models.OneToOneField(Federation, on_delete=models.CASCADE, related_name="letters_ordered")
    number = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.federation}: {self.number}"


# ---- The register
SHORTEST_INFIX = 3
"""The letters that a word needs to be searched for inside names."""
ENOUGH_FOUND = 50
"""A page of players. If the beginnings of names find so many, the inside of names is not searched."""
AT_ONCE = 500
"""The number of names whose words are written together."""
NAME_FIELDS = frozenset({"surname", "first_name"})
Named = TypeVar("Named", bound=models.Model)


class NamedQuerySet(models.QuerySet[Named]):
    """Rows with a name. Writing them here also writes the words by which names are found."""

    def bulk_create(self, objs: Iterable[Named], *args: Any, **options: Any) -> list[Named]:
        written = super().bulk_create(objs, *args, **options)
        insert_name_words(written)
        return written

    def update(self, **values: Any) -> int:
        if NAME_FIELDS.isdisjoint(values):
            return super().update(**values)
        keys = list(self.values_list("pk", flat=True))
        count = super().update(**values)
        rows = list(self.model._default_manager.filter(pk__in=keys))
        update_name_words(rows)
        update_sort_keys(row for row in rows if isinstance(row, Player))
        return count


class PlayerQuerySet(NamedQuerySet["Player"]):
    def of(self, federation: Federation) -> PlayerQuerySet:
        return self.filter(federation=federation)

    def current(self) -> PlayerQuerySet:
        """Players that were not merged into another entry."""
        return self.filter(merged_into=None)

    def keys_with_merged(self, player: Player) -> models.QuerySet[Player, Any]:
        """The primary keys of a player and of the entries merged into it, for subqueries.

        A union, because with OR SQLite would scan the register.
        """
        merged = self.filter(merged_into=player.pk).order_by().values("pk")
        return self.filter(pk=player.pk).order_by().values("pk").union(merged)

    def matching(self, text: str, *, inside_too: bool = False, looked_up: bool = False) -> PlayerQuerySet:
        """Search by the beginning of the number, by parts of present or former names, or by both.

        Withheld players are not found by name. `inside_too`, `looked_up`: as in `named`.
        """
        numbers, names = parse_query(text)
        rows = self
        for number in numbers:
            beginning = Q()
            for start in {number, number.lower(), number.upper()}:
                beginning |= Q(number__gte=start, number__lte=start + "9" * 20)
            rows = rows.filter(beginning)
        if numbers and not names:
            return rows
        # Filtered first, so that withheld players do not change what is found of others.
        return rows.filter(withheld=False).named(names, inside_too=inside_too, looked_up=looked_up)

    def named(self, text: str, *, inside_too: bool = False, looked_up: bool = False) -> PlayerQuerySet:
        """Players with a present or former name in which each word of a text begins a word.

        Words may be in any order and alphabet. If nobody is found, one letter of a word may be wrong. If
        still nobody is found (`inside_too`: less than a page), words are also searched for inside names,
        which scans the register; `looked_up` leaves that out. Includes withheld players, for staff.
        """
        parts = fold_words(text)
        if not parts:
            return self.none()
        found = self._with_words(parts)
        if len(parts) > 1:
            found |= self.filter(pk__in=_players_by_keys({fold(text)}))
        enough = ENOUGH_FOUND if inside_too else 1
        first = list(found.order_by().values_list("pk", flat=True)[:enough])
        if not first and any(map(can_have_typo, parts)):
            found = self._with_words(parts, misspelt=True)
            first = list(found.order_by().values_list("pk", flat=True)[:enough])
        if looked_up or len(first) == enough or max(map(len, parts)) < SHORTEST_INFIX:
            return found
        anywhere = Q()
        for part in parts:
            long = len(part) >= SHORTEST_INFIX
            anywhere &= _name_contains(part) if long else Q(pk__in=_players_by_keys({part}))
        later = Case(When(pk__in=first, then=Value(0)), default=Value(1), output_field=IntegerField())
        return self.filter(Q(pk__in=first) | anywhere).alias(inside=later)

    def _with_words(self, parts: Sequence[str], *, misspelt: bool = False) -> PlayerQuerySet:
        """Players in whose name each of the words begins a word, or with `misspelt` is nearly one."""
        players = self
        for part in parts:
            near = keys_with_one_typo(part) if misspelt else ()
            players = players.filter(pk__in=_players_by_keys(key_beginnings_of_word(part), near))
        return players

    def likeliest_first(self, text: str) -> PlayerQuerySet:
        """Order the results of a search by names.

        First the players with exactly that surname, then those with each of several words in full, with a
        surname that begins so, with the one word in full, and the others. Results found by the inside of
        names come last. Equal ones are ordered by name.
        """
        _numbers, names = parse_query(text)
        surname = names.partition(",")[0].strip()
        if not (parts := fold_words(names)):
            return self.order_by("sort_key", "number")
        start = Q(name_key__startswith=fold(names)) | Q(name_key__startswith=fold(surname))
        whole = Q()
        for part in parts:
            whole &= Q(pk__in=_players_by_keys((), key_beginnings_of_word(part)))
        ranks = [Q(surname=surname), Q(name_key=fold(surname))]
        ranks += [whole, start] if len(parts) > 1 else [start, whole]
        cases = [When(condition, then=Value(rank)) for rank, condition in enumerate(ranks)]
        rank = Case(*cases, default=Value(len(ranks)), output_field=IntegerField())
        inside = ["inside"] if "inside" in self.query.annotations else []
        return self.order_by(*inside, rank, "sort_key", "number")


def _name_contains(part: str) -> Q:
    """A condition that a present or former name of a player contains a text."""
    here = Q(name_key__contains=part) | Q(first_name_key__contains=part)
    former = FormerName.objects.filter(here).values(stands=Coalesce("player__merged_into", "player"))
    return here | Q(pk__in=former)


def _players_by_keys(beginnings: Iterable[str], whole: Iterable[str] = ()) -> models.QuerySet[Any, Any]:
    """The ids of players, or of the entries they were merged into, by the keys of words of their names.

    `beginnings`: of keys; `whole`: complete keys.
    """
    begins = Q(key__in=list(whole))
    for beginning in beginnings:
        begins |= Q(key__begins=beginning)
    return NameWord.objects.filter(begins).values(stands=Coalesce("player__merged_into", "player"))


class Player(models.Model):
    """A player of a federation's register. The number is the id in the journal and never changes."""

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
    """The salt of the name's seal in the journal; empty: no name is known."""
    name_seal = models.CharField(max_length=64, blank=True, editable=False)
    """The seal of a name that is unknown: it came with a journal, or the name was deleted."""
    name_key = models.CharField(max_length=120, db_index=True, editable=False)
    """The folded surname (`players.names.fold`)."""
    first_name_key = FoldedNameField("first_name")
    sort_key = NameOrderField()
    club = models.CharField(_("club"), max_length=100, blank=True)
    deceased = models.BooleanField(_("deceased"), default=False)
    merged_into = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="merged"
    )
    """The entry that this one is part of, never itself a merged one (`journal.read_facts`)."""
    withheld = models.BooleanField(default=False)
    """Whether the player asked not to be named, and is shown as “withheld”."""
    registered_on = models.DateField(null=True, blank=True)
    told_apart_by: str = ""
    """What tells the player from namesakes, set for a page (`ratings.disclosure.tell_apart`)."""

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
        if not NAME_FIELDS.isdisjoint(options.get("update_fields") or ()):
            options["update_fields"] = {*options["update_fields"], "sort_key"}
        super().save(*args, **options)
        update_name_words([self])

    @property
    def name(self) -> str:
        return surname_comma_first_name(self.surname, self.first_name)

    @property
    def shown_name(self) -> str:
        name = shown_name(self.name, self.withheld)
        return f"{name} ({self.told_apart_by})" if self.told_apart_by else name

    @property
    def marked_name(self) -> str:
        """The shown name for a page, marked with the office's language if the page has another."""
        named = bool(self.name) and not self.withheld
        return mark_language(self.federation, self.shown_name) if named else self.shown_name

    def get_absolute_url(self) -> str:
        return f"{self.federation.get_absolute_url()}players/{quote(self.number, safe='')}/"


class FormerName(models.Model):
    """A player's former name: used by searches and the matching of files, not shown to the public."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="former_names")
    surname = models.CharField(max_length=100)
    first_name = models.CharField(max_length=100, blank=True)
    name_key = models.CharField(max_length=LONGEST_FOLDED, editable=False)
    first_name_key = FoldedNameField("first_name")
    until = models.DateField()
    """The day on which the name was changed."""

    objects = NamedQuerySet.as_manager()

    class Meta:
        ordering = ("-until", "-pk")
        indexes = [models.Index(fields=["name_key", "player"])]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **options: Any) -> None:
        super().save(*args, **options)
        update_name_words([self])

    @property
    def name(self) -> str:
        return surname_comma_first_name(self.surname, self.first_name)


class NameWord(models.Model):
    """A key of a present or former name by which searches find the player: a word or its sound."""

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="name_words")
    former = models.ForeignKey(FormerName, on_delete=models.CASCADE, null=True, related_name="words")
    """The former name that has the word; None: the present name has it."""
    key = KeyField(max_length=LONGEST_SEARCH)

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
    """Insert the words of new players or new former names."""
    with closing(Spool(NameWord, ("player_id", "former_id", "key"))) as spool:
        for row in rows:
            for word in build_name_words(row):
                former = NULL if word.former_id is None else str(word.former_id)
                spool.add(str(word.player_id), former, escape_copy_text(word.key))
        if spool.rows:
            spool.write()


def update_name_words(rows: Iterable[Any]) -> None:
    """Update the words of players or former names; delete words that are no longer in the name."""
    for some in batches(rows, AT_ONCE):
        former = [row for row in some if isinstance(row, FormerName)]
        players = [row for row in some if isinstance(row, Player)]
        stored = NameWord.objects.filter(Q(former__in=former) | Q(player__in=players, former=None))
        known = {(word.player_id, word.former_id, word.key): word.pk for word in stored}
        now = {
            (word.player_id, word.former_id, word.key): word for row in some for word in build_name_words(row)
        }
        NameWord.objects.filter(pk__in=[key for word, key in known.items() if word not in now]).delete()
        NameWord.objects.bulk_create(row for word, row in now.items() if word not in known)


def update_sort_keys(players: Iterable[Player]) -> None:
    """Update the sort keys of players."""
    for some in batches(players, AT_ONCE):
        models.prefetch_related_objects(some, "federation")
        for player in some:
            player.sort_key = player_sort_key(player)
        Player.objects.bulk_update(some, ["sort_key"])


def build_name_words(row: Any) -> list[NameWord]:
    """Unsaved rows for the words of a player or a former name."""
    former = isinstance(row, FormerName)
    owner = {"player_id": row.player_id, "former_id": row.pk} if former else {"player_id": row.pk}
    return [NameWord(key=key, **owner) for key in sorted(keys_of_name(row.surname, row.first_name))]


class SealedName(models.Model):
    """A name with the salt of its seal in the journal. The row may be deleted; the seal stays."""

    federation = models.ForeignKey(Federation, on_delete=models.CASCADE, related_name="sealed_names")
    seal = models.CharField(max_length=64)
    name = models.CharField(max_length=201)
    salt = models.CharField(max_length=32)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["federation", "seal"], name="one_name_a_seal")]

    def __str__(self) -> str:
        return self.seal


class BirthDate(models.Model):
    """The full date of birth, kept apart from the player because few may see it."""

    player = models.OneToOneField(Player, on_delete=models.CASCADE, related_name="birth_date")
    day = models.DateField(db_index=True)

    def __str__(self) -> str:
        return f"{self.player.number}: {self.day}"


class Identifier(models.Model):
    """A player's id elsewhere: FIDE's, or the handle on a platform."""

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


# ---- Rows with the bytes of a file
class LetGoReason(models.TextChoices):
    """The reason why bytes were deleted; pages complete a sentence with it."""

    DECIDED = "decided", _("the time for appeals and the season after it were over")
    DRAFT = "draft", _("nobody had worked on the section for a long time")
    CALLED_OFF = "called-off", _("its section was cancelled or withdrawn a long time before")
    UNREADABLE = "unreadable", _("it could not be read")
    ARCHIVE = "archive", _("an archive is kept only until its files are with their sections")
    FORGOTTEN = "forgotten", _("the name of whom it is about was deleted")
    TABLE = "table", _("a table is kept only for some time after it was used")


class KeepsBytes(models.Model):
    """A row with a file's bytes, which count towards the limits of its office and region."""

    byte_columns: ClassVar[tuple[str, ...]] = ("content",)
    to_federation: ClassVar[str] = "federation"
    to_region: ClassVar[str] = ""
    """The lookup of the region that filed it; empty: the office itself."""
    let_go_on = models.DateField(null=True)
    """When the bytes were deleted; the rest of the row stays."""
    let_go_because = models.CharField(max_length=10, choices=LetGoReason.choices, blank=True)

    class Meta:
        abstract = True


# ---- Imports into the register
class RegisterImport(LeasedJob, KeepsBytes):
    """An uploaded table of players, its dry run, and the worker's progress.

    Attempts are counted separately for the dry run and for the writing.
    """

    byte_columns = ("content", "reading")
    silence = timedelta(minutes=1)
    """The database may let the worker wait half a minute for a lock."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting to be read")
        READING = "reading", _("being compared")
        UNNAMED = "unnamed", _("columns to be named")
        PLANNED = "planned", _("to be confirmed")
        CONFIRMED = "confirmed", _("waiting to be written")
        WRITING = "writing", _("being written")
        WRITTEN = "written", _("written")
        REFUSED = "refused", _("refused")
        DISCARDED = "discarded", _("discarded")

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="register_imports")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()
    on = models.DateField()
    name = models.CharField(max_length=200)
    """The file's name as given; never used as a path."""
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    content = models.BinaryField(null=True)
    """The uploaded bytes; None once the table was discarded or deleted."""
    takes_numbers = models.BooleanField(default=False)
    """Whether numbers that are not in the register become new players."""
    reading = models.BinaryField(null=True)
    """The content as the sandbox parsed it (`formats.long_table`), compressed."""
    head = models.JSONField(default=dict)
    """The table's headings, sample values, recognised columns and number of rows."""
    naming = models.JSONField(default=dict)
    """What a person said that the columns are (`register_table.Naming`); empty: nothing."""
    opening = models.JSONField(default=dict)
    """For a table of opening ratings: its track, day and source (`register_table.OpeningTerms`)."""
    coming_list = models.JSONField(default=list)
    """For a table of opening ratings: the first rows of the resulting list (`OpeningReader.listed`)."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    progress = models.PositiveSmallIntegerField(default=0)
    """Per cent."""
    reason = models.JSONField(default=dict)
    """Why it was refused or not written: `key` of `register_table.MESSAGES`, `line` and `params`."""
    notices = models.JSONField(default=list)
    counts = models.JSONField(default=dict)
    """The number of rows of the dry run by kind."""
    digest = models.CharField(max_length=64, blank=True)
    """The digest of the confirmed dry run; writing must result in the same."""
    stale = models.BooleanField(default=False)
    """Whether the register changed after somebody confirmed, so that there was a new dry run."""
    leave_out = models.BooleanField(default=False)
    """Whether rows with problems are to be left out."""
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    confirmed_on = models.DateField(null=True)

    class Meta:
        ordering = ("-id",)
        indexes = [models.Index(fields=["state"], name="register_imports_by_state")]

    def __str__(self) -> str:
        return self.name

    @property
    def working(self) -> bool:
        """Whether the table waits for the worker, or the worker is processing it."""
        return self.state in WORKING_STATES

    @property
    def discardable(self) -> bool:
        return self.state in DISCARDABLE_STATES

    @property
    def nameable(self) -> bool:
        """Whether a person may say what the columns are."""
        return self.state in NAMEABLE_STATES

    @property
    def writes(self) -> bool:
        """Whether the table is confirmed and is, or will be, written."""
        return self.state in (self.State.CONFIRMED, self.State.WRITING)


State = RegisterImport.State
DISCARDABLE_STATES = (State.WAITING, State.UNNAMED, State.PLANNED, State.REFUSED)
NAMEABLE_STATES = (State.UNNAMED, State.PLANNED)
WORKING_STATES = (State.WAITING, State.READING, State.CONFIRMED, State.WRITING)


class NamedColumns(models.Model):
    """What a person said the columns of a table are, kept for the next table with these headings."""

    federation = models.ForeignKey(Federation, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=64)
    naming = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["federation", "key"], name="one_naming_a_head")]

    def __str__(self) -> str:
        return self.key


class RegisterLine(models.Model):
    """The effect of one row of an imported table. Private: it contains dates of birth."""

    class Kind(models.TextChoices):
        NEW = "new", _("new")
        CHANGED = "changed", _("changed")
        UNCHANGED = "unchanged", _("unchanged")
        PROBLEM = "problem", _("with problems")

    register_import = models.ForeignKey(
        RegisterImport, on_delete=models.CASCADE, related_name="lines", db_index=False
    )
    line = models.PositiveIntegerField()
    """Counted from 1."""
    kind = models.CharField(max_length=10, choices=Kind.choices)
    player = models.ForeignKey(
        Player, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, null=True, related_name="+"
    )
    number = models.CharField(max_length=30, blank=True)
    """The player's number; empty for a new player who gets the next free one when it is written."""
    name = models.CharField(max_length=201, blank=True)
    changes = models.JSONField(default=dict)
    """Values before and after by column, as in the table."""
    opening = models.JSONField(default=dict)
    """The row's opening rating: `rating`, `games`, and `by` if the player was found by name only."""
    problems = models.JSONField(default=list)
    """Each with `column`, `key` of `register_table.MESSAGES` and `params`."""

    class Meta:
        ordering = ("line",)
        indexes = [
            models.Index(fields=["register_import", "line"], name="register_lines_in_order"),
            models.Index(fields=["register_import", "kind", "line"], name="register_lines_by_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.line}: {self.kind} {self.number}"


# ---- Distinct pairs, transfers and proofs
class PairOfTwo(models.Model):
    """Two entries that an official declared to be two persons, so that they are not offered as doubles."""

    one = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    """The entry with the lower primary key."""
    other = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    on = models.DateField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["one", "other"], name="one_answer_a_pair")]

    def __str__(self) -> str:
        return f"{self.one_id} and {self.other_id}"


class Transfer(models.Model):
    """A player's change of region: requested by either region, decided by an official."""

    class State(models.TextChoices):
        ASKED = "asked", _("asked for")
        GRANTED = "granted", _("granted")
        REFUSED = "refused", pgettext_lazy("a transfer", "refused")
        DONE = "done", _("done")

    OPEN: ClassVar = (State.ASKED, State.GRANTED)
    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="transfers")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="transfers")
    giving = models.ForeignKey(Region, on_delete=models.PROTECT, null=True, related_name="+")
    """The player's region; None: none yet."""
    taking = models.ForeignKey(Region, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=2000, blank=True)
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    asked_on = models.DateField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.ASKED)
    starts = models.DateField(null=True)
    """The day from which a granted transfer applies."""
    answer = models.CharField(max_length=2000, blank=True)
    decided_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    decided_on = models.DateField(null=True)

    class Meta:
        ordering = ("-pk",)
        constraints = [
            models.UniqueConstraint(
                fields=["player"],
                condition=models.Q(state__in=("asked", "granted")),
                name="one_open_transfer_a_player",
            )
        ]

    def __str__(self) -> str:
        return f"{self.player_id}: {self.taking_id}"


class ProofFile(KeepsBytes):
    """A file that proves a correction, or supports a transfer."""

    class Kind(models.TextChoices):
        PDF = "pdf", _("PDF")
        JPEG = "jpg", _("JPEG")
        PNG = "png", _("PNG")

    to_region = "region"
    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="proof_files")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="proof_files")
    region = models.ForeignKey(Region, on_delete=models.PROTECT, null=True, related_name="+")
    """The region that attached it; None: an official did."""
    transfer = models.ForeignKey(Transfer, on_delete=models.PROTECT, null=True, related_name="proof_files")
    decision = models.PositiveBigIntegerField()
    """The number of the decision, whose details have the file's SHA-256."""
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    on = models.DateField()
    name = models.CharField(max_length=60)
    """The file name for downloads, given by the office."""
    kind = models.CharField(max_length=3, choices=Kind.choices)
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    content = models.BinaryField(null=True)
    """None once it was deleted."""

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.name
