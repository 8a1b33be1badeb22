"""The hints of a section as its review shows them: each in words, with its evidence, links and answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from django.urls import reverse
from django.utils.formats import date_format, number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from players.office.models import Federation
from players.register.models import Player
from ratings.hints.hint import HintKind
from ratings.hints.models import Hint, HintAnswer
from tournaments.events.models import Section
from tournaments.identity.evidence_words import EVIDENCE

TITLES: Mapping[str, Promise] = {
    HintKind.SAME_EVENT: gettext_lazy("The same event twice?"),
    HintKind.TWO_PLACES: gettext_lazy("In two places on one day?"),
    HintKind.LOOK_ALIKE: gettext_lazy("A name that looks like another’s"),
    HintKind.FAR_SCORE: gettext_lazy("A score far from expectation"),
}


@dataclass(frozen=True, slots=True)
class HintLink:
    """A page on which an official can look at a hint's evidence."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class ScoredGame:
    """A game of a score far from expectation."""

    round: str
    opponent: str
    rating: str
    expected: str
    score: str


@dataclass(frozen=True, slots=True)
class HintRow:
    """One hint in words. `evidence`: further lines, such as each player with the days."""

    key: str
    kind: str
    title: str
    words: str
    evidence: Sequence[str]
    links: Sequence[HintLink]
    games: Sequence[ScoredGame]
    answers: Sequence[HintAnswer]
    is_open: bool


def current_rows(section: Section) -> list[HintRow]:
    """The hints of a section that waits, as they were found last."""
    hints = list(Hint.objects.current().filter(section=section))
    open_keys = set(Hint.objects.open().filter(section=section).values_list("key", flat=True))
    answers = answers_of(section)
    writer = HintWriter(section, [hint.evidence for hint in hints])
    return [
        writer.row(hint, [each for each in answers if each.key == hint.key], hint.key in open_keys)
        for hint in hints
    ]


def earlier_rows(section: Section, current: Iterable[HintRow]) -> list[HintRow]:
    """The hints that officials answered and that are found no more: with the evidence which they saw."""
    shown = {row.key for row in current}
    gone: dict[str, list[HintAnswer]] = {}
    for answer in answers_of(section):
        if answer.key not in shown:
            gone.setdefault(answer.key, []).append(answer)
    writer = HintWriter(section, [answers[-1].evidence for answers in gone.values()])
    return [writer.row(answers[-1], answers, False) for answers in gone.values()]


def answers_of(section: Section) -> list[HintAnswer]:
    """All answers to a section's hints, with their words and the region's replies, the oldest first."""
    rows = section.hint_answers.select_related("decision__by", "remark")
    return list(rows.prefetch_related("decision__words", "remark__answers__sealed_words"))


class HintWriter:
    """Writes hints in words; looks up players and sections once for all of them."""

    def __init__(self, section: Section, evidence: Sequence[Mapping[str, Any]]) -> None:
        """Look up whom and which sections the `evidence` names."""
        self.section = section
        self.office: Federation = section.event.federation
        numbers = {number for each in evidence for number in _numbers(each)}
        register = Player.objects.of(self.office).select_related("federation").filter(number__in=numbers)
        self.players = {player.number: player for player in register}
        keys = [each["section"] for each in evidence if "section" in each]
        self.sections = Section.objects.select_related("event__federation").in_bulk(keys)

    def row(self, hint: Hint | HintAnswer, answers: Sequence[HintAnswer], is_open: bool) -> HintRow:
        """A hint, or the answer to one that is gone, in words."""
        tell = {
            HintKind.SAME_EVENT: self._same_event,
            HintKind.TWO_PLACES: self._two_places,
            HintKind.LOOK_ALIKE: self._look_alike,
            HintKind.FAR_SCORE: self._far_score,
        }[HintKind(hint.kind)]
        words, evidence, links = tell(hint.evidence)
        games = [self._game(each) for each in hint.evidence.get("games", [])]  # type: ignore[attr-defined]
        title = str(TITLES[HintKind(hint.kind)])
        return HintRow(hint.key, hint.kind, title, words, evidence, links, games, answers, is_open)

    def _same_event(self, told: Mapping[str, Any]) -> tuple[str, list[str], list[HintLink]]:
        words = _(
            "%(players)s of %(of_players)s players and %(results)s of %(of_results)s results are also those "
            "of %(section)s, %(days)s."
        ) % {
            **told,
            "section": self._named(told),
            "days": _days(date.fromisoformat(told["starts"]), date.fromisoformat(told["ends"])),
        }
        return words, [], self._links_to(told)

    def _two_places(self, told: Mapping[str, Any]) -> tuple[str, list[str], list[HintLink]]:
        here, there = self.section.event.place, self._place_of(told)
        words = ngettext(
            "%(count)s player of this section (%(here)s) played on the same day in %(section)s (%(there)s).",
            "%(count)s players of this section (%(here)s) played on the same day in %(section)s (%(there)s).",
            len(told["days"]),
        ) % {
            "count": len(told["days"]),
            "here": here or _("place not given"),
            "section": self._named(told),
            "there": there or _("place not given"),
        }
        lines = [
            _("%(player)s: %(days)s")
            % {
                "player": self._player(number),
                "days": ", ".join(date_format(date.fromisoformat(day), "DATE_FORMAT") for day in days),
            }
            for number, days in told["days"].items()
        ]
        return words, lines, self._links_to(told)

    def _look_alike(self, told: Mapping[str, Any]) -> tuple[str, list[str], list[HintLink]]:
        new = _(
            "%(player)s, who came into the register with this section, looks like %(other)s: %(evidence)s."
        )
        found = _("%(player)s was found without an id, and looks like %(other)s: %(evidence)s.")
        words = (new if told["new"] else found) % {
            "player": self._player(told["player"]),
            "other": self._player(told["other"]),
            "evidence": ", ".join(str(EVIDENCE[key]) for key in told["evidence"]),
        }
        links = [*self._pages_of(told["player"]), *self._pages_of(told["other"])]
        if len(links) == 2:
            compare = reverse("ratings:merge", args=[self.office.code, told["player"]])
            links.append(HintLink(_("Compare the two, and merge them"), f"{compare}?into={told['other']}"))
        return words, [], links

    def _far_score(self, told: Mapping[str, Any]) -> tuple[str, list[str], list[HintLink]]:
        tracks = {track.code: track.name for track in self.office.ruleset.tracks}
        words = _(
            "%(player)s scored %(scored)s in %(games)s games against rated players, where the rules expect "
            "%(expected)s (%(track)s)."
        ) % {
            "player": self._player(told["player"]),
            "scored": _figure(told["scored"]),
            "games": len(told["games"]),
            "expected": _figure(told["expected"]),
            "track": _(tracks.get(told["track"], told["track"])),
        }
        measured = _(
            "That is %(deviations)s standard deviations from it. One is %(spread)s: the square root of the "
            "sum of e × (1 − e), e being the expected score of each game."
        )
        where = [self.office.code, self.section.event.number, self.section.code, told["player"]]
        links = self._pages_of(told["player"])
        if self.section.stage == "submitted":
            working = reverse("ratings:review_working", args=[*where, told["track"]])
            links.append(HintLink(_("The working of this rating"), working))
        figures = {name: _figure(told[name]) for name in ("deviations", "spread")}
        return words, [measured % figures], links

    def _game(self, told: Sequence[str]) -> ScoredGame:
        round_number, opponent, rating, expected, score = told
        return ScoredGame(
            round_number, self._player(opponent), _figure(rating), _figure(expected), _figure(score)
        )

    def _player(self, number: str) -> str:
        player = self.players.get(number)
        return f"{player.name} ({number})" if player else number

    def _pages_of(self, number: str) -> list[HintLink]:
        player = self.players.get(number)
        return [HintLink(player.name, player.get_absolute_url())] if player else []

    def _named(self, told: Mapping[str, Any]) -> str:
        other = self.sections.get(told["section"])
        stage = f", {other.get_stage_display()}" if other else ""
        return f"{other or ''} {told['key']}{stage}".strip()

    def _place_of(self, told: Mapping[str, Any]) -> str:
        other = self.sections.get(told["section"])
        return other.event.place if other else ""

    def _links_to(self, told: Mapping[str, Any]) -> list[HintLink]:
        other = self.sections.get(told["section"])
        return (
            [HintLink(_("Look at the other section"), f"{other.get_absolute_url()}review/")] if other else []
        )


def _numbers(told: Mapping[str, Any]) -> list[str]:
    """The numbers of the players that a hint's evidence names."""
    alone = [told[name] for name in ("player", "other") if name in told]
    return [*alone, *told.get("days", {}), *(game[1] for game in told.get("games", []))]


def _figure(kept: str) -> str:
    """A figure of the evidence as the reader's language writes it."""
    written: str = number_format(Decimal(kept))
    return written


def _days(first: date, last: date) -> str:
    shown = [date_format(day, "DATE_FORMAT") for day in (first, last)]
    return shown[0] if first == last else " – ".join(shown)
