"""The limits of what the public may know of a person beyond number, ratings and play (`docs/privacy.md`).

Anybody not known to be an adult is treated as a child. That is judged as of today, whatever day a list is of,
and by whole bands of five years of birth: if each became an adult in a year of their own, the first list with
somebody's sex would reveal the year of birth.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from django.db.models import Q
from django.utils.translation import gettext as _

from players.models import Federation, Player
from players.names import fold, fold_and_join_words, fold_words
from players.settings import get_settings, today
from players.writing import batches
from ratings.journal import get_players_by_number
from ratings.models import Fact
from ratings.rulesets import facts, journal_lines
from ratings.rulesets.profile import AgeGroup, equipment_of
from ratings.rulesets.ruleset import Ruleset
from tournaments.models import Event

Name = tuple[str, str]
"""Surname and first name; the first name may be empty."""
NAME_COLUMNS = ("number", "surname", "first_name")
AT_ONCE = 1_000
"""The number of names that are looked up at once."""
IS_WITHHELD = Q(withheld=True) | Q(merged_into__withheld=True)
ADULT_AGE = 18
"""Age in years, by year of birth alone: people who turn 18 in a year are still children in it."""
ADULT_BAND_YEARS = 5
"""The number of years of birth that become adults' together."""
LABEL = r"(?:\b(?:e-?mail|tel(?:ephone)?|phone|cell|mobile|whats ?app|fax)\b[\s.:]*)?"
CONTACT = re.compile(
    rf"{LABEL}(?:[^\s,;]+\s*(?:@|\(at\)|\[at\])\s*[^\s,;]+|\+?\(?\d(?:[\s()/.-]*\d){{6,}})", re.IGNORECASE
)
"""A mail address in any notation, or seven or more digits in a row, with the label before it."""


def grown_until(day: date) -> int:
    """The latest year of birth of known adults: the end of the last five-year band of adults only."""
    return (day.year - ADULT_AGE - 1) // ADULT_BAND_YEARS * ADULT_BAND_YEARS


def asks_births(ruleset: Ruleset) -> bool:
    """Whether the office asks for births; then somebody without one may be a child."""
    return "born" in equipment_of(ruleset).office.asks


@dataclass(frozen=True)
class DisclosureLimits:
    """The limits on what one office publishes of people."""

    office: Federation
    on: date

    @cached_property
    def births(self) -> str:
        """The office's setting on births: `none` is published; `group`: lists may be filtered by age; `year`:
        files also give an adult's year of birth.
        """
        return get_settings(self.office).births

    @cached_property
    def minors(self) -> bool:
        """Whether the office lets lists be filtered by the age and sex of children too."""
        return get_settings(self.office).minors

    @cached_property
    def until(self) -> int:
        return grown_until(self.on)

    @cached_property
    def unknown_is_adult(self) -> bool:
        return not asks_births(self.office.ruleset)

    def is_adult(self, player: Player) -> bool:
        """Whether the player is known to be an adult."""
        return self.unknown_is_adult if player.born is None else player.born <= self.until

    def year(self, player: Player) -> int | None:
        """The year of birth to write in a public file; None if it is not public."""
        public = self.births == "year" and self.is_adult(player) and not player.withheld
        return player.born if public else None

    def sex(self, player: Player) -> str:
        return player.sex if self.is_adult(player) and not player.withheld else ""

    def can_show_foreign_id(self, player: Player) -> bool:
        """Whether a file may give the player's id in another register, which may show what is hidden here."""
        return self.is_adult(player) and not player.withheld

    def title(self, player: Player, filed: str | None = None) -> str:
        """The public form of a title, or the sports rank where the regulations have ranks (ssdc 2.3.1). A
        child's women's title is left out, since it reveals the sex.
        """
        title = self.ranks.get(player.number) or (player.title if filed is None else filed)
        hidden = player.withheld or (title.upper().startswith("W") and not self.is_adult(player))
        return "" if hidden else title

    def title_on_list(self, player: Player) -> str:
        """What a list has before a name: the title, or the rank, else that there is none (ssdc 4.1)."""
        none = "" if player.withheld else self.office.ruleset.journal.no_rank
        return self.title(player) or none

    @cached_property
    def ranks(self) -> Mapping[str, str]:
        """The highest sports rank that was awarded to each player, by number; empty where there are none."""
        order = self.office.ruleset.journal.ranks
        if not order:
            return {}
        rows = Fact.objects.filter(federation=self.office, kind="rank").in_force()
        lines = (
            journal_lines.parse_line(line, self.office.ruleset)
            for line in rows.values_list("line", flat=True)
        )
        awarded = [line for line in lines if isinstance(line, facts.Rank)]
        merged = Player.objects.filter(federation=self.office, number__in=[each.player for each in awarded])
        stays = dict(merged.exclude(merged_into=None).values_list("number", "merged_into__number"))
        found: dict[str, str] = {}
        for each in sorted(awarded, key=lambda each: order.index(each.rank)):
            found[stays.get(each.player, each.player)] = each.rank
        return found

    def region(self, player: Player) -> str:
        """The code of the region; empty if it is not public or there is none."""
        return player.region.code if player.region and not player.withheld else ""

    def nation(self, player: Player) -> str:
        return "" if player.withheld else player.nation

    def age_or_sex_filter(self, player: str = "player__") -> Q:
        """A filter for people who may be found by age or sex; `player`: the path from a row."""
        return Q(**{f"{player}withheld": False}) if self.minors else self.indexable_filter(player)

    def indexable_filter(self, player: str = "") -> Q:
        """A filter for people whose pages search engines may index; `player`: the path from a row."""
        grown = Q(**{f"{player}born__lte": self.until})
        known = grown | Q(**{f"{player}born": None}) if self.unknown_is_adult else grown
        return Q(**{f"{player}withheld": False}) & known

    @cached_property
    def age_groups(self) -> tuple[AgeGroup, ...]:
        """The age groups by which lists may be filtered: none with children, unless the office allows it."""
        if self.births == "none":
            return ()
        groups = self.office.publication.age_groups
        return (
            groups if self.minors else tuple(g for g in groups if g.least is not None and g.least > ADULT_AGE)
        )


def tells_no_juniors(office: Federation) -> bool:
    """Whether an office that knows ages has no pages of juniors, so that nobody learns who is one."""
    return asks_births(office.ruleset) and not limits_of(office).minors


def limits_of(office: Federation) -> DisclosureLimits:
    return DisclosureLimits(office, today(office))


# ---- People of an event
def without_contacts(text: str) -> str:
    """An organizer's name without mail address and telephone, which are for the office."""
    parts = (part.strip(" ,;:()/<>") for part in re.split(r"[,;]", CONTACT.sub("", text)))
    return ", ".join(part for part in parts if part)


def list_public_arbiters(event: Event) -> list[dict[str, str]]:
    """The public `name` and `title` of the event's arbiters; “withheld” for those not to be named."""
    hidden = read_hidden_people(event.federation) if event.arbiters else HiddenPeople()
    return [
        {"name": str(_("withheld")), "title": ""}
        if each.get("id") in hidden.numbers or fold_name_words(each["name"]) in hidden.names
        else {"name": without_contacts(each["name"]), "title": each.get("title", "")}
        for each in event.arbiters
    ]


def get_public_organizer(event: Event) -> str:
    """The organizer without contacts and without names of people who are not to be named."""
    organizer = without_contacts(event.organizer)
    hidden = read_hidden_people(event.federation) if organizer else HiddenPeople()
    parts = [part.strip() for part in organizer.split(",")]
    if fold_name_words(organizer) in hidden.names:
        return str(_("withheld"))
    public = (str(_("withheld")) if fold_name_words(part) in hidden.names else part for part in parts)
    return hidden.redact(", ".join(public))


@dataclass(frozen=True, slots=True)
class HiddenPeople:
    """The people of a register who asked not to be named: their numbers, and their names as in texts."""

    numbers: frozenset[str] = frozenset()
    names: frozenset[frozenset[str]] = frozenset()
    """The folded words of each name, in no order."""
    forms: re.Pattern[str] | None = None
    """A pattern of the names as a text may write them; None if there are none."""

    def redact(self, text: str) -> str:
        """Replace every name of these people in a text by “withheld”."""
        return self.forms.sub(str(_("withheld")), text) if self.forms else text


def read_hidden_people(office: Federation) -> HiddenPeople:
    """The people who asked not to be named, with the names they have or had, except deleted ones."""
    people = Player.objects.of(office).filter(IS_WITHHELD).order_by()
    current = {number: (surname, first) for number, surname, first in people.values_list(*NAME_COLUMNS)}
    names = {each for each in (*current.values(), *_former_names(office, current)) if fold_words(each[0])}
    known = frozenset(fold_name_words(f"{surname} {first_name}") for surname, first_name in names)
    return HiddenPeople(frozenset(current), known, _compile_forms(names))


def _former_names(office: Federation, numbers: Collection[str]) -> list[Name]:
    """The names that older lines of the journal gave these players, if the office still keeps them."""
    if not numbers:
        return []
    lines = Fact.objects.about(office, numbers, "player")
    found = (journal_lines.parse_line(line, office.ruleset) for line in lines.values_list("line", flat=True))
    seals = {each.seal for each in found if isinstance(each, facts.Player)}
    known = office.sealed_names.filter(seal__in=seals).values_list("name", flat=True)
    parts = (name.partition(", ") for name in known)
    return [(surname, first_name) for surname, _comma, first_name in parts]


def _compile_forms(names: Iterable[Name]) -> re.Pattern[str] | None:
    """Compile a pattern of full names in either order, longest first, and surnames; None without names."""
    forms: set[str] = set()
    for name in names:
        one, other = (re.escape(part) for part in name)
        forms |= {one, rf"{one},?\s+{other}", rf"{other}\s+{one}"} if other else {one}
    either = "|".join(sorted(forms, key=lambda form: (-len(form), form)))
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE) if forms else None


def fold_name_words(text: str) -> frozenset[str]:
    return frozenset(fold_words(text))


def redact_withheld_names(office: Federation, text: str) -> str:
    """Replace the names of people who asked not to be named in a text by officials."""
    return read_hidden_people(office).redact(text) if text else text


# ---- People of one name
def tell_apart(office: Federation, people: Iterable[Player]) -> None:
    """Have the shown names of these players of the office tell them from others of the same name: by year of
    birth or else by region, if that is public of all of them and different; else by number.
    """
    named: dict[Name, list[Player]] = defaultdict(list)
    for player in people:
        if player.surname and not player.withheld:
            named[fold(player.surname), fold_and_join_words(player.first_name)].append(player)
    limits = limits_of(office)
    unread = ["sex"] if limits.births == "year" else ["sex", "born"]
    rows = Player.objects.of(office).current().filter(withheld=False).select_related("region").order_by()
    alike: dict[Name, list[Player]] = defaultdict(list)
    for some in batches(named, AT_ONCE):
        surnames, first_names = {surname for surname, _first in some}, {first for _surname, first in some}
        found = rows.filter(name_key__in=surnames, first_name_key__in=first_names).defer(*unread)
        for row in found.iterator(AT_ONCE):
            alike[row.name_key, row.first_name_key].append(row)
    for name, theirs in named.items():
        if len(alike[name]) > 1:
            marks = _distinguish(alike[name], limits)
            for player in theirs:
                player.told_apart_by = marks.get(player.pk, player.number)


def _distinguish(people: Sequence[Player], limits: DisclosureLimits) -> dict[int, str]:
    """What the public may know of people of one name that is different for each, by their keys."""
    particulars: tuple[Callable[[Player], str], ...] = (
        lambda player: str(limits.year(player) or ""),
        lambda player: str(player.region) if limits.office.regional and player.region else "",
    )
    for particular in particulars:
        marks = {player.pk: particular(player) for player in people}
        if all(marks.values()) and len({*marks.values()}) == len(marks):
            return marks
    return {player.pk: player.number for player in people}


def get_named_players(office: Federation, numbers: Iterable[str]) -> dict[str, Player]:
    """The register's rows of these players by number, told apart from others of the same name."""
    people = get_players_by_number(office, numbers)
    tell_apart(office, people.values())
    return people


def find_public_name(player: Player) -> str | None:
    """The player's name; None if the player asked not to be named, or no name is known."""
    return None if player.withheld or not player.name else player.name
