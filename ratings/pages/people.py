"""Staff pages to correct a player's particulars and to transfer players between regions."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date
from io import BytesIO
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Prefetch, Q, QuerySet
from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _, gettext_lazy

from players.access import FORM, POST, OfficeRequest, Permission, page
from players.decision_kinds import KINDS
from players.files import CONTENT_TYPES, deletion_message
from players.identity import list_entry_and_merged
from players.models import Decision, Federation, Player, ProofFile, Region, Transfer, User
from players.pages.forms import MESSAGE, attempt
from players.record import decide
from players.register import Changes, changes_between, get_birth, get_particulars, particulars_digest
from players.register_table import describe_unlikely_birth, get_used_id_kinds, parse_birth
from players.settings import today
from ratings import people as decisions
from ratings.as_if import list_sections_to_rate, preview_player_correction
from ratings.pages.effects import effects_context
from ratings.pages.forms import ProofField, words_field
from ratings.people import ask_transfer, grant_transfer, refuse_transfer
from ratings.personal_data import record_and_get_player_data
from ratings.rulesets.particulars import can_be_registered, is_birth_given, nation_code
from tournaments.matching import id_kind_label
from tournaments.models import Entry
from tournaments.sections import PlainField

# ---- The form to correct a player
ID_PREFIX = "id_"
LONGEST_NAME = 201
"""The most characters of surname and first name together, as the journal holds them."""


class CorrectionForm(forms.Form):
    """A player's particulars, the reason and the proof; `seen`: the digest of the entry as it was opened."""

    surname = PlainField(label=gettext_lazy("Surname"), max_length=100, required=False)
    first_name = PlainField(label=gettext_lazy("First name"), max_length=100, required=False)
    sex = forms.ChoiceField(
        label=gettext_lazy("Sex"),
        required=False,
        choices=[("", gettext_lazy("not known")), ("f", gettext_lazy("female")), ("m", gettext_lazy("male"))],
    )
    birth = PlainField(
        label=gettext_lazy("Birth"),
        max_length=10,
        required=False,
        help_text=gettext_lazy("The day, such as 2010-05-03, or the year alone."),
    )
    nation = PlainField(
        label=gettext_lazy("Nation"), max_length=40, required=False, help_text=gettext_lazy("Three letters.")
    )
    resident = forms.BooleanField(label=gettext_lazy("Lives in the country"), required=False)
    included_by = PlainField(label=gettext_lazy("Included by the decision"), max_length=100, required=False)
    region = forms.ModelChoiceField(
        Region.objects.none(), label=gettext_lazy("Region"), required=False, empty_label=gettext_lazy("none")
    )
    club = PlainField(label=gettext_lazy("Club"), max_length=100, required=False)
    title = PlainField(label=gettext_lazy("Title"), max_length=5, required=False)
    deceased = forms.BooleanField(label=gettext_lazy("Deceased"), required=False)
    withheld = forms.BooleanField(
        label=gettext_lazy("Withheld: asked not to be named"),
        required=False,
        help_text=gettext_lazy(
            "Pages, lists, files and the open journal say “withheld” from now on, old ones too. The number, "
            "the games and the ratings stay public."
        ),
    )
    reason = words_field(
        gettext_lazy("Why is it corrected?"),
        gettext_lazy("The record keeps your words; the public never reads them."),
    )
    proof = forms.CharField(
        label=gettext_lazy("What proves it?"),
        max_length=300,
        required=False,
        help_text=gettext_lazy(
            "For example: identity document seen, marriage certificate number 12345, letter of 3 May."
        ),
    )
    seen = forms.CharField(widget=forms.HiddenInput, max_length=64)

    def __init__(self, data: Any, player: Player, today: date) -> None:
        self.player, self.today = player, today
        self.kinds = id_kind_labels(player.federation)
        super().__init__(data, initial=correction_form_initial(player, self.kinds))
        place = list(self.fields).index("deceased")
        ids = {
            f"{ID_PREFIX}{kind}": PlainField(label=label, max_length=60, required=False)
            for kind, label in self.kinds.items()
        }
        fields = list(self.fields.items())
        self.fields = dict([*fields[:place], *ids.items(), *fields[place:]])
        self.fields["surname"].required = bool(player.surname)
        if not {"resident", "included_by"} & set(player.federation.ruleset.journal.reads):
            del self.fields["resident"], self.fields["included_by"]
        if player.federation.regional:
            self.fields["region"].queryset = player.federation.regions.all()  # type: ignore[attr-defined]
        else:
            del self.fields["region"]

    def clean_birth(self) -> str:
        text = self.cleaned_data["birth"].strip()
        birth = parse_birth(text) if text else ""
        if birth is None:
            raise forms.ValidationError(_("Write a day such as 2010-05-03, or a year such as 2010."))
        if birth == self.initial["birth"]:
            return birth
        if birth and not is_birth_given(birth):
            raise forms.ValidationError(
                _("Programs write this where the birth is not known. Leave it empty.")
            )
        if birth and not can_be_registered(birth, self.today):
            raise forms.ValidationError(describe_unlikely_birth(birth))
        return birth

    def clean_nation(self) -> str:
        text, country = self.cleaned_data["nation"], self.player.federation.ruleset.country
        nation = nation_code(text, country)
        if text and not nation:
            raise forms.ValidationError(_("Write three letters, such as %(example)s.") % {"example": country})
        return nation

    def clean_title(self) -> str:
        return str(self.cleaned_data["title"]).upper()

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        surname, first_name = given.get("surname", ""), given.get("first_name", "")
        if not surname and (first_name or not given.get("withheld") or self.player.surname):
            if not self.errors.get("surname"):
                self.add_error("surname", _("Enter the surname."))
        elif len(surname) + len(", ") + len(first_name) > LONGEST_NAME:
            self.add_error("first_name", _("Surname and first name together are too long."))
        return given

    def particulars(self) -> dict[str, Any]:
        """The fields as `correct_player` takes them."""
        given = {name: value for name, value in self.cleaned_data.items() if not name.startswith(ID_PREFIX)}
        ids = {kind: self.cleaned_data[f"{ID_PREFIX}{kind}"] for kind in self.kinds}
        return given | {"ids": ids}


class ProofForm(forms.Form):
    """The file that proves a correction; it is sent with the confirmation, as no page can keep a file."""

    file = ProofField()


def id_kind_labels(federation: Federation) -> dict[str, str]:
    """The office's kinds of ids and those in use, with their labels."""
    kinds: Iterable[str] = (kind.code for kind in federation.equipment.office.id_kinds)
    return {
        kind: id_kind_label(federation.ruleset, kind)
        for kind in dict.fromkeys((*kinds, *get_used_id_kinds(federation)))
    }


def correction_form_initial(player: Player, kinds: Iterable[str]) -> dict[str, Any]:
    names = ("surname", "first_name", "sex", "nation", "resident", "included_by", "region", "club", "title")
    held = dict(player.identifiers.order_by("-pk").values_list("kind", "value"))
    return {
        **{name: getattr(player, name) for name in (*names, "deceased", "withheld")},
        **{f"{ID_PREFIX}{kind}": held.get(kind, "") for kind in kinds},
        "birth": get_birth(player),
        "seen": particulars_digest(player),
    }


# ---- The history of a register entry
MOST_ENTRY_DECISIONS = 50
ENTRY_DECISION_KINDS = [name for name, kind in KINDS.items() if kind.in_entry_history]


def list_entry_decisions(player: Player) -> list[dict[str, Any]]:
    """The decisions about the player and the entries merged into it, newest first."""
    abouts = [f"player {each.number}" for each in list_entry_and_merged(player)]
    decisions = Decision.objects.filter(federation=player.federation, about__in=abouts)
    decisions = decisions.filter(kind__in=ENTRY_DECISION_KINDS).prefetch_related("words").order_by("-number")
    names = player.federation.appointments.names()
    proofs: defaultdict[int, list[ProofFile]] = defaultdict(list)
    for proof in ProofFile.objects.filter(player__in=list_entry_and_merged(player)).defer("content"):
        proofs[proof.decision].append(proof)
    return [
        _entry_deed(player.federation, each, names, proofs[each.number])
        for each in decisions[:MOST_ENTRY_DECISIONS]
    ]


def _entry_deed(
    federation: Federation, decision: Decision, names: Mapping[int, str], proofs: list[ProofFile]
) -> dict[str, Any]:
    details: dict[str, Any] = decision.details
    changes = details.get("changes")
    if not isinstance(changes, dict):
        changes = {}
    labels = {
        "reason": _("reason"),
        "proof": _("proof"),
        "into": _("into"),
        "out_of": _("out of"),
        "other": _("other entry"),
        "region": _("region"),
    }
    return {
        "at": decision.at,
        "on": decision.on,
        "by": names.get(decision.by_id or 0, _("the office")),
        "deed": str(KINDS[decision.kind].verb if decision.kind in KINDS else decision.kind),
        "changes": worded_changes(federation, {name: (pair[0], pair[1]) for name, pair in changes.items()}),
        "words": [
            (label, str(details[key]))
            for key, label in labels.items()
            if isinstance(details.get(key), str) and details[key]
        ],
        "proofs": proofs,
    }


def worded_changes(federation: Federation, changes: Changes) -> list[tuple[str, str, str]]:
    """Rows of a table: the particular's name, before and after."""
    names = {name: str(each.label) for name, each in CorrectionForm.base_fields.items()}
    names |= {"withheld": _("Withheld"), "id fide": _("FIDE id")}
    return [
        (
            names.get(key) or id_kind_label(federation.ruleset, key.removeprefix("id ")),
            *(_worded_value(federation, key, value) for value in pair),
        )  # type: ignore[misc]
        for key, pair in changes.items()
    ]


def _worded_value(federation: Federation, key: str, value: str) -> str:
    words = {"yes": _("yes"), "no": _("no"), "": "–"}
    if key == "sex":
        words |= {"m": _("male"), "f": _("female")}
    if key == "region":
        words |= dict(federation.region_names)
    return str(words.get(value, value))


# ---- Correcting a player
@page(Permission.PLAYERS_CORRECT, methods=FORM)
def correct(request: OfficeRequest, number: str) -> HttpResponseBase:
    """Page to correct a player: the form, then a preview of changes and effects, then the correction."""
    people = Player.objects.of(request.office).select_related("region", "federation", "merged_into")
    player = get_object_or_404(people, number=number)
    if player.merged_into:
        messages.info(request, _("%(number)s was merged into this entry.") % {"number": number})
        return redirect("ratings:correct", request.office.code, player.merged_into.number)
    posted = request.method == "POST" and "again" not in request.POST
    form = CorrectionForm(request.POST if request.method == "POST" else None, player, today(request.office))
    if not posted or not form.is_valid():
        return _page(request, player, form, status=400 if posted else 200)
    # The changes that a valid form would make, by particular: before and after.
    given, before = form.cleaned_data, get_particulars(player)
    after = dict(before)
    for name in before.keys() & given.keys():
        value = given[name]
        after[name] = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value or "")
    if "region" in given:
        after["region"] = given["region"].code if given["region"] else ""
    for kind, value in form.particulars()["ids"].items():
        after[f"id {kind}"] = value
    changes = changes_between(before, after)
    if not changes:
        form.add_error(None, _("Nothing in this form differs from the register."))
        return _page(request, player, form, status=400)
    if "confirm" not in request.POST:
        return _page(request, player, form, changes=changes)
    proof = ProofForm(request.POST, request.FILES)
    if not proof.is_valid():
        return _page(request, player, form, changes=changes, proof=proof, status=400)
    words = _("The entry is corrected. The record keeps what changed and why.")
    terms: dict[str, Any] = {"proof_file": proof.cleaned_data["file"], **form.particulars()}
    corrected = attempt(request, None, decisions.correct_player, words, player=player, **terms)
    if corrected.done:
        return redirect("ratings:correct", request.office.code, player.number)
    form.add_error(None, corrected.refused)
    return _page(request, player, form, status=corrected.status)


def _page(
    request: OfficeRequest,
    player: Player,
    form: CorrectionForm,
    *,
    changes: Changes | None = None,
    proof: ProofForm | None = None,
    status: int = 200,
) -> HttpResponseBase:
    """The page with the form, or, where `changes` are given, with these and their effects to confirm."""
    entries = Entry.objects.filter(player=player, match=Entry.Match.NEW).select_related(
        "section__event__federation"
    )
    first = entries.order_by("section__starts", "pk").first()
    context: dict[str, Any] = {
        "player": player,
        "form": form,
        "former": player.former_names.all(),
        "history": list_entry_decisions(player),
        "came_with": first.section if first else None,
    }
    if changes:
        context["proof"] = proof or ProofForm()
        context["withholds"] = changes.get("withheld", ("", ""))[1] == "yes"
        context["renames"] = bool(changes.keys() & {"surname", "first_name"})
        context |= {"changes": worded_changes(player.federation, changes)} | _effects(request, player, form)
    return render(request, "ratings/office/correct_player.html", context, status=status)


def _effects(request: OfficeRequest, player: Player, form: CorrectionForm) -> dict[str, Any]:
    """The context of the preview of what the correction would change."""
    given = form.cleaned_data
    changed = Player.objects.select_related("region", "federation").get(pk=player.pk)
    for name in given.keys() & {field.name for field in Player._meta.fields}:
        setattr(changed, name, given[name])
    if (changed.surname, changed.first_name) != (player.surname, player.first_name):
        changed.name_seal = ""
    changed.born = int(given["birth"][:4]) if given["birth"] else None
    return {
        **effects_context(request.office, preview_player_correction(changed, today(request.office))),
        "waiting": list_sections_to_rate(changed),
        "namesakes": _namesakes(player, changed),
    }


def _namesakes(player: Player, changed: Player) -> list[Player]:
    """Other players with the name and year of birth that the entry would have: perhaps the same person."""
    others = Player.objects.of(player.federation).current().exclude(pk=player.pk).select_related("region")
    same = others.filter(surname=changed.surname, first_name=changed.first_name)
    return list(same.filter(born=changed.born)[:5]) if changed.surname else []


@page(Permission.PLAYERS_BIRTHS, methods=POST)
def give_data(request: OfficeRequest, number: str) -> HttpResponse:
    """Download of a player's data. It holds the day of birth, so the record keeps who took it."""
    player = get_object_or_404(Player.objects.of(request.office), number=number)
    given = attempt(request, None, record_and_get_player_data, refusal_to=MESSAGE, player=player)
    if not given.done:
        return redirect(player)
    text = json.dumps(given.result, ensure_ascii=False, indent=1) + "\n"
    disposition = f'attachment; filename="{request.office.code}-data.json"'
    return HttpResponse(text, content_type="application/json", headers={"Content-Disposition": disposition})


# ---- Transfers between regions
MOST_DECIDED_TRANSFERS = 30


class TransferForm(forms.Form):
    taking = forms.ModelChoiceField(
        Region.objects.none(),
        label=gettext_lazy("Region to belong to"),
        empty_label=gettext_lazy("choose a region"),
    )
    reason = words_field(gettext_lazy("Why?"), gettext_lazy("The office and both regions read it."))
    proof = ProofField()

    def __init__(self, data: Any, files: Any, regions: QuerySet[Region]) -> None:
        super().__init__(data, files)
        self.fields["taking"].queryset = regions  # type: ignore[attr-defined]


class TransferAnswerForm(forms.Form):
    answer = forms.ChoiceField(
        label=gettext_lazy("Answer"),
        widget=forms.RadioSelect,
        choices=[("grant", gettext_lazy("Grant it")), ("refuse", gettext_lazy("Refuse it"))],
    )
    starts = forms.DateField(
        label=gettext_lazy("From which day?"),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=gettext_lazy(
            "The official who decides reads this. If you choose a later day, the region changes on that day."
        ),
    )
    words = words_field(
        gettext_lazy("Words to both regions"), gettext_lazy("Required where you refuse."), required=False
    )


@page(Permission.PLAYERS_TRANSFER)
def transfers(request: OfficeRequest) -> HttpResponseBase:
    """Page of the transfers from or to the user's regions: the open ones, and the newest decided."""
    visible = visible_transfers(request)
    context = {
        "open": visible.filter(state__in=Transfer.OPEN).order_by("asked_on", "pk"),
        "decided": visible.exclude(state__in=Transfer.OPEN)[:MOST_DECIDED_TRANSFERS],
        "decides": Permission.PLAYERS_CORRECT in request.rights,
    }
    return render(request, "ratings/office/transfers.html", context)


def visible_transfers(request: OfficeRequest) -> QuerySet[Transfer]:
    """The transfers from or to the user's regions. Raises Http404 where the office has no regions."""
    if not request.office.regional:
        raise Http404
    found = Transfer.objects.filter(federation=request.office)
    found = found.select_related("player__federation", "giving", "taking", "asked_by", "decided_by")
    found = found.prefetch_related(
        Prefetch("proof_files", visible_proofs(request).defer("content"), to_attr="proofs")
    )
    if Permission.PLAYERS_TRANSFER in request.rights.everywhere:
        return found
    own = request.rights.regions(Permission.PLAYERS_TRANSFER)
    return found.filter(Q(giving__in=own) | Q(taking__in=own))


def visible_proofs(request: OfficeRequest) -> QuerySet[ProofFile]:
    """The proofs that the user may open: an official all, a region those that it attached."""
    found = ProofFile.objects.filter(federation=request.office)
    if Permission.PLAYERS_CORRECT in request.rights.everywhere:
        return found
    return found.filter(region__in=request.rights.regions(Permission.PLAYERS_TRANSFER))


@page(Permission.PLAYERS_TRANSFER, methods=FORM)
def ask(request: OfficeRequest, number: str) -> HttpResponseBase:
    """Page to ask for a player's transfer from or to one of the user's regions."""
    if not request.office.regional:
        raise Http404
    people = Player.objects.of(request.office).current().select_related("region", "federation")
    player = get_object_or_404(people, number=number)
    posted = request.method == "POST"
    others = request.office.regions.exclude(players=player)
    own = request.rights.regions(Permission.PLAYERS_TRANSFER)
    gives = player.region_id is not None and own.filter(players=player).exists()
    form = TransferForm(
        request.POST if posted else None,
        request.FILES if posted else None,
        others if gives else others.filter(pk__in=own),
    )
    words = _("The transfer is asked for. The office decides on it.")
    asked = attempt(
        request,
        form,
        ask_transfer,
        words,
        answers=lambda typed: {**typed, "region": find_asking_region(request, player, typed["taking"])},
        player=player,
    )
    if asked.done:
        return redirect("ratings:transfers", request.office.code)
    context = {"player": player, "form": form}
    return render(request, "ratings/office/ask_transfer.html", context, status=asked.status)


def find_asking_region(request: OfficeRequest, player: Player, taking: Region) -> Region | None:
    """The region, of the two, on whose behalf the user asks for the transfer; None for an official."""
    if Permission.PLAYERS_TRANSFER in request.rights.everywhere:
        return None
    own = request.rights.regions(Permission.PLAYERS_TRANSFER)
    asking: Region | None = own.filter(pk__in=[taking.pk, player.region_id or 0]).order_by("pk").first()
    return asking


@page(Permission.PLAYERS_CORRECT, methods=FORM)
def answer(request: OfficeRequest, key: int) -> HttpResponseBase:
    """Page on which an official grants or refuses a transfer."""
    transfer = get_object_or_404(visible_transfers(request), pk=key)
    day = today(request.office)
    form = TransferAnswerForm(request.POST if request.method == "POST" else None, initial={"starts": day})

    def decide_as_typed(*, answer: str, starts: date, **terms: Any) -> None:
        if answer == "grant":
            grant_transfer(transfer=transfer, starts=starts, **terms)
        else:
            refuse_transfer(transfer=transfer, **terms)

    decided = attempt(request, form, decide_as_typed, _("The transfer is decided."))
    if decided.done:
        return redirect("ratings:transfers", request.office.code)
    context = {"transfer": transfer, "form": form}
    return render(request, "ratings/office/answer_transfer.html", context, status=decided.status)


# ---- Files that prove a correction or a transfer
@transaction.atomic
def open_proof(*, proof: ProofFile, by: User, on: date) -> BytesIO:
    """Return the file's bytes, and record who took them."""
    about = f"player {proof.player.number}"
    decide(proof.federation, kind="open-proof", by=by, on=on, about=about, sha256=proof.sha256)
    return BytesIO(bytes(proof.content or b""))


@page(Permission.PLAYERS_TRANSFER, methods=POST)
def proof_file(request: OfficeRequest, key: int) -> HttpResponseBase:
    """Download of a proof, for officials and for the region that attached it to a transfer."""
    proof = get_object_or_404(visible_proofs(request).select_related("player", "federation"), pk=key)
    if proof.content is None:
        words = deletion_message(proof) or _("The file itself is no longer here.")
        return render(request, "410.html", {"words": words}, status=410)
    response = FileResponse(
        open_proof(proof=proof, by=request.user, on=today(request.office)),
        as_attachment=True,
        filename=proof.name,
        content_type=CONTENT_TYPES[ProofFile.Kind(proof.kind)],
    )
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response
