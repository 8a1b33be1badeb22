"""Pages on which an official corrects a section: choosing changes, seeing effects, deciding.

A correction of a rated section is carried out only if its effects still are what the page showed. If the
office asks for two officials, the first proposes it and another confirms it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import groupby
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Q
from django.http import Http404, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as now, gettext_lazy

from players.access import FORM, OfficeRequest, Permission, page
from players.display import day_in_words
from players.models import Federation, Ledger
from players.pages.forms import parse_number
from players.record import Refused, lock_ledger
from players.settings import edition_in_force, get_settings, today
from ratings import corrections
from ratings.as_if import (
    CorrectionPreview,
    hash_preview_state,
    preview_corrected_list,
    preview_section_correction,
)
from ratings.corrections import NO_FURTHER_STEPS, FurtherSteps
from ratings.journal import get_players_by_number
from ratings.pages.cases import cases_within_rights
from ratings.pages.decisions import lists_with_section, sentence_to_confirm
from ratings.pages.effects import effects_context
from ratings.pages.errata import ChangeRow, compare_versions
from ratings.pages.forms import DecisionForm, OutlookForm, ReasonForm, UnrateForm
from ratings.pages.review import section_for, word_steps
from ratings.pages.rule_tables import worded_differences
from ratings.pre_ratings import get_birth_questions, get_valid_birth_answers
from ratings.recompute import get_progress_context
from ratings.rulesets.facts import ANNULLED
from tournaments.cases import find_reported_games, find_sections_of_case
from tournaments.corrections import (
    BY_POINTS,
    DAY_FIELDS,
    STAY,
    AppliedCorrections,
    Change,
    describe_corrections,
    parse_changes,
    preview_changes,
)
from tournaments.findings import describe_finding as words_of_finding, result_in_words
from tournaments.models import Case, CaseMessage, Entry, Game, MendingProposal, Section, Stage

# ---- The form of changes
UNCHANGED = ("", gettext_lazy("as it is"))
RESULT_CHOICES = (
    UNCHANGED,
    ("1-0", "1-0"),
    ("1/2", "½-½"),
    ("0-1", "0-1"),
    ("0-0", gettext_lazy("0-0, both lost")),
    ("+:-", gettext_lazy("+:-, the second was absent")),
    ("-:+", gettext_lazy("-:+, the first was absent")),
    ("-:-", gettext_lazy("-:-, both were absent")),
    (ANNULLED, gettext_lazy("Strike the game: it cannot be, and counts for nothing")),
)


class MendingForm(DecisionForm):
    """The form that asks for a change; `changes` has those chosen before, as JSON."""

    changes = forms.CharField(required=False, widget=forms.HiddenInput)
    game = forms.ChoiceField(label=gettext_lazy("Game"), required=False)
    result = forms.ChoiceField(label=gettext_lazy("Its result"), choices=RESULT_CHOICES, required=False)
    first = forms.ChoiceField(required=False)
    second = forms.ChoiceField(required=False)
    entry = forms.ChoiceField(label=gettext_lazy("Player"), required=False)
    place = forms.IntegerField(
        label=gettext_lazy("Final place"), min_value=1, max_value=99_999, required=False
    )
    day = forms.ChoiceField(label=gettext_lazy("Which day"), required=False)
    to = forms.DateField(
        label=gettext_lazy("The right day"),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        required=False,
    )

    def __init__(self, *args: Any, section: Section, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        entries = list(section.entries.select_related("player"))
        people = [(each.number, f"{each.number} {each.name}") for each in entries]
        self._set_choices("game", [("", gettext_lazy("none")), *_games(section, entries)])
        self._set_choices("first", [UNCHANGED, *people])
        self._set_choices("second", [UNCHANGED, *people])
        self._set_choices("entry", [("", gettext_lazy("nobody")), *people])
        self._set_choices("day", [("", gettext_lazy("none")), *_days(section)])
        sides = section.event.federation.publication.sides
        self.fields["first"].label = now("Who played %(side)s") % {"side": now(sides[0])}
        self.fields["second"].label = now("Who played %(side)s") % {"side": now(sides[1])}
        for field in self.fields.values():  # none needs the word “optional”
            field.wanted = True  # type: ignore[attr-defined]

    def _set_choices(self, name: str, choices: Sequence[Any]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = choices

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        right = any(given.get(name) for name in ("result", "first", "second"))
        if given.get("game") and not right:
            self.add_error("result", now("Say what is right of this game."))
        if right and not given.get("game") and "game" not in self.errors:
            self.add_error("game", now("Choose the game."))
        self._require_both("entry", "place", now("Write the right place."), now("Choose the player."))
        self._require_both("day", "to", now("Write the right day."), now("Choose which day is wrong."))
        return given

    def _require_both(self, what: str, right: str, lacks_right: str, lacks_what: str) -> None:
        """Add an error if only one is given of the fields `what` and `right`, its right value."""
        given = self.cleaned_data
        if given.get(what) and given.get(right) is None and right not in self.errors:
            self.add_error(right, lacks_right)
        if given.get(right) is not None and not given.get(what) and what not in self.errors:
            self.add_error(what, lacks_what)

    @property
    def chosen(self) -> list[Change]:
        """All changes chosen so far, those of this form last, once it is valid. Raises `Refused` if `changes`
        cannot be parsed.
        """
        given = self.cleaned_data
        found = parse_changes(given["changes"])
        if given["game"]:
            game = int(given["game"])
            sides = {side: int(given[side]) for side in ("first", "second") if given[side]}
            if sides:
                found.append({"what": "pairing", "game": game, **sides})
            if given["result"] == ANNULLED:
                found.append({"what": "struck", "game": game})
            elif given["result"]:
                found.append({"what": "result", "game": game, "to": given["result"]})
        if given["entry"]:
            found.append({"what": "place", "entry": int(given["entry"]), "to": given["place"]})
        if given["day"]:
            which = {"day": given["day"]} if given["day"] in DAY_FIELDS else {"round": int(given["day"])}
            found.append({"what": "date", "to": given["to"].isoformat(), **which})
        return found


def changes_as_json(changes: Sequence[Change]) -> str:
    return json.dumps([dict(each) for each in changes])


def _games(section: Section, entries: Sequence[Entry]) -> list[Any]:
    names = {each.pk: each.name for each in entries}
    games = section.games.order_by("round", "order")
    return [
        (now("Round %(round)s") % {"round": round_}, [(game.order, _label(game, names)) for game in of_round])
        for round_, of_round in groupby(games, key=lambda game: game.round)
    ]


def _label(game: Game, names: dict[int, str]) -> str:
    return f"{names[game.first_id]} – {names[game.second_id]} {result_in_words(game.result)}"


def _days(section: Section) -> list[tuple[str, str]]:
    rounds = range(1, (section.rounds or 0) + 1)
    if section.format == "placement":
        rounds = range(0)
    return [
        ("starts", now("the first day of the section")),
        ("ends", now("the last day of the section")),
        *((str(number), now("the day of round %(round)s") % {"round": number}) for number in rounds),
    ]


# ---- Effects of corrections
class FurtherStepsForm(OutlookForm):
    """The base of forms that correct a rated section, with what may be decided in the same step; valid for
    the effects that their page showed.
    """

    lists = forms.MultipleChoiceField(
        label=gettext_lazy("Publish again, beside the first version"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    cases = forms.MultipleChoiceField(
        label=gettext_lazy("Close as corrected, and tell whoever reported it what moved"),
        widget=forms.CheckboxSelectMultiple,
        required=False,
        error_messages={
            "invalid_choice": gettext_lazy(
                "This case changed while your page was open. Read it as it is now, and try again."
            )
        },
    )

    def __init__(self, *args: Any, days: Sequence[date], cases: Sequence[Case], **kwargs: Any) -> None:
        """Make the form. `days`: of the lists that may be published again; `cases`: that may be closed."""
        super().__init__(*args, **kwargs)
        self._offer("lists", [(day.isoformat(), day_in_words(day)) for day in days])
        self._offer("cases", [(_case_value(case), _case_label(case)) for case in cases])

    def _offer(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = choices
        field.wanted = True  # type: ignore[attr-defined]  # a tick needs no word “optional”
        if not choices:
            del self.fields[name]
        else:  # behind the fields that say why
            self.fields[name] = self.fields.pop(name)

    def clean(self) -> dict[str, Any]:
        given = super().clean()
        days = tuple(map(date.fromisoformat, given.pop("lists", ())))
        read = (value.split(":") for value in given.pop("cases", ()))
        given["then"] = FurtherSteps(days, {int(key): int(version) for key, version in read})
        return given


def _case_value(case: Case) -> str:
    """The value of a report's tick: its key, with the version that the page shows."""
    return f"{case.pk}:{case.version}"


def _case_label(case: Case) -> str:
    words = case.messages.filter(author=CaseMessage.Author.REPORTER).order_by("at", "pk").first()
    return f"{case}: {words.words.splitlines()[-1][:LONGEST_LABEL]}" if words else str(case)


LONGEST_LABEL = 80
"""The most letters of a report that its tick shows."""


class RatedMendingForm(FurtherStepsForm, UnrateForm):
    """The form that corrects a rated section, or proposes it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["words"].help_text = now(
            "Everybody can read this in the erratum: write nothing private, and nobody’s age."
        )


class ConfirmingForm(FurtherStepsForm):
    """The form that confirms a proposed correction."""


MOST_LISTS_OFFERED = 3
"""The most days whose lists may be published again with a correction, the newest; the others one by one."""


def further_steps_arguments(
    request: OfficeRequest,
    section: Section,
    changes: Sequence[Change],
    proposed: Mapping[str, Sequence[object]] | None = None,
) -> dict[str, Any]:
    """Return the arguments of a `FurtherStepsForm`: what the person may decide in the same step. `proposed`:
    what a proposal wants (`FurtherSteps.as_json`), which is offered too.
    """
    proposed = proposed or {}
    days = [
        each.on
        for at, each in enumerate(lists_with_section(section))
        if at < MOST_LISTS_OFFERED or each.on.isoformat() in proposed.get("lists", ())
    ]
    cases = _open_cases(request, section, proposed.get("cases", ()))
    return {
        "days": days if Permission.LISTS_PUBLISH in request.rights else [],
        "cases": cases if Permission.CASES_CLOSE in request.rights else [],
        **outlook_form_arguments(section, changes),
    }


def _open_cases(request: OfficeRequest, section: Section, proposed: Sequence[object] = ()) -> list[Case]:
    """The open cases about a section, those `proposed`, and the one that is named in the address if it is
    about a player entered in the section.
    """
    found = cases_within_rights(request).exclude(state=Case.State.CLOSED)
    keys = {*proposed}
    asked = parse_number(request.POST.get("case") or request.GET.get("case"))
    if asked is not None:
        named = found.filter(pk=asked).first()
        if named and find_sections_of_case(named).filter(pk=section.pk).exists():
            keys.add(named.pk)
    return list(found.filter(Q(section=section) | Q(pk__in=keys)).order_by("pk"))


def mark_of_correction(section: Section, changes: Sequence[Change]) -> str:
    """Return a digest of what the effects of these changes depend on: the record, the section's version, and
    the births of its players, from which pre-ratings follow (§58).
    """
    office = section.event.federation
    births = section.entries.order_by("number").values_list("player__number", "player__born", "player__sex")
    changed = [sorted(each.items()) for each in changes]
    return hash_preview_state(office, today(office), section.key, section.version, changed, list(births))


def outlook_form_arguments(section: Section, changes: Sequence[Change]) -> dict[str, Any]:
    """Return the arguments of an `OutlookForm`: the mark, and whether the effects can be shown."""
    rated = section.stage == Stage.RATED
    pending = Ledger.objects.get(federation=section.event.federation).pending
    return {"mark": mark_of_correction(section, changes), "drawn": rated and not pending}


def correction_context(office: Federation, section: Section, changes: Sequence[Change]) -> dict[str, Any]:
    """Return the context of corrections: in words, and of a rated section with everything that moves."""
    ledger = Ledger.objects.get(federation=office)
    if section.stage != Stage.RATED or ledger.pending:
        rated = section.stage == Stage.RATED
        pending = {"pending": get_progress_context(office, ledger)} if rated else {}
        return _worded(office, preview_changes(section, changes)) | pending
    preview = preview_section_correction(section, changes, today(office))
    applied, effects = preview.applied, preview.effects
    waivable = [each for each in applied.found if each.level == "waivable"]
    return {
        **_worded(office, applied),
        "allowed": [words_of_finding(each, office.ruleset) for each in waivable],
        **effects_context(office, effects),
        "lists": lists_with_section(section),
        "most_lists": MOST_LISTS_OFFERED,
        "table_rows": worded_differences(office, preview.tables, section),
        "changed_since": changed_since_first_rated(office, preview),
    }


def changed_since_first_rated(office: Federation, preview: CorrectionPreview) -> list[ChangeRow]:
    """What else differs from the section as it was first rated: it is rated again as it is now (D-6)."""
    first, then = preview.first, preview.then
    if first is None:
        return []
    of_both = compare_versions(office, [(stored, then.section) for stored in (preview.stored, first.section)])
    rows = [each for each in of_both[1] if each not in of_both[0]]
    people = get_players_by_number(office, then.players)
    before, after = (
        {entry.player: entry.pre for entry in each.section.entries if entry.pre is not None}
        for each in (first, then)
    )
    for number in sorted(people):
        old, new = first.players.get(number), then.players[number]
        values: list[tuple[Any, Any, Any]] = [
            (_PLAYER_PARTICULARS[name], getattr(old, name), getattr(new, name))
            for name in _PLAYER_PARTICULARS
        ]
        values = values if old else []
        values.append((now("Pre-rating"), before.get(number), after.get(number)))
        rows += [
            ChangeRow(str(label), [people[number]], *("" if each is None else str(each) for each in pair))
            for label, *pair in values
            if pair[0] != pair[1]
        ]
    return rows


_PLAYER_PARTICULARS = {
    "nation": gettext_lazy("Nation"),
    "resident": gettext_lazy("Lives in the country"),
    "included_by": gettext_lazy("Included by the decision"),
}
"""The particulars of players that rules read, by their field."""


def _worded(office: Federation, applied: AppliedCorrections) -> dict[str, Any]:
    """Corrections in words, and stated places of which somebody has to say whether they hold."""
    told = [each for each in applied.found if each.level == "notice"]
    return {
        "chosen": describe_corrections(office, applied.corrected),
        "asked": describe_corrections(office, applied.asked),
        "told": [words_of_finding(each, office.ruleset) for each in told],
    }


def clauses_of_correction(section: Section) -> list[tuple[str, str]]:
    """The clauses on correcting a rated section, with what they say: another once a list has it, and that on
    events abroad.
    """
    office = section.event.federation
    powers, ruleset = office.equipment.office.powers, office.ruleset
    listed = bool(powers.listed_clause and lists_with_section(section))
    abroad = section.event.country not in ("", ruleset.country)
    found = [
        powers.listed_clause if listed else powers.unrating_clause,
        powers.abroad_clause if abroad else "",
    ]
    said = ruleset.clauses_of(edition_in_force(office))
    return [(clause, now(said[clause])) for clause in found if clause]


MENDABLE_STAGES = (Stage.SUBMITTED, Stage.RATED)


@page(Permission.SECTIONS_MEND, methods=FORM)
def mend(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    section = section_for(request, number, code)
    if request.method != "POST":
        return _page(request, section)
    counts, places = "count" in request.POST, request.POST.get("places")
    if not counts and section.stage not in MENDABLE_STAGES:
        return _page(request, section, refused=_changed_meanwhile(section), status=409)
    if "decide" in request.POST and not counts:
        return _decide(request, section)
    if counts or places in (STAY, BY_POINTS):
        changes: list[Change] = []
        try:
            changes = parse_changes(request.POST.get("changes", ""))
            if counts:
                return _count_rows(request, section, changes)
            # The corrections again, with what was said of stated places.
            return _page(request, section, changes=[*changes, {"what": "places", "to": places}])
        except Refused as refused:
            return _page(request, section, changes=changes, refused=str(refused), status=409)
    form = MendingForm(request.POST, section=section)
    if not form.is_valid():
        return _page(request, section, form=form, carried=request.POST.get("changes", ""), status=400)
    try:
        changes = form.chosen
        if not changes:
            nothing = now(
                "Choose what is to be corrected, and what stands there instead: nothing is chosen yet."
            )
            return _page(request, section, form=form, refused=nothing, status=400)
        return _page(request, section, changes=changes)
    except Refused as refused:
        return _page(request, section, form=form, refused=str(refused), status=409)


def _count_rows(request: OfficeRequest, section: Section, changes: Sequence[Change]) -> HttpResponseBase:
    """Page, or for htmx its part, of the rows that published lists would have otherwise if they were
    published again.
    """
    if section.stage != Stage.RATED or Ledger.objects.get(federation=request.office).pending:
        raise Http404
    days = [each.on for each in lists_with_section(section)[:MOST_LISTS_OFFERED]]
    lists = [
        (day, preview_corrected_list(section, changes, today(request.office), day, MOST_ROWS)) for day in days
    ]
    part = request.headers.get("HX-Request") == "true"
    template = "ratings/office/_mending_lists.html" if part else "ratings/office/mending_lists.html"
    counted = [(day, sum(each.count for each in found), found) for day, found in lists]
    return render(request, template, {"section": section, "counted": counted})


MOST_ROWS = 20
"""The most rows of each list that the preview of a correction shows."""


def _changed_meanwhile(section: Section) -> str:
    words = now(
        "Somebody else acted first: this section has changed and is now “%(stage)s”. Look at it again before "
        "you correct it."
    )
    return words % {"stage": section.get_stage_display()}


def _decide(request: OfficeRequest, section: Section) -> HttpResponseBase:
    """Correct the section as chosen, or propose it if the office asks for two officials. A refusal shows the
    page again with what was chosen and typed, and with the effects as they are now.
    """
    rated = section.stage == Stage.RATED and not get_settings(request.office).four_eyes
    changes: list[Change] = []
    form: ReasonForm | RatedMendingForm | None = None
    try:
        changes = parse_changes(request.POST.get("changes", ""))
        form = _reason_form(request, section, changes, request.POST)
        if request.POST.get("version") != str(section.version):
            raise Refused(_changed_meanwhile(section))
        if not form.is_valid():
            status = form.status if isinstance(form, RatedMendingForm) else 400
            return _page(request, section, changes=changes, reason=form, status=status)
        holds = _carry_out(request, section, changes, form)
    except Refused as refused:
        section.refresh_from_db()
        return _page(request, section, changes=changes, reason=form, refused=str(refused), status=409)
    if not holds:  # the effects changed in this moment: show the page again with the present ones
        return mend(request, office=request.office.code, number=section.event.number, code=section.code)
    name = "ratings:outcome" if rated else "ratings:review"
    return redirect(name, office=request.office.code, number=section.event.number, code=section.code)


def _carry_out(
    request: OfficeRequest,
    section: Section,
    changes: Sequence[Change],
    form: ReasonForm | RatedMendingForm,
) -> bool:
    """Correct as a valid form says; return False, with nothing done, if the effects have changed."""
    terms: dict[str, Any] = {"section": section, "by": request.user, "changes": changes}
    terms |= form.cleaned_data
    terms["on"] = today(request.office)
    if not isinstance(form, RatedMendingForm):
        corrections.correct_section(**terms)
        messages.success(request, now("Corrected. The section still waits for your review."))
        return True
    terms["then"] = _with_moves(section, changes, terms["then"])
    with transaction.atomic():
        lock_ledger(request.office)
        if mark_of_correction(section, changes) != form.mark:
            return False
        if get_settings(request.office).four_eyes:
            corrections.propose_correction(**terms)
            messages.success(request, now("Proposed. Another official has to confirm it."))
        else:
            births = get_valid_birth_answers(get_birth_questions(section, request.POST))
            corrections.correct_rated_section(births=births, **terms)
    return True


def _with_moves(section: Section, changes: Sequence[Change], then: FurtherSteps) -> FurtherSteps:
    """The further steps with what moves, if there is anybody to tell it to."""
    if not then.cases:
        return then
    found = preview_section_correction(section, changes, today(section.event.federation))
    return replace(then, moved=None if found.effects.unseen else found.effects.ratings)


CODES = {"pairing": "player", "date": "particulars"}
"""The reasons in the journal that go with a change, by its kind; those of others are `result`."""


def _reason_form(
    request: OfficeRequest,
    section: Section,
    changes: Sequence[Change],
    typed: QueryDict | None = None,
    chosen: Sequence[str] = (),
) -> ReasonForm | RatedMendingForm:
    """The form that asks for the reason, of a rated section also for the journal's code. Words `typed` into
    the other of the two forms are kept. `chosen`: the changes in words, which stand there to begin with.
    """
    seen: dict[str, Any] = {"version": section.version}
    held = typed.copy() if typed is not None else None
    if held is not None:
        held["version"] = str(section.version)
    if section.stage == Stage.SUBMITTED:
        if held is not None and "words" in held:
            held["reason"] = str(held["words"])
        return ReasonForm(held, initial=seen, auto_id="why_%s")
    if held is not None and "words" not in held:
        held["words"], held["reason"] = str(held.get("reason", "")), ""
    confirm = sentence_to_confirm(request.office, lists_with_section(section))
    offered = further_steps_arguments(request, section, changes)
    kinds = [str(each.get("what")) for each in changes if each.get("what") != "places"]
    seen |= {"reason": CODES.get(kinds[0], "result") if kinds else "", "words": "; ".join(chosen)}
    games = {each.get("game") for each in changes} - {None}
    seen["cases"] = [
        _case_value(each)
        for each in offered["cases"]
        if str(each.pk) == request.POST.get("case")
        or games & {game.order for game in find_reported_games(each)}
    ]
    return RatedMendingForm(held, initial=seen, confirm=confirm, auto_id="why_%s", **offered)


def _page(
    request: OfficeRequest,
    section: Section,
    *,
    form: MendingForm | None = None,
    changes: Sequence[Change] = (),
    carried: str = "",
    reason: ReasonForm | RatedMendingForm | None = None,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    seen = {"version": section.version, "changes": carried or changes_as_json(changes)}
    seen |= _asked_for(request, section) if request.method != "POST" else {}
    deciding = "decide" in request.POST
    context: dict[str, Any] = {
        "section": section,
        "mendable": section.stage in MENDABLE_STAGES,
        "form": form or MendingForm(initial=seen, section=section),
        "changes": changes_as_json(changes),
        "clauses": clauses_of_correction(section) if section.stage == Stage.RATED else [],
        "proposal": MendingProposal.objects.open().filter(section=section).first(),
        "four_eyes": get_settings(request.office).four_eyes and section.stage == Stage.RATED,
        "refused": refused,
        "typed": request.POST.get("words", request.POST.get("reason", "")) if deciding else "",
        "case": request.POST.get("case") or request.GET.get("case", ""),
    }
    if changes and section.stage in MENDABLE_STAGES:
        try:
            context |= correction_context(request.office, section, changes)
        except Refused as cannot:
            if not refused:
                raise
            said = refused if refused == str(cannot) else f"{refused}\n{cannot}"
            context |= {"refused": said, "form": MendingForm(initial=seen, section=section)}
        context["reason_form"] = reason or _reason_form(
            request, section, changes, chosen=context.get("chosen", ())
        )
        births = get_birth_questions(section, request.POST if deciding else None)
        context["births"] = births if section.stage == Stage.RATED else []
    return render(request, "ratings/office/mend.html", context, status=status)


def _asked_for(request: OfficeRequest, section: Section) -> dict[str, Any]:
    """What the address says is wrong: a game (`round` and starting number `entry`), a place (`entry`), or
    the game that a case names.
    """
    round_, number = (parse_number(request.GET.get(name), 5) for name in ("round", "entry"))
    if round_ is not None and number is not None:
        own = section.games.filter(Q(first__number=number) | Q(second__number=number), round=round_)
        game = own.order_by("order").first()
        return {"game": game.order} if game else {}
    if number is not None:
        return {"entry": number}
    asked = [case for case in _open_cases(request, section) if str(case.pk) == request.GET.get("case")]
    games = find_reported_games(asked[0]) if asked else []
    return {"game": games[0].order} if games else {}


@page(Permission.SECTIONS_MEND, methods=FORM)
def mend_proposal(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    section = section_for(request, number, code)
    proposals = MendingProposal.objects.select_related("by", "section__event__federation")
    proposal = proposals.filter(section=section).first()
    if proposal is None:
        messages.error(
            request, now("No correction is proposed any more: somebody confirmed it or dropped it.")
        )
        return redirect("ratings:review", office=request.office.code, number=number, code=code)
    if request.method != "POST":
        return _proposal_page(request, section, proposal)
    try:
        if "drop" in request.POST:
            corrections.drop_correction(proposal=proposal, by=request.user, on=today(request.office))
            messages.success(request, now("Dropped. The section stays rated as it is."))
            return redirect("ratings:review", office=request.office.code, number=number, code=code)
        return _confirm(request, section, proposal)
    except Refused as refused:
        section.refresh_from_db()
        return _proposal_page(request, section, proposal, refused=str(refused), status=409)


def _confirm(request: OfficeRequest, section: Section, proposal: MendingProposal) -> HttpResponseBase:
    form = _confirming_form(request, section, proposal, request.POST)
    if proposal.by_id != request.user.pk and section.version == proposal.version and not form.is_valid():
        raise Refused(next(iter(form.errors.values()))[0])
    births = get_valid_birth_answers(get_birth_questions(section, request.POST))
    then = form.cleaned_data.get("then", NO_FURTHER_STEPS) if form.is_valid() else NO_FURTHER_STEPS
    then = _with_moves(
        section, proposal.changes, replace(then, left=_left_to_others(request, section, proposal))
    )
    with transaction.atomic():
        lock_ledger(request.office)
        if holds := mark_of_correction(section, proposal.changes) == form.mark:
            corrections.confirm_correction(
                proposal=proposal,
                by=request.user,
                on=today(request.office),
                after_list=True,
                births=births,
                then=then,
            )
    code, number = section.code, section.event.number
    if not holds:  # the effects changed in this moment: show the page again with the present ones
        return mend_proposal(request, office=request.office.code, number=number, code=code)
    return redirect("ratings:outcome", office=request.office.code, number=number, code=code)


def _confirming_form(
    request: OfficeRequest, section: Section, proposal: MendingProposal, data: QueryDict | None
) -> ConfirmingForm:
    """The form that confirms a proposal. Without `data`, it begins with the ticks of a page that was sent,
    else with what was proposed.
    """
    further = proposal.further
    offered = further_steps_arguments(request, section, proposal.changes, further)
    initial = {
        "lists": further.get("lists", ()),
        "cases": [_case_value(each) for each in offered["cases"] if each.pk in further.get("cases", ())],
    }
    if request.method == "POST":
        initial = {name: request.POST.getlist(name) for name in ("lists", "cases")}
    return ConfirmingForm(data, initial=initial, auto_id="confirm_%s", **offered)


def _left_to_others(
    request: OfficeRequest, section: Section, proposal: MendingProposal
) -> dict[str, Sequence[Any]]:
    """What of the proposed steps the person who confirms may not do."""
    offered = further_steps_arguments(request, section, proposal.changes, proposal.further)
    own = {
        "lists": {day.isoformat() for day in offered["days"]},
        "cases": {case.pk for case in offered["cases"]},
    }
    left = {
        what: [each for each in steps if each not in own[what]] for what, steps in proposal.further.items()
    }
    return {what: steps for what, steps in left.items() if steps}


def _proposal_page(
    request: OfficeRequest,
    section: Section,
    proposal: MendingProposal,
    *,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    stands = section.stage == Stage.RATED and section.version == proposal.version
    typed = request.POST if request.method == "POST" else None
    context: dict[str, Any] = {
        "section": section,
        "proposal": proposal,
        "changes": changes_as_json(proposal.changes),
        "stands": stands,
        "clauses": clauses_of_correction(section),
        "own": proposal.by_id == request.user.pk,
        "confirm": sentence_to_confirm(request.office, lists_with_section(section)),
        "births": get_birth_questions(section, typed) if stands else [],
        "refused": refused,
    }
    if stands:
        context["form"] = _confirming_form(request, section, proposal, None)
        context["left"] = word_steps(request, _left_to_others(request, section, proposal))
        try:
            context |= correction_context(request.office, section, proposal.changes)
        except Refused as cannot:
            context["refused"] = refused or str(cannot)
    return render(request, "ratings/office/mend_proposal.html", context, status=status)
