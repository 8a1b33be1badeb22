"""Addresses of the public pages."""

from django.urls import path, register_converter

from ratings.public.api.urls import urlpatterns as api
from ratings.public.cases import follow_pages, report_pages
from ratings.public.days import list_as_known_now, office_changes, player_changes
from ratings.public.dumps import dump_pages
from ratings.public.events import calendar_file, errata_pages, event_pages, section_downloads, section_page
from ratings.public.extracts import extract, extract_check
from ratings.public.feeds import office_feeds, player_feed
from ratings.public.home import (
    about_page,
    front_page,
    home_pages,
    search_all_offices,
    sitemaps,
    suggestions,
)
from ratings.public.lists import compare_lists, downloads, latest_lists, list_pages, printed_list
from ratings.public.players import opponents, player_pages, working_pages
from ratings.public.proof import journal_pages, log_files
from ratings.public.regulations import examples, regulation_pages
from ratings.public.rule_tables import table_pages
from ratings.public.share import share_pictures
from ratings.public.what_if import what_if_page
from tournaments.urls import EventNumber


class ListLabel:
    """The converter of a list's day in addresses: `2026-11` for the first of a month, else the full day."""

    regex = r"\d{4}-\d{2}(?:-\d{2})?"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(ListLabel, "list_label")
register_converter(EventNumber, "event_number")

LIST = "<slug:office>/lists/<list_label:label>/<slug:track>/"
PLAYER = "<slug:office>/players/<str:number>/"
EVENT = "<slug:office>/events/<event_number:number>/"

urlpatterns = [
    *api,
    path("", front_page.offices, name="offices"),
    path("search/", search_all_offices.search_all_offices, name="search_all_offices"),
    path("search/suggestions/", suggestions.suggestions_of_all_offices, name="suggestions_of_all_offices"),
    path("sitemap.xml", sitemaps.all_sitemaps, name="sitemaps"),
    path("<slug:office>/", home_pages.office, name="office"),
    path("<slug:office>/sitemap.xml", sitemaps.office_sitemaps, name="office_sitemaps"),
    path("<slug:office>/sitemap-<slug:part>.xml", sitemaps.office_sitemap, name="sitemap_part"),
    path("<slug:office>/suggestions/", suggestions.suggestions, name="suggestions"),
    path("<slug:office>/lists/", list_pages.days, name="lists"),
    path("<slug:office>/lists/latest/", latest_lists.latest_day, name="latest_day"),
    path("<slug:office>/lists/latest/<slug:track>/", latest_lists.latest_list, name="latest_list"),
    path(
        "<slug:office>/lists/latest/<slug:track>/<slug:code>.<slug:suffix>",
        latest_lists.latest_file,
        name="latest_file",
    ),
    path("<slug:office>/lists/in-force/", latest_lists.list_in_force, name="list_in_force"),
    path("<slug:office>/lists/compare/<slug:track>/", compare_lists.compare_lists, name="compare_lists"),
    path("<slug:office>/lists/<list_label:label>/", list_pages.day, name="list_day"),
    path(LIST, list_pages.rating_list, name="list"),
    path(f"{LIST}r<int:revision>/", list_pages.rating_list, name="list_revision"),
    path(f"{LIST}r<int:revision>/differences/", list_pages.differences, name="list_differences"),
    path(
        f"{LIST}r<int:revision>/known-now/",
        list_as_known_now.list_as_known_now,
        name="list_as_known_now",
    ),
    path(f"{LIST}r<int:revision>/print/", printed_list.printed_list, name="list_print"),
    path(f"{LIST}list.json", log_files.list_file, name="list_file"),
    path(f"{LIST}r<int:revision>/list.json", log_files.list_file, name="list_revision_file"),
    path(f"{LIST}r<int:revision>/content", downloads.content, name="list_content"),
    path(f"{LIST}r<int:revision>/share.png", share_pictures.list_picture, name="list_picture"),
    path(f"{LIST}r<int:revision>/<slug:code>.<slug:suffix>", downloads.download, name="list_download"),
    path("<slug:office>/players/", player_pages.search, name="players"),
    path(PLAYER, player_pages.player, name="player"),
    path(f"{PLAYER}against/", opponents.opponents, name="opponents"),
    path(f"{PLAYER}against/<str:other>/", opponents.against, name="against"),
    path(f"{PLAYER}what-if/", what_if_page.what_if, name="what_if"),
    path(f"{PLAYER}share.png", share_pictures.player_picture, name="player_picture"),
    path(f"{PLAYER}changes/", player_changes.changes_of_player, name="player_changes"),
    path(f"{PLAYER}<slug:track>/<int:line>/", working_pages.working, name="working"),
    path(f"{PLAYER}extract/", extract.extract, name="extract"),
    path(f"{PLAYER}extract/extract.pdf", extract.extract_pdf, name="extract_pdf"),
    path("<slug:office>/report/", report_pages.report_mistake, name="report"),
    path("<slug:office>/report/confirm/", follow_pages.confirm_report_page, name="confirm_report"),
    path("<slug:office>/report/follow/", follow_pages.follow_report, name="follow_report"),
    path(f"{PLAYER}extract/check/<str:values>/", extract_check.check_extract, name="check_extract"),
    path("<slug:office>/events/", event_pages.events, name="events"),
    path("<slug:office>/events.ics", calendar_file.calendar_file, name="events_calendar"),
    path(f"{EVENT}share.png", share_pictures.event_picture, name="event_picture"),
    path(EVENT, event_pages.event, name="event"),
    path(f"{EVENT}<str:code>/", section_page.section, name="section"),
    path(
        f"{EVENT}<str:code>/<slug:layout>.<slug:suffix>", section_downloads.section_file, name="section_file"
    ),
    path("<slug:office>/changes/", office_changes.changes_of_office, name="changes"),
    path("<slug:office>/errata/", errata_pages.errata, name="errata"),
    path("<slug:office>/errata/<int:line>/", errata_pages.erratum, name="erratum"),
    path("<slug:office>/errata.atom", errata_pages.feed, name="errata_feed"),
    path("<slug:office>/lists.atom", office_feeds.lists, name="lists_feed"),
    path("<slug:office>/events.atom", office_feeds.rated, name="events_feed"),
    path(f"{PLAYER}events.atom", player_feed.events_of_player, name="player_feed"),
    path("<slug:office>/tables/", table_pages.tables, name="tables"),
    path("<slug:office>/tables/<slug:code>/", table_pages.page, name="table_page"),
    path("<slug:office>/tables/<slug:code>/<slug:name>.csv", table_pages.page_csv, name="table_csv"),
    path("<slug:office>/regulations/", regulation_pages.regulations, name="regulations"),
    path("<slug:office>/regulations/<slug:name>/", examples.example, name="example"),
    path("<slug:office>/journal/", journal_pages.journal, name="journal"),
    path("<slug:office>/journal/checkpoint", log_files.checkpoint, name="checkpoint"),
    path("<slug:office>/journal/vkey", log_files.vkey, name="vkey"),
    path("<slug:office>/journal/tile/<path:path>", log_files.tile, name="tile"),
    path("<slug:office>/journal.ndjson", journal_pages.journal_file, name="journal_file"),
    path("<slug:office>/journal.ndjson.sha256", journal_pages.journal_checksum, name="journal_checksum"),
    path("<slug:office>/journal/description.txt", journal_pages.description, name="journal_description"),
    path("<slug:office>/dump/", dump_pages.dump_page, name="dump"),
    path("<slug:office>/dump/dump.<slug:suffix>", dump_pages.dump_file, name="dump_file"),
    path("<slug:office>/check/", journal_pages.check, name="check"),
    path("<slug:office>/about/", about_page.about, name="about"),
]
