"""Tables of the desk: the official's queue, and the region's sections with their next steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import django_tables2 as tables
from django.db.models import Case, DateField, QuerySet, Value, When
from django.template.loader import render_to_string
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.timezone import localtime
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from players.office.models import Federation
from players.pages.table_columns import NumberColumn, StageColumn
from players.templatetags.ui import rating
from ratings.office.desk.models import ReviewFigures
from ratings.office.desk.rated_effects import RatedEffect
from tournaments.events.finding_words import filing_url
from tournaments.events.models import Section
from tournaments.events.section_days import (
    FOLLOWED,
    SectionDeadline,
    late_or_pressing,
    office_due,
    upload_words,
)
from tournaments.filing.before_play.first_decision import (
    may_decide_before_play,
    question_to_region,
    told_before_play,
)
from tournaments.filing.before_play.missed_days import missed_before_play

DueOn = Callable[[Section, date], SectionDeadline | None]


class _Meta:
    attrs = {"class": "cards"}
    orderable = False


class DueColumn(tables.Column):
    """A column with the next deadline of each section, as it stands on the day of the table."""

    def __init__(self, find: DueOn, *, missed: bool = False, **kwargs: Any) -> None:
        """Make the column; `missed`: with the days before play that were missed."""
        super().__init__(verbose_name=_("Due"), accessor="pk", **kwargs)
        self.find, self.missed = find, missed

    def render(self, record: Section, table: Any) -> str:
        due = self.find(record, table.day) if record.stage in FOLLOWED else None
        missed = missed_before_play(record, table.day) if self.missed else []
        others = (
            (each.due.words, each.clause)
            for each in missed
            if due is None or each.due.deadline != due.deadline
        )
        late = format_html_join("", '<span class="sub">{}</span>', ((_too_late(*each),) for each in others))
        return format_html("{}{}", self._shown(due), late)

    def _shown(self, due: SectionDeadline | None) -> str:
        if due is None:
            return "–"
        state = render_to_string("tournaments/deadline_state.html", {"each": due})
        day = date_format(due.last, "MONTH_DAY_FORMAT")
        return format_html('<span class="num">{}</span> {}<span class="sub">{}</span>', day, state, due.words)


def _too_late(words: str, clause: str) -> str:
    return now("too late: %(words)s (§%(clause)s)") % {"words": words, "clause": clause}


class SectionsTable(tables.Table):
    """A table of sections on the desk, each with a link to its next step; the base of the two below."""

    row_header = "section"
    section = tables.Column(verbose_name=_("Section"), accessor="name")
    region = tables.Column(verbose_name=_("Region"), accessor="event__region")
    ends = tables.DateColumn(verbose_name=_("Last day"), format="SHORT_DATE_FORMAT")

    def render_section(self, record: Section) -> str:
        words = format_html(
            '{}<span class="sub">{}</span>', f"{record.event.name}, {record.name}", record.key
        )
        return format_html('<a href="{}">{}</a>', self.url_of(record), words)

    def url_of(self, section: Section) -> str:
        return section.get_absolute_url()


class QueueTable(SectionsTable):
    """The table of an official's queue under one tab; each column that tells something sorts it."""

    empty_title = _("No section here")
    section = tables.Column(verbose_name=_("Section"), accessor="name", orderable=True)
    region = tables.Column(
        verbose_name=_("Region"), accessor="event__region", order_by="event__region__name", orderable=True
    )
    ends = tables.DateColumn(verbose_name=_("Last day"), format="SHORT_DATE_FORMAT", orderable=True)
    stage = StageColumn(verbose_name=_("Stage"), orderable=True)
    due = DueColumn(office_due, missed=True, orderable=True)
    players = NumberColumn(verbose_name=_("Players"), orderable=True)
    found = NumberColumn(verbose_name=_("Findings"), orderable=True)
    moves = NumberColumn(
        verbose_name=_("Ratings that move"),
        accessor="pk",
        order_by=("figures__moves", "figures__most"),
        orderable=True,
    )
    submitted_on = tables.DateColumn(verbose_name=_("Submitted"), orderable=True)
    rated_on = tables.DateColumn(verbose_name=_("Rated"), format="SHORT_DATE_FORMAT", orderable=True)
    taken = tables.Column(
        verbose_name=_("Official"),
        accessor="taking",
        order_by=("taking__official__name", "taking__official__email"),
        orderable=True,
        default="–",
    )

    class Meta(_Meta):
        sequence = (
            *("section", "region", "stage", "due", "players", "found", "moves"),
            *("ends", "submitted_on", "rated_on", "taken"),
        )
        empty_text = _("Nothing stands under this tab with these choices.")

    def __init__(
        self,
        data: QuerySet[Section],
        *,
        caption: str,
        office: Federation,
        day: date,
        hidden: tuple[str, ...],
        order_by: str,
    ) -> None:
        """Make the table of a tab; `hidden`: columns that say nothing there."""
        self.caption, self.office, self.day = caption, office, day
        self.zone = ZoneInfo(office.equipment.office.time_zone)
        super().__init__(data, exclude=hidden, order_by=order_by)
        self.effects: Mapping[int, RatedEffect] = {}
        """The effect of rated sections by their key; set once the page's rows are known."""

    def order_section(
        self, queryset: QuerySet[Section], is_descending: bool
    ) -> tuple[QuerySet[Section], bool]:
        sign = "-" if is_descending else ""
        return queryset.order_by(*(f"{sign}{name}" for name in ("event__name", "name", "pk"))), True

    def order_due(self, queryset: QuerySet[Section], is_descending: bool) -> tuple[QuerySet[Section], bool]:
        """Order all sections by the last day that their row shows; those without one come last both ways."""
        by_day: dict[date, list[int]] = {}
        for section in queryset:
            if due := office_due(section, self.day):
                by_day.setdefault(due.last, []).append(section.pk)
        days = [When(pk__in=keys, then=Value(day)) for day, keys in by_day.items()]
        if not days:
            return queryset.order_by("ends", "pk"), True
        last = Case(*days, default=None, output_field=DateField())
        order = last.desc(nulls_last=True) if is_descending else last.asc(nulls_last=True)
        return queryset.order_by(order, "ends", "pk"), True

    def url_of(self, section: Section) -> str:
        if section.stage == "registered":
            page = "before-play/" if may_decide_before_play(self.office) else ""
            return f"{section.get_absolute_url()}{page}"
        return f"{section.get_absolute_url()}review/"

    def render_found(self, record: Any, value: int) -> str:
        further = []
        if record.waivers:
            words = ngettext("%(count)s waiver asked for", "%(count)s waivers asked for", record.waivers)
            further.append(words % {"count": record.waivers})
        if record.open_hints:
            words = ngettext("%(count)s hint to answer", "%(count)s hints to answer", record.open_hints)
            further.append(words % {"count": record.open_hints})
        below = format_html_join("", '<span class="sub">{}</span>', ((each,) for each in further))
        return format_html("{}{}", value, below)

    def render_moves(self, record: Section) -> str:
        if record.stage == "rated":
            effect = self.effects.get(record.pk)
            return self._moved(effect.moves, effect.most) if effect else "–"
        figures: ReviewFigures | None = getattr(record, "figures", None)
        if record.stage != "submitted" or figures is None or figures.version != record.version:
            return "–"
        if figures.moves is None:
            return now("cannot be rated as it is")
        words = self._moved(figures.moves, figures.most)
        if figures.line == getattr(record, "lines", figures.line):
            return words
        at = localtime(figures.at, self.zone)
        moment = f"{date_format(at, 'MONTH_DAY_FORMAT')} {date_format(at, 'TIME_FORMAT')}"
        return format_html(
            '{}<span class="sub">{}</span>', words, now("as of %(moment)s") % {"moment": moment}
        )

    def _moved(self, moves: int, most: Decimal | None) -> str:
        if most is None:
            return str(moves)
        points = rating(most, self.office.publication.decimals)
        return format_html(
            '{}<span class="sub">{}</span>', moves, now("by %(points)s at most") % {"points": points}
        )

    def render_submitted_on(self, value: date | None) -> str:
        if value is None:
            return "–"
        waited = (self.day - value).days
        if waited < 1:
            return str(_("today"))
        return ngettext("%(days)s day ago", "%(days)s days ago", waited) % {"days": waited}

    def render_taken(self, value: Any) -> str:
        since = date_format(localtime(value.since, self.zone), "MONTH_DAY_FORMAT")
        return format_html(
            '{}<span class="sub">{}</span>', value.official, now("since %(day)s") % {"day": since}
        )


class FilingTable(SectionsTable):
    """A regional administrator's table of the region's sections under one tab, each with its next step; those
    of one event stand together. Each row names its event: a screen reader, or a phone, reads it by itself.
    """

    empty_title = _("Nothing here")
    stage = StageColumn(verbose_name=_("Stage"))
    due = DueColumn(late_or_pressing)
    step = tables.Column(verbose_name=_("Next"), accessor="pk", attrs={"td": {"class": "whole"}})

    class Meta(_Meta):
        sequence = ("section", "region", "ends", "due", "stage", "step")

    def __init__(self, data: Any, *, caption: str, day: date, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        self.caption, self.day = caption, day

    def render_step(self, record: Section) -> str:
        step = format_html('<a href="{}">{}</a>', *next_step(record, self.day))
        told = told_before_play(record)
        return format_html('{}<span class="sub">{}</span>', step, told) if told else step


def next_step(section: Section, day: date) -> tuple[str, str]:
    """The next step of a section for its region on that day: address and words of the link. The query may
    have set `blocking`, the number of findings in the way.
    """
    blocking = getattr(section, "blocking", 0)
    match section.stage:
        case "registered" if question_to_region(section):
            return filing_url("answer_before_play", section), str(_("Answer the office’s question"))
        case "registered":
            return filing_url("file", section), upload_words(section, day)
        case "returned":
            return filing_url("findings", section), str(_("Read the reason, and correct the section"))
        case "unrated":
            return filing_url("findings", section), str(_("Correct it and submit it again"))
        case "filed" if blocking:
            words = ngettext("Answer one question", "Answer %(count)s questions", blocking)
            return filing_url("findings", section), words % {"count": blocking}
        case "filed":
            return filing_url("submit", section), str(_("Submit"))
        case "submitted":
            return filing_url("submit", section), str(_("The office reviews it"))
        case "refused":
            return filing_url("submit", section), str(_("Read why it was refused"))
        case _other:
            return section.get_absolute_url(), str(_("See the ratings"))
