"""The form in which a person says what a table's columns hold, and what holds for many players at once."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from players.importing.cell_values import RegisterResource
from players.importing.columns import IDENTIFIER, WHOLE_NAME, heading, identifier, missing
from players.importing.models import RegisterImport
from players.importing.named_columns import AT_ONCE, Naming, readable
from players.importing.openings import GAMES, MOST_GAMES, RATING
from players.importing.problem_messages import REASONS, label, say

OF_ITS_OWN = "own"
"""The answer that a column holds ids of a kind which the office does not have yet."""
_NATION = re.compile(r"[A-Za-z]{3}")
_COLUMN = "column_"
_DEFAULT = "default_"
_DEFAULTS = ("nation", "sex", "region")


class NamingForm(forms.Form):
    """Asks for each column of a table what it holds; further, what fills empty cells and which rows count."""

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
        self.resource = RegisterResource(job.federation, latest=job.on.year)
        used = job.naming or job.head.get("used", {})
        self.before = Naming.of(used) if used else Naming()
        kwargs.setdefault("initial", self._initial())
        super().__init__(*args, **kwargs)
        self._ask_for_columns()
        self._ask_for_defaults()
        if not self.before.pasted:
            del self.fields["forget"]
        self._words()

    def _initial(self) -> dict[str, Any]:
        before = self.before
        told = {f"{_COLUMN}{at}": self._answer(name, at) for at, name in before.places.items()}
        told |= {f"{_DEFAULT}{name}": text for name, text in before.defaults.items()}
        return told | {
            "digest": self.job.digest,
            "filled": list(before.filled),
            "nations": ", ".join(before.nations),
            "known_only": before.known_only,
        }

    def _answer(self, name: str, at: int) -> str:
        return OF_ITS_OWN if name == self._own(at) and name not in self.resource.fields else name

    def _own(self, at: int) -> str:
        """The column for ids of the kind that a heading names: `ICU_CODE` → `icu-code_id`."""
        kind = "-".join(re.findall(r"\w+", heading(self.headings[at])))[:30]
        return identifier(kind or f"column-{at + 1}")

    def _ask_for_columns(self) -> None:
        known = [name for name in self.resource.fields if not name.endswith(IDENTIFIER)]
        ids = [name for name in self.resource.fields if name.endswith(IDENTIFIER)]
        names = ["number", WHOLE_NAME, *(name for name in known if name != "number"), *ids]
        names += [RATING, GAMES] if self.job.opening else []
        choices = [("", _("left out")), *((name, _said(name)) for name in names)]
        choices.append((OF_ITS_OWN, _("ids of a kind of their own")))
        samples = self.job.head.get("samples", [])
        for at, text in enumerate(self.headings):
            self.fields[f"{_COLUMN}{at}"] = forms.ChoiceField(
                label=text or _("Column %(number)s") % {"number": at + 1},
                choices=choices,
                required=False,
                help_text=" · ".join(samples[at]) if at < len(samples) else "",
            )

    def _ask_for_defaults(self) -> None:
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
            self.fields[f"{_DEFAULT}{GAMES}"] = forms.IntegerField(
                label=_("Games counted before, where the list tells none"),
                required=False,
                min_value=0,
                max_value=MOST_GAMES,
            )

    def _words(self) -> None:
        named = [(name, label(name)) for name in AT_ONCE]
        filled, into = self.fields["filled"], self.fields["paste_into"]
        assert isinstance(filled, forms.ChoiceField)
        assert isinstance(into, forms.ChoiceField)
        filled.choices = named
        into.choices = [("", _("none")), *named]

    @property
    def columns(self) -> list[forms.BoundField]:
        """The questions for the columns, in the table's order."""
        return [self[f"{_COLUMN}{at}"] for at in range(len(self.headings))]

    @property
    def for_many(self) -> list[forms.BoundField]:
        """The questions for many players at once."""
        names = [f"{_DEFAULT}{name}" for name in (*_DEFAULTS, GAMES)]
        names += ["filled", "paste_into", "pasted", "forget", "nations", "known_only"]
        return [self[name] for name in names if name in self.fields]

    @property
    def pasted_before(self) -> str:
        """The columns that were pasted before, in words; empty: none was."""
        return ", ".join(label(name) for name in self.before.pasted)

    # ------------------------------------------------------------ what was answered

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        for name in _DEFAULTS:
            text = (given.get(f"{_DEFAULT}{name}") or "").strip()
            if text and (problem := readable(self.resource, name, text)):
                self.add_error(f"{_DEFAULT}{name}", say(problem.as_dict()))
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
        values, rows = self._lines(), self.job.head.get("rows", 0)
        if bool(values) != bool(given.get("paste_into")):
            self.add_error("paste_into", _("Choose a column, and paste its values."))
        elif len(values) > rows:
            told = ngettext("%(number)s value", "%(number)s values", len(values)) % {"number": len(values)}
            words = _("These are %(values)s, and the table has %(rows)s rows below its headings.")
            self.add_error("pasted", words % {"values": told, "rows": rows})
        for number, value in enumerate(values if given.get("paste_into") else (), 1):
            if value and (problem := readable(self.resource, given["paste_into"], value)):
                words = _("Line %(line)s: %(words)s")
                self.add_error("pasted", words % {"line": number, "words": say(problem.as_dict())})
                return

    def _check_columns(self) -> None:
        places = self._places()
        twice = next((name for name in places.values() if list(places.values()).count(name) > 1), "")
        if twice:
            at = [at for at, name in places.items() if name == twice][1]
            self.add_error(f"{_COLUMN}{at}", _("Another column holds this already."))
        elif self.job.opening and RATING not in places.values():
            self.add_error(None, say({"key": "no-ratings"}, REASONS))
        elif problem := missing([*places.values(), *self.naming().pasted]):
            self.add_error(None, say(problem.as_dict(), REASONS))

    def _places(self) -> dict[int, str]:
        answers = {at: self.cleaned_data.get(f"{_COLUMN}{at}", "") for at in range(len(self.headings))}
        return {at: self._own(at) if name == OF_ITS_OWN else name for at, name in answers.items() if name}

    def _lines(self) -> list[str]:
        lines = [line.strip() for line in (self.cleaned_data.get("pasted") or "").splitlines()]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    def naming(self) -> Naming:
        """The naming that the person gave."""
        given = self.cleaned_data
        pasted = {} if given.get("forget") else dict(self.before.pasted)
        if given["paste_into"]:
            pasted[given["paste_into"]] = self._lines()
        defaults = {name: given[f"{_DEFAULT}{name}"].strip() for name in _DEFAULTS}
        games = given.get(f"{_DEFAULT}{GAMES}")
        defaults[GAMES] = "" if games is None else str(games)
        return Naming(
            self._places(),
            {name: text for name, text in defaults.items() if text},
            given["filled"],
            pasted,
            [word.upper() for word in _words_of(given["nations"])],
            given["known_only"],
        )


def _words_of(text: str) -> list[str]:
    return re.findall(r"[^\s,;]+", text)


def _said(name: str) -> str:
    return _("surname and first name together") if name == WHOLE_NAME else label(name)
