"""The public's pages."""

from django.urls import path, register_converter

from ratings.public import (
    downloads,
    errata,
    events,
    examples,
    extract,
    further,
    home,
    lists,
    log,
    players,
    record,
    regulations,
)


class ListLabel:
    """`2026-11`, or a day in full."""

    regex = r"\d{4}-\d{2}(?:-\d{2})?"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class EventNumber(ListLabel):
    regex = r"[^/]{1,20}"


register_converter(ListLabel, "list_label")
register_converter(EventNumber, "event_number")

LIST = "<slug:office>/lists/<list_label:label>/<slug:track>/"
PLAYER = "<slug:office>/players/<str:number>/"
EVENT = "<slug:office>/events/<event_number:number>/"

urlpatterns = [
    path("", home.offices, name="offices"),
    path("<slug:office>/", home.office, name="office"),
    path("<slug:office>/lists/", lists.days, name="lists"),
    path("<slug:office>/lists/<list_label:label>/", lists.day, name="list_day"),
    path(LIST, lists.rating_list, name="list"),
    path(f"{LIST}r<int:revision>/", lists.rating_list, name="list_revision"),
    path(f"{LIST}r<int:revision>/differences/", lists.differences, name="list_differences"),
    path(f"{LIST}list.json", log.list_file, name="list_file"),
    path(f"{LIST}r<int:revision>/list.json", log.list_file, name="list_revision_file"),
    path(f"{LIST}r<int:revision>/content", downloads.content, name="list_content"),
    path(f"{LIST}r<int:revision>/<slug:code>.<slug:suffix>", downloads.download, name="list_download"),
    path("<slug:office>/players/", players.search, name="players"),
    path(PLAYER, players.player, name="player"),
    path(f"{PLAYER}<slug:track>/<int:line>/", players.working, name="working"),
    path(f"{PLAYER}extract/", extract.extract, name="extract"),
    path("<slug:office>/events/", events.events, name="events"),
    path(EVENT, events.event, name="event"),
    path(f"{EVENT}<str:code>/", events.section, name="section"),
    path("<slug:office>/errata/", errata.errata, name="errata"),
    path("<slug:office>/errata/<int:line>/", errata.erratum, name="erratum"),
    path("<slug:office>/errata.atom", errata.feed, name="errata_feed"),
    path("<slug:office>/tables/", further.tables, name="tables"),
    path("<slug:office>/tables/<slug:code>/", further.page, name="table_page"),
    path("<slug:office>/tables/<slug:code>/<slug:name>.csv", further.page_csv, name="table_csv"),
    path("<slug:office>/regulations/", regulations.regulations, name="regulations"),
    path("<slug:office>/regulations/<slug:name>/", examples.example, name="example"),
    path("<slug:office>/journal/", record.journal, name="journal"),
    path("<slug:office>/journal/checkpoint", log.checkpoint, name="checkpoint"),
    path("<slug:office>/journal/vkey", log.vkey, name="vkey"),
    path("<slug:office>/journal/tile/<path:path>", log.tile, name="tile"),
    path("<slug:office>/journal.ndjson", record.journal_file, name="journal_file"),
    path("<slug:office>/journal.ndjson.sha256", record.journal_checksum, name="journal_checksum"),
    path("<slug:office>/journal/description.txt", record.description, name="journal_description"),
    path("<slug:office>/check/", record.check, name="check"),
]
