"""Play as it is filed: events, sections and their rows, files, reviews, cases, histories, corrections,
appeals.

Words about a section are in the record of decisions alone; those of a case in the rows of the case alone.
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
from django.utils.translation import gettext as now, gettext_lazy, pgettext_lazy

from players.access import Permission, Rights
from players.models import Decision, DecisionWords, Federation, KeepsBytes, LeasedJob, Player, Region, User
from players.names import begin_words, fold_words, surname_comma_first_name


class AnnouncedChange(models.Model):
    """The fields of events and sections for changes after the registration."""

    notice = models.TextField(blank=True)
    """The public reason; empty if nothing was announced. A copy: pages show the words of the record, where
    they can be withdrawn (`tournaments.announcements`).
    """
    notice_on = models.DateField(null=True)
    first_starts = models.DateField(null=True)
    """The first day as first announced; None if it was never postponed."""
    first_ends = models.DateField(null=True)

    class Meta:
        abstract = True

    @property
    def postponed(self) -> bool:
        return self.first_starts is not None

    @property
    def first_days(self) -> tuple[date | None, date | None]:
        """The days as first announced; a page shows them once if the section's and event's are the same."""
        return self.first_starts, self.first_ends

    def announce(self, reason: str, on: date) -> None:
        """Set the public reason and its day, unsaved."""
        self.notice, self.notice_on = reason, on


# ---- Events, sections, entries, games, byes and findings
MOST_LOOKED_THROUGH = 5_000
"""The most events of an office in which a search looks: it compares their words by itself."""


class EventQuerySet(models.QuerySet["Event"]):
    def within(self, rights: Rights, permission: Permission) -> EventQuerySet:
        """Events for which a person has a permission."""
        events = self.filter(federation=rights.federation)
        everywhere = permission in rights.everywhere
        return (
            events
            if everywhere
            else events.filter(region__in=rights.region_keys_unless_everywhere(permission))
        )

    def not_withdrawn(self) -> EventQuerySet:
        """Events in the calendar, also cancelled ones."""
        return self.exclude(state=Event.State.WITHDRAWN)

    def named(self, text: str) -> EventQuerySet:
        """Events whose number, name or place has, for each word of a text, a word that begins so, without
        accents, case or alphabet; of the newest `MOST_LOOKED_THROUGH`.
        """
        parts = fold_words(text)
        rows = self.order_by("-starts", "-pk").values_list("pk", "number", "name", "place")
        found = [pk for pk, *words in rows[:MOST_LOOKED_THROUGH] if begin_words(parts, *words)]
        return self.filter(pk__in=found)


class Event(AnnouncedChange):
    """A competition as filed; each of its sections is rated by itself."""

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
    """Empty for the federation's own."""
    starts = models.DateField(gettext_lazy("first day"))
    ends = models.DateField(gettext_lazy("last day"))
    organizer = models.CharField(gettext_lazy("organizer"), max_length=200, blank=True)
    arbiters = models.JSONField(default=list, blank=True)
    """In order of appointment: `{"name", "title", "id"}`; `file`: the section whose file alone names one."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.PLANNED)
    version = models.PositiveIntegerField(default=0)
    """Incremented by each change of the event itself: services refuse what was decided on an older page."""
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
        """The event in decisions."""
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


CANCELLED_OR_WITHDRAWN = (Stage.CANCELLED, Stage.WITHDRAWN)
"""The stages of sections that will not be played."""

OPEN_TO_FILING = (Stage.REGISTERED, Stage.FILED, Stage.RETURNED, Stage.UNRATED)
"""The stages in which the region may upload, complete and submit."""

SUBMITTED_OR_RATED = (Stage.SUBMITTED, Stage.RATED)
"""The stages of sections that are submitted or rated."""


IN_RATED_SECTION = Q(section__stage__range=(Stage.RATED, Stage.RATED))
"""The condition that the section of an entry or a game is rated. A range, because for one stage SQLite,
without statistics on sections, would scan all rated ones to find a player's few.
"""


class SectionQuerySet(models.QuerySet["Section"]):
    def within(self, rights: Rights, permission: Permission) -> SectionQuerySet:
        """Sections for which a person has a permission."""
        return self.filter(event__in=Event.objects.within(rights, permission))

    def awaiting_review(self) -> SectionQuerySet:
        """Sections that wait for an official, in order of submission."""
        return self.filter(stage=Stage.SUBMITTED).order_by("submitted_on", "pk")

    def not_withdrawn(self) -> SectionQuerySet:
        """Sections on public pages."""
        return self.exclude(stage=Stage.WITHDRAWN)


class Section(AnnouncedChange):
    """A part of an event that is rated by itself."""

    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="sections")
    code = models.CharField(gettext_lazy("code"), max_length=20)
    name = models.CharField(gettext_lazy("name"), max_length=100)
    stage = models.CharField(max_length=12, choices=Stage.choices, default=Stage.REGISTERED)
    version = models.PositiveIntegerField(default=0)
    """Incremented by each decision: services refuse what was decided on an older page."""
    stage_before = models.CharField(max_length=12, blank=True)
    """The stage to which a cancelled section returns when it is reinstated."""
    closed_with_event = models.BooleanField(default=False)
    """Whether it was cancelled or withdrawn with its event, and returns with it."""
    starts = models.DateField(gettext_lazy("first day"))
    ends = models.DateField(gettext_lazy("last day"))
    format = models.CharField(gettext_lazy("format"), max_length=20)
    rounds = models.PositiveSmallIntegerField(gettext_lazy("scheduled rounds"), null=True)
    finals = models.JSONField(default=list, blank=True)
    """The names of rounds beside the scheduled ones, such as finals, which have the next numbers."""
    team = models.BooleanField(gettext_lazy("team section"), default=False)
    particulars = models.JSONField(default=dict, blank=True)
    """The ruleset's own fields by name, as its journal writes them (`{"platform": "otb", …}`)."""
    round_dates = models.JSONField(default=list, blank=True)
    """An ISO day for each round; None if unknown."""
    id_kind = models.CharField(max_length=30, blank=True)
    """The kind of the ids in the file's id column, as a person chose it (`tournaments.matching`)."""
    hints = models.JSONField(default=dict, blank=True)
    """Suggestions of the file that are not confirmed yet: `place`, `id_kind`; and what it `filled` in: the
    values before and after, by field.
    """
    permissions = models.JSONField(default=list, blank=True)
    """Permissions of the office: `{"clause", "reason"}`."""
    before_play = models.JSONField(default=dict, blank=True)
    """The first decision, if it is not the admission (`tournaments.before_play`)."""
    remarks = models.TextField(gettext_lazy("remarks"), blank=True)
    """The reason of a return, a refusal or an un-rating."""
    notice_read_at = models.DateTimeField(null=True)
    """When the region first opened the page of a returned or refused section."""
    submitted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    registered_on = models.DateField(null=True)
    """None: registered with its event."""
    filed_on = models.DateField(null=True)
    """The day of the first readable file."""
    submitted_on = models.DateField(null=True)
    first_rated_submission = models.DateField(null=True)
    """The day of the submission that was rated first, if that was undone: later corrections are not late."""
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
        """The section in decisions."""
        return f"section {self.key}"

    @property
    def open_to_filing(self) -> bool:
        return self.stage in OPEN_TO_FILING

    def name_of_round(self, number: int) -> str:
        """The number of a scheduled round, or the name of another one, such as `F`."""
        beside = number - (self.rounds or 0)
        return self.finals[beside - 1] if self.rounds and 0 < beside <= len(self.finals) else str(number)

    def get_absolute_url(self) -> str:
        return f"{self.event.get_absolute_url()}{quote(self.code, safe='')}/"


class Entry(models.Model):
    """A player's participation as filed, with the player whom the office takes it to be."""

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
    """The kind of that id (`tournaments.matching`); empty if unknown."""
    other_ids = models.JSONField(default=list)
    """`[kind, id]` of each id whose kind the file names."""
    federation = models.CharField(max_length=3, blank=True)
    rating = models.PositiveIntegerField(null=True)
    points = models.DecimalField(max_digits=8, decimal_places=2, null=True)
    place = models.PositiveIntegerField(null=True)
    """Players who share a place have the same number."""
    place_said = models.BooleanField(default=False)
    """Whether a person gave the place, not the file."""
    discs = models.PositiveIntegerField(null=True)
    """Discs of all games, if they break ties."""
    team = models.CharField(max_length=60, blank=True)
    women = models.BooleanField(default=False)
    """Whether a journal says that the player competes for the women's title; else the register's sex does."""
    line = models.PositiveIntegerField(null=True)
    player = models.ForeignKey(Player, on_delete=models.PROTECT, null=True, related_name="entries")
    region = models.ForeignKey(Region, on_delete=models.PROTECT, null=True, related_name="+")
    """The region of a new player; None for the event's."""
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
        return surname_comma_first_name(self.surname, self.first_name)

    @property
    def person(self) -> Player | None:
        """The player for whom the entry counts: after a merge, the one who stays; None: not matched."""
        return self.player and (self.player.merged_into or self.player)


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


def finding_text(prefix: str = "") -> Combinable:
    """The expression for the text of a finding, by which equal ones of several lines count once; `prefix`:
    the prefix of the relation to them, such as `findings__`.
    """
    text = models.TextField()
    params = Cast(f"{prefix}params", text)
    of_file = models.When(**{f"{prefix}source": "file"}, then=models.Value(""))
    itself = models.Case(of_file, default=Cast(f"{prefix}pk", text), output_field=text)
    return Concat(f"{prefix}level", f"{prefix}key", models.Value(" "), params, itself, output_field=text)


class FindingQuerySet(models.QuerySet["Finding"]):
    def blocking(self) -> FindingQuerySet:
        """Findings that prevent submission: to be corrected, answered or waived."""
        return self.filter(Q(level__in=("blocks", "asks")) | Q(level="waivable", waived_because=""))


class Finding(models.Model):
    """A finding on a section as filed; its words are made when it is shown."""

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
    """Something that the reader repaired, assumed or left out."""

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
    """A file and the job of reading it, until it is `read` or `unreadable`."""

    silence = timedelta(minutes=1)
    """A reader gives two signs a second, and the database may delay it half a minute by a lock."""

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
    """None once the bytes were deleted (`let_go_on`)."""
    state = models.CharField(max_length=12, choices=State.choices, default=State.WAITING)
    progress = models.PositiveSmallIntegerField(default=0)
    """Per cent."""
    reason = models.TextField(blank=True)
    """Why it could not be read."""

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name

    @property
    def waits(self) -> bool:
        """Whether the file is not read yet."""
        return self.state in (self.State.WAITING, self.State.READING)


# ---- Uploaded files
ANONYMOUS_DIALECTS = ("TRF06", "TRF16", "TRF26", "ELO", "Table", "Cross table", "Games abroad")
"""Dialects of files that do not name their program."""


class UploadQuerySet(models.QuerySet["Upload"]):
    def waiting(self) -> UploadQuerySet:
        return self.filter(state__in=(Upload.State.WAITING, Upload.State.READING))

    def newest(self) -> Upload | None:
        """The last upload, which may be unreadable."""
        return self.order_by("-at", "-pk").first()

    def held(self) -> Upload | None:
        """The last readable upload: its content is what the section holds."""
        return self.filter(state=Upload.State.READ).newest()

    def held_sha256(self) -> str:
        """The digest of that file, for the record of what was said of it; empty if there is none."""
        upload = self.held()
        return upload.sha256 if upload else ""


class Upload(FileJob):
    """An event file and the job of reading it."""

    to_region = "section__event__region"
    section = models.ForeignKey(Section, on_delete=models.PROTECT, related_name="uploads")
    dialect = models.CharField(max_length=40, blank=True)

    objects = UploadQuerySet.as_manager()

    @property
    def program(self) -> str:
        """The program that wrote the file; empty if only its format is known."""
        return "" if self.dialect in ANONYMOUS_DIALECTS else self.dialect

    class Meta:
        ordering = ("-id",)
        constraints = [models.UniqueConstraint(fields=["federation", "sha256"], name="a_file_is_kept_once")]
        indexes = [models.Index(fields=["state"])]


class Archive(FileJob):
    """A ZIP with files of several sections, and the job of unpacking it. A person then assigns the files to
    sections.
    """

    to_region = "event__region"
    event = models.ForeignKey(Event, on_delete=models.PROTECT, related_name="archives")
    section = models.ForeignKey(Section, on_delete=models.PROTECT, null=True, related_name="archives")
    """The section on whose page it was uploaded; None for the event's page."""

    class Meta:
        ordering = ("-at", "-id")
        constraints = [
            models.UniqueConstraint(fields=["federation", "sha256"], name="an_archive_is_kept_once")
        ]
        indexes = [models.Index(fields=["state"])]

    def get_absolute_url(self) -> str:
        return f"{self.event.get_absolute_url()}sections/zip/{self.pk}/"


class ArchivedFile(KeepsBytes):
    """A file of an archive: what it says of itself, and the upload that it became."""

    to_federation, to_region = "archive__federation", "archive__event__region"
    archive = models.ForeignKey(Archive, on_delete=models.CASCADE, related_name="files")
    number = models.PositiveSmallIntegerField()
    """The place in the archive, from 1."""
    name = models.CharField(max_length=200)
    """With its folders, as in the archive; never used as a path."""
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64, blank=True)
    content = models.BinaryField(null=True)
    """None if it is an upload or no event file: then the archive alone has it."""
    seen = models.BooleanField(default=False)
    """Whether it was read."""
    reason = models.TextField(blank=True)
    """Why it is no event file, as in `Upload.reason`."""
    blocked = models.BooleanField(default=False)
    """Whether something must be corrected in it."""
    tournament = models.CharField(max_length=100, blank=True)
    dialect = models.CharField(max_length=40, blank=True)
    kind = models.CharField(max_length=100, blank=True)
    """The format of play in the file's words."""
    players = models.PositiveIntegerField(null=True)
    rounds = models.PositiveSmallIntegerField(null=True)
    starts = models.DateField(null=True)
    ends = models.DateField(null=True)
    team = models.BooleanField(default=False)
    time_control = models.JSONField(null=True)
    """In the journal's form, if the file's words are clear."""
    said = models.TextField(blank=True)
    """What the reader found and adjusted, as the `dump` of a `Reading` without a sheet."""
    left_out = models.BooleanField(default=False)
    """Whether a person said that it belongs to no section."""
    upload = models.ForeignKey(Upload, on_delete=models.SET_NULL, null=True, related_name="archived")

    class Meta:
        ordering = ("number",)
        constraints = [
            models.UniqueConstraint(fields=["archive", "number"], name="archived_files_stand_in_order")
        ]

    def __str__(self) -> str:
        return self.name


# ---- Review
class SectionTaking(models.Model):
    """An official works on a section: information for the others, no lock."""

    section = models.OneToOneField(Section, on_delete=models.CASCADE, related_name="taking")
    official = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    since = models.DateTimeField()

    class Meta:
        verbose_name_plural = "sections taken"

    def __str__(self) -> str:
        return f"{self.section_id}: {self.official}"


class RemarkQuerySet(models.QuerySet["Remark"]):
    def for_region(self) -> RemarkQuerySet:
        """Remarks that the region may read: all but the office's notes."""
        return self.exclude(kind=Remark.Kind.NOTE)


class Remark(models.Model):
    """A message about a section by its region or the office. Its words are stored in the record of decisions
    alone, where they can be withdrawn.
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
    """The words in the record; None if they were withdrawn."""
    place = models.PositiveSmallIntegerField(null=True)
    """The place among several remarks of one decision; None for the only one."""
    answers_to = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="answers")
    tie = models.CharField(max_length=10, blank=True)
    """The kind of subject: `line`, `game`, `entry`, `finding`; empty for the section."""
    tied_to: models.JSONField[dict[str, object], dict[str, object]] = models.JSONField(default=dict)
    """The subject by its numbers in the file of that day, as a later file may have others."""
    upload = models.ForeignKey(Upload, on_delete=models.SET_NULL, null=True, related_name="+")
    """The file that the section held then."""
    players = models.ManyToManyField(Player, related_name="+")
    """The players of the game or entry, for people who ask for their data."""

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
        """The subject as it was called that day; empty for the section, or if words were withdrawn."""
        if self.sealed_words is None:
            return ""
        if self.place is None:
            return next((str(one.value) for one in self.decision.words.all() if one.key == "named"), "")
        return str(self.sealed_words.value[self.place]["about"])


class FiledSheet(models.Model):
    """A summary of a file's content, to be compared with another of its section; it is deleted with the
    file's bytes.
    """

    upload = models.OneToOneField(Upload, on_delete=models.CASCADE, related_name="sheet")
    content: models.JSONField[dict[str, object], dict[str, object]] = models.JSONField()
    lines: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(default=dict)
    """The lines that pages quote, by number."""

    class Meta:
        verbose_name_plural = "sheets of files"

    def __str__(self) -> str:
        return str(self.upload)


# ---- Cases
LAPSE_DAYS = 60
"""Days without a message after which an answered case is closed."""


class CaseQuerySet(models.QuerySet["Case"]):
    def confirmed(self) -> CaseQuerySet:
        """Cases with a confirmed mail address: others are never shown."""
        return self.exclude(state=Case.State.UNCONFIRMED)

    def waiting(self) -> CaseQuerySet:
        """Cases that wait for an answer, by due day."""
        return self.filter(state=Case.State.OPEN).order_by("due", "pk")

    def within(self, rights: Rights, permission: Permission) -> CaseQuerySet:
        """Confirmed cases for which a person has a permission."""
        cases = self.filter(federation=rights.federation).confirmed()
        everywhere = permission in rights.everywhere
        return (
            cases if everywhere else cases.filter(region__in=rights.region_keys_unless_everywhere(permission))
        )


class Case(models.Model):
    """A report of a mistake and its outcome."""

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
    """The region that answers: the section's, or the player's; None: officials alone."""
    section = models.ForeignKey(Section, on_delete=models.CASCADE, null=True, related_name="cases")
    player = models.ForeignKey(Player, on_delete=models.CASCADE, null=True, related_name="cases")
    track = models.CharField(max_length=40, blank=True)
    line = models.PositiveBigIntegerField(null=True)
    """With `track`: the line of the journal whose working is meant."""
    email = models.EmailField(gettext_lazy("e-mail address"))
    name = models.CharField(gettext_lazy("name"), max_length=100, blank=True)
    language = models.CharField(max_length=10, blank=True, default="")
    """The language of the report and its letters; empty for the office's."""
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
        """The days until it is due, negative if late; None if no answer is due."""
        return (self.due - on).days if self.due and self.state == self.State.OPEN else None


class CaseMessage(models.Model):
    """A message in a case by reporter, region or office; internal ones never reach the reporter."""

    class Author(models.TextChoices):
        REPORTER = "reporter", gettext_lazy("who reported it")
        REGION = "region", gettext_lazy("the region")
        OFFICE = "office", gettext_lazy("the office")

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="messages")
    author = models.CharField(max_length=10, choices=Author.choices)
    by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+")
    """None for the reporter, or for the office's program."""
    at = models.DateTimeField()
    words = models.TextField()
    internal = models.BooleanField(default=False)

    class Meta:
        ordering = ("pk",)
        verbose_name_plural = "messages in reports of mistakes"

    def __str__(self) -> str:
        return f"{self.case_id}: {self.author}"


# ---- Permissions
class PermissionRequestQuerySet(models.QuerySet["PermissionRequest"]):
    def open(self) -> PermissionRequestQuerySet:
        """Requests without an answer, the oldest first."""
        return self.filter(state=PermissionRequest.State.ASKED).order_by("asked_on", "pk")


class PermissionRequest(models.Model):
    """A region's request for a permission that a clause lets the office give, and the answer."""

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
    """The office's words: why it refuses, or its conditions."""

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


# ---- Histories
class History(LeasedJob, KeepsBytes):
    """Event files of the past with a table, and the job of taking them over.

    Attempts are counted for each step: reading, checking, writing.
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
    """The first archive's name as given; never used as a path."""
    batches: models.JSONField[list[dict[str, Any]], list[dict[str, Any]]] = models.JSONField(default=list)
    """The archives as they came: `number` (from 1), `name`, `size` and `sha256`; `waits`, until its files and
    table are rows.
    """
    source = models.CharField(max_length=100)
    """The text of the journal's `taken_over` line: whose past this is, of which years."""
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    """The archive's digest; of several, that of their digests, joined."""
    content = models.BinaryField(null=True)
    """The bytes of the archive that waits, until its files are rows."""
    table = models.BinaryField(null=True)
    """The bytes of the table, until it is read."""
    table_name = models.CharField(max_length=200, blank=True)
    rows: models.JSONField[list[dict[str, str]], list[dict[str, str]]] = models.JSONField(default=list)
    """The rows of the table: cells by column, and the `line`."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    progress = models.PositiveSmallIntegerField(default=0)
    """Per cent."""
    reason = models.TextField(blank=True)
    """Why it was refused or not written (`filing.as_reason`)."""
    outcome: models.JSONField[dict[str, object], dict[str, object]] = models.JSONField(default=dict)
    """The result of the newest check: counts, grouped questions, and resulting ratings."""
    who_is_who = models.BinaryField(null=True)
    """The newest check's table of all people (`history_plan.write`), until it is written."""
    digest = models.CharField(max_length=64, blank=True)
    """The digest of the lines to be written: a person confirms it, and writing must give the same."""
    stale = models.BooleanField(default=False)
    """Whether the office changed after the confirmation, so that this is a new check."""
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
        """Whether the worker has it, or it waits for the worker."""
        return self.state in HISTORY_WORKING_STATES

    @property
    def open(self) -> bool:
        """Whether a person may change, answer or discard it."""
        return self.state in (self.State.CHECKED, self.State.REFUSED)


HistoryState = History.State
HISTORY_WORKING_STATES = (
    HistoryState.WAITING,
    HistoryState.READING,
    HistoryState.ASKED,
    HistoryState.CHECKING,
    HistoryState.CONFIRMED,
    HistoryState.WRITING,
)


class HistoryFile(KeepsBytes):
    """An event file of a history: its bytes, its reading, and its section."""

    byte_columns = ("content", "reading")
    to_federation = "history__federation"
    history = models.ForeignKey(History, on_delete=models.CASCADE, related_name="files")
    batch = models.PositiveSmallIntegerField(default=1)
    """The number of the archive that it came in."""
    number = models.PositiveIntegerField()
    """The place among all files, in the order in which they came."""
    name = models.CharField(max_length=200)
    """With its folders, as in the archive; in a further archive below the folder of its batch. Never used as
    a path.
    """
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64, blank=True)
    content = models.BinaryField(null=True)
    """None once it is a section's upload, or if the archive's listing refused it."""
    reading = models.BinaryField(null=True)
    """The reading as compressed JSON; None if it is not read yet, or a section by now."""
    section = models.ForeignKey(Section, on_delete=models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ("number",)
        constraints = [
            models.UniqueConstraint(fields=["history", "number"], name="files_of_a_history_stand_in_order")
        ]

    def __str__(self) -> str:
        return self.name


def compute_files_digest(history: History) -> str:
    """The digest of a written history's files in the record: over their digests, in the archive's order."""
    rows = history.files.exclude(section=None).order_by("number")
    return hashlib.sha256("".join(rows.values_list("sha256", flat=True)).encode()).hexdigest()


class HistoryAnswer(models.Model):
    """A person's answer to a question of a history, for one subject or for all of a kind."""

    ALL = "*"
    """The subject of an answer for all questions of its kind without one of their own."""
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


# ---- Corrections
class CorrectionQuerySet(models.QuerySet["Correction"]):
    def standing(self, section: Section) -> CorrectionQuerySet:
        """The corrections in what the section holds now: a later file replaces earlier ones."""
        held = section.uploads.held()
        return self.filter(section=section, upload=held) if held else self.filter(section=section)


class Correction(models.Model):
    """A correction by the office of one thing in a section; the file stays as it came.

    Players are named by their numbers. The reason is stored in the record of decisions alone, where it can be
    withdrawn.
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
    """The official who wrote it; if two were needed, the decision is the other's."""
    decision = models.ForeignKey(Decision, on_delete=models.PROTECT, related_name="+")
    reason = models.ForeignKey(DecisionWords, on_delete=models.SET_NULL, null=True, related_name="+")
    """The words in the record; None if they were withdrawn."""
    upload = models.ForeignKey(Upload, on_delete=models.SET_NULL, null=True, related_name="+")
    """The file that the section held, if any."""
    players = models.ManyToManyField(Player, related_name="+")
    """The players concerned, for people who ask for their data."""

    objects = CorrectionQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.section_id}: {self.what}"

    @property
    def words(self) -> str:
        """The reason, empty if it was withdrawn."""
        return str(self.reason.value) if self.reason else ""


class MendingProposalQuerySet(models.QuerySet["MendingProposal"]):
    def open(self) -> MendingProposalQuerySet:
        """Proposals whose section has not changed since."""
        return self.filter(section__stage="rated", section__version=F("version"))


class MendingProposal(models.Model):
    """A correction of a rated section that waits for another official's confirmation."""

    section = models.OneToOneField(Section, on_delete=models.CASCADE, related_name="mending_proposal")
    version = models.PositiveIntegerField()
    """The section's version that the first official saw."""
    changes: models.JSONField[list[dict[str, object]], list[dict[str, object]]] = models.JSONField()
    code = models.CharField(max_length=20)
    """The reason in the journal (`ratings.rulesets.facts.UNRATING_REASONS`)."""
    words = models.TextField()
    after_list = models.BooleanField(default=False)
    """Whether the first official confirmed that the office itself decided so after a published list."""
    further: models.JSONField[dict[str, list[object]], dict[str, list[object]]] = models.JSONField(
        default=dict
    )
    """What is to be done in the same step: `lists` (their days) to publish again, `cases` (keys) to close."""
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    on = models.DateField()

    objects = MendingProposalQuerySet.as_manager()

    class Meta:
        ordering = ("on", "pk")
        constraints = [models.CheckConstraint(condition=~Q(words=""), name="a_proposal_says_why")]

    def __str__(self) -> str:
        return str(self.section)


# ---- Appeals
class AppealQuerySet(models.QuerySet["Appeal"]):
    def open(self) -> AppealQuerySet:
        """Appeals without a decision, the oldest first."""
        return self.filter(state=Appeal.State.OPEN).order_by("on", "pk")


class Appeal(models.Model):
    """A region's appeal against one refusal, and the decision on it."""

    class State(models.TextChoices):
        OPEN = "open", gettext_lazy("to be decided")
        UPHELD = "upheld", gettext_lazy("upheld")
        DISMISSED = "dismissed", gettext_lazy("dismissed")

    section = models.ForeignKey(Section, on_delete=models.PROTECT, related_name="appeals")
    refusal = models.OneToOneField(Decision, on_delete=models.PROTECT, related_name="appeal")
    """The decision appealed against, which has one appeal at most."""
    reason = models.TextField(gettext_lazy("reason"))
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    on = models.DateField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    decided_on = models.DateField(null=True)
    answer = models.TextField(blank=True)
    """The office's words on its decision."""

    objects = AppealQuerySet.as_manager()

    class Meta:
        ordering = ("on", "pk")

    def __str__(self) -> str:
        return f"{self.section_id}: {self.state}"
