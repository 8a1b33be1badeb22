"""A section's fact for the journal, its ruleset's own fields, its deadlines and its stage.

The ruleset's own fields of a section become form fields here, and the answers go back into the journal's
form. Every service begins with `lock_section`, which locks the office and then the section.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.http import QueryDict
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_lazy

from players.display import day_in_words, fields_in_words
from players.models import Decision, User
from players.record import Refused, decide, lock_ledger
from players.settings import get_settings
from ratings.rulesets import facts
from ratings.rulesets.facts import Deadline, Field, Filing
from ratings.rulesets.profile import Follows, equipment_of, form_fields
from ratings.rulesets.ruleset import Ruleset
from tournaments.models import OPEN_TO_FILING, Bye, Entry, Event, Game, Section, Stage

# ---- A section as the open journal writes it and the rules read it
PREFETCH_CACHE = "_prefetched_objects_cache"
"""The attribute in which Django keeps prefetched rows."""


class IncompleteSection(Refused):
    """Raised for a section without what the rules need: `missing`, such as `rounds` or `player 12`."""

    def __init__(self, missing: list[str]) -> None:
        super().__init__(", ".join(missing))
        self.missing = missing


def section_fact(
    section: Section, *, draft: bool = False, entries: Sequence[Entry] | None = None
) -> facts.Section:
    """The journal's fact of a section: entries by starting number, games in the order of play.

    `entries`: the section's own with their players, if the caller has them. `draft`: for acceptance and not
    for the journal; entries that are not matched with a player are named `#12`, unknown rounds are 0.

    Raises `IncompleteSection` if rounds are unknown or an entry is not matched, unless it is a draft.
    """
    entries = entries_with_players(section) if entries is None else entries
    missing = [f"player {entry.number}" for entry in entries if entry.player is None]
    if section.rounds is None:
        missing.insert(0, "rounds")
    if missing and not draft:
        raise IncompleteSection(missing)
    number = {entry.pk: entry.player.number if entry.player else f"#{entry.number}" for entry in entries}
    return replace(
        outline_section(section),
        entries=tuple(_entry(entry, number[entry.pk], section) for entry in entries),
        games=tuple(
            facts.Game(
                game.round, number[game.first_id], number[game.second_id], game.result, game.excused or None
            )
            for game in section.games.all()
        ),
        byes=tuple(
            facts.Bye(bye.round, number[bye.entry_id], bye.kind) for bye in list_byes_before_finals(section)
        ),
    )


def load_particulars(section: Section) -> dict[str, Any]:
    """The values of the ruleset's own fields, by the attribute of `facts.Section`."""
    read: dict[str, Any] = {}
    for field in section.event.federation.ruleset.sections.fields:
        value = section.particulars.get(field.name)
        if value in (None, "", []):
            continue
        read[field.name] = parse_time_controls(value) if field.kind == "time_controls" else value
    return read


def parse_time_controls(value: Any) -> tuple[facts.TimeControl, ...]:
    """Convert one control (`{"minutes": [90], "increment": 30}`) or a list of them to the journal's form."""
    return tuple(
        facts.TimeControl(
            minutes=tuple(Decimal(str(part)) for part in control["minutes"]),
            increment=Decimal(str(control.get("increment") or 0)),
        )
        for control in (value if isinstance(value, list) else [value])
    )


def dump_particulars(section: facts.Section, ruleset: Ruleset) -> dict[str, Any]:
    """The reverse of `load_particulars`: a value for `Section.particulars` from the journal's fact."""
    written: dict[str, Any] = {}
    for field in ruleset.sections.fields:
        value = getattr(section, field.name)
        if value in (None, (), False):
            continue
        written[field.name] = (
            [_control(control) for control in value] if field.kind == "time_controls" else value
        )
    return written


def _control(control: facts.TimeControl) -> dict[str, Any]:
    return {"minutes": [_number(part) for part in control.minutes], "increment": _number(control.increment)}


def _number(value: Decimal) -> int | str:
    return int(value) if value == value.to_integral_value() else str(value)


def _entry(entry: Entry, number: facts.PlayerId, section: Section) -> facts.Entry:
    left = None
    if entry.left_round is not None:
        left = facts.Departure(entry.left_round, bool(entry.left_notified))
    return facts.Entry(
        player=number,
        place=entry.place,
        rating=entry.rating or None,
        women=_plays_for_womens_title(entry, section),
        team=(entry.team or None) if section.team else None,
        left=left,
    )


def _plays_for_womens_title(entry: Entry, section: Section) -> bool:
    """Whether an entry counts for the women's title: by the sex in the register, else as filed or stated."""
    ruleset = section.event.federation.ruleset
    if section.particulars.get("status") not in ruleset.sections.women_play_in:
        return False
    sex = (entry.player.sex if entry.player else "") or entry.sex
    return sex == "f" if sex else entry.women


def list_byes_before_finals(section: Section) -> list[Bye]:
    """The byes of scheduled rounds: players who are in no final are not absent from it."""
    last = section.rounds if section.rounds and section.finals else None
    return [bye for bye in section.byes.all() if last is None or bye.round <= last]


# ---- Rows that are read once
@contextmanager
def rows_in_memory(section: Section) -> Iterator[None]:
    """Prefetch a section's entries, games and byes until the block ends, with unsaved changes to them."""
    games = Game.objects.order_by("order")
    prefetch_related_objects(
        [section], Prefetch("entries", _full_entries()), Prefetch("games", games), "byes"
    )
    entries = {entry.pk: entry for entry in section.entries.all()}
    for game in section.games.all():
        game.first, game.second = entries[game.first_id], entries[game.second_id]
    try:
        yield
    finally:
        for name in ("entries", "games", "byes"):
            getattr(section, PREFETCH_CACHE).pop(name, None)


def entries_with_players(section: Section) -> list[Entry]:
    """A section's entries with everything that the rules read of their players."""
    if "entries" in getattr(section, PREFETCH_CACHE, {}):
        return list(section.entries.all())
    entries = list(_full_entries().filter(section=section))
    for entry in entries:
        entry.section = section
    return entries


def _full_entries() -> QuerySet[Entry]:
    # One object for each federation and region; a join would make one for each player.
    shared = ("player__identifiers", "player__federation", "player__region")
    return Entry.objects.select_related("player__birth_date", "region").prefetch_related(*shared)


# ---- Time controls in free text (TRF 122), read as a suggestion
_TRF26_PERIOD = re.compile(r"(?:[0-9]+/)?([0-9]+)(?:\+([0-9]+))?")
_CLOCK = re.compile(r"\b([0-9]{1,2}):([0-5][0-9])\b")
_MINUTES = re.compile(r"([0-9]{1,3}(?:[.,][0-9])?)\s*(?:'|′|’|m\b|min)", re.IGNORECASE)
_SECONDS = re.compile(r"([0-9]{1,3})\s*(?:''|\"|″|”|s\b|sec)", re.IGNORECASE)
_BARE = re.compile(r"\b([0-9]{1,3})\s*\+\s*([0-9]{1,3})\b")
_INCREMENT_WITHOUT_UNIT = re.compile(r"(?:\+|plus)\s*([0-9]{1,3})\b")
LONGEST_INCREMENT = 180


def guess_time_control(text: str) -> dict[str, Any] | None:
    """Read a time control from free text into the journal's form; None if the text is not clear.

    The form is `{"minutes": [90], "increment": 30}`: one number of minutes for each period.
    """
    plain = text.strip()
    if coded := _read_trf26_code(plain):
        return coded
    if bare := _BARE.fullmatch(plain):
        return _make_control([Decimal(bare[1])], int(bare[2]))
    seconds = [int(found) for found in _SECONDS.findall(plain)]
    without_seconds = _SECONDS.sub(" ", plain)
    minutes = [Decimal(found.replace(",", ".")) for found in _MINUTES.findall(without_seconds)]
    if not minutes and (clock := _CLOCK.search(plain)):
        minutes = [Decimal(int(clock[1]) * 60 + int(clock[2]))]
        without_seconds = _CLOCK.sub(" ", without_seconds)
    if not minutes or len(set(seconds)) > 1:
        return None
    if not seconds and "min" not in without_seconds.partition("+")[2]:
        seconds = [int(found) for found in _INCREMENT_WITHOUT_UNIT.findall(without_seconds)[-1:]]
    return _make_control(minutes, seconds[0] if seconds else 0)


def _make_control(minutes: list[Decimal], increment: int) -> dict[str, Any] | None:
    if not all(0 < part <= 999 for part in minutes) or increment > LONGEST_INCREMENT:
        return None
    return {"minutes": [decimal_as_json(part) for part in minutes], "increment": increment}


def decimal_as_json(value: Decimal) -> int | str:
    """A whole number as int, another one as text, since JSON has no exact decimals."""
    rounded = value.quantize(Decimal("0.0001")).normalize()
    return int(rounded) if rounded == rounded.to_integral() else format(rounded, "f")


def _read_trf26_code(text: str) -> dict[str, Any] | None:
    """Read a time control in TRF26's code (record 222): periods in seconds, `40/6000+30:900+30`, `5400+30`.

    None if the text is no such code, or its periods are so short that they may be minutes.
    """
    parts = [_TRF26_PERIOD.fullmatch(part) for part in text.split(":")]
    found = [part for part in parts if part]
    if len(found) < len(parts) or any(int(part[1]) < 180 for part in found):
        return None
    return _make_control([Decimal(int(part[1])) / 60 for part in found], int(found[-1][2] or 0))


# ---- A ruleset's own fields of a section in forms
OWN_PREFIX = "own-"
MOST_CONTROLS = 3
"""The number of time controls in a form."""
_PERIOD = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,4})?")


class PlainField(forms.CharField):
    """A text field of one line, in NFC and without invisible characters, as the journal takes it."""

    def to_python(self, value: Any) -> str:
        text = unicodedata.normalize("NFC", super().to_python(value) or "")
        if not text.isprintable():
            raise ValidationError(
                gettext_lazy("There is an invisible character in this text. Type the text again."), code="odd"
            )
        return text


CONTACT_PATTERN = re.compile(
    r"[^\s@]+@[^\s@]+\.\w"
    r"|\b(?:tel(?:ephone)?|phone|cell|mobile|whats ?app)\b[\s.:]*[+(]*\d"
    r"|(?:\+|(?<!\d)\(?0)\(?\d(?:[ ()]*\d){7,}"
    r"|(?<!\d)0\d\d-\d{3}-\d{4}",
    re.IGNORECASE,
)
"""A mail address or a telephone number, but neither dates nor the years of a season."""


class PublicNameField(PlainField):
    """A name that pages and the journal publish for good, so without telephone number or mail address."""

    def to_python(self, value: Any) -> str:
        text = super().to_python(value)
        if found := CONTACT_PATTERN.search(text):
            words = gettext_lazy(
                "Everybody can read this, and the journal keeps it. Leave out “%(found)s”: no telephone "
                "number and no e-mail address."
            )
            raise ValidationError(words, code="contact", params={"found": found[0]})
        return text


class TimeControlsWidget(forms.MultiWidget):
    """Inputs for minutes and increment of each time control; all but the first are folded while empty."""

    use_fieldset = True

    def __init__(self) -> None:
        minutes = {"inputmode": "decimal", "autocomplete": "off"}
        seconds = {"min": "0", "max": str(LONGEST_INCREMENT)}
        pair = (lambda: forms.TextInput(minutes), lambda: forms.NumberInput(seconds))
        super().__init__([widget() for _n in range(MOST_CONTROLS) for widget in pair])

    def decompress(self, value: Any) -> list[Any]:
        controls = value if isinstance(value, list) else [value] if value else []
        rows = [[" + ".join(map(str, c["minutes"])), c.get("increment", 0)] for c in controls[:MOST_CONTROLS]]
        return [cell for row in rows for cell in row] + [None, None] * (MOST_CONTROLS - len(rows))

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        # Django takes any list for the values of the parts; this may be a list of whole controls.
        whole = isinstance(value, list) and any(isinstance(part, dict) for part in value)
        return super().get_context(name, self.decompress(value) if whole else value, attrs)

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        context = self.get_context(name, value, attrs)
        parts = context["widget"]["subwidgets"]
        pairs = [parts[at : at + 2] for at in range(0, len(parts), 2)]
        more = any(part["value"] not in (None, "") for pair in pairs[1:] for part in pair)
        return render_to_string(
            "tournaments/time_controls.html", {"first": pairs[0], "others": pairs[1:], "open": more}
        )


class TimeControlsField(forms.MultiValueField):
    """A form field for time controls in the journal's form, `[{"minutes": [90], "increment": 30}, …]`."""

    widget = TimeControlsWidget

    def __init__(self, **kwargs: Any) -> None:
        parts: list[forms.Field] = []
        for _n in range(MOST_CONTROLS):
            parts.append(forms.CharField(max_length=40))
            parts.append(forms.IntegerField(min_value=0, max_value=LONGEST_INCREMENT))
        super().__init__(fields=parts, require_all_fields=False, **kwargs)
        for part in parts:
            part.required = False

    def compress(self, data_list: Sequence[Any]) -> list[dict[str, Any]]:
        pairs = [tuple(data_list[at : at + 2]) for at in range(0, len(data_list), 2)]
        return [
            clean_time_control(minutes, increment) for minutes, increment in pairs if minutes or increment
        ]


def clean_time_control(minutes: str, increment: int | None) -> dict[str, Any]:
    """Read a time control into the journal's form, or raise ValidationError.

    `minutes`: `90`, or `90 + 15` for two periods; `increment`: in seconds.
    """
    parts = [part.strip() for part in str(minutes or "").replace(",", ".").split("+")]
    if not all(_PERIOD.fullmatch(part) for part in parts):
        raise ValidationError(
            gettext_lazy("Write the minutes as a number, or two periods as 90 + 15."), code="minutes"
        )
    control = _make_control([Decimal(part) for part in parts], increment or 0)
    if control is None:
        raise ValidationError(gettext_lazy("A period has between 0 and 999 minutes."), code="minutes")
    return control


def build_own_fields(ruleset: Ruleset) -> dict[str, forms.Field]:
    """The form fields for a ruleset's own particulars of a section, by `own-` and the particular's name."""
    following = what_follows(ruleset, {}, "")
    return {
        OWN_PREFIX + field.name: build_own_field(field, follows=field.name in following)
        for field in form_fields(ruleset)
    }


def what_follows(ruleset: Ruleset, particulars: Mapping[str, Any], format_: str) -> Mapping[str, Follows]:
    """The fields of a section that follow from its other particulars and its format, by name."""
    return equipment_of(ruleset).office.registration.follows(particulars, format_)


def tell_organizer(section: Section) -> list[tuple[str, str]]:
    """What a section's organizer has to know before play: clauses and sentences."""
    ruleset = section.event.federation.ruleset
    told = list(equipment_of(ruleset).office.registration.told(section.particulars, section.format))
    params = (
        {name: _(value) if isinstance(value, str) else value for name, value in each.params.items()}
        for each in told
    )
    return [(each.clause, _(each.words).format(**values)) for each, values in zip(told, params, strict=True)]


def build_own_field(field: Field, *, follows: bool = False) -> forms.Field:
    """The form field for one of the ruleset's own particulars of a section; `follows`: from others, where it
    is left empty.
    """
    common: dict[str, Any] = {
        "label": _(field.label),
        "help_text": _("Choose one only if you want a lower one than follows from your other answers.")
        if follows
        else _(field.help)
        if field.help
        else "",
        "required": field.required and field.kind != "flag" and field.only_with is None and not follows,
        "initial": field.default or None,
    }
    if field.choices:
        nothing = _("as it follows from the other answers") if follows else "—"
        empty = [] if field.default else [("", nothing)]
        choices = [*empty, *((choice.value, _(choice.label)) for choice in field.choices)]
        if field.kind == "whole":
            return forms.TypedChoiceField(choices=choices, coerce=int, empty_value=None, **common)
        return forms.ChoiceField(choices=choices, **common)
    if field.kind == "time_controls":
        return TimeControlsField(**common)
    if field.kind == "flag":
        return forms.BooleanField(**common)
    if field.kind == "whole":
        return forms.IntegerField(min_value=0, max_value=99_999, **common)
    if field.kind == "day":
        return forms.DateField(widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"), **common)
    if field.kind == "url":
        schemes = URLValidator(schemes=["http", "https"])
        return forms.URLField(max_length=300, assume_scheme="https", validators=[schemes], **common)
    return PlainField(max_length=20, **common)


def group_own_fields_by_step(ruleset: Ruleset, form: forms.Form) -> list[tuple[str, list[forms.BoundField]]]:
    """The ruleset's own fields of a long form by its steps: each step's heading and fields."""
    steps = equipment_of(ruleset).office.registration.steps
    return [(_(step.heading), [form[OWN_PREFIX + name] for name in step.fields]) for step in steps]


def get_own_fields(form: forms.Form, *, flags: bool, include_steps: bool = True) -> list[forms.BoundField]:
    """The ruleset's own fields of a form: its tick boxes (`flags`), or all others.

    `include_steps`: also those of the steps of a long form; False needs a form with a `ruleset`.
    """
    own = [name for name in form.fields if name.startswith(OWN_PREFIX)]
    if not include_steps:
        ruleset: Ruleset = form.ruleset  # type: ignore[attr-defined]
        steps = equipment_of(ruleset).office.registration.steps
        elsewhere = {OWN_PREFIX + name for step in steps for name in step.fields}
        own = [name for name in own if name not in elsewhere]
    return [form[name] for name in own if isinstance(form.fields[name], forms.BooleanField) == flags]


def get_time_control_field(ruleset: Ruleset) -> Field | None:
    """The ruleset's own field of the time control, if it has one."""
    return next((field for field in ruleset.sections.fields if field.kind == "time_controls"), None)


def fill_time_control(data: QueryDict, section: Section) -> QueryDict:
    """Copy a form's data with the time control that the section's file gives, if it differs."""
    field, filled = get_time_control_field(section.event.federation.ruleset), data.copy()
    if field and (filed := section.hints.get("time")):
        for part, value in enumerate(TimeControlsWidget().decompress(filed)):
            filled[f"{OWN_PREFIX}{field.name}_{part}"] = "" if value is None else str(value)
    return filled


def get_own_initial(ruleset: Ruleset, particulars: Mapping[str, Any], format_: str) -> dict[str, Any]:
    """The values of a form's own fields, without those that follow from the others anyway."""
    following = what_follows(ruleset, particulars, format_)
    return {
        OWN_PREFIX + name: value
        for name, value in particulars.items()
        if name not in following or following[name].value != value
    }


def clean_particulars(ruleset: Ruleset, form: forms.Form) -> dict[str, Any]:
    """A form's answers for `Section.particulars`, with what follows from them and without fields that depend
    on another field's value if that value was not given.
    """
    said = {field.name: form.cleaned_data.get(OWN_PREFIX + field.name) for field in form_fields(ruleset)}
    given = {
        field.name: _to_json(said[field.name])
        for field in form_fields(ruleset)
        if said[field.name] not in (None, "", [], False) and field.applies(said)
    }
    following = what_follows(ruleset, given, form.cleaned_data.get("format", ""))
    return {name: each.value for name, each in following.items()} | given


def _to_json(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def particulars_in_words(section: Section) -> list[tuple[str, str]]:
    """The particulars of a section as labels and values in words, in the order of its ruleset's fields."""
    return [(label, value) for label, value, _clause in particulars_with_clauses(section)]


def particulars_with_clauses(section: Section) -> list[tuple[str, str, str]]:
    """The particulars of a section as labels, values in words, and the clauses that ask for them, if any."""
    own = fields_in_words(section.particulars, section.event.federation.ruleset)
    return [
        (_("Rounds"), str(section.rounds or ""), ""),
        *((label, words, field.clause) for field, label, words in own),
    ]


def time_controls_in_words(section: Section) -> str:
    """The time controls of a section in words; empty if its ruleset asks for none."""
    return _times_in_words(section, section.particulars)


def filed_time_in_words(section: Section) -> str:
    """The time control of a section's file in words, if it differs from the registered one."""
    field, filed = get_time_control_field(section.event.federation.ruleset), section.hints.get("time")
    return _times_in_words(section, {field.name: filed}) if field and filed else ""


def _times_in_words(section: Section, particulars: Mapping[str, Any]) -> str:
    own = fields_in_words(particulars, section.event.federation.ruleset)
    return "; ".join(words for field, _label, words in own if field.kind == "time_controls")


def get_filing_answers(ruleset: Ruleset, particulars: Mapping[str, Any]) -> dict[str, Any]:
    """The answers, as in `Filing.said`, to the fields that acceptance reads but the journal does not hold."""
    answers = {
        field.name: (field.kind, particulars.get(field.name))
        for field in equipment_of(ruleset).office.filing_fields
    }
    return {
        name: date.fromisoformat(value) if kind == "day" and value else value
        for name, (kind, value) in answers.items()
    }


def add_companion_errors(ruleset: Ruleset, form: forms.Form) -> None:
    """Add an error to each empty field that another field's value makes necessary."""
    said = {field.name: form.cleaned_data.get(OWN_PREFIX + field.name) for field in form_fields(ruleset)}
    for field in form_fields(ruleset):
        if field.only_with and field.required and field.applies(said) and said[field.name] in (None, ""):
            form.add_error(OWN_PREFIX + field.name, gettext_lazy("This is needed here."))
    following = what_follows(ruleset, said, form.cleaned_data.get("format", ""))
    for field in (each for each in form_fields(ruleset) if each.name in following):
        levels = {choice.value: choice.label for choice in field.choices}
        chosen, highest, order = str(said[field.name]), following[field.name].highest, list(levels)
        if chosen in levels and order.index(chosen) < order.index(highest):
            words = _("By the other answers it can be “%(highest)s” at best.")
            form.add_error(OWN_PREFIX + field.name, words % {"highest": _(levels[highest])})


# ---- Deadlines, read from the section's row and its event's, so that lists of sections can show them
FOLLOWED_STAGES = (*OPEN_TO_FILING, Stage.SUBMITTED)
"""The stages of sections whose deadlines still matter."""
SOON_DAYS = 7
"""Days before a last day from which pages mark it."""


class DeadlineState(StrEnum):
    IN_TIME = "in-time"
    LATE = "late"
    """Done, after the last day."""
    OPEN = "open"
    OVERDUE = "overdue"
    """Not done, and the last day is over."""


@dataclass(frozen=True, slots=True)
class SectionDeadline:
    """A deadline of a section as of a day (`on`)."""

    section: Section
    deadline: Deadline
    on: date

    @property
    def clause(self) -> str:
        return self.deadline.clause

    @property
    def last(self) -> date:
        return self.deadline.last

    @property
    def words(self) -> str:
        return _(self.section.event.federation.ruleset.words.messages[self.deadline.key])

    @property
    def state(self) -> DeadlineState:
        done, last = self.deadline.done, self.deadline.last
        if done is None:
            return DeadlineState.OVERDUE if self.on > last else DeadlineState.OPEN
        return DeadlineState.LATE if done > last else DeadlineState.IN_TIME

    @property
    def days_left(self) -> int:
        """Days until the last day; below 0, days since then."""
        return (self.last - self.on).days

    @property
    def days_over(self) -> int:
        return -self.days_left

    @property
    def soon(self) -> bool:
        return 0 <= self.days_left <= SOON_DAYS

    @property
    def is_late(self) -> bool:
        return self.state in (DeadlineState.OVERDUE, DeadlineState.LATE)

    @property
    def is_pending(self) -> bool:
        """Whether it still has to be met: it is binding and not done."""
        return self.deadline.done is None and self.deadline.binding


def list_deadlines(section: Section, on: date) -> list[SectionDeadline]:
    """The deadlines of a section as of a day, the earliest first.

    The section's event with its federation and region, and its `permission_requests`, should be loaded.
    """
    rules = section.event.federation.ruleset.sections
    if rules.deadlines is None:
        return []
    found = rules.deadlines(outline_section(section), build_deadline_filing(section))
    return [SectionDeadline(section, each, on) for each in sorted(found, key=lambda each: each.last)]


def find_pending_deadline(section: Section, on: date, *, by_office: bool = False) -> SectionDeadline | None:
    """The next deadline that the region (or the office) has still to meet or has missed, if any."""
    open_ones = (each for each in list_deadlines(section, on) if each.is_pending)
    return next((each for each in open_ones if each.deadline.by_office == by_office), None)


def find_region_deadline(section: Section, on: date) -> SectionDeadline | None:
    """The next deadline of a section that the region has to meet; None if there is none, or the section was
    called off, refused or rated.
    """
    return find_pending_deadline(section, on) if section.stage in FOLLOWED_STAGES else None


def find_pending_or_late_deadline(section: Section, on: date) -> SectionDeadline | None:
    """The next deadline that the region has still to meet, else the first that it met late."""
    late = (each for each in list_deadlines(section, on) if each.state == DeadlineState.LATE)
    return find_pending_deadline(section, on) or next((each for each in late if each.deadline.binding), None)


def find_deadline_for_official(section: Section, on: date) -> SectionDeadline | None:
    """The deadline that an official is shown: the next that region or office (deciding before play) still has
    to meet, else the first that the region met late. None if there is none or it does not matter any more.
    """
    if section.stage not in FOLLOWED_STAGES:
        return None
    by_office = (
        find_pending_deadline(section, on, by_office=True) if section.stage == Stage.REGISTERED else None
    )
    both = [each for each in (find_pending_or_late_deadline(section, on), by_office) if each]
    return min(both, key=lambda each: (not each.is_pending, each.last), default=None)


def outline_section(section: Section) -> facts.Section:
    """The journal's fact of a section without entries, games and byes."""
    event = section.event
    return facts.Section(
        id=section.key,
        event=event.name,
        name=section.name,
        starts=section.starts,
        ends=section.ends,
        format=section.format,
        rounds=section.rounds or 0,
        entries=(),
        games=(),
        byes=(),
        country=event.country if event.country not in ("", event.federation.ruleset.country) else None,
        team=section.team,
        **load_particulars(section),
    )


def build_deadline_filing(section: Section) -> Filing:
    """The days and answers of a section that deadlines are counted from."""
    event = section.event
    admitted = find_admission_before_play(section)
    # The day on which the region first asked for each permission, by clause.
    asked: dict[str, date] = {}
    for each in sorted(section.permission_requests.all(), key=lambda each: each.asked_on):
        asked.setdefault(each.clause, each.asked_on)
    return Filing(
        registered=section.registered_on or event.registered_on,
        filed=section.filed_on,
        handed_in=find_counted_submission_day(section),
        event_starts=event.starts,
        event_ends=event.ends,
        region=event.region.code,
        said=get_filing_answers(event.federation.ruleset, section.particulars),
        permissions=frozenset(allowed["clause"] for allowed in section.permissions if allowed["clause"]),
        asked=asked,
        declared_on=date.fromisoformat(admitted["on"]) if admitted else None,
        settings=asdict(get_settings(event.federation)),
    )


def find_counted_submission_day(section: Section) -> date | None:
    """The day of the submission that counts: of the one that the office first rated, else of the newest; None
    while the section is with the region and was never rated.
    """
    with_the_region = section.stage in (Stage.REGISTERED, Stage.FILED, Stage.RETURNED)
    return section.first_rated_submission or (None if with_the_region else section.submitted_on)


def is_refused_before_play(section: Section) -> bool:
    """Whether the office refused the section before play, and not its filed results."""
    return section.stage == Stage.REFUSED and section.before_play.get("decision") == "refused"


def find_admission_before_play(section: Section) -> Mapping[str, Any] | None:
    """The decision that admitted a section before play, if any: its day (`on`) and what was `declared`."""
    return next((each for each in reversed(section.permissions) if "declared" in each), None)


def upload_link_text(section: Section, day: date) -> str:
    """The text of a link to upload a section's file; before its first day, with that day."""
    if day < section.starts:
        return _("Upload the file, from %(day)s on") % {"day": day_in_words(section.starts)}
    return _("Upload the file")


# ---- Locks and limits
ADVICE = {
    Stage.SUBMITTED: gettext_lazy("Until an official decides, you can withdraw it and change it."),
    Stage.RATED: gettext_lazy(
        "If something is wrong, tell the office on the section's page of remarks: it can correct it or "
        "un-rate it."
    ),
    Stage.CANCELLED: gettext_lazy("It was called off. On its event's page you can take it up again."),
    Stage.WITHDRAWN: gettext_lazy("It was registered by mistake. If it is played after all, add a section."),
    Stage.REFUSED: gettext_lazy(
        "The office refused it: its page gives the reason, and until when the region can appeal."
    ),
}
"""Advice to the person filing, by the stage that does not allow it."""


def lock_section(
    section: Section, *, version: int | None = None, stages: Collection[Stage] = OPEN_TO_FILING
) -> Section:
    """Lock the section until the transaction ends; raise `Refused` if its version or stage is another."""
    lock_ledger(section.event.federation)
    locked = (
        Section.objects.select_for_update(of=("self",))
        .select_related("event__federation", "event__region")
        .get(pk=section.pk)
    )
    if locked.stage not in stages:
        words = _("This section is %(stage)s, so this cannot be done now.")
        advice = str(ADVICE.get(Stage(locked.stage), ""))
        raise Refused(f"{words % {'stage': locked.get_stage_display()}} {advice}".strip())
    if version is not None and locked.version != version:
        raise Refused(
            _("This section changed while your page was open. Check it as it is now, and try again.")
        )
    return locked


def record(thing: Event | Section, kind: str, by: User | None, on: date, **details: Any) -> Decision:
    """Record a decision about an event or a section."""
    event = thing if isinstance(thing, Event) else thing.event
    return decide(event.federation, kind=kind, by=by, on=on, about=thing.named_on_record, **details)


# ---- The stage of a section.
def was_rated(section: Section) -> bool:
    """Whether the section was ever approved."""
    decisions = section.event.federation.decisions
    return decisions.filter(kind="approve", about=f"section {section.key}").exists()


def change_stage(section: Section, stage: Stage, **fields: Any) -> None:
    """Save the section in `stage` with these fields, as a new version; the caller has locked it."""
    section.stage, section.version = stage, section.version + 1
    for name, value in fields.items():
        setattr(section, name, value)
    section.save(update_fields=["stage", "version", *fields])
