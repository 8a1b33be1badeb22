from django.urls import URLPattern, path, register_converter
from django.urls.converters import StringConverter

from tournaments.views import archive, details, empty_table, file, players, register_event, submit


class EventNumber(StringConverter):
    """An event's number in an address: ours are `2026-017`, but a journal may bring numbers of its own."""

    regex = r"[^/]{1,20}"


class SectionCode(EventNumber):
    pass


register_converter(EventNumber, "event")
register_converter(SectionCode, "code")
SECTION = "<slug:office>/events/<event:number>/<code:code>"
ZIP = "<slug:office>/events/<event:number>/sections/zip/"

app_name = "tournaments"
urlpatterns: list[URLPattern] = [
    path("<slug:office>/events/register/", register_event.register, name="register"),
    path("<slug:office>/events/table.<slug:suffix>", empty_table.table, name="table"),
    path("<slug:office>/events/<event:number>/sections/", register_event.event, name="event"),
    path(ZIP, archive.unpack, name="unpack"),
    path(f"{ZIP}<int:key>/", archive.archive, name="archive"),
    path(f"{ZIP}<int:key>/progress/", archive.archive_progress, name="archive_progress"),
    path(f"{ZIP}<int:key>/discard/", archive.discard_zip, name="discard_archive"),
    path(f"{SECTION}/file/", file.file, name="file"),
    path(f"{SECTION}/file/progress/", file.progress, name="progress"),
    path(f"{SECTION}/file/discard/", file.discard, name="discard"),
    path(f"{SECTION}/findings/", file.findings, name="findings"),
    path(f"{SECTION}/details/", details.details, name="details"),
    path(f"{SECTION}/players/", players.players, name="players"),
    path(f"{SECTION}/players/new/", players.enter_new, name="enter_new"),
    path(f"{SECTION}/players/decide/", players.decide_players, name="decide_players"),
    path(f"{SECTION}/players/<int:entry>/reopen/", players.reopen, name="reopen"),
    path(f"{SECTION}/submit/", submit.submit, name="submit"),
    path(f"{SECTION}/submit/withdraw/", submit.withdraw, name="withdraw"),
]
