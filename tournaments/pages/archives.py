"""The pages of a ZIP with files of several sections, which is unpacked and shared out to the sections.

The forms propose a section for each file, with the evidence; a person confirms it or chooses another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from players.access import FORM, OfficeRequest, Permission, page
from players.files import deletion_message
from players.models import User
from players.pages.forms import MESSAGE, attempt
from players.record import refuse_flood
from players.settings import today
from ratings.rulesets.profile import form_fields
from tournaments import matching
from tournaments.announcements import describe_blockers
from tournaments.filing import accepted_kind_names
from tournaments.findings import (
    build_worded_adjustments,
    build_worded_remarks,
    describe_failure,
    filing_url,
    word_for_reader,
)
from tournaments.formats.archive import MOST_PACKED
from tournaments.formats.file_check import check_reading
from tournaments.formats.sheet import load
from tournaments.models import Archive, ArchivedFile, Event, Section, Stage, Upload
from tournaments.pages.files import STOP_POLLING_STATUS, progress_bar_context
from tournaments.pages.forms import MOST_ROUNDS, ArchiveForm, SectionForm
from tournaments.pages.steps import get_own_event
from tournaments.sections import ADVICE, get_own_initial
from tournaments.steps import is_file_read, next_step_url
from tournaments.uploads import (
    FILES_FLOOD,
    FileDestination,
    describe_known_upload,
    discard_archive,
    distribute_files,
    get_filed_uploads,
    receive_archive,
)

# ---- The section of each file in an archive
SECTION_PREFIX = "in-"
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
    """A select that shows sections that take no file as disabled options."""

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
        whose.widget.closed = frozenset(SECTION_PREFIX + s.code for s in sections if not s.open_to_filing)
        whose.choices = [
            ("", _("Choose …")),
            *((SECTION_PREFIX + section.code, _label(section)) for section in sections),
            (NEW, _("A new section")),
            (LEFT_OUT, _("No section: leave it out")),
        ]


def _label(section: Section) -> str:
    if not section.open_to_filing:
        return f"{section.name} ({section.get_stage_display()})"
    if section.stage != Stage.REGISTERED:
        return _("%(section)s (its file is replaced)") % {"section": section.name}
    return section.name


class ArchivedFileForms:
    """One file of an archive on the page, with the forms that ask for its section, and the proposal."""

    def __init__(self, file: ArchivedFile, page: ShareForms) -> None:
        code, evidence = page.proposals.get(file.number, ("", ()))
        section = next((section for section in page.sections if section.code == code), None)
        may = section is not None and section.open_to_filing
        proposed = f"{SECTION_PREFIX}{code}" if may else ""
        self.file = file
        self.form = ShareForm(
            page.data,
            prefix=f"file-{file.number}",
            sections=page.sections,
            initial={"whose": LEFT_OUT if file.left_out else proposed},
        )
        self.new = page.new_section(file)
        self.evidence = tuple((str(EVIDENCE[key]), key in matching.AGAINST_FILE) for key in evidence)
        """Evidence in words, and whether it speaks against the proposal."""
        self.seems = "" if section is None or may else _closed_words(section)
        """Words on the section to which it seems to belong, if that takes no file."""
        checked = check_reading(b"", file.name, load(file.said), word_for_reader) if file.said else None
        self.found = build_worded_remarks(checked.findings) if checked else []
        self.adjustments = build_worded_adjustments(checked.adjustments) if checked else []
        filed = page.uploads.get(file.sha256)
        self.filed_elsewhere = describe_known_upload(filed) if filed else ""

    @property
    def whose(self) -> str:
        return str(getattr(self.form, "cleaned_data", {}).get("whose", ""))

    def is_valid(self) -> bool:
        valid = self.form.is_valid()
        return valid and (self.whose != NEW or self.new.is_valid())

    def share(self) -> FileDestination:
        if self.whose == LEFT_OUT:
            return FileDestination(self.file.number)
        if self.whose == NEW:
            return FileDestination(self.file.number, new=self.new.section())
        return FileDestination(self.file.number, section=self.whose.removeprefix(SECTION_PREFIX))


class ShareForms:
    """The forms that ask for the section of each file. `uploads`: what is filed already, by checksum."""

    def __init__(
        self, archive: Archive, files: Sequence[ArchivedFile], uploads: Mapping[str, Upload], data: Any = None
    ) -> None:
        self.event, self.uploads, self.data = archive.event, uploads, data
        self.sections = list(self.event.sections.all())
        self.proposals = self._proposals(archive, files)
        self.rows = [ArchivedFileForms(file, self) for file in files]

    def is_valid(self) -> bool:
        valid = [row.is_valid() for row in self.rows]
        return self._each_section_once() and all(valid)

    def shares(self) -> list[FileDestination]:
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
            if row.whose.startswith(SECTION_PREFIX):
                chosen.add(row.whose)
        return alone

    def _proposals(
        self, archive: Archive, files: Sequence[ArchivedFile]
    ) -> Mapping[int, matching.SectionProposal]:
        sections = {section.code: section for section in self.sections}
        free = {code for code, section in sections.items() if section.open_to_filing}
        if len(files) == 1 and archive.section and archive.section.code in free:
            return {files[0].number: (archive.section.code, ("uploaded-there",))}
        new = [file for file in files if file.sha256 not in self.uploads]
        return matching.propose_sections(new, self.sections, event=self.event.name, free_codes=free)

    def new_section(self, file: ArchivedFile) -> SectionForm:
        ruleset = self.event.federation.ruleset
        name = matching.name_for_section(file.tournament, self.event.name) or matching.bare_name(file.name)
        initial: dict[str, Any] = {"name": name[:100], "team": file.team}
        if file.rounds and file.rounds <= MOST_ROUNDS:
            initial["rounds"] = file.rounds
        if matching.parse_format(file.kind) in ruleset.sections.formats:
            initial["format"] = matching.parse_format(file.kind)
        return SectionForm(
            self.data,
            prefix=f"new-{file.number}",
            ruleset=ruleset,
            initial=self._own_fields(file) | initial,
            use_required_attribute=False,  # required only if a new section is chosen
        )

    def _own_fields(self, file: ArchivedFile) -> dict[str, Any]:
        """Initial values of the ruleset's own fields: the last section's, with the file's time control."""
        known = dict(self.sections[-1].particulars) if self.sections else {}
        own = {name: value for name, value in known.items() if value is not True}  # marks are not copied
        for field in form_fields(self.event.federation.ruleset):
            if field.kind == "time_controls" and file.time_control:
                own[field.name] = [file.time_control]
        format_ = self.sections[-1].format if self.sections else ""
        return get_own_initial(self.event.federation.ruleset, own, format_)


def _closed_words(section: Section) -> str:
    words = _("It seems to be the file of section %(section)s, which is %(stage)s.") % {
        "section": section.name,
        "stage": section.get_stage_display(),
    }
    return f"{words} {ADVICE.get(Stage(section.stage), '')}".strip()


# ---- The pages
def get_own_archive(request: OfficeRequest, event_number: str, key: int) -> Archive:
    event = get_own_event(request, event_number)
    archives = event.archives.select_related("event__federation", "event__region", "section", "by")
    return get_object_or_404(archives.defer("content"), pk=key)


@page(Permission.SECTIONS_FILE, methods=FORM)
def unpack(request: OfficeRequest, number: str) -> HttpResponse:
    event = get_own_event(request, number)
    if request.method != "POST":
        return _show_upload(request, event, ArchiveForm())
    form = ArchiveForm(request.POST, request.FILES)

    def receive(*, by: User, on: date, file: Any) -> tuple[Archive, bool]:
        refuse_flood(by, timezone.now(), "file", str(FILES_FLOOD))
        data = file.read(MOST_PACKED + 1)
        return receive_archive(event=event, by=by, at=timezone.now(), on=on, name=file.name, data=data)

    received = attempt(request, form, receive, refusal_to="file")
    if not received.done:
        return _show_upload(request, event, form, status=received.status)
    kept, known = received.result
    if known:
        messages.info(request, _("This archive was uploaded before: below you see what happened with it."))
    return redirect(kept)


def _not_before(request: OfficeRequest, event: Event) -> date | None:
    """The day from which files of an event are taken; None if it has come."""
    return event.starts if today(request.office) < event.starts else None


def _show_upload(request: OfficeRequest, event: Event, form: ArchiveForm, status: int = 200) -> HttpResponse:
    context = {
        "event": event,
        "form": form,
        "archives": event.archives.defer("content"),
        "not_before": _not_before(request, event),
        "in_the_way": describe_blockers(event.sections.all()),
    }
    return render(request, "tournaments/unpack.html", context, status=status)


@page(Permission.SECTIONS_FILE, methods=FORM)
def archive(request: OfficeRequest, number: str, key: int) -> HttpResponse:
    found = get_own_archive(request, number, key)
    if request.method != "POST":
        return _show(request, found)
    files, uploads = _files(found), get_filed_uploads(found)
    forms = ShareForms(found, _open_files(found, files, uploads), uploads, request.POST)
    if not forms.is_valid():
        return _show(request, found, forms, status=400)
    terms: dict[str, Any] = {"archive": found, "at": timezone.now(), "destinations": forms.shares()}
    distributed = attempt(request, None, distribute_files, refusal_to=MESSAGE, **terms)
    if distributed.done:
        outcomes = distributed.result
        given = sum(section is not None for _name, section, _refused in outcomes)
        if given:
            words = ngettext(
                "One file went to its section.", "%(count)s files went to their sections.", given
            )
            messages.success(request, words % {"count": given})
        for name, _section, refused in outcomes:
            if refused:
                messages.error(request, f"{name}: {refused}")
        if not any(section or refused for _name, section, refused in outcomes):
            messages.info(request, _("All files are left out; no section was changed."))
    return redirect(found)


def _files(archive: Archive) -> list[ArchivedFile]:
    return list(archive.files.defer("content").select_related("upload__section__event__federation"))


def _upload_of(archive: Archive, file: ArchivedFile, uploads: dict[str, Upload]) -> Upload | None:
    """The upload of the same file to a section of this event; None if there is none."""
    same = file.upload or uploads.get(file.sha256)
    return same if same and same.section.event_id == archive.event_id else None


def _open_files(
    archive: Archive, files: list[ArchivedFile], uploads: dict[str, Upload]
) -> list[ArchivedFile]:
    return [file for file in files if not file.reason and not _upload_of(archive, file, uploads)]


def _show(
    request: OfficeRequest, archive: Archive, forms: ShareForms | None = None, status: int = 200
) -> HttpResponse:
    files, uploads = _files(archive), get_filed_uploads(archive)
    given = [(file, same) for file in files if (same := _upload_of(archive, file, uploads))]
    forms = forms or ShareForms(archive, _open_files(archive, files, uploads), uploads)
    context: dict[str, Any] = {
        "archive": archive,
        "event": archive.event,
        "given": [_shared_row(file, upload) for file, upload in given],
        "wrong": status == 400,
        "rows": forms.rows if archive.state == Archive.State.READ else [],
        "kinds": accepted_kind_names(request.office.ruleset),
        "others": [{"file": file, "reasons": describe_failure(file)} for file in files if file.reason],
        "reasons": describe_failure(archive) if archive.state == Archive.State.UNREADABLE else [],
        "form": ArchiveForm(),
        "let_go": deletion_message(archive),
        "discardable": not any(file.upload for file in files),
        "not_before": _not_before(request, archive.event),
        "in_the_way": describe_blockers(archive.event.sections.all()),
        **_progress(archive),
    }
    return render(request, "tournaments/archive.html", context, status=status)


def _shared_row(file: ArchivedFile, upload: Upload) -> dict[str, Any]:
    """A row of the archive's page for a file that has a section, with a link to its next step."""
    section = upload.section
    label, url = _("See it"), filing_url("submit", section)
    if upload.waits:
        label, url = _("It is being read"), filing_url("file", section)
    elif section.open_to_filing and is_file_read(section):
        label, url = _("Go on"), next_step_url(section, "file")
    elif section.open_to_filing:
        label, url = _("See why it could not be read"), filing_url("file", section)
    return {"file": file, "section": section, "label": label, "url": url}


def _progress(archive: Archive) -> dict[str, Any]:
    """The context of the progress bar: of reading the archive, then the files that went to their sections."""
    if archive.waits:
        return {"waiting": True, **progress_bar_context(archive)}
    uploads = Upload.objects.filter(archived__archive=archive).distinct()
    left, total = uploads.waiting().count(), uploads.count()
    if not left:
        return {"waiting": False}
    words = _("Reading the files of the sections")
    return {"waiting": True, "words": words, "done": total - left, "total": total, "count": ""}


@page(Permission.SECTIONS_FILE)
def archive_progress(request: OfficeRequest, number: str, key: int) -> HttpResponse:
    """The progress that the waiting page asks for each second; at the end it reloads, or offers to go on."""
    found = get_own_archive(request, number, key)
    progress = _progress(found)
    if progress["waiting"]:
        context = progress | {"refresh_url": found.get_absolute_url()}
        return render(request, "components/progress_state.html", context)
    uploads = found.files.filter(upload__isnull=False)
    if uploads and found.files.filter(reason="", upload=None):  # somebody may be filling in the others' form
        context = {"words": _("The files were read."), "done": 1, "total": 1, "count": " ", "finished": True}
        context |= {"next_url": found.get_absolute_url(), "next_label": _("Go on")}
        return render(request, "components/progress_state.html", context, status=STOP_POLLING_STATUS)
    return HttpResponse(status=STOP_POLLING_STATUS, headers={"HX-Refresh": "true"})


@page(Permission.SECTIONS_FILE, methods=FORM)
def discard_zip(request: OfficeRequest, number: str, key: int) -> HttpResponse:
    found = get_own_archive(request, number, key)
    if request.method != "POST":
        context = {"archive": found, "event": found.event, "cancel_url": found.get_absolute_url()}
        return render(request, "tournaments/discard_archive.html", context)
    words = _("The archive was discarded.")
    if attempt(request, None, discard_archive, words, refusal_to=MESSAGE, archive=found).done:
        return redirect("tournaments:event", request.office.code, number)
    return redirect(found)
