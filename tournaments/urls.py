from django.urls import URLPattern, path, register_converter
from django.urls.converters import StringConverter

from tournaments.views import (
    answer_before_play,
    appeal,
    deadlines,
    details,
    empty_table,
    file,
    filed_file,
    players,
    remarks,
    submit,
    zip_of_sections,
)
from tournaments.views.changes import announce, edit, region
from tournaments.views.registering import register_event


class EventNumber(StringConverter):
    """An event's number in an address: ours are `2026-017`, but a journal may bring numbers of its own."""

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
    path("<slug:office>/events/register/", register_event.register, name="register"),
    path("<slug:office>/events/table.<slug:suffix>", empty_table.table, name="table"),
    path("<slug:office>/events/<event:number>/sections/", register_event.event, name="event"),
    path(f"{EVENT}edit/", edit.event, name="edit_event"),
    path(f"{EVENT}region/", region.moving, name="move_event"),
    path(f"{EVENT}postpone/", announce.postponing_event, name="postpone_event"),
    path(f"{EVENT}cancel/", announce.cancelling_event, name="cancel_event"),
    path(f"{EVENT}reinstate/", announce.reinstating_event, name="reinstate_event"),
    path(f"{EVENT}withdraw/", announce.withdrawing_event, name="withdraw_event"),
    path(ZIP, zip_of_sections.unpack, name="unpack"),
    path(f"{ZIP}<int:key>/", zip_of_sections.archive, name="archive"),
    path(f"{ZIP}<int:key>/progress/", zip_of_sections.archive_progress, name="archive_progress"),
    path(f"{ZIP}<int:key>/discard/", zip_of_sections.discard_zip, name="discard_archive"),
    path(f"{SECTION}/edit/", edit.section, name="edit_section"),
    path(f"{SECTION}/postpone/", announce.postponing_section, name="postpone_section"),
    path(f"{SECTION}/cancel/", announce.cancelling_section, name="cancel_section"),
    path(f"{SECTION}/reinstate/", announce.reinstating_section, name="reinstate_section"),
    path(f"{SECTION}/withdraw/", announce.withdrawing_section, name="withdraw_section"),
    path(f"{SECTION}/before-play/answer/", answer_before_play.answer, name="answer_before_play"),
    path(f"{SECTION}/file/", file.file, name="file"),
    path(f"{SECTION}/file/progress/", file.progress, name="progress"),
    path(f"{SECTION}/file/take/", filed_file.take_file, name="take_file"),
    path(f"{SECTION}/file/discard/", file.discard, name="discard"),
    path(f"{SECTION}/findings/", file.findings, name="findings"),
    path(f"{SECTION}/details/", details.details, name="details"),
    path(f"{SECTION}/players/", players.players, name="players"),
    path(f"{SECTION}/players/decide/", players.decide_players, name="decide_players"),
    path(f"{SECTION}/players/<int:entry>/reopen/", players.reopen, name="reopen"),
    path(f"{SECTION}/deadlines/", deadlines.deadlines, name="deadlines"),
    path(f"{SECTION}/deadlines/permissions/<int:key>/", deadlines.answer, name="answer_permission"),
    path(f"{SECTION}/remarks/", remarks.remarks, name="remarks"),
    path(f"{SECTION}/differences/", remarks.differences, name="differences"),
    path(f"{SECTION}/submit/", submit.submit, name="submit"),
    path(f"{SECTION}/submit/appeal/", appeal.appeal, name="appeal"),
    path(f"{SECTION}/submit/withdraw/", submit.withdraw, name="withdraw"),
]
