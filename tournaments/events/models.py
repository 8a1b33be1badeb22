"""Play as it is filed: events, sections, entries, games, byes, and the findings on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Concat
from django.utils.translation import gettext_lazy as _

from players.office.models import Federation, Region
from players.register.models import Player
from players.register.person_rows import full_name
from tournaments.events.announced_change import AnnouncedChange

if TYPE_CHECKING:
    from players.office.access import Permission, Rights


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
        PLANNED = "planned", _("planned")
        CANCELLED = "cancelled", _("cancelled")
        WITHDRAWN = "withdrawn", _("withdrawn")

    federation = models.ForeignKey(Federation, on_delete=models.PROTECT, related_name="events")
    number = models.CharField(_("number"), max_length=20)
    name = models.CharField(_("name"), max_length=100)
    place = models.CharField(_("place"), max_length=100, blank=True)
    region = models.ForeignKey(
        Region, on_delete=models.PROTECT, verbose_name=_("region"), related_name="events"
    )
    country = models.CharField(_("country"), max_length=3, blank=True)
    """Empty: the federation's own."""
    starts = models.DateField(_("first day"))
    ends = models.DateField(_("last day"))
    organizer = models.CharField(_("organizer"), max_length=200, blank=True)
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
    REGISTERED = "registered", _("registered")
    FILED = "filed", _("filed")
    SUBMITTED = "submitted", _("submitted")
    RATED = "rated", _("rated")
    RETURNED = "returned", _("returned")
    REFUSED = "refused", _("refused")
    UNRATED = "unrated", _("un-rated")
    CANCELLED = "cancelled", _("cancelled")
    WITHDRAWN = "withdrawn", _("withdrawn")


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
    code = models.CharField(_("code"), max_length=20)
    name = models.CharField(_("name"), max_length=100)
    stage = models.CharField(max_length=12, choices=Stage.choices, default=Stage.REGISTERED)
    version = models.PositiveIntegerField(default=0)
    """Raised by every decision: a service refuses what was decided on an older page."""
    stage_before = models.CharField(max_length=12, blank=True)
    """The stage to which a cancelled section comes back when it is taken up again."""
    closed_with_event = models.BooleanField(default=False)
    """Whether it was cancelled or withdrawn with its whole event, and so comes back with it."""
    starts = models.DateField(_("first day"))
    ends = models.DateField(_("last day"))
    format = models.CharField(_("format"), max_length=20)
    rounds = models.PositiveSmallIntegerField(_("scheduled rounds"), null=True)
    finals = models.JSONField(default=list, blank=True)
    """The names of rounds beside the scheduled ones, such as finals: their games have the next numbers."""
    team = models.BooleanField(_("team section"), default=False)
    particulars = models.JSONField(default=dict, blank=True)
    """The ruleset's own fields by name, as its journal writes them (`{"platform": "otb", …}`)."""
    round_dates = models.JSONField(default=list, blank=True)
    """ISO days, one a round; None where not known."""
    id_kind = models.CharField(max_length=30, blank=True)
    """The kind of the ids in the file's id column, as a person said (`tournaments.identity.id_kinds`)."""
    hints = models.JSONField(default=dict, blank=True)
    """Suggestions of the file that nobody has confirmed yet: `place`, `id_kind`."""
    permissions = models.JSONField(default=list, blank=True)
    """Permissions of the office: `{"clause", "reason"}`."""
    before_play = models.JSONField(default=dict, blank=True)
    """The first decision where it is not the admission (`tournaments.filing.before_play.first_decision`)."""
    remarks = models.TextField(_("remarks"), blank=True)
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
        NONE = "none", _("nobody found")
        DOUBTFUL = "doubtful", _("to be decided")
        CERTAIN = "certain", _("found")
        DECIDED = "decided", _("decided")
        NEW = "new", _("new player")

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="entries")
    number = models.PositiveIntegerField(_("starting number"))
    surname = models.CharField(max_length=100)
    first_name = models.CharField(max_length=100, blank=True)
    sex = models.CharField(max_length=1, blank=True)
    birth = models.CharField(max_length=10, blank=True)
    """`2010-05-03` or `2010`, as precise as the file. Private."""
    title = models.CharField(max_length=5, blank=True)
    filed_id = models.CharField(max_length=30, blank=True)
    """The id in the file's id column."""
    id_kind = models.CharField(max_length=30, blank=True)
    """The kind of that id (`tournaments.identity.id_kinds`); empty: neither a person nor the register
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
    """As the journal writes it (`ratings.law.facts.RESULTS`)."""
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
