"""Pages for entries of the register that are one person: likely doubles, merging two, parting them again.

A decision has a preview of what it would change, which the worker computes and stores; until then the page
shows the worker's progress.
"""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_lazy, ngettext, pgettext

from players.access import FORM, OfficeRequest, Permission, page
from players.evidence import EVIDENCE_LABELS
from players.identity import (
    LikelyDouble,
    find_two_persons_decision,
    list_entry_and_merged as entries_of_register,
    record_two_persons,
)
from players.models import BirthDate, Decision, Federation, Ledger, Player, PlayerQuerySet
from players.names import fold
from players.pages.forms import MESSAGE, OUTDATED, attempt
from players.record import Refused
from players.settings import today
from players.templatetags.ui import rating
from ratings import merging
from ratings.as_if import Effects
from ratings.models import Fact, MergeOutlook
from ratings.pages.effects import effects_context
from ratings.pages.forms import OutlookForm, words_field
from ratings.pages.players import list_rated_entries, set_shown_ratings
from ratings.recompute import get_progress_context
from ratings.rulesets import facts, journal_lines
from ratings.rulesets.ruleset import Track
from tournaments.models import IN_RATED_SECTION, Entry, Game, Section, Stage

# ---- Likely doubles
PAIRS_PER_PAGE = 20


class TwoPersonsForm(forms.Form):
    player = forms.CharField(max_length=30, widget=forms.HiddenInput)
    other = forms.CharField(max_length=30, widget=forms.HiddenInput)
    reason = forms.CharField(
        label=gettext_lazy("How do you know that they are two persons?"),
        max_length=500,
        help_text=gettext_lazy("The record keeps your words."),
    )


@page(Permission.PLAYERS_CORRECT, methods=FORM)
def doubles(request: OfficeRequest) -> HttpResponseBase:
    """Page of likely doubles, the likeliest first; a POST states that a pair is two persons."""
    form = TwoPersonsForm(request.POST) if request.method == "POST" else None
    status = 200
    if form is not None:
        register = Player.objects.of(request.office)

        def answers(typed: dict[str, Any]) -> dict[str, Any]:
            found = {name: get_object_or_404(register, number=typed[name]) for name in ("player", "other")}
            return {**typed, **found}

        words = _("They are two persons: this pair is not shown again.")
        said = attempt(request, form, record_two_persons, words, refusal_to=MESSAGE, answers=answers)
        if said.done:
            return redirect("ratings:doubles", request.office.code)
        if not said.refused:
            words = _("Say how you know that they are two persons: the record keeps your words.")
            messages.error(request, words)
        status = said.status
    pairs = merging.get_pairs_to_review(request.office)
    page = Paginator(pairs, PAIRS_PER_PAGE).get_page(request.GET.get("page"))
    rows = _double_rows(request.office, list(page.object_list), today(request.office))
    if form is not None and not _restore_form(form, rows) and (words := form["reason"].value()):
        messages.warning(request, _("You had written: “%(words)s”") % {"words": words})
    context = {"page": page, "rows": rows}
    return render(request, "ratings/office/doubles.html", context, status=status)


def _restore_form(form: TwoPersonsForm, rows: list[dict[str, Any]]) -> bool:
    """Put a form as it was sent into its row; return whether the page has that row."""
    for row in rows:
        if {form["player"].value(), form["other"].value()} == {each.number for each in row["people"]}:
            form.auto_id = row["form"].auto_id
            form.full_clean()  # names the errors by the row's ids
            row["form"] = form
            return True
    return False


def _double_rows(office: Federation, pairs: Sequence[LikelyDouble], day: Any) -> list[dict[str, Any]]:
    """The rows of a page of pairs, with the evidence and the form to tell them apart: each player with
    ratings, region and last section.
    """
    keys = {key for pair in pairs for key in (pair.one, pair.other)}
    people = Player.objects.select_related("region", "federation").in_bulk(keys)
    set_shown_ratings(office, list(people.values()), day)
    entries = Entry.objects.filter(player__in=keys).select_related("section__event__federation")
    last: dict[int, Section] = {}
    for entry in entries.order_by("section__ends", "pk"):
        if entry.player_id is not None:
            last[entry.player_id] = entry.section
    for key, player in people.items():
        player.last_section = last.get(key)  # type: ignore[attr-defined]
    return [
        {
            "people": (people[pair.one], people[pair.other]),
            "evidence": [str(EVIDENCE_LABELS[key]) for key in pair.evidence],
            "form": TwoPersonsForm(
                initial={"player": people[pair.one].number, "other": people[pair.other].number},
                auto_id=f"pair-{pair.one}-{pair.other}-%s",
            ),
        }
        for pair in pairs
    ]


# ---- Previews
def request_or_render_outlook(
    request: OfficeRequest, player: Player, into: Player, place: dict[str, str]
) -> HttpResponseBase:
    """Render a preview as a part of the decision's page, for htmx; others go to that page. A POST has the
    worker compute it; until then the worker's progress is shown.

    `place`: the addresses of the part and of the page, and the words and the way back of the button.
    """
    mark = merging.compute_mark(player, into, today(request.office))
    if request.method == "POST":
        merging.ask_for_outlook(player=player, into=into, at=timezone.now(), mark=mark)
    if request.headers.get("HX-Request") != "true":
        return redirect(place["page_url"])
    context = {"part": True, **place, **outlook_context(player, into, mark)}
    return render(request, "ratings/office/_outlook.html", context)


def outlook_context(player: Player, into: Player, mark: str) -> dict[str, Any]:
    """Return the context of a preview: its content with its mark, or the worker's progress, or neither."""
    outlook = merging.find_outlook(player, into)
    if outlook is not None and merging.is_current(outlook, mark):
        shown = effects_context(into.federation, Effects.from_json(outlook.content))
        return {"drawn": True, "mark": mark, **shown}
    ledger = Ledger.objects.get(federation=into.federation)
    if ledger.pending:
        return {"working": get_progress_context(into.federation, ledger)}
    if outlook is not None and outlook.working:
        drawing = outlook.state == MergeOutlook.State.DRAWING
        words = _("Working out the effects") if drawing else _("Waiting for the worker")
        return {"working": {"words": words, "done": outlook.done, "total": outlook.total}}
    return {"failed": outlook is not None and outlook.state == MergeOutlook.State.FAILED}


# ---- Comparison of two entries
MOST_NAMED_SECTIONS = 5
"""The number of newest rated sections that are named; of others only the number is shown."""


def compare_entries(player: Player, into: Player) -> list[dict[str, Any]]:
    """Return rows that compare two entries: particulars that either has, games and rated sections. `differs`:
    both have a value, and not the same.
    """
    particulars = [
        (pgettext("of a person", "Name"), player.name, into.name),
        (_("Sex"), player.get_sex_display(), into.get_sex_display()),
        (_("Year of birth"), player.born, into.born),
        (_("Nation"), player.nation, into.nation),
        (_("Region"), player.region, into.region),
        (_("Title"), player.title, into.title),
        (_("Other ids"), _ids(player), _ids(into)),
    ]
    rows = [
        {
            "label": label,
            "one": str(one or "–"),
            "other": str(other or "–"),
            "differs": bool(one and other and one != other),
        }
        for label, one, other in particulars
        if one or other
    ]
    set_shown_ratings(into.federation, (player, into), today(into.federation))
    return [
        *rows,
        {"label": _("Ratings"), "one": _ratings(player), "other": _ratings(into)},
        {"label": _("Games in rated sections"), "one": str(_games(player)), "other": str(_games(into))},
        {"label": _("Rated sections"), "one": _sections(player), "other": _sections(into)},
    ]


def _ids(player: Player) -> str:
    return ", ".join(str(each) for each in player.identifiers.order_by("kind", "value"))


def _ratings(player: Player) -> str:
    places = player.federation.publication.decimals
    shown: list[tuple[Track, Decimal]] = player.shown_ratings  # type: ignore[attr-defined]
    return ", ".join(f"{_(track.name)} {rating(found, places)}" for track, found in shown) or "–"


def _games(player: Player) -> int:
    """The number of an entry's games in cross tables, with forfeits and annulled ones."""
    # By the player, SQLite would read the games of all rated sections.
    own = list(Entry.objects.filter(player__in=entries_of_register(player)).values_list("pk", flat=True))
    return Game.objects.filter(IN_RATED_SECTION, Q(first__in=own) | Q(second__in=own)).count()


def _sections(player: Player) -> SafeString | str:
    entries = list_rated_entries(player)
    sections = [entry.section for entry in entries[:MOST_NAMED_SECTIONS]]
    named = format_html_join(
        "",
        '<li><a href="{}">{}, {}</a><span class="sub">{}</span></li>',
        ((each.get_absolute_url(), each.event.name, each.name, each.ends.year) for each in sections),
    )
    more = entries.count() - len(sections)
    rest = format_html("<li>{}</li>", _("and %(number)s earlier") % {"number": more}) if more else ""
    return format_html('<ul class="plain-list">{}{}</ul>', named, rest) if sections else "0"


def differences(player: Player, into: Player) -> list[str]:
    """Return sentences on what differs in names, births, sexes …: signs of two people, or of a mistake."""
    return list(_differences(player, into))


def _differences(player: Player, into: Player) -> Iterator[str]:
    both = {"one": player.name, "other": into.name}
    # No register gives a person two ids of one kind.
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
    """Whether folded first names may be the same: one begins with the other, as initials do, or is empty."""
    return name.startswith(other) or other.startswith(name)


def opening_conflicts(player: Player, into: Player) -> list[str]:
    """Return, for each track in which both entries have an opening, a sentence on which counts after the
    merge: that of the entry that stays.
    """
    office = into.federation
    own, others = _openings(player), _openings(into)
    return [
        _("%(track)s: %(holds)s counts, and %(gives_way)s no longer counts")
        % {
            "track": _(track.name),
            "holds": _words(others[track.code], office),
            "gives_way": _words(own[track.code], office),
        }
        for track in office.ruleset.tracks
        if track.code in own and track.code in others
    ]


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


# ---- Merging two entries
MOST_NAMESAKES = 10
"""The most entries of the same name that are shown."""
MOST_COMPARED = 300
"""The most entries of the same name among which the likeliest are found."""


class KeptEntryForm(forms.Form):
    into = forms.CharField(label=gettext_lazy("Name or number of the entry to keep"), max_length=60)


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
        super().__init__(data, mark=mark, drawn=drawn)
        if said is None:
            del self.fields["all_the_same"]


@page(Permission.PLAYERS_MERGE, methods=FORM)
def merge(request: OfficeRequest, number: str, *, preview: bool = False) -> HttpResponseBase:
    """Page to merge a player: asks for the entry to keep, shows both and a preview, then merges them; or the
    `preview` alone, of the ratings and sections that merging would change.
    """
    people = Player.objects.of(request.office).select_related("region", "federation", "merged_into")
    player = get_object_or_404(people, number=number)
    if player.merged_into:
        messages.info(request, _("%(number)s was merged into this entry already.") % {"number": number})
        return redirect(player.merged_into)
    form = KeptEntryForm(request.GET if "into" in request.GET else None)
    into = people.filter(number=form.cleaned_data["into"].strip()).first() if form.is_valid() else None
    if into is None:
        return _ask(request, player, form)
    try:
        merging.refuse_merging(player, into)
    except Refused as refused:
        form.add_error("into", str(refused))
        return _ask(request, player, form, status=409)
    if preview:
        return request_or_render_outlook(request, player, into, _merging_place(player, into))
    return _decide(request, player, into)


def _ask(request: OfficeRequest, player: Player, form: KeptEntryForm, status: int = 400) -> HttpResponseBase:
    """The page that asks for the entry to keep: it shows those that were searched for, or the likeliest."""
    wanted = form.cleaned_data["into"] if form.is_valid() else ""
    register = Player.objects.of(request.office).current().exclude(pk=player.pk).select_related("region")
    named = register.named(wanted, inside_too=True).likeliest_first(wanted)[:MOST_NAMESAKES]
    found = list(named) if wanted else _find_alike(player, register)
    if wanted and not found:
        words = _("Nobody of this register has the number or the name “%(text)s”.")
        form.add_error("into", words % {"text": wanted})
    context = {"player": player, "form": form, "alike": found}
    return render(request, "ratings/office/merge.html", context, status=status if form.errors else 200)


def _find_alike(player: Player, register: PlayerQuerySet) -> list[Player]:
    """Entries of the same surname, or of the same first name and year of birth, the likeliest first."""
    same = Q(name_key=player.name_key)
    if player.born:
        same |= Q(first_name_key=player.first_name_key, born=player.born)

    def likeness(other: Player) -> int:
        return (player.born == other.born) + (player.first_name[:1] == other.first_name[:1])

    return sorted(register.filter(same)[:MOST_COMPARED], key=likeness, reverse=True)[:MOST_NAMESAKES]


def _decide(request: OfficeRequest, player: Player, into: Player) -> HttpResponseBase:
    """The page with both entries and a preview; a valid POST merges them."""
    day, said = today(request.office), find_two_persons_decision(player, into)
    mark = merging.compute_mark(player, into, day)
    drawn = merging.is_current(merging.find_outlook(player, into), mark)
    form = MergeForm(request.POST if request.method == "POST" else None, mark=mark, drawn=drawn, said=said)

    def answers(typed: dict[str, Any]) -> dict[str, Any]:
        return {"reason": typed["reason"], "although_two_persons": typed.get("all_the_same", False)}

    words = _("%(player)s is now merged with this entry. The effects on ratings are being computed.")
    terms: dict[str, Any] = {"answers": answers, "player": player, "into": into}
    terms["unchanged"] = lambda: merging.compute_mark(player, into, day) == mark
    merged = attempt(request, form, merging.merge_players, words % {"player": player.number}, **terms)
    if merged.done:
        return redirect(into)
    if merged.status == OUTDATED:
        return merge(request, office=request.office.code, number=player.number)
    context = {"player": player, "into": into, "form": form, "beside": compare_entries(player, into)}
    context |= {"said": said, "said_by": _who(request, said) if said else ""}
    context |= {"differences": differences(player, into), "openings": opening_conflicts(player, into)}
    context |= outlook_context(player, into, mark) | _merging_place(player, into)
    return render(request, "ratings/office/merge.html", context, status=form.status)


def _merging_place(player: Player, into: Player) -> dict[str, str]:
    args, query = [into.federation.code, player.number], urlencode({"into": into.number})
    return {
        "here": f"{reverse('ratings:merge_preview', args=args)}?{query}",
        "page_url": f"{reverse('ratings:merge', args=args)}?{query}",
        "button": _("Merge the two entries"),
        "cancel_url": player.get_absolute_url(),
    }


def _who(request: OfficeRequest, decision: Decision) -> str:
    return str(request.office.appointments.names().get(decision.by_id or 0, "") or _("The office"))


# ---- Parting a wrong merge
SECTION_PREFIX = "section-"
"""The prefix of fields that give a section to one of the two entries."""


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
        questions = {
            f"{SECTION_PREFIX}{entry.section_id}": forms.ChoiceField(
                label=_("Whose is %(section)s (%(stage)s)?")
                % {"section": entry.section, "stage": entry.section.get_stage_display()},
                choices=[("stays", stays), ("player", player.number)],
                widget=forms.RadioSelect,
            )
            for entry in entries
        }
        self.fields = {**questions, **self.fields}
        confirm = player.federation.equipment.office.powers.listed_words
        if confirm and any(entry.section.stage == Stage.RATED for entry in entries):
            self.fields["after_list"].label = _(confirm)
            self.fields["after_list"].help_text = _("Only where you give away a section of a published list.")
        else:
            del self.fields["after_list"]

    @property
    def given_sections(self) -> set[int]:
        """The keys of sections that are given to the entry that is parted."""
        values = self.cleaned_data.items()
        return {int(name.removeprefix(SECTION_PREFIX)) for name, whose in values if whose == "player"}


@page(Permission.PLAYERS_MERGE, methods=FORM)
def part(request: OfficeRequest, number: str, *, preview: bool = False) -> HttpResponseBase:
    """Page to part two merged entries, with what was filed since and a preview, or the `preview` alone.
    `number` is that of the entry that was merged into the other.
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
    if preview:
        return request_or_render_outlook(request, player, into, _parting_place(player, into))
    entries = merging.entries_since_merge(player)
    mark = merging.compute_mark(player, into, today(request.office))
    drawn = merging.is_current(merging.find_outlook(player, into), mark)
    form = PartForm(
        request.POST if request.method == "POST" else None, player, entries, mark=mark, drawn=drawn
    )

    def answers(typed: dict[str, Any]) -> dict[str, Any]:
        after_list = typed.get("after_list", False)
        return {"reason": typed["reason"], "given": form.given_sections, "after_list": after_list}

    words = _("%(player)s is a separate entry again. The effects on ratings are being computed.")
    words %= {"player": player.number}
    terms: dict[str, Any] = {"answers": answers, "player": player}
    terms["unchanged"] = lambda: merging.compute_mark(player, into, today(request.office)) == mark
    parted = attempt(request, form, merging.part_players, words, **terms)
    if parted.done:
        return redirect(player)
    if parted.status == OUTDATED:
        return part(request, office=request.office.code, number=number)
    context = {"player": player, "into": into, "form": form, "since": entries}
    context |= outlook_context(player, into, mark) | _parting_place(player, into)
    return render(request, "ratings/office/part.html", context, status=form.status)


def _parting_place(player: Player, into: Player) -> dict[str, str]:
    args = [player.federation.code, player.number]
    return {
        "here": reverse("ratings:part_preview", args=args),
        "page_url": reverse("ratings:part", args=args),
        "button": _("Separate the two entries"),
        "cancel_url": into.get_absolute_url(),
    }
