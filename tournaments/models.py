"""Play as it is filed, and the work on it: events, sections and their rows, files, reviews, cases, histories.

Permissions, corrections and appeals stand here too. Words that are said of a section stand in the record of
decisions alone; those of a case, and its mail address, stand in the rows of the case alone.
"""

from __future__ import annotations

import hashlib
from datetime import date, timedelta
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Concat
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy, pgettext_lazy

from players.access import Permission, Rights
from players.models import Decision, DecisionWords, Federation, KeepsBytes, LeasedJob, Player, Region, User
from players.names import full_name


class AnnouncedChange(models.Model):
    """The part of events and sections that tells everybody of a change after the registration."""

    notice = models.TextField(blank=True)
    """The reason, in words for everybody; empty: nothing was announced. A copy: pages show the words of the
    record, where they can be withdrawn (`tournaments.announcements`).
    """
    notice_on = models.DateField(null=True)
    first_starts = models.DateField(null=True)
    """The first day as it was announced at first; None: it was never postponed."""
    first_ends = models.DateField(null=True)

    class Meta:
        abstract = True

    @property
    def postponed(self) -> bool:
        return self.first_starts is not None

    @property
    def first_days(self) -> tuple[date | None, date | None]:
        """The days announced at first, which a page tells once where a section has those of its event."""
        return self.first_starts, self.first_ends

    def announce(self, reason: str, on: date) -> None:
        """Keep the words for everybody, with their day; whoever calls saves them."""
        self.notice, self.notice_on = reason, on


# ---- Events and sections, their entries, games and byes, and the findings on them.
class EventQuerySet(models.QuerySet["Event"]):
    def within(self, rights: Rights, permission: Permission) -> EventQuerySet:
        """Events on which a person may use a permission: everywhere, or in their regions only."""
        events = self.filter(federation=rights.federation)
        if permission in rights.everywhere:
            return events
        return events.filter(region__in=rights.regions_for(permission))

    def not_withdrawn(self) -> EventQuerySet:
        """Events that stand in the calendar; a cancelled one does, for those who would travel to it."""
        return self.exclude(state=Event.State.WITHDRAWN)


class Event(AnnouncedChange):
    """One competition as filed; each of its sections is rated by itself."""

    class State(models.TextChoices):
        PLANNED = "planned", gettext_lazy("planned")
        CANCELLED = "cancelled", gettext_lazy("cancelled")
        WITHDRAWN = "withdrawn", gettext_lazy("withdrawn")

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="events")
    number = models.CharField(gettext_lazy("number"), max_length=20)
    name = models.CharField(gettext_lazy("name"), max_length=100)
    place = models.CharField(gettext_lazy("place"), max_length=100, blank=True)
    region = models.ForeignKey(
        Region, on_delete=models.PROTECT, verbose_name=gettext_lazy("region"), related_name="events"
    )
    country = models.CharField(gettext_lazy("country"), max_length=3, blank=True)
    """Empty: the federation's own."""
    starts = models.DateField(gettext_lazy("first day"))
    ends = models.DateField(gettext_lazy("last day"))
    organizer = models.CharField(gettext_lazy("organizer"), max_length=200, blank=True)
    arbiters = models.JSONField(default=list, blank=True)
    """In order of appointment: `{"name", "title", "id"}`; `file`: the section whose file alone names one."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.PLANNED)
    version = models.PositiveIntegerField(default=0)
    """Raised by every change of the event itself: a service refuses what was decided on an older page."""
    registered_on = models.DateField()
    registered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )

    objects = EventQuerySet.as_manager()

    class Meta:
        ordering = ("-starts", "-number")
        constraints = [
            models.UniqueConstraint(fields=["federation", "number"], name="one_event_a_number"),
            models.CheckConstraint(
                condition=Q(ends__gte=models.F("starts")), name="event_ends_after_it_starts"
            ),
        ]
        indexes = [models.Index(fields=["federation", "-starts"])]

    def __str__(self) -> str:
        return self.name

    @property
    def named_on_record(self) -> str:
        """The words by which decisions name it."""
        return f"event {self.number}"

    def get_absolute_url(self) -> str:
        return f"{self.federation.get_absolute_url()}events/{quote(self.number, safe='')}/"


class Stage(models.TextChoices):
    REGISTERED = "registered", gettext_lazy("registered")
    FILED = "filed", gettext_lazy("filed")
    SUBMITTED = "submitted", gettext_lazy("submitted")
    RATED = "rated", gettext_lazy("rated")
    RETURNED = "returned", gettext_lazy("returned")
    REFUSED = "refused", gettext_lazy("refused")
    UNRATED = "unrated", gettext_lazy("un-rated")
    CANCELLED = "cancelled", gettext_lazy("cancelled")
    WITHDRAWN = "withdrawn", gettext_lazy("withdrawn")


NOT_PLAYED = (Stage.CANCELLED, Stage.WITHDRAWN)
"""The stages of sections for which nobody waits: they were called off, or were one too many."""

OPEN_TO_FILING = (Stage.REGISTERED, Stage.FILED, Stage.RETURNED, Stage.UNRATED)
"""The stages in which the region may upload, complete and submit."""

WITH_THE_OFFICE = (Stage.SUBMITTED, Stage.RATED)
"""The stages of sections that the office reviews, or has rated: what their event says of them stays."""


IN_RATED = Q(section__stage__range=(Stage.RATED, Stage.RATED))
"""The condition that the section of an entry or a game is rated. As a range: asked for one stage, SQLite,
which does not count sections, walks through all that are rated to find a player's few.
"""


class SectionQuerySet(models.QuerySet["Section"]):
    def within(self, rights: Rights, permission: Permission) -> SectionQuerySet:
        """Sections of events on which a person may use a permission."""
        return self.filter(event__in=Event.objects.within(rights, permission))

    def awaiting_review(self) -> SectionQuerySet:
        """Sections that wait for an official, the longest first."""
        return self.filter(stage=Stage.SUBMITTED).order_by("submitted_on", "pk")

    def with_the_region(self) -> SectionQuerySet:
        """Sections that wait for the region that files them."""
        return self.filter(stage__in=OPEN_TO_FILING)

    def not_withdrawn(self) -> SectionQuerySet:
        """Sections that the public pages list."""
        return self.exclude(stage=Stage.WITHDRAWN)


class Section(AnnouncedChange):
    """A group within an event that is rated by itself."""

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="sections")
    code = models.CharField(gettext_lazy("code"), max_length=20)
    name = models.CharField(gettext_lazy("name"), max_length=100)
    stage = models.CharField(max_length=12, choices=Stage.choices, default=Stage.REGISTERED)
    version = models.PositiveIntegerField(default=0)
    """Raised by every decision: a service refuses what was decided on an older page."""
    stage_before = models.CharField(max_length=12, blank=True)
    """The stage to which a cancelled section comes back when it is taken up again."""
    closed_with_event = models.BooleanField(default=False)
    """Whether it was cancelled or withdrawn with its whole event, and so comes back with it."""
    starts = models.DateField(gettext_lazy("first day"))
    ends = models.DateField(gettext_lazy("last day"))
    format = models.CharField(gettext_lazy("format"), max_length=20)
    rounds = models.PositiveSmallIntegerField(gettext_lazy("scheduled rounds"), null=True)
    finals = models.JSONField(default=list, blank=True)
    """The names of rounds beside the scheduled ones, such as finals: their games have the next numbers."""
    team = models.BooleanField(gettext_lazy("team section"), default=False)
    particulars = models.JSONField(default=dict, blank=True)
    """The ruleset's own fields by name, as its journal writes them (`{"platform": "otb", …}`)."""
    round_dates = models.JSONField(default=list, blank=True)
    """ISO days, one a round; None where not known."""
    id_kind = models.CharField(max_length=30, blank=True)
    """The kind of the ids in the file's id column, as a person said (`tournaments.matching`)."""
    hints = models.JSONField(default=dict, blank=True)
    """Suggestions of the file that nobody has confirmed yet: `place`, `id_kind`."""
    permissions = models.JSONField(default=list, blank=True)
    """Permissions of the office: `{"clause", "reason"}`."""
    before_play = models.JSONField(default=dict, blank=True)
    """The first decision where it is not the admission (`tournaments.before_play`)."""
    remarks = models.TextField(gettext_lazy("remarks"), blank=True)
    """The reason of a return, a refusal or an un-rating: what the region is to do."""
    notice_read_at = models.DateTimeField(null=True)
    """The moment at which the region first opened the page of a section that was returned or refused."""
    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    registered_on = models.DateField(null=True)
    """None: registered with its event."""
    filed_on = models.DateField(null=True)
    """The day of the first file that could be read."""
    submitted_on = models.DateField(null=True)
    first_rated_submission = models.DateField(null=True)
    """The day of the submission that the office rated first, once that rating was taken back: no correction
    after that is late.
    """
    rated_on = models.DateField(null=True)

    objects = SectionQuerySet.as_manager()

    class Meta:
        ordering = ("code",)
        constraints = [
            models.UniqueConstraint(fields=["event", "code"], name="one_section_a_code"),
            models.CheckConstraint(condition=Q(stage__in=Stage.values), name="a_section_has_a_known_stage"),
        ]
        indexes = [models.Index(fields=["stage"])]

    def __str__(self) -> str:
        return f"{self.event.name}, {self.name}"

    @property
    def key(self) -> str:
        """The section's id in the journal."""
        return f"{self.event.number}/{self.code}"

    @property
    def named_on_record(self) -> str:
        """The words by which decisions name it."""
        return f"section {self.key}"

    @property
    def open_to_filing(self) -> bool:
        return self.stage in OPEN_TO_FILING

    def name_of_round(self, number: int) -> str:
        """The number of a scheduled round; of one beside those its name, such as `F`."""
        beside = number - (self.rounds or 0)
        return self.finals[beside - 1] if self.rounds and 0 < beside <= len(self.finals) else str(number)

    def get_absolute_url(self) -> str:
        return f"{self.event.get_absolute_url()}{quote(self.code, safe='')}/"


class Entry(models.Model):
    """A player's participation: as filed, and with the player whom the office takes it to be."""

    class Match(models.TextChoices):
        NONE = "none", gettext_lazy("nobody found")
        DOUBTFUL = "doubtful", gettext_lazy("to be decided")
        CERTAIN = "certain", gettext_lazy("found")
        DECIDED = "decided", gettext_lazy("decided")
        NEW = "new", gettext_lazy("new player")

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="entries")
    number = models.PositiveIntegerField(gettext_lazy("starting number"))
    surname = models.CharField(max_length=100)
    first_name = models.CharField(max_length=100, blank=True)
    sex = models.CharField(max_length=1, blank=True)
    birth = models.CharField(max_length=10, blank=True)
    """`2010-05-03` or `2010`, as precise as the file. Private."""
    title = models.CharField(max_length=5, blank=True)
    filed_id = models.CharField(max_length=30, blank=True)
    """The id in the file's id column."""
    id_kind = models.CharField(max_length=30, blank=True)
    """The kind of that id (`tournaments.matching`); empty: neither a person nor the register
    tells.
    """
    other_ids = models.JSONField(default=list)
    """`[kind, id]` of each id whose kind the file names."""
    federation = models.CharField(max_length=3, blank=True)
    rating = models.PositiveIntegerField(null=True)
    points = models.DecimalField(max_digits=8, decimal_places=2, null=True)
    place = models.PositiveIntegerField(null=True)
    """Players who share the place have the same number."""
    place_said = models.BooleanField(default=False)
    """Given by a person; otherwise by the file, or not at all."""
    discs = models.PositiveIntegerField(null=True)
    """Discs of all games together, if they break ties."""
    team = models.CharField(max_length=60, blank=True)
    women = models.BooleanField(default=False)
    """Plays for the women's title, as a journal said; otherwise the register's sex says it."""
    line = models.PositiveIntegerField(null=True)
    player = models.ForeignKey(Player, on_delete=models.PROTECT, null=True, related_name="entries")
    region = models.ForeignKey(Region, on_delete=models.PROTECT, null=True, related_name="+")
    """The region that a new player is to belong to; None: the event's."""
    match = models.CharField(max_length=10, choices=Match.choices, default=Match.NONE)
    candidates = models.JSONField(default=list)
    """Candidates by rank: `{"player", "score", "evidence": [keys]}`."""
    left_round = models.PositiveSmallIntegerField(null=True)
    left_notified = models.BooleanField(null=True)

    class Meta:
        ordering = ("number",)
        constraints = [
            models.UniqueConstraint(fields=["section", "number"], name="one_entry_a_starting_number")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        return full_name(self.surname, self.first_name)


class Game(models.Model):
    """A game of a section: two entries and one result."""

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="games")
    order = models.PositiveIntegerField()
    """The order of play within the section."""
    round = models.PositiveSmallIntegerField()
    first = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="games_first")
    second = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="games_second")
    result = models.CharField(max_length=8)
    """As the journal writes it (`ratings.rulesets.facts.RESULTS`)."""
    excused = models.CharField(max_length=6, blank=True)
    """The side whose forfeit was excused: `first`, `second`, `both`."""
    line = models.PositiveIntegerField(null=True)

    class Meta:
        ordering = ("order",)
        constraints = [models.UniqueConstraint(fields=["section", "order"], name="games_stand_in_order")]

    def __str__(self) -> str:
        return f"{self.round}: {self.first_id} {self.result} {self.second_id}"


class Bye(models.Model):
    """A round in which an entry has no opponent."""

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="byes")
    round = models.PositiveSmallIntegerField()
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="byes")
    kind = models.CharField(max_length=8)

    class Meta:
        ordering = ("round", "entry")
        constraints = [models.UniqueConstraint(fields=["entry", "round"], name="one_bye_a_round")]

    def __str__(self) -> str:
        return f"{self.round}: {self.entry_id} {self.kind}"


def said_by(findings: str = "") -> Combinable:
    """The expression for what a finding says, by which equal ones of several lines of a file count once;
    `findings`: the relation that leads to them, as `findings__`.
    """
    text = models.TextField()
    params = Cast(f"{findings}params", text)
    of_file = models.When(**{f"{findings}source": "file"}, then=models.Value(""))
    itself = models.Case(of_file, default=Cast(f"{findings}pk", text), output_field=text)
    return Concat(f"{findings}level", f"{findings}key", models.Value(" "), params, itself, output_field=text)


class FindingQuerySet(models.QuerySet["Finding"]):
    def blocking(self) -> FindingQuerySet:
        """Findings that stand in the way of submitting: to be corrected, answered or still to be waived."""
        return self.filter(Q(level__in=("blocks", "asks")) | Q(level="waivable", waived_because=""))


class Finding(models.Model):
    """A complaint about a section as filed; its words are made from the key when it is shown."""

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="findings")
    source = models.CharField(max_length=10)
    """`file` (the reader), `players` (matching), `rules` (the ruleset's acceptance)."""
    level = models.CharField(max_length=10)
    """`blocks`, `asks` (a form answers it), `waivable`, `notice`."""
    clause = models.CharField(max_length=20, blank=True)
    key = models.CharField(max_length=60)
    params: Any = models.JSONField(default=dict)
    where = models.CharField(max_length=60, blank=True)
    line = models.PositiveIntegerField(null=True)
    column = models.PositiveIntegerField(null=True)
    waived_because = models.TextField(blank=True)

    objects = FindingQuerySet.as_manager()

    class Meta:
        ordering = ("line", "id")

    def __str__(self) -> str:
        return self.key


class Adjustment(models.Model):
    """Something that the reader repaired, assumed or left out: nothing is done in silence."""

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="adjustments")
    key = models.CharField(max_length=60)
    line = models.PositiveIntegerField(null=True)
    before = models.CharField(max_length=200, blank=True)
    after = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ("line", "id")

    def __str__(self) -> str:
        return self.key


class FileJob(LeasedJob, KeepsBytes):
    """A file and its job: a worker claims the row and reads the file, until it is `read` or `unreadable`."""

    silence = timedelta(minutes=1)
    """A reader gives two signs a second, and the database may let it wait half a minute for a lock."""

    class State(models.TextChoices):
        WAITING = "waiting", gettext_lazy("waiting to be read")
        READING = "reading", gettext_lazy("being read")
        READ = "read", gettext_lazy("read")
        UNREADABLE = "unreadable", gettext_lazy("unreadable")

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()
    on = models.DateField()
    name = models.CharField(max_length=200)
    """As given; never used as a path."""
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    content = models.BinaryField(null=True)
    """None once the bytes were let go (`let_go_on`)."""
    state = models.CharField(max_length=12, choices=State.choices, default=State.WAITING)
    progress = models.PositiveSmallIntegerField(default=0)
    """Per cent."""
    reason = models.TextField(blank=True)
    """The reason why it could not be read."""

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name

    @property
    def waits(self) -> bool:
        """Whether the file is still to be read, or being read."""
        return self.state in (self.State.WAITING, self.State.READING)


# ---- Files as they were uploaded: a section's event files, and archives of several.
FORMATS = ("TRF06", "TRF16", "TRF26", "ELO", "Table", "Cross table", "Games abroad")
"""Dialects of files that do not name their program."""


class UploadQuerySet(models.QuerySet["Upload"]):
    def waiting(self) -> UploadQuerySet:
        return self.filter(state__in=(Upload.State.WAITING, Upload.State.READING))

    def newest(self) -> Upload | None:
        """The upload that came, or came again, last; it may be unreadable."""
        return self.order_by("-at", "-pk").first()

    def held(self) -> Upload | None:
        """The newest upload that could be read: its content is what the section holds."""
        return self.filter(state=Upload.State.READ).newest()


class Upload(FileJob):
    """An event file, kept whole; the row is also the job of reading it."""

    to_region = "section__event__region"
    section = models.ForeignKey(Section, on_delete=models.PROTECT, related_name="uploads")
    dialect = models.CharField(max_length=40, blank=True)

    objects = UploadQuerySet.as_manager()

    @property
    def program(self) -> str:
        """The program that wrote the file; empty if only its format is known, which is no program."""
        return "" if self.dialect in FORMATS else self.dialect

    class Meta:
        ordering = ("-id",)
        constraints = [models.UniqueConstraint(fields=["federation", "sha256"], name="a_file_is_kept_once")]
        indexes = [models.Index(fields=["state"])]


class Archive(FileJob):
    """A ZIP with files of several sections, kept whole; the row is also the job of unpacking it and of
    looking at each file. A person then says which section each file belongs to.
    """

    to_region = "event__region"
    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="archives")
    section = models.ForeignKey(Section, on_delete=models.PROTECT, null=True, related_name="archives")
    """The section on whose page it was uploaded; None: on the event's."""

    class Meta:
        ordering = ("-at", "-id")
        constraints = [
            models.UniqueConstraint(fields=["federation", "sha256"], name="an_archive_is_kept_once")
        ]
        indexes = [models.Index(fields=["state"])]

    def get_absolute_url(self) -> str:
        return f"{self.event.get_absolute_url()}sections/zip/{self.pk}/"


class ArchivedFile(KeepsBytes):
    """One file of an archive: what it says of itself, and the upload that it became."""

    to_federation, to_region = "archive__federation", "archive__event__region"
    archive = models.ForeignKey(Archive, on_delete=models.CASCADE, related_name="files")
    number = models.PositiveSmallIntegerField()
    """Place in the archive's order, from 1."""
    name = models.CharField(max_length=200)
    """With its folders, as in the archive; never used as a path."""
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64, blank=True)
    content = models.BinaryField(null=True)
    """None if it is an upload, or no event file: then the archive alone has it."""
    seen = models.BooleanField(default=False)
    """Whether it was looked at."""
    reason = models.TextField(blank=True)
    """The reason why it is not an event file, as in `Upload.reason`."""
    blocked = models.BooleanField(default=False)
    """Whether something must be put right in it."""
    tournament = models.CharField(max_length=100, blank=True)
    dialect = models.CharField(max_length=40, blank=True)
    kind = models.CharField(max_length=100, blank=True)
    """The format of play in the file's own words."""
    players = models.PositiveIntegerField(null=True)
    rounds = models.PositiveSmallIntegerField(null=True)
    starts = models.DateField(null=True)
    ends = models.DateField(null=True)
    team = models.BooleanField(default=False)
    time_control = models.JSONField(null=True)
    """As the journal writes it, where the file's words leave no doubt."""
    left_out = models.BooleanField(default=False)
    """A person said that it belongs to no section."""
    upload = models.ForeignKey(Upload, on_delete=models.SET_NULL, null=True, related_name="archived")

    class Meta:
        ordering = ("number",)
        constraints = [
            models.UniqueConstraint(fields=["archive", "number"], name="archived_files_stand_in_order")
        ]

    def __str__(self) -> str:
        return self.name


# ---- A section's review: the official who is on it, the remarks, what each file said.
class SectionTaking(models.Model):
    """An official's word “I am on it”: advice to the others, and no lock."""

    section = models.OneToOneField(Section, on_delete=models.CASCADE, related_name="taking")
    official = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    since = models.DateTimeField()

    class Meta:
        verbose_name_plural = "sections taken"

    def __str__(self) -> str:
        return f"{self.section_id}: {self.official}"


class RemarkQuerySet(models.QuerySet["Remark"]):
    def for_region(self) -> RemarkQuerySet:
        """Remarks that the region may read: all but the office's own notes."""
        return self.exclude(kind=Remark.Kind.NOTE)


class Remark(models.Model):
    """Something said of a section by its region or the office. Its words stand in the record of decisions
    alone, sealed: withdrawn there, they are gone here too.
    """

    class Kind(models.TextChoices):
        RETURN = "return", gettext_lazy("returned")
        REFUSE = "refuse", gettext_lazy("refused")
        UNRATE = "unrate", gettext_lazy("un-rated")
        QUESTION = "question", gettext_lazy("question")
        ANSWER = "answer", gettext_lazy("answer")
        NOTE = "note", gettext_lazy("note of the office")

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="thread")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()
    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="+")
    sealed_words = models.ForeignKey(DecisionWords, on_delete=models.SET_NULL, null=True, related_name="+")
    """The words as the record keeps them; None: they were withdrawn."""
    place = models.PositiveSmallIntegerField(null=True)
    """The place among several remarks of one decision; None: it is all that the decision says."""
    answers_to = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="answers")
    tie = models.CharField(max_length=10, blank=True)
    """The kind of thing spoken of: `line`, `game`, `entry`, `finding`; empty: the section."""
    tied_to: models.JSONField[dict[str, object], dict[str, object]] = models.JSONField(default=dict)
    """The thing by its numbers in the file of that day, for a later file may have it elsewhere."""
    upload = models.ForeignKey(Upload, on_delete=models.SET_NULL, null=True, related_name="+")
    """The file that the section held when this was said."""
    players = models.ManyToManyField(Player, related_name="+")
    """The players of the game or entry spoken of, for who asks what is held about them."""

    objects = RemarkQuerySet.as_manager()

    class Meta:
        ordering = ("at", "pk")

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def words(self) -> str:
        """The words, empty if they were withdrawn."""
        if self.sealed_words is None:
            return ""
        value = self.sealed_words.value
        return str(value if self.place is None else value[self.place]["words"])

    @property
    def about(self) -> str:
        """The thing spoken of, as it was called that day; empty for the section, or where words are gone."""
        if self.sealed_words is None:
            return ""
        if self.place is None:
            return next((str(one.value) for one in self.decision.words.all() if one.key == "named"), "")
        return str(self.sealed_words.value[self.place]["about"])


class FiledSheet(models.Model):
    """A file's content when it was read, in short, to be compared with another of its section. It goes with
    the file's bytes.
    """

    upload = models.OneToOneField(Upload, on_delete=models.CASCADE, related_name="sheet")
    content: models.JSONField[dict[str, object], dict[str, object]] = models.JSONField()
    lines: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(default=dict)
    """The lines that pages quote, by their numbers."""

    class Meta:
        verbose_name_plural = "sheets of files"

    def __str__(self) -> str:
        return str(self.upload)


# ---- A case and its messages. Words and mail address stand here alone, never in the record: they go with it.
DAYS_ANSWERED = 60
"""Days without a word after which an answered case is closed by the clock."""


class CaseQuerySet(models.QuerySet["Case"]):
    def confirmed(self) -> CaseQuerySet:
        """Cases whose reporter confirmed the mail address: nobody is shown any other."""
        return self.exclude(state=Case.State.UNCONFIRMED)

    def waiting(self) -> CaseQuerySet:
        """Cases that wait for a word of region or office, the one due first before the others."""
        return self.filter(state=Case.State.OPEN).order_by("due", "pk")

    def within(self, rights: Rights, permission: Permission) -> CaseQuerySet:
        """Confirmed cases that a person may see: of their regions, or all of the office."""
        found = self.filter(federation=rights.federation).confirmed()
        if permission in rights.everywhere:
            return found
        return found.filter(region__in=rights.regions_for(permission))


class Case(models.Model):
    """A report of a mistake: what it is about, by whom, until when it is answered, how it ended."""

    class State(models.TextChoices):
        UNCONFIRMED = "unconfirmed", gettext_lazy("not confirmed")
        OPEN = "open", gettext_lazy("waits for an answer")
        ANSWERED = "answered", gettext_lazy("answered")
        CLOSED = "closed", gettext_lazy("closed")

    class Outcome(models.TextChoices):
        CORRECTED = "corrected", gettext_lazy("it was wrong and is corrected")
        NOTHING_WRONG = "nothing-wrong", gettext_lazy("nothing is wrong")
        NOT_OURS = "not-ours", gettext_lazy("others decide about it")
        WITHDRAWN = "withdrawn", gettext_lazy("the report was withdrawn")
        LAPSED = "lapsed", gettext_lazy("it was answered, and nobody wrote again")

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="cases")
    region = models.ForeignKey(Region, on_delete=models.PROTECT, null=True, related_name="cases")
    """The region that answers: the one that filed the section, or the player's; None: officials alone."""
    section = models.ForeignKey(Section, on_delete=models.CASCADE, null=True, related_name="cases")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, null=True, related_name="cases")
    track = models.CharField(max_length=40, blank=True)
    line = models.PositiveBigIntegerField(null=True)
    """With `track`: the line of the journal whose working is meant."""
    email = models.EmailField(gettext_lazy("e-mail address"))
    name = models.CharField(gettext_lazy("name"), max_length=100, blank=True)
    language = models.CharField(max_length=10, blank=True, default="")
    """The language in which it was reported, and its letters are; empty: the office's own."""
    state = models.CharField(max_length=12, choices=State.choices, default=State.UNCONFIRMED)
    version = models.PositiveIntegerField(default=0)
    reported_at = models.DateTimeField()
    opened_on = models.DateField(null=True)
    """The day on which the mail address was confirmed."""
    due = models.DateField(null=True)
    """The last day for an answer."""
    closed_on = models.DateField(null=True)
    outcome = models.CharField(max_length=15, choices=Outcome.choices, blank=True)

    objects = CaseQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)
        verbose_name_plural = "reports of mistakes"
        constraints = [
            models.CheckConstraint(
                condition=Q(section__isnull=False) | Q(player__isnull=False),
                name="a_case_is_about_something",
            )
        ]
        indexes = [models.Index(fields=["federation", "state"])]

    def __str__(self) -> str:
        return now("Case %(number)s") % {"number": self.pk}

    def days_left(self, on: date) -> int | None:
        """The days until it is due, negative where it is late; None where no answer is awaited."""
        return (self.due - on).days if self.due and self.state == self.State.OPEN else None


class CaseMessage(models.Model):
    """One message in a case: of the reporter, the region or the office; a note never reaches the reporter."""

    class Author(models.TextChoices):
        REPORTER = "reporter", gettext_lazy("who reported it")
        REGION = "region", gettext_lazy("the region")
        OFFICE = "office", gettext_lazy("the office")

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="messages")
    author = models.CharField(max_length=10, choices=Author.choices)
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    """None: the reporter, or the office's own clock."""
    at = models.DateTimeField()
    words = models.TextField()
    internal = models.BooleanField(default=False)

    class Meta:
        ordering = ("pk",)
        verbose_name_plural = "messages in reports of mistakes"

    def __str__(self) -> str:
        return f"{self.case_id}: {self.author}"


# ---- Permissions that a region asks of the office for a section: before it is played or after.
class PermissionRequestQuerySet(models.QuerySet["PermissionRequest"]):
    def open(self) -> PermissionRequestQuerySet:
        """Requests that nobody has answered, the oldest first."""
        return self.filter(state=PermissionRequest.State.ASKED).order_by("asked_on", "pk")


class PermissionRequest(models.Model):
    """A region's request that the office permit what a clause lets it permit, and the answer."""

    class State(models.TextChoices):
        ASKED = "asked", gettext_lazy("asked for")
        GRANTED = "granted", gettext_lazy("granted")
        REFUSED = "refused", gettext_lazy("refused")

    section = models.ForeignKey(Section, on_delete=models.PROTECT, related_name="permission_requests")
    clause = models.CharField(gettext_lazy("clause"), max_length=20)
    reason = models.TextField(gettext_lazy("reason"))
    state = models.CharField(max_length=10, choices=State.choices, default=State.ASKED)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    asked_on = models.DateField()
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    answered_on = models.DateField(null=True)
    answer = models.TextField(blank=True)
    """The office's words: why it refuses or, where it wrote any, on what terms it grants."""

    objects = PermissionRequestQuerySet.as_manager()

    class Meta:
        ordering = ("asked_on", "pk")
        constraints = [
            models.UniqueConstraint(
                fields=["section", "clause"], condition=Q(state="asked"), name="one_open_request_a_clause"
            )
        ]

    def __str__(self) -> str:
        return f"{self.section_id} §{self.clause}: {self.state}"


# ---- A history that moves in: the row is the job, its files are read one by one, answers are kept as rows.
class History(LeasedJob, KeepsBytes):
    """Event files of the past with a table beside them, and the worker's progress with both.

    Attempts are counted at each step anew: reading, checking, writing.
    """

    byte_columns = ("content", "table", "who_is_who")
    silence = timedelta(minutes=1)
    """A worker gives a sign after each file, which takes half a minute at most."""

    class State(models.TextChoices):
        WAITING = "waiting", gettext_lazy("waiting to be read")
        READING = "reading", gettext_lazy("being read")
        ASKED = "asked", gettext_lazy("waiting to be checked")
        CHECKING = "checking", gettext_lazy("being checked")
        CHECKED = "checked", gettext_lazy("checked")
        CONFIRMED = "confirmed", gettext_lazy("waiting to be written")
        WRITING = "writing", gettext_lazy("being written")
        WRITTEN = "written", gettext_lazy("written")
        REFUSED = "refused", pgettext_lazy("files of the past", "refused")
        DISCARDED = "discarded", gettext_lazy("discarded")

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="histories")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()
    on = models.DateField()
    name = models.CharField(max_length=200)
    """The archive's name as given; never used as a path."""
    source = models.CharField(max_length=100)
    """The words of the journal's `taken_over` line: whose past this is, of which years."""
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    content = models.BinaryField(null=True)
    """The archive's bytes, until its files are rows."""
    table = models.BinaryField(null=True)
    """The bytes of the table beside the files, until it is read."""
    table_name = models.CharField(max_length=200, blank=True)
    rows: models.JSONField[list[dict[str, str]], list[dict[str, str]]] = models.JSONField(default=list)
    """The table as it was read: for each row its cells by column, and its `line`."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    progress = models.PositiveSmallIntegerField(default=0)
    """Per cent of the work done."""
    reason = models.TextField(blank=True)
    """The reason why it was refused or not written (`store_reading.as_reason`)."""
    outcome: models.JSONField[dict[str, object], dict[str, object]] = models.JSONField(default=dict)
    """The newest check's result: counts, questions grouped by cause, and the ratings that would come out."""
    who_is_who = models.BinaryField(null=True)
    """The newest check's table of everybody whom the files name (`who_is_who.write`), until it is written."""
    digest = models.CharField(max_length=64, blank=True)
    """The digest of the lines that would be written: a person confirms it, and writing must give it again."""
    stale = models.BooleanField(default=False)
    """Whether the office changed after somebody confirmed, so that this is a new check."""
    confirmed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    confirmed_on = models.DateField(null=True)

    class Meta:
        ordering = ("-id",)
        verbose_name_plural = "histories"
        indexes = [models.Index(fields=["state"], name="histories_by_state")]

    def __str__(self) -> str:
        return self.name

    @property
    def working(self) -> bool:
        """Whether the history waits for the worker, or the worker is at it."""
        return self.state in WORKING

    @property
    def open(self) -> bool:
        """Whether a person may still change, answer or discard it."""
        return self.state in (self.State.CHECKED, self.State.REFUSED)


State = History.State
WORKING = (
    State.WAITING,
    State.READING,
    State.ASKED,
    State.CHECKING,
    State.CONFIRMED,
    State.WRITING,
)


class HistoryFile(KeepsBytes):
    """One event file of a history: its bytes, what its reader said, and the section that it became."""

    byte_columns = ("content", "reading")
    to_federation = "history__federation"
    history = models.ForeignKey(History, on_delete=models.CASCADE, related_name="files")
    number = models.PositiveIntegerField()
    """The place in the archive's order, from 1."""
    name = models.CharField(max_length=200)
    """With its folders, as in the archive; never used as a path."""
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64, blank=True)
    content = models.BinaryField(null=True)
    """None once it is a section's upload, or where the archive's listing refused it."""
    reading = models.BinaryField(null=True)
    """The box's reading, compressed JSON; None: not read yet, or a section by now."""
    section = models.ForeignKey(Section, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ("number",)
        constraints = [
            models.UniqueConstraint(fields=["history", "number"], name="files_of_a_history_stand_in_order")
        ]

    def __str__(self) -> str:
        return self.name


def digest_of_files(history: History) -> str:
    """The digest that the record keeps of a written history's files: of their own, in the archive's order."""
    rows = history.files.exclude(section=None).order_by("number")
    return hashlib.sha256("".join(rows.values_list("sha256", flat=True)).encode()).hexdigest()


class HistoryAnswer(models.Model):
    """A person's answer to a question of a history: for one subject, or for all of a kind."""

    ALL = "*"
    """The subject of an answer for all questions of its kind that have none of their own."""
    history = models.ForeignKey(History, on_delete=models.CASCADE, related_name="answers")
    kind = models.CharField(max_length=40)
    """The key of the question (`tournaments.history`)."""
    subject = models.CharField(max_length=250)
    value = models.CharField(max_length=200)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ("kind", "subject")
        constraints = [
            models.UniqueConstraint(fields=["history", "kind", "subject"], name="one_answer_a_question")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}: {self.value}"


# ---- Corrections of single results, pairings, places and days, and those that wait for a second official.
class CorrectionQuerySet(models.QuerySet["Correction"]):
    def standing(self, section: Section) -> CorrectionQuerySet:
        """The corrections in what the section holds now: a later file replaced those made on one before."""
        held = section.uploads.held()
        return self.filter(section=section, upload=held) if held else self.filter(section=section)


class Correction(models.Model):
    """One thing that the office corrected in a section, before and after. The file stays as it came.

    Players are named by their numbers, and the words of the reason stand in the record of decisions alone,
    sealed: withdrawn there, they are gone here too.
    """

    class What(models.TextChoices):
        RESULT = "result", gettext_lazy("result")
        PAIRING = "pairing", gettext_lazy("pairing")
        PLACE = "place", gettext_lazy("place")
        DATE = "date", gettext_lazy("date")
        STRUCK = "struck", gettext_lazy("struck")

    section = models.ForeignKey(Section, on_delete=models.PROTECT, related_name="corrections")
    what = models.CharField(max_length=10, choices=What.choices)
    where: models.JSONField[dict[str, object], dict[str, object]] = models.JSONField(default=dict)
    """The place in the section: `round`, `game` (its order), `sides` or `entry` (starting number and player's
    number), `day` (`starts`, `ends`).
    """
    before: Any = models.JSONField(null=True)
    after: Any = models.JSONField(null=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    """The official who wrote it; where two were needed, the decision is the other's."""
    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="+")
    reason = models.ForeignKey(DecisionWords, on_delete=models.SET_NULL, null=True, related_name="+")
    """The words as the record keeps them; None: they were withdrawn."""
    upload = models.ForeignKey(Upload, on_delete=models.SET_NULL, null=True, related_name="+")
    """The file that the section held; None where there was none."""
    players = models.ManyToManyField(Player, related_name="+")
    """The players concerned, for who asks what is held about them."""

    objects = CorrectionQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.section_id}: {self.what}"

    @property
    def words(self) -> str:
        """The reason, empty if its words were withdrawn."""
        return str(self.reason.value) if self.reason else ""


class MendingProposalQuerySet(models.QuerySet["MendingProposal"]):
    def open(self) -> MendingProposalQuerySet:
        """Proposals whose section is still what the first official saw."""
        return self.filter(section__stage="rated", section__version=F("version"))


class MendingProposal(models.Model):
    """A correction of a rated section that one official wrote and another is to confirm. It goes when that
    is done or it is dropped: the record keeps what came of it.
    """

    section = models.OneToOneField(Section, on_delete=models.CASCADE, related_name="mending_proposal")
    version = models.PositiveIntegerField()
    """The section's version that the first official saw."""
    changes: models.JSONField[list[dict[str, object]], list[dict[str, object]]] = models.JSONField()
    code = models.CharField(max_length=20)
    """The reason that the journal tells (`ratings.rulesets.facts.REASONS`)."""
    words = models.TextField()
    after_list = models.BooleanField(default=False)
    """Whether the first official confirmed that the office itself decided so after a published list."""
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    on = models.DateField()

    objects = MendingProposalQuerySet.as_manager()

    class Meta:
        ordering = ("on", "pk")
        constraints = [models.CheckConstraint(condition=~Q(words=""), name="a_proposal_says_why")]

    def __str__(self) -> str:
        return str(self.section)


# ---- Appeals of regions against the office's refusal to rate a section.
class AppealQuerySet(models.QuerySet["Appeal"]):
    def open(self) -> AppealQuerySet:
        """Appeals that nobody has decided, the oldest first."""
        return self.filter(state=Appeal.State.OPEN).order_by("on", "pk")


class Appeal(models.Model):
    """A region's appeal against one refusal, and what came of it."""

    class State(models.TextChoices):
        OPEN = "open", gettext_lazy("to be decided")
        UPHELD = "upheld", gettext_lazy("upheld")
        DISMISSED = "dismissed", gettext_lazy("dismissed")

    section = models.ForeignKey(Section, on_delete=models.PROTECT, related_name="appeals")
    refusal = models.OneToOneField(Decision, on_delete=models.PROTECT, related_name="appeal")
    """The decision appealed against: each refusal has one appeal."""
    reason = models.TextField(gettext_lazy("reason"))
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    on = models.DateField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    decided_on = models.DateField(null=True)
    answer = models.TextField(blank=True)
    """The office's words on what it decided."""

    objects = AppealQuerySet.as_manager()

    class Meta:
        ordering = ("on", "pk")

    def __str__(self) -> str:
        return f"{self.section_id}: {self.state}"
