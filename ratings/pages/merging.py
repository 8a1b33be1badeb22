"""Pages for entries of the register that are one person: likely doubles, merging two, parting them again.

A decision is made beside an outlook of what it would change. The worker draws the outlook up and keeps it;
the page shows the worker's progress until it is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import Q
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.access import OfficeRequest, Permission, permitted
from players.identity import LikelyDouble, said_to_be_two, tell_apart
from players.identity import entries_of as entries_of_register
from players.models import BirthDate, Decision, Federation, Ledger, Player, PlayerQuerySet
from players.names import fold
from players.record import Refused
from players.settings import today
from players.templatetags.ui import rating
from ratings import merging
from ratings.as_if import FoldPreview, RatingMove
from ratings.journal import named
from ratings.models import Fact, MergeOutlook
from ratings.pages.forms import OutlookForm, words_field
from ratings.pages.players import entries_of, with_ratings
from ratings.pages.review import RerateRow
from ratings.recompute import state_of
from ratings.rulesets import facts, journal_lines
from tournaments.matching import EVIDENCE
from tournaments.models import IN_RATED, Entry, Game, Section, Stage

# ---- Likely doubles in the register: each pair with its evidence, to compare or to tell apart.
ON_A_PAGE = 20


class ApartForm(forms.Form):
    """The form that says that a pair is two persons."""

    player = forms.CharField(max_length=30, widget=forms.HiddenInput)
    other = forms.CharField(max_length=30, widget=forms.HiddenInput)
    reason = forms.CharField(
        label=gettext_lazy("How do you know that they are two persons?"),
        max_length=500,
        help_text=gettext_lazy("The record keeps your words."),
    )


@dataclass(frozen=True, slots=True)
class DoubleRow:
    """Two entries side by side, what speaks for one person, and the form to tell them apart."""

    people: tuple[Player, Player]
    evidence: list[str]
    form: ApartForm


@permitted(Permission.PLAYERS_CORRECT)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def doubles(request: OfficeRequest) -> HttpResponseBase:
    """Page of likely doubles, the likeliest first; a POST says that one pair is two persons."""
    asked = ApartForm(request.POST) if request.method == "POST" else None
    status = 200
    if asked is not None and asked.is_valid():
        register = Player.objects.of(request.office)
        player = get_object_or_404(register, number=asked.cleaned_data["player"])
        other = get_object_or_404(register, number=asked.cleaned_data["other"])
        reason, day = asked.cleaned_data["reason"], today(request.office)
        try:
            tell_apart(player=player, other=other, by=request.user, on=day, reason=reason)
        except Refused as refused:
            messages.error(request, str(refused))
            status = 409
        else:
            messages.success(request, _("They are two persons: this pair is not shown again."))
            return redirect("ratings:doubles", request.office.code)
    elif asked is not None:
        messages.error(request, _("Say how you know that they are two persons: the record keeps your words."))
        status = 400
    pairs = merging.pairs_to_look_through(request.office)
    page = Paginator(pairs, ON_A_PAGE).get_page(request.GET.get("page"))
    rows = rows_of(request.office, list(page.object_list), today(request.office))
    if asked is not None and not _put_back(asked, rows) and (words := asked["reason"].value()):
        messages.warning(request, _("You had written: “%(words)s”") % {"words": words})
    context = {"page": page, "rows": rows}
    return render(request, "ratings/office/doubles.html", context, status=status)


def _put_back(asked: ApartForm, rows: list[DoubleRow]) -> bool:
    """Put what was typed about a pair into its row; return whether the page has that row."""
    for place, row in enumerate(rows):
        if {asked["player"].value(), asked["other"].value()} == {each.number for each in row.people}:
            asked.auto_id = row.form.auto_id
            asked.full_clean()  # names the errors by the row's ids
            rows[place] = replace(row, form=asked)
            return True
    return False


def rows_of(office: Federation, pairs: Sequence[LikelyDouble], day: Any) -> list[DoubleRow]:
    """The rows of a page of pairs: each player with ratings, region and last event."""
    keys = {key for pair in pairs for key in (pair.one, pair.other)}
    people = Player.objects.select_related("region", "federation").in_bulk(keys)
    with_ratings(office, list(people.values()), day)
    # The newest section of each of these players, by the player's key.
    entries = Entry.objects.filter(player__in=keys).select_related("section__event__federation")
    last: dict[int, Section] = {}
    for entry in entries.order_by("section__ends", "pk"):
        if entry.player_id is not None:
            last[entry.player_id] = entry.section
    for key, player in people.items():
        player.last_section = last.get(key)  # type: ignore[attr-defined]
    return [
        DoubleRow(
            (people[pair.one], people[pair.other]),
            [str(EVIDENCE[key]) for key in pair.evidence],
            ApartForm(
                initial={"player": people[pair.one].number, "other": people[pair.other].number},
                auto_id=f"pair-{pair.one}-{pair.other}-%s",
            ),
        )
        for pair in pairs
    ]


# ---- The content of an outlook on a merge: as it is kept, numbers and keys alone, and as its page shows it.
def as_shown(kept: dict[str, Any], player: Player, into: Player) -> dict[str, Any]:
    """The context of the part that tells of a kept preview."""
    office = into.federation
    numbers = {move[0] for _section, _players, moves in kept["rerated"] for move in moves}
    people = named(office, {*numbers, *kept["unstated"]})
    tracks = {track.code: _(track.name) for track in office.ruleset.tracks}
    keys = [each[0] for each in kept["rerated"]]
    sections = Section.objects.select_related("event__federation").in_bulk(keys)
    rows = [
        (key, _row(office, sections[key], players, [(tracks[m[1]], _move(m, people)) for m in moves]))
        for key, players, moves in kept["rerated"]
        if key in sections
    ]
    own = {entry.section_id for each in (player, into) for entry in entries_of(each)}
    ratings = [(tracks[code], *map(_number, row)) for code, row in kept["ratings"].items() if code in tracks]
    unstated = [people[number] for number in kept["unstated"] if number in people]
    return {
        "seen": FoldPreview(unseen=kept["unseen"]),
        "sections": kept["sections"],
        "unstated": sorted(unstated, key=lambda each: (each.sort_key, each.number)),
        "rerated": [row for key, row in rows if key in own],
        "others": [row for key, row in rows if key not in own],
        "ratings": [row for row in ratings if any(rating is not None for rating in row[1:])],
    }


def _row(
    office: Federation, section: Section, players: int, largest: list[tuple[str, RatingMove]]
) -> RerateRow:
    url = f"{office.get_absolute_url()}events/{section.key}/"
    return RerateRow(f"{section.event.name}, {section.name}", url, players, largest)


def _move(kept: list[Any], people: dict[str, Player]) -> RatingMove:
    number, track, now, then = kept
    return RatingMove(people[number], track, _number(now), _number(then))


def _number(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


# ---- The part of a page that tells of an outlook: the worker's progress, or what it has drawn.
def outlook_page(
    request: OfficeRequest, player: Player, into: Player, place: dict[str, str], *, page: str
) -> HttpResponseBase:
    """The page of an outlook, or for htmx the part that the decision's page takes in. A POST has the worker
    draw it up; until then it tells how far that is.

    `place`: the address here, the template of what is drawn, the words and the way back of the button that
    comes with it.
    """
    mark, outlook = merging.mark_of(player, into, today(request.office)), merging.outlook_of(player, into)
    part = request.headers.get("HX-Request") == "true"
    if request.method == "POST":
        outlook = merging.ask_for_outlook(player=player, into=into, at=timezone.now(), mark=mark)
        if not part:
            return redirect(place["here"])
    context = {"player": player, "into": into, "part": part, **place}
    context |= outlook_context(player, into, outlook, mark)
    return render(request, "ratings/office/_outlook.html" if part else page, context)


def outlook_context(player: Player, into: Player, outlook: MergeOutlook | None, mark: str) -> dict[str, Any]:
    """The context of an outlook: its content with its mark, the worker's progress, or neither; `failed`."""
    if outlook is not None and merging.is_current(outlook, mark):
        return {"drawn": True, "mark": mark, **as_shown(outlook.content, player, into)}
    ledger = Ledger.objects.get(federation=into.federation)
    if ledger.pending:
        return {"working": state_of(into.federation, ledger)}
    if outlook is not None and outlook.working:
        drawing = outlook.state == MergeOutlook.State.DRAWING
        words = _("Working out the effects") if drawing else _("Waiting for the worker")
        return {"working": {"words": words, "done": outlook.done, "total": outlook.total}}
    return {"failed": outlook is not None and outlook.state == MergeOutlook.State.FAILED}


# ---- Compare two entries: particulars, signs of two people, and their opening ratings.
SECTIONS = 5
"""The number of newest rated sections that are named; of more only the number is told."""


@dataclass(frozen=True, slots=True)
class Particular:
    """A row of the table that compares two entries; `differs`: both have a value, and not the same."""

    label: str
    one: str
    other: str
    differs: bool = False


def side_by_side(player: Player, into: Player) -> list[Particular]:
    """The rows that compare two entries: particulars that either has, then their games and rated sections."""
    said = [
        (pgettext("of a person", "Name"), player.name, into.name),
        (_("Sex"), player.get_sex_display(), into.get_sex_display()),
        (_("Year of birth"), player.born, into.born),
        (_("Nation"), player.nation, into.nation),
        (_("Region"), player.region, into.region),
        (_("Title"), player.title, into.title),
        (_("Other ids"), _ids(player), _ids(into)),
    ]
    rows = [
        Particular(label, str(one or "–"), str(other or "–"), differs=bool(one and other and one != other))
        for label, one, other in said
        if one or other
    ]
    return [
        *rows,
        Particular(_("Games in rated sections"), str(_games(player)), str(_games(into))),
        Particular(_("Rated sections"), _sections(player), _sections(into)),
    ]


def _ids(player: Player) -> str:
    return ", ".join(str(each) for each in player.identifiers.order_by("kind", "value"))


def _games(player: Player) -> int:
    """The number of an entry's games as cross tables show them, forfeits and annulled ones included."""
    # Asked for a player, SQLite would walk through the games of all rated sections.
    own = list(Entry.objects.filter(player__in=entries_of_register(player)).values_list("pk", flat=True))
    return Game.objects.filter(IN_RATED, Q(first__in=own) | Q(second__in=own)).count()


def _sections(player: Player) -> SafeString | str:
    entries = entries_of(player)
    sections = [entry.section for entry in entries[:SECTIONS]]
    named = format_html_join(
        "",
        '<li><a href="{}">{}, {}</a><span class="sub">{}</span></li>',
        ((each.get_absolute_url(), each.event.name, each.name, each.ends.year) for each in sections),
    )
    more = entries.count() - len(sections)
    rest = format_html("<li>{}</li>", _("and %(number)s earlier") % {"number": more}) if more else ""
    return format_html('<ul class="plain-list">{}{}</ul>', named, rest) if sections else "0"


# ---------------------------------------------------------------- what speaks against one person
def differences(player: Player, into: Player) -> list[str]:
    """Signs that two entries are two people, or one is wrong: sentences on names, births and sexes."""
    return list(_differences(player, into))


def _differences(player: Player, into: Player) -> Iterator[str]:
    both = {"one": player.name, "other": into.name}
    # Sentences on ids of one kind that the two entries have differently: a register gives nobody two.
    labels = {kind.code: _(kind.label) for kind in into.federation.equipment.office.id_kinds}
    own, others = (dict(each.identifiers.values_list("kind", "value")) for each in (player, into))
    for kind in sorted(own.keys() & others.keys()):
        if own[kind] != others[kind]:
            yield _("%(id)s: one has %(one)s, the other %(other)s.") % {
                "id": labels.get(kind, kind),
                "one": own[kind],
                "other": others[kind],
            }
    if fold(player.surname) != fold(into.surname):
        yield _("The surnames differ: %(one)s, and %(other)s.") % both
    if not _may_be_one(fold(player.first_name), fold(into.first_name)):
        yield _("The first names differ: %(one)s, and %(other)s.") % both
    if player.born and into.born and player.born != into.born:
        yield _("The years of birth differ: %(one)s, and %(other)s.") % {
            "one": player.born,
            "other": into.born,
        }
    elif len(set(BirthDate.objects.filter(player__in=(player, into)).values_list("day", flat=True))) > 1:
        yield _("The days of birth differ.")
    if player.sex and into.sex and player.sex != into.sex:
        sexes = {"one": player.get_sex_display(), "other": into.get_sex_display()}
        yield _("The sexes differ: %(one)s, and %(other)s.") % sexes
    for words, one, other in (
        (_("The nations differ: %(one)s, and %(other)s."), player.nation, into.nation),
        (_("The regions differ: %(one)s, and %(other)s."), player.region, into.region),
        (_("The titles differ: %(one)s, and %(other)s."), player.title, into.title),
    ):
        if one and other and one != other:
            yield words % {"one": one, "other": other}


def _may_be_one(name: str, other: str) -> bool:
    """Whether two folded first names may be one: one begins with the other, as initials do, or is missing."""
    return name.startswith(other) or other.startswith(name)


# ---------------------------------------------------------------- ratings taken over
def openings(player: Player, into: Player) -> list[str]:
    """For each track in which both entries have an opening, a sentence on which counts after the merge: that
    of the entry that stays.
    """
    office = into.federation
    own, others = _openings(player), _openings(into)
    told = []
    for track in office.ruleset.tracks:
        if track.code in own and track.code in others:
            gives_way, holds = _words(own[track.code], office), _words(others[track.code], office)
            told.append(
                _("%(track)s: %(holds)s counts, and %(gives_way)s no longer counts")
                % {"track": _(track.name), "holds": holds, "gives_way": gives_way}
            )
    return told


def _openings(player: Player) -> dict[str, facts.Opening]:
    """The openings in force of an entry and of those merged into it, by track."""
    federation = player.federation
    subjects = [each.number for each in entries_of_register(player)]
    rows = Fact.objects.about(federation, subjects, "opening").in_force()
    found: dict[str, facts.Opening] = {}
    for _number, line in sorted(rows.values_list("number", "line")):
        fact = journal_lines.parse_line(line, federation.ruleset)
        assert isinstance(fact, facts.Opening)
        found[fact.track] = fact
    return found


def _words(opening: facts.Opening, office: Federation) -> str:
    """An opening in words: `1031.9 with 229 games`."""
    games = ngettext("%(number)s game", "%(number)s games", opening.games) % {"number": opening.games}
    return _("%(rating)s with %(games)s") % {
        "rating": rating(opening.rating, office.publication.decimals),
        "games": games,
    }


# ---- Pages to merge two entries of one person: an official compares both, sees a preview, and decides.
ALIKE = 10
"""The most entries of the same name that are offered, and that are looked at."""
LOOKED_AT = 300


class OtherForm(forms.Form):
    """The form that asks for the number of the other entry, the one to keep."""

    into = forms.CharField(
        label=gettext_lazy("Number of the entry to keep"),
        max_length=30,
        help_text=gettext_lazy("The player’s page shows it."),
    )


class MergeForm(OutlookForm):
    reason = words_field(
        gettext_lazy("How do you know that they are one person?"),
        gettext_lazy("The record keeps your words."),
    )
    all_the_same = forms.BooleanField(
        label=gettext_lazy("They are one person all the same: I have read why they were said to be two."),
        error_messages={
            "required": gettext_lazy(
                "Somebody said that they are two persons. Read why, and confirm it here."
            )
        },
    )
    field_order = ("all_the_same", "reason", "seen")

    def __init__(self, data: Any, *, mark: str, drawn: bool, said: Decision | None) -> None:
        """Make the form; `said`: the decision that they are two persons."""
        super().__init__(data, mark=mark, drawn=drawn)
        if said is None:
            del self.fields["all_the_same"]


@permitted(Permission.PLAYERS_MERGE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def merge(request: OfficeRequest, number: str) -> HttpResponseBase:
    """Page to merge a player: ask for the entry that stays, then show both and a preview, then merge."""
    people = Player.objects.of(request.office).select_related("region", "federation", "merged_into")
    player = get_object_or_404(people, number=number)
    if player.merged_into:
        messages.info(request, _("%(number)s was merged into this entry already.") % {"number": number})
        return redirect(player.merged_into)
    asked = OtherForm(request.GET if "into" in request.GET else None)
    into = people.filter(number=asked.cleaned_data["into"].strip()).first() if asked.is_valid() else None
    if into is None:
        if asked.is_bound and not asked.errors:
            asked.add_error("into", _("No entry of this register has that number."))
        return _ask(request, player, asked)
    try:
        merging.refuse_merging(player, into)
        return _decide(request, player, into)
    except Refused as refused:
        asked.add_error("into", str(refused))
        return _ask(request, player, asked, status=409)


def _ask(
    request: OfficeRequest, player: Player, asked: OtherForm, status: int | None = None
) -> HttpResponseBase:
    alike = _alike(player)
    found = sorted(alike[:LOOKED_AT], key=lambda other: -_likeness(player, other))[:ALIKE]
    context = {"player": player, "form": asked, "alike": found, "alike_in_all": alike.count()}
    code = status or (400 if asked.errors else 200)
    return render(request, "ratings/office/merge.html", context, status=code)


def _alike(player: Player) -> PlayerQuerySet:
    """Other entries with the same surname, offered as those to keep."""
    found = Player.objects.of(player.federation).current().filter(name_key=player.name_key)
    return found.exclude(pk=player.pk).select_related("region")


def _likeness(one: Player, other: Player) -> int:
    """A sort key for offered entries, 0 to 2: one for the same year of birth, one for the same initial."""
    return (one.born == other.born) + (one.first_name[:1] == other.first_name[:1])


def _decide(request: OfficeRequest, player: Player, into: Player) -> HttpResponseBase:
    """The page with both entries and what merging would change; a valid POST merges them. Raises
    `Refused`.
    """
    day = today(request.office)
    mark, outlook = merging.mark_of(player, into, day), merging.outlook_of(player, into)
    said = said_to_be_two(player, into)
    asked = request.POST if request.method == "POST" else None
    form = MergeForm(asked, mark=mark, drawn=merging.is_current(outlook, mark), said=said)
    if form.is_valid():
        with transaction.atomic():
            holds = merging.locked_mark_of(player, into, day) == mark
            merging.refuse_merging(player, into)
            if holds:
                merging.merge_players(
                    player=player,
                    into=into,
                    by=request.user,
                    on=day,
                    reason=form.cleaned_data["reason"],
                    all_the_same=form.cleaned_data.get("all_the_same", False),
                )
        if not holds:  # what was shown changed in this moment: the page comes back with what is now
            return _decide(request, player, into)
        words = _("%(player)s is now merged with this entry. The effects on ratings are being computed.")
        messages.success(request, words % {"player": player.number})
        return redirect(into)
    context = {"player": player, "into": into, "form": form, "beside": side_by_side(player, into)}
    context |= {"said": said, "said_by": _who(request, said) if said else ""}
    context |= {"differences": differences(player, into), "openings": openings(player, into)}
    context |= outlook_context(player, into, outlook, mark) | _place(player, into)
    return render(request, "ratings/office/merge.html", context, status=form.status)


def _place(player: Player, into: Player) -> dict[str, str]:
    """The address of an outlook on merging, the template that tells of it, the button that comes with it."""
    here = reverse("ratings:merge_preview", args=[into.federation.code, player.number])
    return {
        "here": f"{here}?{urlencode({'into': into.number})}",
        "effects": "ratings/office/_merging.html",
        "button": _("Merge the two entries"),
        "cancel_url": player.get_absolute_url(),
    }


def _who(request: OfficeRequest, decision: Decision) -> str:
    return str(request.office.appointments.names().get(decision.by_id or 0, "") or _("The office"))


@permitted(Permission.PLAYERS_MERGE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def merge_preview(request: OfficeRequest, number: str) -> HttpResponseBase:
    """The ratings and sections that merging would change: a page of its own, or for htmx the part that the
    decision's page takes in. A POST has the worker draw it up; until then it tells how far that is.
    """
    people = Player.objects.of(request.office).select_related("region", "federation", "merged_into")
    player = get_object_or_404(people, number=number)
    into = people.filter(number=request.GET.get("into", "").strip()[:30]).first()
    if into is None:
        return redirect("ratings:merge", request.office.code, number)
    try:
        merging.refuse_merging(player, into)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("ratings:merge", request.office.code, number)
    return outlook_page(request, player, into, _place(player, into), page="ratings/office/merging.html")


# ---- The page to part a wrong merge: an official sees a preview and parts the two entries again.
GIVEN = "section-"
"""The beginning of the names of fields that give a section to one of the two."""


class PartForm(OutlookForm):
    """The form that parts two entries, with a question for each section that was filed or rated since."""

    reason = words_field(
        gettext_lazy("How do you know that they are two people?"),
        gettext_lazy("The record keeps your words."),
    )
    after_list = forms.BooleanField(required=False)

    def __init__(
        self, data: Any, player: Player, entries: Sequence[Entry], *, mark: str, drawn: bool
    ) -> None:
        super().__init__(data, mark=mark, drawn=drawn)
        stays = player.merged_into.number if player.merged_into else ""
        whose = [("stays", stays), ("player", player.number)]
        questions = {
            f"{GIVEN}{entry.section_id}": forms.ChoiceField(
                label=_("Whose is %(section)s (%(stage)s)?")
                % {"section": entry.section, "stage": entry.section.get_stage_display()},
                choices=whose,
                widget=forms.RadioSelect,
            )
            for entry in entries
        }
        self.fields = {**questions, **self.fields}
        confirm = player.federation.equipment.office.powers.unrating.listed_words
        if confirm and any(entry.section.stage == Stage.RATED for entry in entries):
            self.fields["after_list"].label = _(confirm)
            self.fields["after_list"].help_text = _("Only where you give away a section of a published list.")
        else:
            del self.fields["after_list"]

    @property
    def given(self) -> set[int]:
        """The keys of sections that are given to the entry that is parted."""
        told = self.cleaned_data.items()
        return {int(name.removeprefix(GIVEN)) for name, whose in told if whose == "player"}


@permitted(Permission.PLAYERS_MERGE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def part(request: OfficeRequest, number: str) -> HttpResponseBase:
    """Page to part two merged entries: GET lists what was filed since and loads a preview, POST parts them.
    `number` is that of the entry that had been merged into the other.
    """
    people = Player.objects.of(request.office).select_related(
        "region", "federation", "merged_into__federation"
    )
    player = get_object_or_404(people, number=number)
    try:
        merging.refuse_parting(player)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect(player)
    into = player.merged_into
    assert into is not None
    entries = merging.entries_since_merge(player)
    mark, outlook = merging.mark_of(player, into, today(request.office)), merging.outlook_of(player, into)
    asked = request.POST if request.method == "POST" else None
    form = PartForm(asked, player, entries, mark=mark, drawn=merging.is_current(outlook, mark))
    try:
        if form.is_valid():
            with transaction.atomic():
                holds = merging.locked_mark_of(player, into, today(request.office)) == mark
                merging.refuse_parting(player)
                if holds:
                    merging.part_players(
                        player=player,
                        by=request.user,
                        on=today(request.office),
                        reason=form.cleaned_data["reason"],
                        given=form.given,
                        after_list=form.cleaned_data.get("after_list", False),
                    )
            if not holds:  # what was shown changed in this moment: the page comes back with what is now
                return part(request, office=request.office.code, number=number)
            words = _("%(player)s is a separate entry again. The effects on ratings are being computed.")
            messages.success(request, words % {"player": player.number})
            return redirect(player)
    except Refused as refused:
        form.add_error(None, str(refused))
    context = {"player": player, "into": into, "form": form, "since": entries}
    context |= outlook_context(player, into, outlook, mark) | _entry_place(player, into)
    return render(request, "ratings/office/part.html", context, status=form.status)


def _entry_place(player: Player, into: Player) -> dict[str, str]:
    """The address of an outlook on parting, the template that tells of it, the button that comes with it."""
    return {
        "here": reverse("ratings:part_preview", args=[player.federation.code, player.number]),
        "effects": "ratings/office/_parting.html",
        "button": _("Separate the two entries"),
        "cancel_url": into.get_absolute_url(),
    }


@permitted(Permission.PLAYERS_MERGE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def part_preview(request: OfficeRequest, number: str) -> HttpResponseBase:
    """The ratings and sections that parting would change: a page of its own, or for htmx the part that the
    decision's page takes in. A POST has the worker draw it up; until then it tells how far that is.
    """
    people = Player.objects.of(request.office).select_related("federation", "merged_into__federation")
    player = get_object_or_404(people, number=number)
    try:
        merging.refuse_parting(player)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect(player)
    into = player.merged_into
    assert into is not None
    return outlook_page(request, player, into, _entry_place(player, into), page="ratings/office/parting.html")
