"""Addresses of the office's pages. They come before the public ones, or `lists/publish/` would be a list."""

from django.urls import path

from ratings.office.cases import case_pages
from ratings.office.desk import deadline_calendar, desk, take_section
from ratings.office.history import history_pages
from ratings.office.history.decide_people import decide_people
from ratings.office.lists import list_calendar, new_and_gone, next_list, publish, revise
from ratings.office.mending import mend
from ratings.office.people import handover
from ratings.office.players import (
    correct_entry,
    doubles,
    give_data,
    merge_entries,
    part_entries,
    playoffs,
    proof_download,
    ranks,
    transfers,
)
from ratings.office.record import record, region_history
from ratings.office.register import export_and_imports, import_pages, take_openings
from ratings.office.rules import apply
from ratings.office.sections import (
    admit_before_play,
    answer_hint,
    decisions,
    filed_file_download,
    further_effects_preview,
    remarks,
    review,
    second_thoughts,
    unrating,
)

SECTION = "<slug:office>/events/<str:number>/<str:code>/"
PUBLISH = "<slug:office>/lists/publish/"

urlpatterns = [
    path(f"{SECTION}appeals/<int:key>/", second_thoughts.decide_appeal, name="decide_appeal"),
    path(f"{SECTION}take-back/", second_thoughts.take_back, name="take_back"),
    path("<slug:office>/desk/", desk.desk, name="desk"),
    path("<slug:office>/desk/deadlines/", deadline_calendar.deadline_calendar, name="deadline_calendar"),
    path("<slug:office>/desk/progress/", desk.progress, name="progress"),
    path("<slug:office>/cases/", case_pages.cases, name="cases"),
    path("<slug:office>/cases/<int:key>/", case_pages.case, name="case"),
    path("<slug:office>/cases/<int:key>/answer/", case_pages.answer, name="answer_case"),
    path("<slug:office>/cases/<int:key>/note/", case_pages.note, name="note_in_case"),
    path("<slug:office>/cases/<int:key>/close/", case_pages.close, name="close_case"),
    path(f"{SECTION}before-play/", admit_before_play.before_play, name="before_play"),
    path(f"{SECTION}review/", review.review, name="review"),
    path(f"{SECTION}review/outlook/", further_effects_preview.review_preview, name="review_preview"),
    path(f"{SECTION}review/file/", filed_file_download.open_file, name="open_file"),
    path(f"{SECTION}review/<str:player>/<slug:track>/", review.working, name="review_working"),
    path(f"{SECTION}approve/", decisions.approve, name="approve"),
    path(f"{SECTION}return/", decisions.return_section, name="return"),
    path(f"{SECTION}refuse/", decisions.refuse, name="refuse"),
    path(f"{SECTION}unrate/", unrating.unrate, name="unrate"),
    path(f"{SECTION}unrate/outlook/", unrating.unrate_preview, name="unrate_preview"),
    path(f"{SECTION}mend/", mend.mend, name="mend"),
    path(f"{SECTION}mend/proposal/", mend.mend_proposal, name="mend_proposal"),
    path(f"{SECTION}ask/", remarks.ask, name="ask"),
    path(f"{SECTION}note/", remarks.note, name="note"),
    path(f"{SECTION}hints/", answer_hint.answer, name="answer_hint"),
    path(f"{SECTION}take/", take_section.take, name="take"),
    path(f"{SECTION}give-back/", take_section.give_back, name="give_back"),
    path(f"{SECTION}hand-over/", take_section.hand_over, name="hand_over"),
    path(f"{SECTION}outcome/", review.outcome, name="outcome"),
    path("<slug:office>/people/<int:key>/handover/", handover.handover, name="handover"),
    path("<slug:office>/record/", record.record, name="record"),
    path("<slug:office>/record/record.csv", record.record_csv, name="record_csv"),
    path("<slug:office>/record/regions/<str:code>/", region_history.region_history, name="region_history"),
    path("<slug:office>/tables/confirm/", ranks.confirm_rank, name="confirm_rank"),
    path("<slug:office>/tables/play-off/", playoffs.record_playoff, name="record_playoff"),
    path("<slug:office>/register/", export_and_imports.register, name="register"),
    path("<slug:office>/register/players.<slug:suffix>", export_and_imports.export, name="export_register"),
    path("<slug:office>/register/openings/", take_openings.openings, name="openings"),
    path("<slug:office>/register/imports/", import_pages.receive, name="receive_register"),
    path("<slug:office>/register/imports/<int:key>/", import_pages.look, name="register_import"),
    path(
        "<slug:office>/register/imports/<int:key>/progress/",
        import_pages.progress,
        name="register_progress",
    ),
    path("<slug:office>/register/imports/<int:key>/columns/", import_pages.name, name="name_columns"),
    path("<slug:office>/register/imports/<int:key>/confirm/", import_pages.confirm, name="confirm_register"),
    path("<slug:office>/register/imports/<int:key>/discard/", import_pages.discard, name="discard_register"),
    path("<slug:office>/past/", history_pages.histories, name="histories"),
    path("<slug:office>/past/<int:key>/", history_pages.look, name="history"),
    path("<slug:office>/past/<int:key>/progress/", history_pages.progress, name="history_progress"),
    path("<slug:office>/past/<int:key>/table.csv", history_pages.table, name="history_table"),
    path("<slug:office>/past/<int:key>/questions.csv", history_pages.questions, name="history_questions"),
    path("<slug:office>/past/<int:key>/who-is-who.csv", history_pages.everybody, name="history_everybody"),
    path("<slug:office>/past/<int:key>/people/", decide_people, name="history_people"),
    path("<slug:office>/past/<int:key>/amend/", history_pages.amend, name="amend_history"),
    path("<slug:office>/past/<int:key>/table/", history_pages.give_table, name="give_history_table"),
    path("<slug:office>/past/<int:key>/answers/", history_pages.give_answers, name="give_history_answers"),
    path("<slug:office>/past/<int:key>/confirm/", history_pages.confirm, name="confirm_history"),
    path("<slug:office>/past/<int:key>/discard/", history_pages.discard, name="discard_history"),
    path("<slug:office>/players/doubles/", doubles.doubles, name="doubles"),
    path("<slug:office>/transfers/", transfers.transfers, name="transfers"),
    path("<slug:office>/proofs/<int:key>/", proof_download.proof_file, name="proof_file"),
    path("<slug:office>/transfers/<int:key>/", transfers.answer, name="answer_transfer"),
    path("<slug:office>/players/<str:number>/transfer/", transfers.ask, name="ask_transfer"),
    path("<slug:office>/players/<str:number>/correct/", correct_entry.correct, name="correct"),
    path("<slug:office>/players/<str:number>/data/", give_data.give_data, name="give_data"),
    path("<slug:office>/players/<str:number>/merge/", merge_entries.merge, name="merge"),
    path(
        "<slug:office>/players/<str:number>/merge/outlook/", merge_entries.merge_preview, name="merge_preview"
    ),
    path("<slug:office>/players/<str:number>/part/", part_entries.part, name="part"),
    path("<slug:office>/players/<str:number>/part/outlook/", part_entries.part_preview, name="part_preview"),
    path("<slug:office>/rules/apply/", apply.apply_rules, name="apply_rules"),
    path("<slug:office>/lists/next/", next_list.next_list, name="next_list"),
    path("<slug:office>/lists/next/<slug:track>/<str:who>/", new_and_gone.new_and_gone, name="new_and_gone"),
    path("<slug:office>/lists/calendar/", list_calendar.list_calendar, name="list_calendar"),
    path("<slug:office>/lists/calendar/take/", list_calendar.take_list, name="take_list"),
    path("<slug:office>/lists/calendar/give-back/", list_calendar.give_back_list, name="give_back_list"),
    path(PUBLISH, publish.publish, name="publish"),
    path("<slug:office>/lists/publish/<str:day>/", publish.published, name="published"),
    path("<slug:office>/lists/publish/<str:day>/revise/", revise.revise, name="revise"),
    path(
        "<slug:office>/lists/publish/<str:day>/revise/outlook/", revise.revise_preview, name="revise_preview"
    ),
]
