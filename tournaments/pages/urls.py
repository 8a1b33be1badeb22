from django.urls import URLPattern, path, register_converter
from django.urls.converters import StringConverter

from tournaments.pages import (
    archives,
    changes,
    deadlines,
    details,
    entries,
    file_check,
    files,
    registration,
    remarks,
    submission,
)


class EventNumber(StringConverter):
    """An event's number in an address: ours are like `2026-017`, but an imported journal may have others."""

    regex = r"[^/]{1,20}"


class SectionCode(EventNumber):
    pass


register_converter(EventNumber, "event")
register_converter(SectionCode, "code")
SECTION = "<slug:office>/events/<event:number>/<code:code>"
EVENT = "<slug:office>/events/<event:number>/sections/"
ZIP = "<slug:office>/events/<event:number>/sections/zip/"

app_name = "tournaments"
urlpatterns: list[URLPattern] = [
    path("<slug:office>/events/register/", registration.register, name="register"),
    path("<slug:office>/events/table.<slug:suffix>", files.table, name="table"),
    path("<slug:office>/events/check-file/", file_check.check, name="check_file"),
    path("<slug:office>/events/<event:number>/sections/", registration.event, name="event"),
    path(f"{EVENT}edit/", changes.event, name="edit_event"),
    path(f"{EVENT}region/", changes.moving, name="move_event"),
    path(f"{EVENT}postpone/", changes.postponing_event, name="postpone_event"),
    path(f"{EVENT}cancel/", changes.cancelling_event, name="cancel_event"),
    path(f"{EVENT}reinstate/", changes.reinstating_event, name="reinstate_event"),
    path(f"{EVENT}withdraw/", changes.withdrawing_event, name="withdraw_event"),
    path(ZIP, archives.unpack, name="unpack"),
    path(f"{ZIP}<int:key>/", archives.archive, name="archive"),
    path(f"{ZIP}<int:key>/progress/", archives.archive_progress, name="archive_progress"),
    path(f"{ZIP}<int:key>/discard/", archives.discard_zip, name="discard_archive"),
    path(f"{SECTION}/edit/", changes.section, name="edit_section"),
    path(f"{SECTION}/postpone/", changes.postponing_section, name="postpone_section"),
    path(f"{SECTION}/cancel/", changes.cancelling_section, name="cancel_section"),
    path(f"{SECTION}/reinstate/", changes.reinstating_section, name="reinstate_section"),
    path(f"{SECTION}/withdraw/", changes.withdrawing_section, name="withdraw_section"),
    path(f"{SECTION}/before-play/answer/", deadlines.answer_before_play, name="answer_before_play"),
    path(f"{SECTION}/file/", files.file, name="file"),
    path(f"{SECTION}/file/progress/", files.progress, name="progress"),
    path(f"{SECTION}/file/take/", files.take_file, name="take_file"),
    path(f"{SECTION}/file/move/", files.move, name="move_file"),
    path(f"{SECTION}/file/discard/", files.discard, name="discard"),
    path(f"{SECTION}/findings/", files.findings, name="findings"),
    path(f"{SECTION}/details/", details.details, name="details"),
    path(f"{SECTION}/players/", entries.players, name="players"),
    path(f"{SECTION}/players/decide/", entries.decide_players, name="decide_players"),
    path(f"{SECTION}/players/<int:entry>/reopen/", entries.reopen, name="reopen"),
    path(f"{SECTION}/deadlines/", deadlines.deadlines, name="deadlines"),
    path(f"{SECTION}/deadlines/permissions/<int:key>/", deadlines.answer, name="answer_permission"),
    path(f"{SECTION}/remarks/", remarks.remarks, name="remarks"),
    path(f"{SECTION}/differences/", remarks.differences, name="differences"),
    path(f"{SECTION}/submit/", submission.submit, name="submit"),
    path(f"{SECTION}/submit/appeal/", remarks.appeal, name="appeal"),
    path(f"{SECTION}/submit/withdraw/", submission.withdraw, name="withdraw"),
]
