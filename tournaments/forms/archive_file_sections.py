"""The section of each file in an archive: what is proposed and why, and what a person says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ratings.equipment.find_equipment import form_fields
from tournaments.events.file_models import Archive, ArchivedFile, Upload
from tournaments.events.lock_section import ADVICE
from tournaments.events.models import Event, Section, Stage
from tournaments.events.ruleset_fields import initial_of
from tournaments.filing.archives import Share
from tournaments.filing.receive_file import already_filed
from tournaments.forms.event_forms import MOST_ROUNDS, SectionForm
from tournaments.identity.propose_file_sections import (
    AGAINST,
    SectionProposal,
    Side,
    bare_name,
    format_in,
    name_for_section,
    propose,
)

IN = "in-"
"""The prefix of a section's code, among the choices."""
NEW, LEFT_OUT = "new", "out"
EVIDENCE: Mapping[str, Promise] = {
    "tournament": gettext_lazy("the tournament’s name fits"),
    "tournament-alike": gettext_lazy("a similar tournament’s name"),
    "file-name": gettext_lazy("the file’s name fits"),
    "file-name-alike": gettext_lazy("a similar file’s name"),
    "rounds": gettext_lazy("same number of rounds"),
    "rounds-differ": gettext_lazy("other number of rounds"),
    "days": gettext_lazy("days fit"),
    "days-differ": gettext_lazy("other days"),
    "uploaded-there": gettext_lazy("it was uploaded there"),
    "only-one-left": gettext_lazy("the only one left"),
}


class SectionSelect(forms.Select):
    """A select that shows sections that take no file, but does not let them be chosen."""

    closed: frozenset[str] = frozenset()

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **kwargs)
        if str(value) in self.closed:
            option["attrs"]["disabled"] = True
        return option


class ShareForm(forms.Form):
    whose = forms.ChoiceField(
        label=gettext_lazy("It belongs to"),
        widget=SectionSelect,
        error_messages={"required": gettext_lazy("Choose the section of this file, or leave it out.")},
    )

    def __init__(self, *args: Any, sections: Iterable[Section], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        whose = self.fields["whose"]
        assert isinstance(whose, forms.ChoiceField)
        assert isinstance(whose.widget, SectionSelect)
        whose.widget.closed = frozenset(IN + s.code for s in sections if not s.open_to_filing)
        whose.choices = [
            ("", _("Choose …")),
            *((IN + section.code, _label(section)) for section in sections),
            (NEW, _("A new section")),
            (LEFT_OUT, _("No section: leave it out")),
        ]


def _label(section: Section) -> str:
    if not section.open_to_filing:
        return f"{section.name} ({section.get_stage_display()})"
    if section.stage != Stage.REGISTERED:
        return _("%(section)s (its file is replaced)") % {"section": section.name}
    return section.name


@dataclass(frozen=True, slots=True)
class FileForms:
    """One file of an archive on the page, with the forms that ask for its section, and what is proposed."""

    file: ArchivedFile
    form: ShareForm
    new: SectionForm
    evidence: tuple[tuple[str, bool], ...] = ()
    """Evidence in words, and whether it speaks against."""
    seems: str = ""
    """The section that it seems to be of, if that takes no file."""
    filed_elsewhere: str = ""

    @property
    def whose(self) -> str:
        said = getattr(self.form, "cleaned_data", {})
        return str(said.get("whose", ""))

    def is_valid(self) -> bool:
        valid = self.form.is_valid()
        return valid and (self.whose != NEW or self.new.is_valid())

    def share(self) -> Share:
        if self.whose == LEFT_OUT:
            return Share(self.file.number)
        if self.whose == NEW:
            return Share(self.file.number, new=self.new.section())
        return Share(self.file.number, section=self.whose.removeprefix(IN))


class ShareForms:
    """The forms in which a person says which section each file of an archive belongs to, for `files`, which
    have none yet. `uploads`: what is filed already, by checksum.
    """

    def __init__(
        self, archive: Archive, files: Sequence[ArchivedFile], uploads: Mapping[str, Upload], data: Any = None
    ) -> None:
        self.event, self.uploads, self.data = archive.event, uploads, data
        self.sections = list(self.event.sections.all())
        self.proposals = self._proposals(archive, files)
        self.rows = [self._row(file) for file in files]

    def is_valid(self) -> bool:
        valid = [row.is_valid() for row in self.rows]
        return self._each_section_once() and all(valid)

    def shares(self) -> list[Share]:
        return [row.share() for row in self.rows]

    def _each_section_once(self) -> bool:
        chosen: set[str] = set()
        alone = True
        for row in self.rows:
            if row.whose in chosen:
                row.form.add_error(
                    "whose", _("You chose this section for another file already. A section has one file.")
                )
                alone = False
            if row.whose.startswith(IN):
                chosen.add(row.whose)
        return alone

    def _proposals(self, archive: Archive, files: Sequence[ArchivedFile]) -> Mapping[object, SectionProposal]:
        sections = {section.code: section for section in self.sections}
        free = {code for code, section in sections.items() if section.open_to_filing}
        if len(files) == 1 and archive.section and archive.section.code in free:
            return {files[0].number: SectionProposal(archive.section.code, ("uploaded-there",))}
        sides = [_side_of_file(file) for file in files if file.sha256 not in self.uploads]
        others = [_side_of_section(section) for section in self.sections]
        return propose(sides, others, event=self.event.name, free=free)

    def _row(self, file: ArchivedFile) -> FileForms:
        proposal = self.proposals.get(file.number)
        section = next((s for s in self.sections if proposal and s.code == proposal.section), None)
        may = section is not None and section.open_to_filing
        return FileForms(
            file=file,
            form=ShareForm(
                self.data,
                prefix=f"file-{file.number}",
                sections=self.sections,
                initial={"whose": _first_choice(file, section if may else None)},
            ),
            new=self._new_section(file),
            evidence=tuple(
                (str(EVIDENCE[key]), key in AGAINST) for key in (proposal.evidence if proposal else ())
            ),
            seems="" if section is None or may else _closed(section),
            filed_elsewhere=already_filed(self.uploads[file.sha256]) if file.sha256 in self.uploads else "",
        )

    def _new_section(self, file: ArchivedFile) -> SectionForm:
        return SectionForm(
            self.data,
            prefix=f"new-{file.number}",
            ruleset=self.event.federation.ruleset,
            initial=self._own_fields(file) | new_section_of(file, self.event),
            use_required_attribute=False,  # asked only where a new section is chosen
        )

    def _own_fields(self, file: ArchivedFile) -> dict[str, Any]:
        """Initial values of the ruleset's own fields of a new section: those of the event's last section, but
        with the file's time control.
        """
        known = dict(self.sections[-1].particulars) if self.sections else {}
        own = {name: value for name, value in known.items() if value is not True}  # marks are a section's own
        for field in form_fields(self.event.federation.ruleset):
            if field.kind == "time_controls" and file.time_control:
                own[field.name] = [file.time_control]
        return initial_of(own)


def new_section_of(file: ArchivedFile, event: Event) -> dict[str, Any]:
    """The initial fields of a new section, as the file gives them."""
    named = name_for_section(file.tournament, event.name) or bare_name(file.name)
    said: dict[str, Any] = {"name": named[:100], "team": file.team}
    if file.rounds and file.rounds <= MOST_ROUNDS:
        said["rounds"] = file.rounds
    if format_in(file.kind) in event.federation.ruleset.sections.formats:
        said["format"] = format_in(file.kind)
    return said


def _first_choice(file: ArchivedFile, proposed: Section | None) -> str:
    if file.left_out:
        return LEFT_OUT
    return f"{IN}{proposed.code}" if proposed else ""


def _closed(section: Section) -> str:
    words = _("It seems to be the file of section %(section)s, which is %(stage)s.") % {
        "section": section.name,
        "stage": section.get_stage_display(),
    }
    return f"{words} {ADVICE.get(Stage(section.stage), '')}".strip()


def _side_of_file(file: ArchivedFile) -> Side:
    names = {"tournament": file.tournament, "file-name": bare_name(file.name)}
    return Side(file.number, names, file.rounds, file.starts, file.ends)


def _side_of_section(section: Section) -> Side:
    names = {"name": section.name, "code": section.code}
    return Side(section.code, names, section.rounds, section.starts, section.ends)
