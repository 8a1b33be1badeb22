"""Models of the office: people who sign in, federations, regions, appointments, the record, the register.

Also the lease by which workers take jobs, and the models of letters, tables of the register, transfers and
files that prove something.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from urllib.parse import quote
from uuid import uuid4

import structlog
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import InterfaceError, OperationalError, connection, models, transaction
from django.db.models import Case, F, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce
from django.urls import get_script_prefix
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from players.names import (
    LONGEST,
    LONGEST_SEARCH,
    FoldedNameField,
    KeyField,
    NameOrderField,
    fold,
    full_name,
    keys_near,
    keys_of_name,
    keys_of_word,
    name_order_of,
    shown_name,
    sort_key,
    taken_apart,
    words,
)
from players.seals import is_sealed, new_salt
from players.storage import NULL, Spool, batches, escaped
from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of

if TYPE_CHECKING:
    from ratings.rulesets.profile import Equipment, Publication
    from ratings.rulesets.ruleset import Ruleset


# ---- The lease of a job. The row is the job; its lease says which worker has it, and how many have tried.
#
# A worker claims the row, which counts the attempt; beats while it works; and releases the row together with
# what came of it. A worker that is silent for too long has died, and the next one takes the row over. A job
# at which `MOST_ATTEMPTS` workers died is at fault itself, and whoever claims it next gives it up. A
# database that is busy or away is the fault of no job: the worker gives the attempt back.
log = structlog.get_logger("players.models")
MOST_ATTEMPTS = 2
DATABASE_TROUBLE = (OperationalError, InterfaceError)
"""Errors that Django raises where the database is busy, full or away."""
PATIENCE = 300.0
"""Seconds for which an attempt is given back again and again: no transaction may hang longer (`settings`)."""
PAUSE = 1.0
"""Seconds between two tries to give an attempt back."""
AHEAD = timedelta(seconds=30)
"""A sign of life that lies further ahead is of a clock that was set since: nobody would ever outwait it."""
_BEAT = timedelta(seconds=0.5)


class LeasedJob(models.Model):
    """A row that one worker at a time works on."""

    silence: ClassVar[timedelta]
    """A worker silent for longer is dead, unless its transaction holds the row (`hold`)."""
    holder = models.UUIDField(null=True)
    """The number that the worker drew at its claim; None while nobody works on it."""
    heartbeat = models.DateTimeField(null=True)
    """The worker's last sign of life; None while nobody works on it."""
    attempts = models.PositiveSmallIntegerField(default=0)
    """The number of claims, counted before the work, so that a worker that was killed counts too."""

    class Meta:
        abstract = True


Job = TypeVar("Job", bound=LeasedJob)


def free(jobs: QuerySet[Job]) -> QuerySet[Job]:
    """Keep the jobs that nobody works on: not begun, given back, or left behind by a dead worker."""
    now = timezone.now()
    silent, ahead = Q(heartbeat__lt=now - jobs.model.silence), Q(heartbeat__gt=now + AHEAD)
    return jobs.filter(Q(heartbeat=None) | silent | ahead)


def claim(jobs: QuerySet[Job], key: int, *, queue: bool = False, **fields: Any) -> Job | None:
    """Take the job with this key, if it is one of `jobs` and free; None if it cannot be had.

    One statement decides between all who want it, counts the attempt and sets `fields`. A row that another
    transaction holds is not to be had either, unless the caller queues behind it.
    """
    holder = uuid4()
    wanted = free(jobs).filter(pk=key)
    with transaction.atomic():
        if not queue:
            rows = jobs.model._default_manager.select_for_update(skip_locked=True)
            wanted = wanted.filter(pk__in=rows.filter(pk=key).values("pk"))
        attempts = F("attempts") + 1
        wanted.update(holder=holder, heartbeat=timezone.now(), attempts=attempts, **fields)
    return jobs.filter(pk=key, holder=holder).first()


def mine(job: Job) -> QuerySet[Job]:
    """The row of a job, as long as it is this worker's: nobody else claimed it and it was not released."""
    rows: QuerySet[Job] = type(job)._default_manager.all()
    return rows.filter(pk=job.pk, holder=job.holder, heartbeat__isnull=False)


def hold(job: LeasedJob) -> bool:
    """Whether a job is still this worker's; if so its row is locked until the transaction ends."""
    return mine(job).select_for_update().values_list("pk").first() is not None


def beat(job: LeasedJob, **fields: Any) -> None:
    """Give a worker's sign of life for a job, and set `fields`, if the job is still this worker's."""
    mine(job).update(heartbeat=timezone.now(), **fields)


class Pulse:
    """Gives the signs of life of one job, twice a second at most, for work that reports far more often."""

    def __init__(self, job: LeasedJob) -> None:
        self.job, self.last = job, timezone.now()

    def beat(self, **fields: Any) -> bool:
        """Give a sign of life and set `fields`, if the last is half a second ago; return whether it was."""
        now = timezone.now()
        if now - self.last < _BEAT:
            return False
        self.last = now
        beat(self.job, **fields)
        return True


def release(job: LeasedJob, **fields: Any) -> bool:
    """End a worker's lease, and set `fields`; return False, with nothing set, if it is another's by now."""
    return bool(mine(job).update(holder=None, heartbeat=None, **fields))


def give_back(job: LeasedJob, **fields: Any) -> None:
    """Release a job that the database failed, and take the attempt off its count.

    A database that is still busy or away is asked until it answers, for as long as `PATIENCE`: an attempt
    that stays counted would be held against the job.
    """
    log.warning(
        "the database failed a job", job=job._meta.label, key=job.pk, attempt=job.attempts, exc_info=True
    )
    until = time.monotonic() + PATIENCE
    while True:
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
        try:
            return _return_attempt(job, fields)
        except DATABASE_TROUBLE:
            if time.monotonic() > until:
                raise
            time.sleep(PAUSE)


@transaction.atomic
def _return_attempt(job: LeasedJob, fields: dict[str, Any]) -> None:
    # Whoever took the job over meanwhile took this worker for dead: the attempt goes back there too.
    rows = type(job)._default_manager.filter(pk=job.pk, attempts__gt=0)
    rows.update(attempts=F("attempts") - 1)
    release(job, **fields)


# ---- The office, its people and its record.
class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, *, name: str = "") -> User:
        user = self.model(email=self.normalize_email(email).lower(), name=name)
        user.set_password(password)
        user.save(using=self._db)
        return user


class User(AbstractBaseUser):
    """A person who signs in. What they may do stands in their appointments."""

    email = models.EmailField(_("e-mail address"), unique=True)
    name = models.CharField(_("name"), max_length=100, blank=True)
    is_active = models.BooleanField(default=True)
    joined = models.DateTimeField(auto_now_add=True)
    session_number = models.PositiveIntegerField(default=0)
    """Raised to end every session of the person."""
    language = models.CharField(_("language of letters"), max_length=10, blank=True, default="")
    """The language of pages for the person, and of letters; empty: none was chosen."""

    objects: ClassVar[UserManager] = UserManager()
    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    def __str__(self) -> str:
        return self.name or self.email

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        mark = f"{self.password}:{self.session_number}"
        return salted_hmac("players.User.sessions", mark, secret=secret, algorithm="sha256").hexdigest()


class Federation(models.Model):
    """One office: a federation whose regulations apply, and its own settings."""

    code = models.SlugField(_("code"), max_length=20, unique=True)
    name = models.CharField(_("name"), max_length=100)
    ruleset_slug = models.CharField(_("ruleset"), max_length=40)
    accent = models.PositiveSmallIntegerField(default=1)
    settings = models.JSONField(default=dict, blank=True)
    """The office's switches: see `players.settings.Settings`."""
    next_player_number = models.PositiveBigIntegerField(default=101000001)
    demo = models.BooleanField(default=False)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name

    @property
    def language(self) -> str:
        """The language in which the office speaks to whoever chose none: its federation's."""
        own = settings.OFFICE_LANGUAGE or self.equipment.office.language
        return own if own in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE

    @property
    def ruleset(self) -> Ruleset:
        return rulesets()[self.ruleset_slug]

    @property
    def equipment(self) -> Equipment:
        """The office's part beside the law: its ways of working, and its publication."""
        return equipment_of(self.ruleset)

    @property
    def publication(self) -> Publication:
        """The office's part for readers: what they see of ratings, and in which form."""
        return self.equipment.publication

    @cached_property
    def regions_by_key(self) -> dict[int, Region]:
        """The regions by their keys in the database, in the order of their codes; without the office, which
        pages would keep with them.
        """
        regions = Region.objects.filter(federation_id=self.pk).order_by("code")
        return {each.pk: each for each in regions}

    @cached_property
    def region_names(self) -> list[tuple[str, str]]:
        """Code and name of each region, by name in the order of the office's language."""
        rows = [(each.code, each.name) for each in self.regions_by_key.values()]
        return sorted(rows, key=lambda row: sort_key(row[1], "", self.equipment.office.language))

    @property
    def regional(self) -> bool:
        """Whether there are several regions; a single one is the federation itself and is not named."""
        return len(self.region_names) > 1

    def get_absolute_url(self) -> str:
        return f"{get_script_prefix()}{self.code}/"


class Region(models.Model):
    """A region, which files events. A federation without regions has one, itself."""

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
        """Appointments in force on a day, both ends included."""
        return self.filter(Q(starts__lte=day), Q(ends=None) | Q(ends__gte=day))

    def ending_after(self, day: date) -> AppointmentQuerySet:
        """Appointments in force on a day or later: none that was ended before it began."""
        return self.filter(Q(ends=None) | Q(ends__gte=day) & Q(ends__gte=F("starts")))

    def ended_before(self, day: date) -> AppointmentQuerySet:
        return self.filter(ends__lt=day)

    def names(self, key: str = "user_id") -> dict[int, str]:
        """The name of each person as appointed last, by the person's key; with `pk`, by the appointment's."""
        return {getattr(each, key): each.known_as for each in self.select_related("user").order_by("pk")}


class Appointment(models.Model):
    """A person's role in a federation, or in one of its regions, from a day to a day."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="appointments")
    role = models.CharField(_("role"), max_length=20, choices=Role.choices)
    federation = models.ForeignKey(Federation, on_delete=models.CASCADE, related_name="appointments")
    region = models.ForeignKey(Region, on_delete=models.CASCADE, null=True, blank=True)
    name = models.CharField(_("name"), max_length=100, blank=True)
    """The person's name as this office wrote it: what another office wrote stays there."""
    starts = models.DateField(_("from"))
    ends = models.DateField(_("to"), null=True, blank=True)
    invited_at = models.DateTimeField(null=True)
    """The moment of the newest invitation; None: there was none, or it was made void."""

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


class Handover(models.Model):
    """A successor's taking over of what is open with the holder of an appointment: at once, or on the first
    day on which the successor is in office.
    """

    federation = models.ForeignKey(Federation, on_delete=models.CASCADE, related_name="handovers")
    appointment = models.ForeignKey(Appointment, on_delete=models.CASCADE, related_name="handovers")
    to = models.ForeignKey(Appointment, on_delete=models.CASCADE, related_name="taken_over")
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    on = models.DateField()
    done_on = models.DateField(null=True)
    """The day on which it was carried out; None: the successor is still to begin."""

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["appointment"], condition=Q(done_on=None), name="one_handover_waits_an_appointment"
            )
        ]

    def __str__(self) -> str:
        return f"{self.appointment_id} to {self.to_id}"


class Decision(models.Model):
    """One thing that a person decided: rows are added, never changed (database triggers refuse it)."""

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="decisions")
    number = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=40)
    """The verb of the service: `submit`, `approve`, `return`, `publish` …"""
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True)
    """None: done by the office's own programs (the demo, an import at the command line)."""
    at = models.DateTimeField()
    on = models.DateField()
    about = models.CharField(max_length=120)
    """The object of the decision: `section 2026-017/A`, `list 2026-11-01`."""
    sealed_details = models.JSONField(default=dict)
    """Further details; words and personal values are salted digests here
    (`record_chain_and_sealed_words.sealed`).
    """
    hash = models.CharField(max_length=64, blank=True)
    """SHA-256 over the previous hash and this row, which checkpoints sign
    (`record_chain_and_sealed_words.hash_of`).
    """

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
        """The decision's details with their words in place of digests; words that were withdrawn are None."""
        words = {each.key: each.value for each in self.words.all()}
        return {
            key: words.get(key) if is_sealed(value) else value for key, value in self.sealed_details.items()
        }


class DecisionWords(models.Model):
    """Words or a personal value of a decision, kept apart so that they can be withdrawn: a row may be
    deleted, never changed (a trigger refuses it).
    """

    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="words")
    key = models.CharField(max_length=40)
    salt = models.CharField(max_length=32)
    """16 random bytes in hexadecimal: without them nobody can try words against the digest."""
    value = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["decision", "key"], name="words_of_a_detail")]

    def __str__(self) -> str:
        return f"{self.decision_id} {self.key}"


class SentForm(models.Model):
    """A form that was sent and made something: sent again, it leads to what it made."""

    federation = models.ForeignKey(Federation, on_delete=models.CASCADE, related_name="+")
    mark = models.CharField(max_length=64)
    """The digest of what was sent (`players.pages.forms`)."""
    made = models.CharField(max_length=500)
    """The thing made, as its service finds it again: a number, codes, a key."""
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["federation", "mark"], name="a_form_makes_one_thing")]

    def __str__(self) -> str:
        return self.made


class LedgerQuerySet(models.QuerySet["Ledger"]):
    def pending(self) -> LedgerQuerySet:
        return self.filter(done__lt=F("wanted"))

    def of_rules(self, rules: str) -> LedgerQuerySet:
        """Keep ledgers whose stored results are of these rules, and to stay so; or that have none yet."""
        theirs = Q(rules=rules, agreed_rules__in=("", rules))
        return self.filter(theirs | Q(line=0))


class Ledger(LeasedJob):
    """Work still to be computed for a federation: pending while `done < wanted`."""

    silence = timedelta(seconds=5)
    federation = models.OneToOneField(Federation, on_delete=models.PROTECT, related_name="ledger")
    wanted = models.PositiveBigIntegerField(default=0)
    done = models.PositiveBigIntegerField(default=0)
    facts = models.PositiveBigIntegerField(default=0)
    """Lines in the journal: the number of the newest fact."""
    line = models.PositiveBigIntegerField(default=0)
    """The line of the journal up to which the fold has come."""
    rules = models.CharField(max_length=64, blank=True)
    """The hash of the rules by which the stored results were folded; empty: not known yet."""
    agreed_rules = models.CharField(max_length=64, blank=True)
    """The hash of the rules by which everything is to be folded anew; empty: by none."""
    decisions = models.PositiveBigIntegerField(default=0)
    """The number of the newest decision."""
    signed = models.PositiveBigIntegerField(default=0)
    """The number of signatures: checkpoints, and cosignatures of witnesses."""
    restored_at = models.DateTimeField(null=True)
    """The moment at which the office was last put back from a backup."""
    held = models.BooleanField(default=False)
    """Put back from a backup, and nobody has said yet what was signed since: nothing is decided or signed."""
    folded = models.PositiveBigIntegerField(default=0)
    """The number of facts that the running recompute has folded, out of `to_fold`."""
    to_fold = models.PositiveBigIntegerField(default=0)
    not_before = models.DateTimeField(null=True)
    """The moment from which a failed recompute is tried again; None: at once."""
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
    """A letter by e-mail that was ordered and is not yet sent (`players/mail.py`)."""

    email = models.EmailField()
    kind = models.CharField(max_length=20, blank=True)
    """The composer that writes it when it is sent; empty: it goes as it stands."""
    particulars = models.JSONField(default=dict)
    subject = models.CharField(max_length=200, blank=True)
    text = models.TextField(blank=True)
    at = models.DateTimeField(default=timezone.now)
    due = models.DateTimeField(default=timezone.now, db_index=True)
    """The time of the next try."""
    tries = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.kind or 'letter'} {self.pk}"


class LetterSwitch(models.Model):
    """A kind of letters that a person has switched off; without a row they come."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="letters_switched_off")
    kind = models.CharField(max_length=20)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "kind"], name="a_kind_is_switched_off_once")]

    def __str__(self) -> str:
        return self.kind


class LettersOrdered(models.Model):
    """The number of the decision up to which an office's letters were ordered; without a row, none."""

    federation = models.OneToOneField(Federation, on_delete=models.CASCADE, related_name="letters_ordered")
    number = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.federation}: {self.number}"


# ---- The register's models: players, their sealed names, dates of birth, and ids given by others.
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
            # Whether a player's number begins so, in small or capital letters.
            found = Q()
            for start in {number, number.lower(), number.upper()}:
                found |= Q(number__gte=start, number__lte=start + "9" * 20)
            rows = rows.filter(found)
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
        # Whether each of some words is one of a name, as it is spelt or as it sounds.
        whole = Q()
        for part in parts:
            whole &= Q(pk__in=bearing((), keys_of_word(part)))
        ranks = [Q(surname=surname), Q(name_key=fold(surname))]
        ranks += [whole, start] if len(parts) > 1 else [start, whole]
        nearness = [When(said, then=Value(rank)) for rank, said in enumerate(ranks)]
        later = Case(*nearness, default=Value(len(ranks)), output_field=IntegerField())
        inside = ["inside"] if "inside" in self.query.annotations else []
        return self.order_by(*inside, later, "sort_key", "number")


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
    """The folded surname (`players.names.fold`), by which matching looks up first."""
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


# ---- Rows that keep the bytes of a file.
class LetGoReason(models.TextChoices):
    """The reason for which bytes were deleted: the end of the sentence that pages say."""

    DECIDED = "decided", _("the time for appeals and the season after it were over")
    DRAFT = "draft", _("nobody had worked on the section for a long time")
    CALLED_OFF = "called-off", _("its section was cancelled or withdrawn a long time before")
    UNREADABLE = "unreadable", _("it could not be read")
    ARCHIVE = "archive", _("an archive is kept only until its files are with their sections")
    FORGOTTEN = "forgotten", _("the name of whom it is about was deleted")
    TABLE = "table", _("a table is kept only for some time after it was used")


class KeepsBytes(models.Model):
    """A row that keeps a file's bytes, which count against the limits of its office and its region."""

    byte_columns: ClassVar[tuple[str, ...]] = ("content",)
    to_federation: ClassVar[str] = "federation"
    to_region: ClassVar[str] = ""
    """The path to the region that filed it; empty: the office's own."""
    let_go_on = models.DateField(null=True)
    """The day on which the bytes were deleted by the rule of retention; the rest of the row stays."""
    let_go_because = models.CharField(max_length=10, choices=LetGoReason.choices, blank=True)

    class Meta:
        abstract = True


# ---- A table that is to change the register: the row is the job, and its lines tell what each row would do.
class RegisterImport(LeasedJob, KeepsBytes):
    """A table of players as uploaded, its dry run, and the worker's progress with either.

    Attempts are counted at the dry run, and anew at the writing.
    """

    byte_columns = ("content", "reading")
    silence = timedelta(minutes=1)
    """A worker gives two signs a second, and the database may let it wait half a minute for a lock."""

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
    """The uploaded bytes; None once the table was discarded or let go."""
    takes_numbers = models.BooleanField(default=False)
    """Whether a number that the register does not know is a new player's."""
    reading = models.BinaryField(null=True)
    """The box's reading of the content (`formats.long_table`), compressed: it is opened there only once."""
    head = models.JSONField(default=dict)
    """The table's headings, a few values of each column, what the columns were taken for, and its rows."""
    naming = models.JSONField(default=dict)
    """A person's word on the columns (`named_columns.Naming`); empty: nobody had to say anything."""
    opening = models.JSONField(default=dict)
    """For a table of opening ratings: its track, day and source (`openings.OpeningTerms`); else empty."""
    coming_list = models.JSONField(default=list)
    """For such a table: the first rows of the list that would come out (`OpeningReader.listed`)."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    progress = models.PositiveSmallIntegerField(default=0)
    """Per cent of the work done."""
    reason = models.JSONField(default=dict)
    """The reason why it was refused or not written: a key of `problem_messages`, with `line` and `params`."""
    notices = models.JSONField(default=list)
    counts = models.JSONField(default=dict)
    """The number of rows of the dry run by kind."""
    digest = models.CharField(max_length=64, blank=True)
    """The digest of the whole dry run: a person confirms it, and writing must give it again."""
    stale = models.BooleanField(default=False)
    """Whether the register changed after somebody confirmed, so that this is a new dry run."""
    leave_out = models.BooleanField(default=False)
    """Whether the person who confirmed chose to go on without the rows that have problems."""
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
        """Whether the table waits for the worker, or the worker is at it."""
        return self.state in WORKING

    @property
    def discardable(self) -> bool:
        """Whether a person may discard the table: nobody works on it, and nothing of it is written."""
        return self.state in DISCARDABLE

    @property
    def nameable(self) -> bool:
        """Whether a person may say what the columns hold."""
        return self.state in NAMEABLE

    @property
    def writes(self) -> bool:
        """Whether the table is confirmed, and waits to be written or is being written."""
        return self.state in (self.State.CONFIRMED, self.State.WRITING)


State = RegisterImport.State
DISCARDABLE = (State.WAITING, State.UNNAMED, State.PLANNED, State.REFUSED)
NAMEABLE = (State.UNNAMED, State.PLANNED)
WORKING = (State.WAITING, State.READING, State.CONFIRMED, State.WRITING)


class NamedColumns(models.Model):
    """A naming of a table's columns, remembered for the next table with these headings."""

    federation = models.ForeignKey(Federation, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=64)
    naming = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["federation", "key"], name="one_naming_a_head")]

    def __str__(self) -> str:
        return self.key


class RegisterLine(models.Model):
    """The effect of one row of an imported table on the register. Private: it holds births."""

    class Kind(models.TextChoices):
        NEW = "new", _("new")
        CHANGED = "changed", _("changed")
        UNCHANGED = "unchanged", _("unchanged")
        PROBLEM = "problem", _("with problems")

    register_import = models.ForeignKey(
        RegisterImport, on_delete=models.CASCADE, related_name="lines", db_index=False
    )
    line = models.PositiveIntegerField()
    """The line of the file, counted from 1."""
    kind = models.CharField(max_length=10, choices=Kind.choices)
    player = models.ForeignKey(
        Player, on_delete=models.DO_NOTHING, db_constraint=False, db_index=False, null=True, related_name="+"
    )
    number = models.CharField(max_length=30, blank=True)
    """The player's number, or the one for a new player; empty until written: the next free one."""
    name = models.CharField(max_length=201, blank=True)
    changes = models.JSONField(default=dict)
    """Before and after by column, as the table writes them."""
    opening = models.JSONField(default=dict)
    """The opening that the row brings: `rating`, `games`; `by`: who it is was told by the name alone."""
    problems = models.JSONField(default=list)
    """Problems, each with `column`, `key` of `problem_messages.PROBLEMS` and `params`."""

    class Meta:
        ordering = ("line",)
        indexes = [
            models.Index(fields=["register_import", "line"], name="register_lines_in_order"),
            models.Index(fields=["register_import", "kind", "line"], name="register_lines_by_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.line}: {self.kind} {self.number}"


# ---- Questions about people of the register that were answered: pairs of two persons, and transfers.
class PairOfTwo(models.Model):
    """Two entries of which an official said that they are two persons: not offered as doubles again."""

    one = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    """The entry with the lower key."""
    other = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    on = models.DateField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["one", "other"], name="one_answer_a_pair")]

    def __str__(self) -> str:
        return f"{self.one_id} and {self.other_id}"


class Transfer(models.Model):
    """A player's change from one region to another: asked for by either region, decided by an official."""

    class State(models.TextChoices):
        ASKED = "asked", _("asked for")
        GRANTED = "granted", _("granted")
        REFUSED = "refused", pgettext_lazy("a transfer", "refused")
        DONE = "done", _("done")

    OPEN: ClassVar = (State.ASKED, State.GRANTED)
    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="transfers")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="transfers")
    giving = models.ForeignKey(Region, on_delete=models.PROTECT, null=True, related_name="+")
    """The region that the player belongs to; None: to none yet."""
    taking = models.ForeignKey(Region, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=2000, blank=True)
    asked_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    asked_on = models.DateField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.ASKED)
    starts = models.DateField(null=True)
    """The day from which a granted transfer holds."""
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
    """A file that proves a correction, or for what a transfer is asked."""

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
    """The number of the decision that it proves, which names its SHA-256."""
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    on = models.DateField()
    name = models.CharField(max_length=60)
    """The name under which it is handed out: the office's own."""
    kind = models.CharField(max_length=3, choices=Kind.choices)
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    content = models.BinaryField(null=True)
    """The bytes as they came; None once they were let go."""

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.name
