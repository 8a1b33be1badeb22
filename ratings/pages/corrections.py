"""Pages on which an official corrects a section: choosing changes, seeing effects, deciding.

A correction of a rated section is carried out only if its effects still are what the page showed. If the
office asks for two officials, the first proposes it and another confirms it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.access import OfficeRequest, Permission, permitted
from players.models import Federation, Ledger
from players.record import Refused, lock_ledger
from players.settings import get_settings, today
from ratings import corrections
from ratings.as_if import hash_preview_state, preview_section_correction
from ratings.pages.decisions import lists_with_section, sentence_to_confirm
from ratings.pages.effects import effects_context
from ratings.pages.forms import DecisionForm, OutlookForm, ReasonForm, UnrateForm
from ratings.pages.review import section_for
from ratings.pre_ratings import get_birth_questions, get_valid_birth_answers
from ratings.recompute import get_progress_context
from ratings.rulesets.facts import ANNULLED
from tournaments.corrections import (
    DAY_FIELDS,
    Change,
    describe_corrections,
    parse_changes,
    preview_changes,
    result_in_words,
)
from tournaments.findings import describe_finding as words_of_finding
from tournaments.models import Entry, Game, MendingProposal, Section, Stage
from tournaments.sections import IncompleteSection

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
class RatedMendingForm(OutlookForm, UnrateForm):
    """The form that corrects a rated section, or proposes it; valid for the effects that its page showed."""


class ConfirmingForm(OutlookForm):
    """The form that confirms a proposed correction; valid for the effects that its page showed."""


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
    if section.stage != Stage.RATED:
        return {"chosen": describe_corrections(office, preview_changes(section, changes).corrected)}
    ledger = Ledger.objects.get(federation=office)
    if ledger.pending:
        chosen = describe_corrections(office, preview_changes(section, changes).corrected)
        return {"chosen": chosen, "pending": get_progress_context(office, ledger)}
    applied, effects = preview_section_correction(section, changes, today(office))
    waivable = [each for each in applied.found if each.level == "waivable"]
    return {
        "chosen": describe_corrections(office, applied.corrected),
        "allowed": [words_of_finding(each, office.ruleset) for each in waivable],
        **effects_context(office, effects),
        "unmoved": "" if effects.ratings or effects.unseen else now("No rating would change."),
        "lists": lists_with_section(section),
    }


MENDABLE_STAGES = (Stage.SUBMITTED, Stage.RATED)


@permitted(Permission.SECTIONS_MEND)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def mend(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    section = section_for(request, number, code, Permission.SECTIONS_MEND)
    if request.method != "POST":
        return _page(request, section)
    if section.stage not in MENDABLE_STAGES:
        return _page(request, section, refused=_changed_meanwhile(section), status=409)
    if "decide" in request.POST:
        return _decide(request, section)
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
    except (Refused, IncompleteSection) as refused:
        return _page(request, section, form=form, refused=str(refused), status=409)


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
    except (Refused, IncompleteSection) as refused:
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
    given = {name: value for name, value in form.cleaned_data.items() if name != "seen"}
    terms: dict[str, Any] = {"section": section, "by": request.user, "changes": changes, **given}
    terms["on"] = today(request.office)
    if not isinstance(form, RatedMendingForm):
        corrections.correct_section(**terms)
        messages.success(request, now("Corrected. The section still waits for your review."))
        return True
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


def _reason_form(
    request: OfficeRequest, section: Section, changes: Sequence[Change], typed: QueryDict | None = None
) -> ReasonForm | RatedMendingForm:
    """The form that asks for the reason, of a rated section also for the journal's code. Words `typed` into
    the other of the two forms are kept.
    """
    seen, held = {"version": section.version}, typed.copy() if typed is not None else None
    if held is not None:
        held["version"] = str(section.version)
    if section.stage == Stage.SUBMITTED:
        if held is not None and "words" in held:
            held["reason"] = str(held["words"])
        return ReasonForm(held, initial=seen, auto_id="why_%s")
    if held is not None and "words" not in held:
        held["words"], held["reason"] = str(held.get("reason", "")), ""
    confirm = sentence_to_confirm(request.office, lists_with_section(section))
    outlook = outlook_form_arguments(section, changes)
    return RatedMendingForm(held, initial=seen, confirm=confirm, auto_id="why_%s", **outlook)


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
    deciding = "decide" in request.POST
    context: dict[str, Any] = {
        "section": section,
        "mendable": section.stage in MENDABLE_STAGES,
        "form": form or MendingForm(initial=seen, section=section),
        "changes": changes_as_json(changes),
        "proposal": MendingProposal.objects.open().filter(section=section).first(),
        "four_eyes": get_settings(request.office).four_eyes and section.stage == Stage.RATED,
        "refused": refused,
        "typed": request.POST.get("words", request.POST.get("reason", "")) if deciding else "",
    }
    if changes and section.stage in MENDABLE_STAGES:
        context["reason_form"] = reason or _reason_form(request, section, changes)
        try:
            context |= correction_context(request.office, section, changes)
        except (Refused, IncompleteSection) as cannot:
            if not refused:
                raise
            context |= {"refused": f"{refused}\n{cannot}", "form": MendingForm(initial=seen, section=section)}
        births = get_birth_questions(section, request.POST if deciding else None)
        context["births"] = births if section.stage == Stage.RATED else []
    return render(request, "ratings/office/mend.html", context, status=status)


@permitted(Permission.SECTIONS_MEND)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def mend_proposal(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    section = section_for(request, number, code, Permission.SECTIONS_MEND)
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
    except (Refused, IncompleteSection) as refused:
        section.refresh_from_db()
        return _proposal_page(request, section, proposal, refused=str(refused), status=409)


def _confirm(request: OfficeRequest, section: Section, proposal: MendingProposal) -> HttpResponseBase:
    form = ConfirmingForm(request.POST, **outlook_form_arguments(section, proposal.changes))
    if proposal.by_id != request.user.pk and section.version == proposal.version and not form.is_valid():
        raise Refused(form.non_field_errors()[0])
    births = get_valid_birth_answers(get_birth_questions(section, request.POST))
    with transaction.atomic():
        lock_ledger(request.office)
        if holds := mark_of_correction(section, proposal.changes) == form.mark:
            corrections.confirm_correction(
                proposal=proposal,
                by=request.user,
                on=today(request.office),
                after_list=request.POST.get("after_list") == "on",
                births=births,
            )
    code, number = section.code, section.event.number
    if not holds:  # the effects changed in this moment: show the page again with the present ones
        return mend_proposal(request, office=request.office.code, number=number, code=code)
    return redirect("ratings:outcome", office=request.office.code, number=number, code=code)


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
        "stands": stands,
        "own": proposal.by_id == request.user.pk,
        "confirm": sentence_to_confirm(request.office, lists_with_section(section)),
        "births": get_birth_questions(section, typed) if stands else [],
        "decided": bool(typed and typed.get("after_list")),
        "refused": refused,
    }
    if stands:
        context["form"] = ConfirmingForm(None, **outlook_form_arguments(section, proposal.changes))
        try:
            context |= correction_context(request.office, section, proposal.changes)
        except (Refused, IncompleteSection) as cannot:
            context["refused"] = refused or str(cannot)
    return render(request, "ratings/office/mend_proposal.html", context, status=status)
