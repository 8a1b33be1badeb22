"""Pages to export the register, and to import a table of players or of opening ratings.

The worker compares an uploaded table with the register, and a user confirms or discards its effects.
"""

import re
from collections.abc import Iterable
from datetime import date
from tempfile import SpooledTemporaryFile
from typing import Any

import django_tables2 as tables
from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.db.models import QuerySet
from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.text import capfirst
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from players import register_table
from players.access import FORM, POST, OfficeRequest, Permission, page
from players.files import deletion_message
from players.models import Federation, Player, RegisterImport, RegisterLine, State, User
from players.pages.administration import DAY
from players.pages.forms import MESSAGE, Attempt, OnceField, attempt, posted_form_digest
from players.pages.tables import NumberColumn, paged
from players.record import Refused, get_refusal
from players.register_table import DAY as DAY_COLUMN, label
from players.settings import today
from players.templatetags.ui import known_in
from ratings import register_import
from ratings.register_import import MOST_BYTES


# ---- Forms to upload and confirm a table
class TableForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("Table of players"),
        widget=forms.FileInput(attrs={"accept": ".csv,.xlsx,.txt,.xml,.zip,text/csv"}),
    )
    takes_numbers = forms.BooleanField(
        label=gettext_lazy("Players with unknown numbers are new"),
        required=False,
        help_text=gettext_lazy(
            "For a federation that already has its own numbers. Without this, such a row is a problem."
        ),
    )

    once = OnceField()

    def clean_file(self) -> Any:
        given = self.cleaned_data["file"]
        if given.size > MOST_BYTES:
            raise forms.ValidationError(register_import.TOO_BIG)
        return given


class ConfirmForm(forms.Form):
    digest = forms.CharField(widget=forms.HiddenInput, max_length=64)
    leave_out = forms.BooleanField(
        label=gettext_lazy("Continue without the rows that have problems"),
        required=False,
        help_text=gettext_lazy("These rows change nothing. Correct them later, and upload them again."),
    )

    def __init__(self, *args: Any, problems: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not problems:
            del self.fields["leave_out"]


# ---- Tables of imports and of their rows
class ImportsTable(tables.Table):
    caption = gettext_lazy("Tables that came in")
    row_header = "name"
    name = tables.Column(verbose_name=gettext_lazy("Table"))
    on = tables.DateColumn(verbose_name=gettext_lazy("Uploaded"), format="SHORT_DATE_FORMAT")
    by = tables.Column(verbose_name=gettext_lazy("By"), default="–")
    state = tables.Column(verbose_name=gettext_lazy("State"))
    counts = tables.Column(verbose_name=gettext_lazy("New, changed"), default="–")

    class Meta:
        orderable = False
        empty_text = gettext_lazy("None came in yet.")

    def render_name(self, record: RegisterImport) -> str:
        url = reverse("ratings:register_import", args=[record.federation.code, record.pk])
        return format_html('<a href="{}">{}</a>', url, record.name)

    def render_by(self, record: RegisterImport, value: User) -> str:
        return known_in(value, record.federation)

    def render_counts(self, value: dict[str, int]) -> str:
        return f"{value['new']}, {value['changed']}" if value else "–"


class LinesTable(tables.Table):
    """An import's rows with the effect of each on the register. Not for the public: it shows births."""

    caption = gettext_lazy("Row by row")
    row_header = "line"
    line = NumberColumn(verbose_name=gettext_lazy("Row"))
    kind = tables.Column(verbose_name=gettext_lazy("It is"))
    name = tables.Column(verbose_name=gettext_lazy("Player"), default="–")
    what = tables.Column(
        verbose_name=gettext_lazy("What it changes"), accessor="pk", attrs={"td": {"class": "whole"}}
    )

    class Meta:
        orderable = False
        empty_title = gettext_lazy("No such row")
        empty_text = gettext_lazy("No row of the table is of this kind.")

    def __init__(self, *args: Any, office: Federation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.office = office

    def render_name(self, record: RegisterLine) -> str:
        if record.player_id is None:
            return format_html(
                '{}<span class="sub">{}</span>', record.name, record.number or _("a new number")
            )
        url = reverse("ratings:player", args=[self.office.code, record.number])
        return format_html('<a href="{}">{}</a><span class="sub">{}</span>', url, record.name, record.number)

    def render_what(self, record: RegisterLine) -> str:
        if record.kind == RegisterLine.Kind.PROBLEM:
            problems = (
                (label(each["column"]), register_table.describe_problem(each)) for each in record.problems
            )
            return _joined_parts(
                format_html("<strong>{}</strong> {}", column, words) if column else words
                for column, words in problems
            )
        if record.kind == RegisterLine.Kind.UNCHANGED:
            return "–"
        changes = [_change(column, *values) for column, values in record.changes.items()]
        return _joined_parts([*_opening(record), *changes])


class ComingListTable(tables.Table):
    """The first rows of the list that the opening ratings would give."""

    caption = gettext_lazy("The list that would come out")
    row_header = "name"
    rank = NumberColumn(verbose_name=gettext_lazy("Rank"))
    name = tables.Column(verbose_name=gettext_lazy("Player"), default="–")
    number = tables.Column(verbose_name=gettext_lazy("Number"))
    rating = NumberColumn(verbose_name=gettext_lazy("Rating"))
    games = NumberColumn(verbose_name=gettext_lazy("Games"))

    class Meta:
        orderable = False
        empty_text = gettext_lazy("Nobody would be listed.")

    def __init__(self, job: RegisterImport) -> None:
        names = ("rank", "number", "name", "rating", "games")
        super().__init__([dict(zip(names, row, strict=True)) for row in job.coming_list])

    def render_number(self, value: str) -> str:
        return value or _("a new number")

    def render_rating(self, value: str) -> str:
        return value


def _opening(line: RegisterLine) -> list[str]:
    """A row's opening rating in words, with a warning if its player was found by the name alone."""
    if not line.opening:
        return []
    words = _("%(rating)s with %(games)s games") % line.opening
    opening = format_html("<strong>{}</strong> {}", _("opening rating"), words)
    if line.opening.get("by"):
        return [opening, _("Found in the register by the name alone: check who it is.")]
    return [opening]


def _change(column: str, before: str, after: str) -> str:
    if not before:
        return format_html("<strong>{}</strong> {}", label(column), after)
    after = after or _("nothing")
    return format_html("<strong>{}</strong> <del>{}</del> → <ins>{}</ins>", label(column), before, after)


def _joined_parts(parts: Iterable[str]) -> str:
    return format_html_join("", '<span class="change">{}</span>', ((part,) for part in parts))


# ---- The opening ratings of an office
class OpeningsForm(TableForm):
    """A list whose ratings are taken over: which rating, of which day, from where."""

    track = forms.ChoiceField(label=gettext_lazy("Rating"))
    on = forms.DateField(
        label=gettext_lazy("The list’s day"),
        widget=DAY,
        help_text=gettext_lazy("The day before the record of this office starts, or an earlier one."),
    )
    source = forms.CharField(
        label=gettext_lazy("The list"),
        max_length=register_import.LONGEST_SOURCE,
        help_text=gettext_lazy(
            "In a few words, such as “list of June 2026”. Everybody reads them beside each of its ratings."
        ),
    )
    field_order = ("file", "track", "on", "source", "takes_numbers")

    def __init__(self, *args: Any, office: Federation, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        track = self.fields["track"]
        assert isinstance(track, forms.ChoiceField)
        track.choices = [(each.code, _(each.name)) for each in office.ruleset.tracks]

    def terms(self) -> register_table.OpeningTerms:
        on: date = self.cleaned_data["on"]
        return register_table.OpeningTerms(
            self.cleaned_data["track"], on.isoformat(), self.cleaned_data["source"]
        )


@page(Permission.PLAYERS_IMPORT, methods=FORM)
def openings(request: OfficeRequest) -> HttpResponse:
    """Page to upload a list of opening ratings, or why the office cannot take one."""
    if request.method != "POST":
        return _openings_page(request, OpeningsForm(office=request.office, initial={"takes_numbers": True}))
    form = OpeningsForm(request.POST, request.FILES, office=request.office)
    received = _receive(request, form)
    if received.done:
        return redirect("ratings:register_import", request.office.code, received.result.pk)
    return _openings_page(request, form, status=received.status)


def _receive(request: OfficeRequest, form: TableForm) -> Attempt:
    def answers(typed: dict[str, Any]) -> dict[str, Any]:
        file, opening = typed["file"], form.terms() if isinstance(form, OpeningsForm) else None
        terms = {"takes_numbers": typed["takes_numbers"], "opening": opening}
        return {"name": file.name, "data": file.read(MOST_BYTES + 1), **terms}

    return attempt(
        request,
        form,
        register_import.receive_register,
        answers=answers,
        refusal_to=NON_FIELD_ERRORS if isinstance(form, OpeningsForm) else "file",
        federation=request.office,
        at=timezone.now(),
        form_mark=posted_form_digest(request),
    )


def _openings_page(request: OfficeRequest, form: OpeningsForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "impossible": get_refusal(register_import.refuse_openings, request.office)}
    return render(request, "ratings/office/openings.html", context, status=status)


# ---- The register: export and imports
BYTES_IN_MEMORY = 4_000_000
"""The most bytes of a file in memory; a longer one is made on disk."""
MOST_IMPORTS = 20


@page(Permission.PLAYERS_EXPORT)
def register(request: OfficeRequest) -> HttpResponse:
    empty = not exportable_players(request).exists()
    return register_page(request, TableForm(initial={"takes_numbers": empty}))


def register_page(request: OfficeRequest, form: TableForm, status: int = 200) -> HttpResponse:
    """The page to export the register and, with the permission for it, to import tables."""
    everywhere = Permission.PLAYERS_EXPORT in request.rights.everywhere
    context: dict[str, Any] = {
        "players": exportable_players(request).count(),
        "regions": [] if everywhere else request.rights.regions(Permission.PLAYERS_EXPORT),
        "births": birth_precision(request),
        "layouts": [suffix.upper() for suffix in register_table.LAYOUTS],
    }
    if Permission.PLAYERS_IMPORT in request.rights:
        imports = RegisterImport.objects.filter(federation=request.office).defer("content", "reading")
        table = ImportsTable(imports.select_related("by", "federation")[:MOST_IMPORTS])
        columns = {
            "number": _(
                "The player’s number here. Empty: a new player, or one whom another id identifies; “new”: "
                "certainly new"
            ),
            "surname": _("Required for new players"),
            "first_name": "",
            "sex": _("m or f"),
            "birth": _("2010-05-03, or the year only"),
            "nation": _("Three letters, such as %(example)s")
            % {"example": request.office.ruleset.country or "CZE"},
            "resident": _("yes or no: whether the player lives in the federation’s country"),
            "included_by": _("The decision that includes a player from abroad"),
            "region": _("Its code or its name"),
            "title": _("Up to 5 letters"),
            "fide_id": _("Any other kind of id that the register has, under its own heading"),
        }
        if "included_by" not in request.office.ruleset.journal.reads:
            del columns["included_by"]
        context |= {"form": form, "imports": table, "columns": list(columns.items())}
        context["openings"] = not get_refusal(register_import.refuse_openings, request.office)
    return render(request, "ratings/office/register.html", context, status=status)


def exportable_players(request: OfficeRequest) -> QuerySet[Player]:
    """The players whom the user may export: all, or those of the user's regions."""
    players = Player.objects.of(request.office).current()
    if Permission.PLAYERS_EXPORT in request.rights.everywhere:
        return players
    return players.filter(region__in=request.rights.regions(Permission.PLAYERS_EXPORT))


def birth_precision(request: OfficeRequest) -> str:
    return DAY_COLUMN if Permission.PLAYERS_BIRTHS in request.rights.everywhere else register_table.YEAR


@page(Permission.PLAYERS_EXPORT, methods=POST)
def export(request: OfficeRequest, suffix: str) -> HttpResponseBase:
    """Download of the register as a table; by POST, since the record keeps who took it."""
    if suffix not in register_table.LAYOUTS:
        raise Http404(_("The register is not offered in this layout."))
    players, births, day = exportable_players(request), birth_precision(request), today(request.office)
    everywhere = Permission.PLAYERS_EXPORT in request.rights.everywhere
    register_import.record_register_export(
        federation=request.office,
        by=request.user,
        on=day,
        layout=suffix,
        births=births,
        players=players.count(),
        regions=None if everywhere else request.rights.regions(Permission.PLAYERS_EXPORT),
    )
    file = SpooledTemporaryFile(max_size=BYTES_IN_MEMORY)  # noqa: SIM115 - the answer closes it
    ordered = players.order_by("number")
    register_table.write_register(
        file,  # type: ignore[arg-type]
        request.office,
        ordered,
        layout=suffix,
        birth_precision=births,
        on=day,
    )
    file.seek(0)
    name = f"{request.office.code}-register-{day}.{suffix}"
    return FileResponse(file, as_attachment=True, filename=name, content_type=register_table.LAYOUTS[suffix])


# ---- The form that names a table's columns
NEW_ID_KIND = "own"
"""The choice for a column with ids of a kind that the office does not have yet."""
_NATION = re.compile(r"[A-Za-z]{3}")
_COLUMN = "column_"
_DEFAULT = "default_"
_DEFAULTS = ("nation", "sex", "region")


class ColumnNamingForm(forms.Form):
    """Ask for each column of a table what it holds, and what fills empty cells and which rows count."""

    digest = forms.CharField(widget=forms.HiddenInput, max_length=64, required=False)
    filled = forms.MultipleChoiceField(
        label=gettext_lazy("An empty cell means the same as the one above it"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    paste_into = forms.ChoiceField(label=gettext_lazy("Paste a column"), required=False)
    pasted = forms.CharField(
        label=gettext_lazy("Its values, one in a line, in the order of the table’s rows"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text=gettext_lazy("Copy them from a spreadsheet. An empty line leaves the row as it is."),
    )
    forget = forms.BooleanField(label=gettext_lazy("Forget what was pasted before"), required=False)
    nations = forms.CharField(
        label=gettext_lazy("Take only players of these nations"),
        required=False,
        max_length=200,
        help_text=gettext_lazy("Three letters each. Empty: all. A list of the whole world has many."),
    )
    known_only = forms.BooleanField(
        label=gettext_lazy("Take only players whom the register has"), required=False
    )

    def __init__(self, *args: Any, job: RegisterImport, **kwargs: Any) -> None:
        self.job, self.headings = job, list(job.head.get("headings", ()))
        self.resource = register_table.RegisterResource(job.federation, on=job.on)
        used = job.naming or job.head.get("used", {})
        self.before = register_table.Naming.of(used) if used else register_table.Naming()
        kwargs.setdefault("initial", self._initial())
        super().__init__(*args, **kwargs)
        self._add_column_fields()
        self._add_default_fields()
        if not self.before.pasted:
            del self.fields["forget"]
        columns = [(name, label(name)) for name in register_table.BULK_COLUMNS]
        filled, paste_into = self.fields["filled"], self.fields["paste_into"]
        assert isinstance(filled, forms.ChoiceField)
        assert isinstance(paste_into, forms.ChoiceField)
        filled.choices = columns
        paste_into.choices = [("", _("none")), *columns]

    def _initial(self) -> dict[str, Any]:
        before = self.before
        initial = {f"{_COLUMN}{at}": self._answer(name, at) for at, name in before.places.items()}
        initial |= {f"{_DEFAULT}{name}": text for name, text in before.defaults.items()}
        return initial | {
            "digest": self.job.digest,
            "filled": list(before.filled),
            "nations": ", ".join(before.nations),
            "known_only": before.known_only,
        }

    def _answer(self, name: str, at: int) -> str:
        return NEW_ID_KIND if name == self._id_column(at) and name not in self.resource.fields else name

    def _id_column(self, at: int) -> str:
        """The column for ids of the kind that a heading names: `ICU_CODE` → `icu-code_id`."""
        kind = "-".join(re.findall(r"\w+", register_table.normalize_heading(self.headings[at])))[:30]
        return register_table.id_column(kind or f"column-{at + 1}")

    def _add_column_fields(self) -> None:
        known = [name for name in self.resource.fields if not name.endswith(register_table.ID_SUFFIX)]
        ids = [name for name in self.resource.fields if name.endswith(register_table.ID_SUFFIX)]
        names = ["number", register_table.WHOLE_NAME, *(name for name in known if name != "number"), *ids]
        names += [register_table.RATING, register_table.GAMES] if self.job.opening else []
        labels = {name: label(name) for name in names}
        labels[register_table.WHOLE_NAME] = _("surname and first name together")
        choices = [("", _("left out")), *labels.items(), (NEW_ID_KIND, _("ids of a kind of their own"))]
        samples = self.job.head.get("samples", [])
        for at, text in enumerate(self.headings):
            self.fields[f"{_COLUMN}{at}"] = forms.ChoiceField(
                label=text or _("Column %(number)s") % {"number": at + 1},
                choices=choices,
                required=False,
                help_text=" · ".join(samples[at]) if at < len(samples) else "",
            )

    def _add_default_fields(self) -> None:
        labels = {
            "nation": _("Nation, where neither the table nor the register has one"),
            "sex": _("Sex, where neither the table nor the register has one"),
            "region": _("Region, where neither the table nor the register has one"),
        }
        for name in _DEFAULTS:
            self.fields[f"{_DEFAULT}{name}"] = forms.CharField(
                label=labels[name], required=False, max_length=100
            )
        if self.job.opening:
            self.fields[f"{_DEFAULT}{register_table.GAMES}"] = forms.IntegerField(
                label=_("Games counted before, where the list tells none"),
                required=False,
                min_value=0,
                max_value=register_import.MOST_GAMES,
            )

    @property
    def columns(self) -> list[forms.BoundField]:
        """The fields for the columns, in the table's order."""
        return [self[f"{_COLUMN}{at}"] for at in range(len(self.headings))]

    @property
    def general_fields(self) -> list[forms.BoundField]:
        """The fields that apply to many players at once."""
        names = [f"{_DEFAULT}{name}" for name in (*_DEFAULTS, register_table.GAMES)]
        names += ["filled", "paste_into", "pasted", "forget", "nations", "known_only"]
        return [self[name] for name in names if name in self.fields]

    @property
    def pasted_before(self) -> str:
        """The columns that were pasted before, in words."""
        return ", ".join(label(name) for name in self.before.pasted)

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        for name in _DEFAULTS:
            text = (given.get(f"{_DEFAULT}{name}") or "").strip()
            if text and (problem := register_table.find_value_problem(self.resource, name, text)):
                self.add_error(f"{_DEFAULT}{name}", register_table.describe_problem(problem.as_dict()))
        self._check_nations(given)
        self._check_pasted(given)
        if not self.errors:
            self._check_columns()
        return given

    def _check_nations(self, given: dict[str, Any]) -> None:
        wrong = [word for word in _words_of(given.get("nations", "")) if not _NATION.fullmatch(word)]
        if wrong:
            words = _("“%(text)s” is not a country's code. Write three letters.")
            self.add_error("nations", words % {"text": wrong[0][:40]})

    def _check_pasted(self, given: dict[str, Any]) -> None:
        values, rows = self._pasted_values(), self.job.head.get("rows", 0)
        if bool(values) != bool(given.get("paste_into")):
            self.add_error("paste_into", _("Choose a column, and paste its values."))
        elif len(values) > rows:
            count = ngettext("%(number)s value", "%(number)s values", len(values)) % {"number": len(values)}
            words = _("These are %(values)s, and the table has %(rows)s rows below its headings.")
            self.add_error("pasted", words % {"values": count, "rows": rows})
        for number, value in enumerate(values if given.get("paste_into") else (), 1):
            if value and (
                problem := register_table.find_value_problem(self.resource, given["paste_into"], value)
            ):
                words = _("Line %(line)s: %(words)s")
                self.add_error(
                    "pasted",
                    words % {"line": number, "words": register_table.describe_problem(problem.as_dict())},
                )
                return

    def _check_columns(self) -> None:
        places = self._places()
        twice = next((name for name in places.values() if list(places.values()).count(name) > 1), "")
        if twice:
            at = [at for at, name in places.items() if name == twice][1]
            self.add_error(f"{_COLUMN}{at}", _("Another column holds this already."))
        elif self.job.opening and register_table.RATING not in places.values():
            self.add_error(None, register_table.describe_problem({"key": "no-ratings"}))
        elif problem := register_table.find_columns_problem([*places.values(), *self.naming().pasted]):
            self.add_error(None, register_table.describe_problem(problem.as_dict()))

    def _places(self) -> dict[int, str]:
        answers = {at: self.cleaned_data.get(f"{_COLUMN}{at}", "") for at in range(len(self.headings))}
        return {
            at: self._id_column(at) if name == NEW_ID_KIND else name for at, name in answers.items() if name
        }

    def _pasted_values(self) -> list[str]:
        lines = [line.strip() for line in (self.cleaned_data.get("pasted") or "").splitlines()]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def naming(self) -> register_table.Naming:
        given = self.cleaned_data
        pasted = {} if given.get("forget") else dict(self.before.pasted)
        if given["paste_into"]:
            pasted[given["paste_into"]] = self._pasted_values()
        defaults = {name: given[f"{_DEFAULT}{name}"].strip() for name in _DEFAULTS}
        games = given.get(f"{_DEFAULT}{register_table.GAMES}")
        defaults[register_table.GAMES] = "" if games is None else str(games)
        return register_table.Naming(
            self._places(),
            {name: text for name, text in defaults.items() if text},
            given["filled"],
            pasted,
            [word.upper() for word in _words_of(given["nations"])],
            given["known_only"],
        )


def _words_of(text: str) -> list[str]:
    return re.findall(r"[^\s,;]+", text)


# ---- An import: uploaded, compared, confirmed or discarded
STOP_POLLING = 286  # htmx: swap this in and ask no more


@page(Permission.PLAYERS_IMPORT, methods=POST)
def receive(request: OfficeRequest) -> HttpResponse:
    form = TableForm(request.POST, request.FILES)
    received = _receive(request, form)
    if received.done:
        return redirect("ratings:register_import", request.office.code, received.result.pk)
    return register_page(request, form, status=received.status)


@page(Permission.PLAYERS_IMPORT)
def look(request: OfficeRequest, key: int) -> HttpResponse:
    job = _get_job(request, key)
    return _page(request, job, _confirm_form(job))


def _get_job(request: OfficeRequest, key: int) -> RegisterImport:
    jobs = RegisterImport.objects.filter(federation=request.office).defer("content", "reading")
    return get_object_or_404(jobs.select_related("by", "confirmed_by"), pk=key)


def _confirm_form(job: RegisterImport) -> ConfirmForm:
    return ConfirmForm(initial={"digest": job.digest}, problems=_problems(job))


def _problems(job: RegisterImport) -> int:
    return int(job.counts.get("problem", 0))


def _page(
    request: OfficeRequest,
    job: RegisterImport,
    form: ConfirmForm,
    refused: str = "",
    status: int = 200,
    naming: ColumnNamingForm | None = None,
) -> HttpResponse:
    context: dict[str, Any] = {
        "job": job,
        "refused": refused,
        "let_go": deletion_message(job),
        "reason": register_table.describe_problem(job.reason) if job.reason else "",
        "notices": [register_table.describe_problem(notice) for notice in job.notices],
    }
    if job.nameable and job.head:
        context["naming"] = naming or ColumnNamingForm(job=job)
    if job.working:
        context["working"] = _progress_context(request, job)
    elif job.state in (State.PLANNED, State.WRITTEN) and not job.let_go_on:  # these alone have a dry run
        kinds = [kind for kind in RegisterLine.Kind if kind != "unchanged" or job.state == State.PLANNED]
        asked = request.GET.get("kind", "")
        chosen = asked if asked in (ALL, *kinds) else _first_kind(job)
        lines = job.lines.all() if chosen == ALL else job.lines.filter(kind=chosen)
        table = paged(LinesTable(lines, office=request.office), request)
        all_rows = _("All rows") if len(kinds) == len(RegisterLine.Kind) else _("All but the unchanged")
        tabs = [_tab(ALL, all_rows, sum(job.counts[kind] for kind in kinds), chosen)]
        tabs += [_tab(kind, capfirst(str(kind.label)), job.counts[kind], chosen) for kind in kinds]
        context |= {"table": table, "tabs": tabs}
        if job.opening and job.state == State.PLANNED:
            context["coming"] = ComingListTable(job)
        context |= {"form": form, "writes": job.counts["new"] + job.counts["changed"]}
    return render(request, "ratings/office/register_import.html", context, status=status)


ALL = "all"


def _tab(kind: str, label: str, count: int, chosen: str) -> dict[str, Any]:
    return {"label": label, "url": f"?kind={kind}", "current": kind == chosen, "count": count}


def _first_kind(job: RegisterImport) -> str:
    """The kind of rows shown first: problems, else changes, else new players, else all rows."""
    kinds = (RegisterLine.Kind.PROBLEM, RegisterLine.Kind.CHANGED, RegisterLine.Kind.NEW)
    if job.state == State.WRITTEN:
        return ALL
    return next((kind for kind in kinds if job.counts[kind]), ALL)


def _progress_context(request: OfficeRequest, job: RegisterImport) -> dict[str, Any]:
    """The context of the progress bar while the worker compares or writes an import."""
    waits = job.state in (State.WAITING, State.CONFIRMED)
    if waits:
        words = _("Waiting for the worker")
    else:
        words = _("Writing the register") if job.writes else _("Comparing the table with the register")
    address = [request.office.code, job.pk]
    return {
        "words": words,
        "done": job.progress,
        "total": None if waits else 100,
        "count": " ",
        "url": reverse("ratings:register_progress", args=address),
        "refresh_url": reverse("ratings:register_import", args=address),
    }


@page(Permission.PLAYERS_IMPORT)
def progress(request: OfficeRequest, key: int) -> HttpResponse:
    """The progress that the waiting page asks for each second; at the end the page has to reload."""
    job = _get_job(request, key)
    if not job.working:
        return HttpResponse(status=STOP_POLLING, headers={"HX-Refresh": "true"})
    return render(request, "components/progress_state.html", _progress_context(request, job))


@page(Permission.PLAYERS_IMPORT, methods=POST)
def name(request: OfficeRequest, key: int) -> HttpResponse:
    """Save the names of the columns; the worker then compares the table again."""
    job = _get_job(request, key)
    naming = ColumnNamingForm(request.POST, job=job)
    confirmation = _confirm_form(job)
    if not naming.is_valid():
        return _page(request, job, confirmation, _("Look at the columns again."), 400, naming)
    try:
        register_import.name_columns(
            register_import=job, naming=naming.naming(), seen_digest=naming.cleaned_data["digest"]
        )
    except Refused as refused:
        return _page(request, _get_job(request, key), confirmation, str(refused), status=409)
    return redirect("ratings:register_import", request.office.code, key)


@page(Permission.PLAYERS_IMPORT, methods=POST)
def confirm(request: OfficeRequest, key: int) -> HttpResponse:
    job = _get_job(request, key)
    form = ConfirmForm(request.POST, problems=_problems(job))
    if not form.is_valid():
        return _page(request, job, form, _("Look at it again."), status=400)

    def answers(typed: dict[str, Any]) -> dict[str, Any]:
        return {"seen_digest": typed["digest"], "leave_out_problems": typed.get("leave_out", False)}

    confirmed = attempt(request, form, register_import.confirm_register, answers=answers, register_import=job)
    if confirmed.refused:
        job = _get_job(request, key)
        return _page(request, job, _confirm_form(job), confirmed.refused, status=confirmed.status)
    return redirect("ratings:register_import", request.office.code, key)


@page(Permission.PLAYERS_IMPORT, methods=POST)
def discard(request: OfficeRequest, key: int) -> HttpResponse:
    job = _get_job(request, key)
    words = _("The table was discarded. Nothing was changed.")
    terms: dict[str, Any] = {"refusal_to": MESSAGE, "register_import": job}
    if attempt(request, None, register_import.discard_register, words, **terms).done:
        return redirect("ratings:register", request.office.code)
    return redirect("ratings:register_import", request.office.code, key)
