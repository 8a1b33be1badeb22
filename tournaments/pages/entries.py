"""The fourth step of filing: a person decides who doubtful entries are, and completes new players."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse, QueryDict
from django.utils.translation import gettext as now, gettext_lazy

from players.access import POST, OfficeRequest, Permission, page
from players.evidence import AGAINST, EVIDENCE_LABELS, Candidate
from players.models import Federation, Player, Region
from players.register_table import describe_unlikely_birth
from ratings.rulesets.particulars import can_be_registered, is_birth_given, is_provisional
from ratings.rulesets.ruleset import Ruleset
from tournaments.acceptance import (
    get_person_entries,
    missing_optional_particulars,
    missing_particulars_of_new,
    required_player_particulars,
)
from tournaments.checks import is_birth_doubtful
from tournaments.entries import (
    decide_entries,
    fill_column,
    players_from_other_regions,
    reopen_entry,
)
from tournaments.filing import remembered_players
from tournaments.formats.dates import read_birth
from tournaments.matching import (
    MOST_RESULTS,
    RegisterPart,
    get_ids,
    is_nameless,
    search,
    suggest_players,
)
from tournaments.models import Entry, Section
from tournaments.pages.forms import NationField, set_home
from tournaments.pages.steps import (
    get_own_section,
    is_number,
    redirect_and_warn_if_unread,
    redirect_if_unread,
    redirect_to_step,
    render_filing_step,
    run_decision,
)
from tournaments.sections import PlainField


# ---- Forms for new players
class BirthField(forms.CharField):
    """A form field for a birth: a day or a year, in any unambiguous spelling."""

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        if not text:
            return ""
        year, day = read_birth(text) or (None, None)
        if year and not is_birth_given(birth := day.isoformat() if day else str(year)):
            return ""
        if not year:
            words = gettext_lazy(
                "Write the birth as 2010-05-03 or 3.5.2010, or only the year, with four digits: 2010."
            )
            raise ValidationError(words)
        return birth


class NewcomerForm(forms.Form):
    """The form for the particulars of a new player that the office needs or wants and the entry lacks."""

    # Browsers must not require it of players who are not said to be new.
    use_required_attribute = False

    surname = PlainField(label=gettext_lazy("Surname"), max_length=100)
    first_name = PlainField(label=gettext_lazy("First name"), max_length=100, required=False)
    sex = forms.ChoiceField(
        label=gettext_lazy("Sex"),
        choices=[("", "—"), ("m", gettext_lazy("male")), ("f", gettext_lazy("female"))],
    )
    federation = NationField(label=gettext_lazy("Nation"), max_length=40, required=False)
    birth = BirthField(
        label=gettext_lazy("Birth"),
        max_length=20,
        widget=forms.TextInput(attrs={"placeholder": "2010-05-03"}),
    )

    def __init__(
        self,
        data: Any = None,
        *,
        entry: Entry,
        ruleset: Ruleset,
        belongs_to: str = "",
        typed: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """`belongs_to`: the id of a form elsewhere on the page that sends these fields; `typed`: posted
        values, shown again without validation if the entry was not said to be new.
        """
        self.entry = entry
        prefix = f"new-{entry.number}"
        before = {name: typed.get(f"{prefix}-{name}") for name in self.base_fields}
        if before["birth"] is None:
            before["birth"] = entry.birth or None
        super().__init__(data, prefix=prefix, initial=before)
        set_home(self, ruleset)
        needed = {
            FIELD_BY_PARTICULAR[name]
            for name in missing_particulars_of_new(entry, required_player_particulars(ruleset))
        }
        wanted = {FIELD_BY_PARTICULAR[name] for name in missing_optional_particulars(entry, ruleset)}
        doubtful = is_birth_doubtful(entry)
        for name in set(self.fields) - needed - wanted - ({"birth"} if doubtful else set()):
            del self.fields[name]
        for name, field in self.fields.items():
            field.required = name in needed
            if belongs_to:
                field.widget.attrs["form"] = belongs_to
        if doubtful and not can_be_registered(entry.birth, entry.section.starts):
            self.fields["birth"].help_text = describe_unlikely_birth(entry.birth)
        elif entry.birth and not doubtful and "birth" in self.fields:
            self.fields["birth"].help_text = now("The whole date is wanted.")

    def clean_birth(self) -> str:
        birth: str = self.cleaned_data["birth"]
        if birth and not can_be_registered(birth, self.entry.section.starts):
            raise ValidationError(describe_unlikely_birth(birth))
        return birth

    @property
    def lacks_something(self) -> bool:
        """Whether the entry lacks a particular without which the section cannot be submitted."""
        return any(field.required for field in self.fields.values())


FIELD_BY_PARTICULAR = {
    "surname": "surname",
    "first-name": "first_name",
    "sex": "sex",
    "born": "birth",
    "birth-date": "birth",
    "nation": "federation",
}
"""The form's field for each particular of `missing_particulars_of_new` and `missing_optional_particulars`."""
FILL_BUTTON = "fill-in"
"""The name of the button that fills a column in."""
FILLABLE_COLUMNS = {
    "sex": gettext_lazy("Sex"),
    "birth": gettext_lazy("Birth"),
    "federation": gettext_lazy("Nation"),
    "first_name": gettext_lazy("First name"),
}
MOST_PASTED = 20_000  # characters


class FillForm(forms.Form):
    """The form that fills a column of the players' page: its name, the values line by line, and a default."""

    column = forms.ChoiceField(label=gettext_lazy("Column"))
    values = forms.CharField(
        label=gettext_lazy("Values"),
        required=False,
        max_length=MOST_PASTED,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text=gettext_lazy(
            "Paste a column from a table: one line for each player who lacks it, in the order of their "
            "starting numbers; or two columns, the starting number or the name first."
        ),
    )
    default = PlainField(label=gettext_lazy("For all others"), max_length=20, required=False)

    def __init__(self, data: QueryDict | None = None, *, columns: Iterable[str], belongs_to: str) -> None:
        super().__init__(data, prefix="fill")
        field = self.fields["column"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(name, FILLABLE_COLUMNS[name]) for name in FILLABLE_COLUMNS if name in set(columns)]
        for each in self.fields.values():
            each.widget.attrs["form"] = belongs_to


def list_asked_columns(newcomer_forms: Iterable[NewcomerForm]) -> list[str]:
    """The columns in the forms of new players, in the order of `FILLABLE_COLUMNS`."""
    names = {name for form in newcomer_forms for name in form.fields}
    return [name for name in FILLABLE_COLUMNS if name in names]


def read_newcomers(
    section: Section, entry_numbers: Iterable[int], data: Any
) -> tuple[dict[int, dict[str, str]], list[str]]:
    """Read the answers about these new players; return the valid ones, and sentences on errors."""
    ruleset = section.event.federation.ruleset
    newcomers: dict[int, dict[str, str]] = {}
    errors: list[str] = []
    wanted = set(entry_numbers)
    for entry in section.entries.all():
        if entry.number not in wanted:
            continue
        form = NewcomerForm(data, entry=entry, ruleset=ruleset)
        if form.is_valid():
            newcomers[entry.number] = form.cleaned_data
        else:
            errors += _errors_of(form, entry)
    return newcomers, errors


def _errors_of(form: NewcomerForm, entry: Entry) -> list[str]:
    """One sentence for all missing answers, and one for each answer that cannot be read."""
    wrong = [(name, error) for name, found in form.errors.as_data().items() for error in found]
    missing = [str(form.fields[name].label).lower() for name, error in wrong if error.code == "required"]
    texts = [str(text) for _name, error in wrong if error.code != "required" for text in error.messages]
    found = [now("%(name)s: %(words)s") % {"name": entry.name, "words": text} for text in texts]
    if missing:
        asked = {"name": entry.name, "fields": ", ".join(missing)}
        found.insert(0, now("Add for %(name)s: %(fields)s.") % asked)
    return found


# ---- The page of the players
UNDECIDED_MATCHES = (Entry.Match.NONE, Entry.Match.DOUBTFUL)
ANSWER_PREFIX, NEW = "player-", "new"
REGION_PREFIX = "region-"
"""The prefix of the field for a new player's region, followed by the starting number."""
SUGGESTED_BUTTON = "as-suggested"
"""The name of the button that takes the only fitting player of each entry."""
TICKED_FIELD, DETAILS_FIELD = "entry", "details"
"""Fields with starting numbers: of those ticked as new, and of new players whose details are asked for."""
FORM_ID = "decide"
"""The id of the page's one form, to which all its fields belong."""


@page(Permission.SECTIONS_FILE)
def players(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Show the players; `?entry=12&q=dlamini` opens one entry and searches the register for it."""
    section = get_own_section(request, number, code)
    return redirect_if_unread(section) or _page(request, section)


def _page(
    request: OfficeRequest,
    section: Section,
    chosen: Mapping[int, str] | None = None,
    status: int = 200,
    *,
    checked: bool = True,
) -> HttpResponse:
    """Render the players' page of a section: the entries whose player a person has to decide, and the others.

    `chosen`: the posted answers by starting number, a player's key or `new`; None if there are none.
    `checked`: whether they were sent to be saved; else they are shown again without errors.
    """
    # The office is prefetched once for all players, whose addresses need it.
    entries = list(
        get_person_entries(section).select_related("player").prefetch_related("player__federation")
    )
    before: dict[int, int] = {}
    if chosen is None:  # choose whom earlier files had, except for an entry that is searched for
        searched = request.GET.get("entry", "")
        before = remembered_players(section, [e for e in entries if str(e.number) != searched])
    answers = chosen if chosen is not None else {number: str(key) for number, key in before.items()}
    cards = build_cards(request, section, entries, answers, show_errors=checked)
    suggested = _suggest(entries)
    for card in cards:
        for offer in card["offers"]:
            if offer["chosen"] and offer["player"].pk == before.get(card["entry"].number):
                offer["evidence"].insert(0, (now("chosen for an earlier file"), False))
            elif offer["player"].pk == suggested.get(card["entry"].number):
                offer["evidence"].insert(0, (now("suggested"), False))
    new = [entry for entry in entries if entry.match == Entry.Match.NEW and entry.player is None]
    incomplete = _newcomers(request, section, new, required=True, checked=checked)
    wanted = _newcomers(request, section, new, required=False, checked=checked)
    columns = list_asked_columns(row["newcomer"] for row in [*cards, *incomplete, *wanted])
    fill = request.POST if FILL_BUTTON in request.POST else None
    context = {
        "suggested": suggested,
        "fill": FillForm(fill, columns=columns, belongs_to=FORM_ID) if columns else None,
        "cards": cards,
        "unknown": [card for card in cards if not card["offers"] and not card["searched"]],
        "to_decide": [card for card in cards if card["offers"] or card["searched"]],
        "settled": [
            _settled_row(request, entry) for entry in entries if entry.match not in UNDECIDED_MATCHES
        ],
        "regions": _regions(section) if new else [],
        "incomplete": incomplete,
        "wanted": wanted,
        "doubtful": any(is_birth_doubtful(row["entry"]) for row in wanted),
        "kept": chosen is not None,
        "total": len(entries),
        "guests": players_from_other_regions(section),
    }
    return render_filing_step(request, section, "players", context, status)


def _suggest(entries: Iterable[Entry]) -> dict[int, int]:
    """The suggested players by starting number, for the entries that nobody has decided on."""
    waiting = [entry for entry in entries if entry.match in UNDECIDED_MATCHES]
    return suggest_players(waiting, {entry.player_id for entry in entries if entry.player_id is not None})


def build_cards(
    request: OfficeRequest,
    section: Section,
    entries: list[Entry],
    answers: Mapping[int, str],
    *,
    show_errors: bool = True,
) -> list[dict[str, Any]]:
    """The context of a card for each entry to be decided, with its candidates or a search's results."""
    searched, q = request.GET.get("entry", ""), request.GET.get("q", "").strip()
    federation = section.event.federation
    waiting = [entry for entry in entries if entry.match in UNDECIDED_MATCHES]
    answered = {e.number: int(text) for e in waiting if is_number(text := answers.get(e.number, ""))}
    keys = {offered["player"] for entry in waiting for offered in entry.candidates} | set(answered.values())
    likely = Player.objects.of(federation).select_related("region", "merged_into__region").in_bulk(keys)
    known = {key: player.merged_into or player for key, player in likely.items()}
    meant = {number: known[key] for number, key in answered.items() if key in known}
    known |= {player.pk: player for player in meant.values()}
    further = _chosen_by_search(federation, waiting, meant)
    taken = {entry.player_id: entry.number for entry in entries if entry.player_id is not None}
    cards: list[dict[str, Any]] = []
    for entry in waiting:
        mine = str(entry.number) == searched and bool(q)
        found = search(federation, entry, q) if mine else [*further.get(entry.number, ()), *entry.candidates]
        known |= {c.player.pk: c.player for c in found} if mine else {}
        rows = [_row(c) for c in found]
        player = meant.get(entry.number)
        answer = str(player.pk) if player else NEW if answers.get(entry.number) == NEW else ""
        data = request.POST if answer == NEW and show_errors else None
        offers = build_offers(rows, known, taken, answer)
        ruleset = federation.ruleset
        cards.append(
            {
                "entry": entry,
                "q": q if mine else "",
                "searched": mine,
                "many": mine and len(rows) == MOST_RESULTS,
                "offers": offers,
                "chosen": answer,
                "unlikely_new": _is_known_elsewhere(entry),
                "newcomer": NewcomerForm(
                    data, entry=entry, ruleset=ruleset, belongs_to=FORM_ID, typed=request.POST
                ),
            }
        )
    _set_last_sections(section, [offer["player"] for card in cards for offer in card["offers"]])
    return cards


def _chosen_by_search(
    federation: Federation, waiting: Iterable[Entry], meant: Mapping[int, Player]
) -> dict[int, list[Candidate]]:
    """By starting number, players whom a search found and the page chose, with the evidence."""
    chosen = {
        entry: player
        for entry in waiting
        if (player := meant.get(entry.number))
        and player.pk not in {offered["player"] for offered in entry.candidates}
    }
    if not chosen:
        return {}
    register = RegisterPart(federation, chosen)
    register.learn(chosen.values())
    return {entry.number: [register.judge(entry, player)] for entry, player in chosen.items()}


def _is_known_elsewhere(entry: Entry) -> bool:
    """Whether an id or a rating shows that the player was known before, so that no tick is proposed."""
    known = any(not is_provisional(each.kind) for each in get_ids(entry))
    return known or bool(entry.rating) or is_nameless(entry)


def _set_last_sections(section: Section, players: list[Player]) -> None:
    """Set `last_section` on each player: the newest other section, to be shown."""
    entries = (
        Entry.objects.filter(player__in=players).exclude(section=section).order_by("section__ends", "pk")
    )
    last = {entry.player_id: entry.section for entry in entries.select_related("section__event__federation")}
    for player in players:
        player.last_section = last.get(player.pk)  # type: ignore[attr-defined]


def _regions(section: Section) -> list[Region]:
    """The regions to which a new player may belong; none if the office has one region only."""
    office = section.event.federation
    return list(office.regions.all()) if office.regional else []


def _settled_row(request: OfficeRequest, entry: Entry) -> dict[str, Any]:
    """A row for an entry that needs no decision, with what settled it, and a new player's region."""
    found = [one for one in entry.candidates if one["player"] == entry.player_id]
    evidence = [(str(EVIDENCE_LABELS[name]), name in AGAINST) for one in found for name in one["evidence"]]
    words = "" if entry.match == Entry.Match.CERTAIN and evidence else entry.get_match_display()
    region = entry.region_id or entry.section.event.region_id
    typed = request.POST.get(f"{REGION_PREFIX}{entry.number}", str(region))
    return {"entry": entry, "told": words, "evidence": evidence, "region": typed}


def _row(candidate: Any) -> tuple[int, list[str]]:
    if isinstance(candidate, dict):
        return candidate["player"], candidate["evidence"]
    return candidate.player.pk, list(candidate.evidence)


def build_offers(
    candidates: Iterable[tuple[int, list[str]]],
    player_by_key: dict[int, Player],
    entry_number_by_player: dict[int, int],
    chosen_key: str = "",
) -> list[dict[str, Any]]:
    """The context of the players offered for one entry, each once. `candidates`: key and evidence of each;
    `player_by_key`: the player of each key, since two may have been merged; `entry_number_by_player`: the
    entry that a player has already.
    """
    offers: dict[int, dict[str, Any]] = {}
    for key, evidence in candidates:
        if player := player_by_key.get(key):
            words = [(str(EVIDENCE_LABELS[name]), name in AGAINST) for name in evidence]
            taken_by, chosen = entry_number_by_player.get(player.pk), chosen_key == str(player.pk)
            offer = {"player": player, "evidence": words, "taken_by": taken_by, "chosen": chosen}
            offers.setdefault(player.pk, offer)
    return list(offers.values())


def _newcomers(
    request: OfficeRequest, section: Section, new: Iterable[Entry], *, required: bool, checked: bool
) -> list[dict[str, Any]]:
    """New players who lack something `required`, or only what regulations want, with their forms."""
    ruleset = section.event.federation.ruleset
    forms = [
        (
            entry,
            NewcomerForm(
                request.POST if checked and has_typed_particulars(request, entry, ruleset) else None,
                entry=entry,
                ruleset=ruleset,
                belongs_to=FORM_ID,
                typed=request.POST,
            ),
        )
        for entry in new
    ]
    return [
        {"entry": entry, "newcomer": form}
        for entry, form in forms
        if form.fields and form.lacks_something == required
    ]


@page(Permission.SECTIONS_FILE, methods=POST)
def decide_players(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Save the page's answers: `player-12` is a player's key, or `new`; `entry` lists those ticked as new;
    `as-suggested` takes whom the page suggests for all others; `region-12` is a new player's region. If one
    cannot be saved, none is, and all are shown again as typed.
    """
    section = get_own_section(request, number, code)
    if elsewhere := redirect_and_warn_if_unread(request, section):
        return elsewhere
    if FILL_BUTTON in request.POST:
        # Show the page with a column of its new players filled in; nothing is saved.
        ruleset, column = section.event.federation.ruleset, str(request.POST.get("fill-column", ""))
        open_ones = [
            e
            for e in get_person_entries(section)
            if e.player is None and e.match in (*UNDECIDED_MATCHES, Entry.Match.NEW)
        ]
        asked = [e for e in open_ones if column in NewcomerForm(entry=e, ruleset=ruleset).fields]
        pasted, default = (str(request.POST.get(f"fill-{name}", "")) for name in ("values", "default"))
        data, errors = fill_column(request.POST, column, asked, pasted[:MOST_PASTED], default.strip())
        for error in errors:
            messages.error(request, error)
        request.POST = data  # type: ignore[assignment] # the page shows the posted data
        return _page(
            request, section, _answers(request, section), status=400 if errors else 200, checked=False
        )
    answers = _answers(request, section)
    if SUGGESTED_BUTTON in request.POST:
        suggested = _suggest(get_person_entries(section))
        answers = {number: str(key) for number, key in suggested.items()} | answers
    chosen = _get_players(request, {n: int(text) for n, text in answers.items() if is_number(text)})
    new = [n for n, text in answers.items() if text == NEW]
    newcomers, errors = read_newcomers(section, new, request.POST)
    regions = _stated_regions(request, section)
    if not (chosen or newcomers or regions or errors):
        errors.append(
            now("Choose or tick somebody, or give a new player's details: nothing was there to be saved.")
        )
    for error in errors:
        messages.error(request, error)
    if errors:
        return _page(request, section, answers, status=400)
    terms: dict[str, Any] = {"chosen": chosen, "newcomers": newcomers, "regions": regions}
    if not run_decision(request, decide_entries, section=section, **terms):
        section.refresh_from_db()
        return _page(request, section, answers, status=409)
    return redirect_to_step(section, "players")


def _stated_regions(request: OfficeRequest, section: Section) -> dict[int, Region]:
    """The changed regions that were posted for new players, by starting number."""
    fields = {
        n.removeprefix(REGION_PREFIX): str(t) for n, t in request.POST.items() if n.startswith(REGION_PREFIX)
    }
    posted = {int(number): text for number, text in fields.items() if is_number(number)}
    found = {str(region.pk): region for region in request.office.regions.all()}
    if not found.keys() >= set(posted.values()):
        raise Http404
    entries = section.entries.filter(number__in=posted, match=Entry.Match.NEW, player=None)
    saved = {entry.number: entry.region_id or section.event.region_id for entry in entries}
    return {n: found[text] for n, text in posted.items() if n in saved and saved[n] != found[text].pk}


def _answers(request: OfficeRequest, section: Section) -> dict[int, str]:
    """The posted answers by starting number, a player's key or `new`, without untouched entries."""
    posted = {
        name.removeprefix(ANSWER_PREFIX): str(text)
        for name, text in request.POST.items()
        if name.startswith(ANSWER_PREFIX)
    }
    ticked = [n for n in request.POST.getlist(TICKED_FIELD) if is_number(n)]
    asked, ruleset = set(request.POST.getlist(DETAILS_FIELD)), section.event.federation.ruleset
    entries = [entry for entry in section.entries.all() if str(entry.number) in asked]
    typed = [str(entry.number) for entry in entries if has_typed_particulars(request, entry, ruleset)]
    given = dict.fromkeys([*ticked, *typed], NEW) | posted
    return {int(n): text for n, text in given.items() if is_number(n) and (text == NEW or is_number(text))}


def has_typed_particulars(request: OfficeRequest, entry: Entry, ruleset: Ruleset) -> bool:
    """Whether a detail of a new player was posted that differs from what the page showed."""
    form = NewcomerForm(request.POST, entry=entry, ruleset=ruleset)
    return any(str(form[name].data or "").strip() for name in form.changed_data)


def _get_players(request: OfficeRequest, chosen: Mapping[int, int]) -> dict[int, Player]:
    found = Player.objects.of(request.office).in_bulk(chosen.values())
    if len(found) < len(set(chosen.values())):
        raise Http404
    return {number: found[key] for number, key in chosen.items()}


@page(Permission.SECTIONS_FILE, methods=POST)
def reopen(request: OfficeRequest, number: str, code: str, entry: int) -> HttpResponse:
    """Forget who one entry is. The page's other answers, not saved yet, are shown again as typed."""
    section = get_own_section(request, number, code)
    done = run_decision(request, reopen_entry, section=section, number=entry)
    section.refresh_from_db()
    answers = {n: answer for n, answer in _answers(request, section).items() if n != entry}
    # A redirect would tick waiting entries again although the tick was removed.
    others_wait = section.entries.filter(match__in=UNDECIDED_MATCHES).exclude(number=entry).exists()
    if not (others_wait or answers or _stated_regions(request, section)) or redirect_if_unread(section):
        return redirect_to_step(section, "players", f"#entry-{entry}")
    return _page(request, section, answers, status=200 if done else 409, checked=False)
