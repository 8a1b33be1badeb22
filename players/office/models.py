"""Models of the office: people who sign in, federations, regions, appointments, the record, the ledger."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models
from django.db.models import F, Q
from django.urls import get_script_prefix
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from players.languages.name_order import sort_key
from players.office.job_lease import LeasedJob
from players.office.record_chain_and_sealed_words import is_sealed
from ratings.equipment.find_equipment import equipment_of
from ratings.rulesets import rulesets

if TYPE_CHECKING:
    from ratings.equipment.find_equipment import Equipment
    from ratings.equipment.publication_profile import Publication
    from ratings.law.ruleset import Ruleset


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
    """The office's switches: see `players.office.settings_schema.Settings`."""
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
    """The digest of what was sent (`players.pages.sent_once`)."""
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
    """A letter by e-mail that was ordered and is not yet sent (`players/office/mail/letters.py`)."""

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
