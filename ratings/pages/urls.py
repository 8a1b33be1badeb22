"""URLs of the app's pages; those of the office come first, or `lists/publish/` would match as a list."""

from django.urls import path, register_converter

from ratings.pages import (
    cases,
    corrections,
    days,
    decisions,
    desk,
    dumps,
    errata,
    events,
    extracts,
    feeds,
    following,
    handovers,
    history,
    home,
    lists,
    merging,
    people,
    players,
    programs,
    proof,
    publication,
    ranks,
    record,
    records,
    register_import,
    regulations,
    review,
    rule_tables,
    rules_change,
    search,
    share,
    what_if,
    workings,
)
from ratings.pages.api import api_patterns as api
from ratings.pages.history import decide_people
from ratings.pages.home import demo_file
from ratings.pages.proof import checksum, program
from tournaments.pages.urls import EventNumber

SECTION = "<slug:office>/events/<str:number>/<str:code>/"
PUBLISH = "<slug:office>/lists/publish/"

office_patterns = [
    path(f"{SECTION}appeals/<int:key>/", decisions.decide_appeal, name="decide_appeal"),
    path(f"{SECTION}take-back/", decisions.take_back, name="take_back"),
    path("<slug:office>/desk/", desk.desk, name="desk"),
    path("<slug:office>/desk/deadlines/", desk.deadline_calendar, name="deadline_calendar"),
    path("<slug:office>/desk/approve/", decisions.approve_together, name="approve_together"),
    path("<slug:office>/desk/progress/", desk.progress, name="progress"),
    path("<slug:office>/cases/", cases.cases, name="cases"),
    path("<slug:office>/cases/<int:key>/", cases.case, name="case"),
    path("<slug:office>/cases/<int:key>/answer/", cases.answer, name="answer_case"),
    path("<slug:office>/cases/<int:key>/note/", cases.note, name="note_in_case"),
    path("<slug:office>/cases/<int:key>/close/", cases.close, name="close_case"),
    path(f"{SECTION}before-play/", decisions.before_play, name="before_play"),
    path(f"{SECTION}review/", review.review, name="review"),
    path(f"{SECTION}review/outlook/", review.review_preview, name="review_preview"),
    path(f"{SECTION}review/filed/", review.filed, name="review_filed"),
    path(f"{SECTION}review/file/", review.open_file, name="open_file"),
    path(f"{SECTION}review/<str:player>/<slug:track>/", review.working, name="review_working"),
    path(f"{SECTION}approve/", decisions.approve, name="approve"),
    path(f"{SECTION}return/", decisions.return_section, name="return"),
    path(f"{SECTION}refuse/", decisions.refuse, name="refuse"),
    path(f"{SECTION}unrate/", decisions.unrate, name="unrate"),
    path(f"{SECTION}mend/", corrections.mend, name="mend"),
    path(f"{SECTION}mend/proposal/", corrections.mend_proposal, name="mend_proposal"),
    path(f"{SECTION}ask/", review.ask, name="ask"),
    path(f"{SECTION}note/", review.note, name="note"),
    path(f"{SECTION}hints/", review.answer, name="answer_hint"),
    path(f"{SECTION}take/", desk.take, name="take"),
    path(f"{SECTION}give-back/", desk.give_back, name="give_back"),
    path(f"{SECTION}hand-over/", desk.hand_over, name="hand_over"),
    path(f"{SECTION}outcome/", review.outcome, name="outcome"),
    path("<slug:office>/people/<int:key>/handover/", handovers.handover, name="handover"),
    path("<slug:office>/record/", record.record, name="record"),
    path("<slug:office>/record/record.csv", record.record_csv, name="record_csv"),
    path("<slug:office>/record/regions/<str:code>/", record.region_history, name="region_history"),
    path("<slug:office>/tables/confirm/", ranks.confirm_rank, name="confirm_rank"),
    path("<slug:office>/tables/play-off/", ranks.record_playoff, name="record_playoff"),
    path("<slug:office>/register/", register_import.register, name="register"),
    path("<slug:office>/register/players.<slug:suffix>", register_import.export, name="export_register"),
    path("<slug:office>/register/openings/", register_import.openings, name="openings"),
    path("<slug:office>/register/imports/", register_import.receive, name="receive_register"),
    path("<slug:office>/register/imports/<int:key>/", register_import.look, name="register_import"),
    path(
        "<slug:office>/register/imports/<int:key>/progress/",
        register_import.progress,
        name="register_progress",
    ),
    path("<slug:office>/register/imports/<int:key>/columns/", register_import.name, name="name_columns"),
    path(
        "<slug:office>/register/imports/<int:key>/confirm/", register_import.confirm, name="confirm_register"
    ),
    path(
        "<slug:office>/register/imports/<int:key>/discard/", register_import.discard, name="discard_register"
    ),
    path("<slug:office>/past/", history.histories, name="histories"),
    path("<slug:office>/past/<int:key>/", history.show_history, name="history"),
    path("<slug:office>/past/<int:key>/progress/", history.progress, name="history_progress"),
    path("<slug:office>/past/<int:key>/table.csv", history.table, name="history_table"),
    path("<slug:office>/past/<int:key>/questions.csv", history.questions, name="history_questions"),
    path("<slug:office>/past/<int:key>/who-is-who.csv", history.who_is_who, name="history_everybody"),
    path("<slug:office>/past/<int:key>/people/", decide_people, name="history_people"),
    path("<slug:office>/past/<int:key>/amend/", history.amend, name="amend_history"),
    path("<slug:office>/past/<int:key>/batches/", history.add_batch, name="give_history_batch"),
    path("<slug:office>/past/<int:key>/batches/take-out/", history.take_out, name="take_out_history_batch"),
    path("<slug:office>/past/<int:key>/table/", history.give_table, name="give_history_table"),
    path("<slug:office>/past/<int:key>/answers/", history.give_answers, name="give_history_answers"),
    path("<slug:office>/past/<int:key>/confirm/", history.confirm, name="confirm_history"),
    path("<slug:office>/past/<int:key>/discard/", history.discard, name="discard_history"),
    path("<slug:office>/players/doubles/", merging.doubles, name="doubles"),
    path("<slug:office>/transfers/", people.transfers, name="transfers"),
    path("<slug:office>/proofs/<int:key>/", people.proof_file, name="proof_file"),
    path("<slug:office>/transfers/<int:key>/", people.answer, name="answer_transfer"),
    path("<slug:office>/players/<str:number>/transfer/", people.ask, name="ask_transfer"),
    path("<slug:office>/players/<str:number>/correct/", people.correct, name="correct"),
    path("<slug:office>/players/<str:number>/data/", people.give_data, name="give_data"),
    path("<slug:office>/players/<str:number>/merge/", merging.merge, name="merge"),
    path(
        "<slug:office>/players/<str:number>/merge/outlook/",
        merging.merge,
        {"preview": True},
        name="merge_preview",
    ),
    path("<slug:office>/players/<str:number>/part/", merging.part, name="part"),
    path(
        "<slug:office>/players/<str:number>/part/outlook/",
        merging.part,
        {"preview": True},
        name="part_preview",
    ),
    path("<slug:office>/rules/apply/", rules_change.apply_rules, name="apply_rules"),
    path("<slug:office>/lists/next/", publication.next_list, name="next_list"),
    path("<slug:office>/lists/next/<slug:track>/<str:who>/", publication.new_and_gone, name="new_and_gone"),
    path("<slug:office>/lists/calendar/", publication.list_calendar, name="list_calendar"),
    path(PUBLISH, publication.publish, name="publish"),
    path("<slug:office>/lists/publish/<str:day>/", publication.published, name="published"),
    path("<slug:office>/lists/publish/<str:day>/revise/", publication.revise, name="revise"),
    path(
        "<slug:office>/lists/publish/<str:day>/revise/outlook/",
        publication.revise_preview,
        name="revise_preview",
    ),
]


class ListLabel:
    """The converter of a list's day: `2026-11` for the first of a month, else the full day."""

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

public_patterns = [
    *api,
    path("", home.offices, name="offices"),
    path("search/", search.search_all_offices, name="search_all_offices"),
    path("search/suggestions/", search.suggestions_of_all_offices, name="suggestions_of_all_offices"),
    path("sitemap.xml", home.all_sitemaps, name="sitemaps"),
    path("<slug:office>/", home.office, name="office"),
    path("<slug:office>/sitemap.xml", home.office_sitemaps, name="office_sitemaps"),
    path("<slug:office>/sitemap-<slug:part>.xml", home.office_sitemap, name="sitemap_part"),
    path("<slug:office>/suggestions/", search.suggestions, name="suggestions"),
    path("<slug:office>/lists/", lists.days, name="lists"),
    path("<slug:office>/lists/latest/", lists.latest, name="latest"),
    path("<slug:office>/lists/latest/<slug:track>/", lists.latest_list, name="latest_list"),
    path(
        "<slug:office>/lists/latest/<slug:track>/<slug:code>.<slug:suffix>",
        lists.latest_file,
        name="latest_file",
    ),
    path("<slug:office>/lists/in-force/", lists.list_in_force, name="list_in_force"),
    path("<slug:office>/lists/compare/<slug:track>/", lists.compare_lists, name="compare_lists"),
    path("<slug:office>/lists/<list_label:label>/", lists.day, name="list_day"),
    path(LIST, lists.rating_list, name="list"),
    path(f"{LIST}r<int:revision>/", lists.rating_list, name="list_revision"),
    path(f"{LIST}r<int:revision>/differences/", lists.differences, name="list_differences"),
    path(f"{LIST}r<int:revision>/print/", lists.printed_list, name="list_print"),
    path(f"{LIST}list.json", proof.list_file, name="list_file"),
    path(f"{LIST}r<int:revision>/list.json", proof.list_file, name="list_revision_file"),
    path(f"{LIST}r<int:revision>/content", lists.content, name="list_content"),
    path(f"{LIST}r<int:revision>/share.png", share.list_picture, name="list_picture"),
    path(f"{LIST}r<int:revision>/<slug:code>.<slug:suffix>", lists.download, name="list_download"),
    path("<slug:office>/players/", search.search, name="players"),
    path(PLAYER, players.player, name="player"),
    path(f"{PLAYER}against/", players.opponents, name="opponents"),
    path(f"{PLAYER}against/<str:other>/", players.against, name="against"),
    path(f"{PLAYER}what-if/", what_if.what_if, name="what_if"),
    path(f"{PLAYER}share.png", share.player_picture, name="player_picture"),
    path(f"{PLAYER}changes/", days.changes_of_player, name="player_changes"),
    path(f"{PLAYER}<slug:track>/<int:line>/", workings.working, name="working"),
    path(f"{PLAYER}extract/", extracts.extract, name="extract"),
    path(f"{PLAYER}extract/extract.pdf", extracts.extract_pdf, name="extract_pdf"),
    path("<slug:office>/report/", cases.report_mistake, name="report"),
    path("<slug:office>/report/confirm/", cases.confirm_report_page, name="confirm_report"),
    path("<slug:office>/report/follow/", cases.follow_report, name="follow_report"),
    path("<slug:office>/follow/", following.follow_page, name="follow"),
    path("<slug:office>/follow/confirm/", following.confirm_page, name="confirm_following"),
    path("<slug:office>/follow/end/", following.end_page, name="end_following"),
    path(f"{PLAYER}badge.svg", share.badge, name="badge"),
    path(f"{PLAYER}extract/check/<str:values>/", extracts.check_extract, name="check_extract"),
    path("<slug:office>/events/", events.events, name="events"),
    path("<slug:office>/events.ics", feeds.calendar_file, name="events_calendar"),
    path(f"{EVENT}share.png", share.event_picture, name="event_picture"),
    path(EVENT, events.event, name="event"),
    path(f"{EVENT}<str:code>/", events.section, name="section"),
    path(f"{EVENT}<str:code>/<slug:layout>.<slug:suffix>", events.section_file, name="section_file"),
    path("<slug:office>/errata/", errata.errata, name="errata"),
    path("<slug:office>/errata/<int:line>/", errata.erratum, name="erratum"),
    path("<slug:office>/errata.atom", errata.feed, name="errata_feed"),
    path("<slug:office>/lists.atom", feeds.lists, name="lists_feed"),
    path("<slug:office>/events.atom", feeds.rated_sections, name="events_feed"),
    path(f"{PLAYER}events.atom", feeds.events_of_player, name="player_feed"),
    path("<slug:office>/records/", records.records, name="records"),
    path("<slug:office>/records/<int:year>/", records.records, name="year"),
    path(f"{PLAYER}records/", records.player_records, name="player_records"),
    path("<slug:office>/regions/", records.regions, name="regions"),
    path("<slug:office>/regions/<str:code>/", records.region, name="region"),
    path("<slug:office>/events.<slug:suffix>", events.events_file, name="events_file"),
    path("<slug:office>/tables/", rule_tables.tables, name="tables"),
    path("<slug:office>/tables/<slug:code>/", rule_tables.table_page, name="table_page"),
    path("<slug:office>/tables/<slug:code>/<slug:name>.csv", rule_tables.page_csv, name="table_csv"),
    path("<slug:office>/regulations/", regulations.regulations, name="regulations"),
    path("<slug:office>/regulations/<slug:name>/", regulations.example, name="example"),
    path("<slug:office>/journal/", proof.journal, name="journal"),
    path("<slug:office>/journal/checkpoint", proof.checkpoint, name="checkpoint"),
    path("<slug:office>/journal/vkey", proof.vkey, name="vkey"),
    path("<slug:office>/journal/tile/<path:path>", proof.tile, name="tile"),
    path("<slug:office>/journal.ndjson", proof.journal_file, name="journal_file"),
    path("<slug:office>/journal.ndjson.sha256", proof.journal_checksum, name="journal_checksum"),
    path("<slug:office>/journal/description.txt", proof.description, name="journal_description"),
    path("<slug:office>/programs/", programs.programs_page, name="programs"),
    path("<slug:office>/dump/", dumps.dump_page, name="dump"),
    path("<slug:office>/dump/dump.zip", dumps.dump_file, name="dump_file"),
    path("<slug:office>/check/", proof.check, name="check"),
    path("<slug:office>/about/", home.about, name="about"),
]


app_name = "ratings"
demo_patterns = [path("<slug:office>/demo-file/<str:name>/", demo_file, name="demo_file")]
program_patterns = [
    path("programs/<str:name>.sha256", checksum, name="program_checksum"),
    path("programs/<str:name>", program, name="program"),
]
urlpatterns = [*program_patterns, *office_patterns, *demo_patterns, *public_patterns]
