"""Addresses of the office's pages. They come before the public ones, or `lists/publish/` would be a list."""

from django.urls import path

from ratings.office.lists import publish, revise
from ratings.office.players import merge_entries, part_entries, playoffs, ranks
from ratings.office.register import export_and_imports, import_pages
from ratings.office.sections import before_play, decisions, desk, review, review_preview, unrating

SECTION = "<slug:office>/events/<str:number>/<str:code>/"
PUBLISH = "<slug:office>/lists/publish/"

urlpatterns = [
    path("<slug:office>/desk/", desk.desk, name="desk"),
    path("<slug:office>/desk/progress/", desk.progress, name="progress"),
    path(f"{SECTION}before-play/", before_play.before_play, name="before_play"),
    path(f"{SECTION}review/", review.review, name="review"),
    path(f"{SECTION}review/outlook/", review_preview.review_preview, name="review_preview"),
    path(f"{SECTION}review/file/", decisions.open_file, name="open_file"),
    path(f"{SECTION}review/<str:player>/<slug:track>/", review.working, name="review_working"),
    path(f"{SECTION}approve/", decisions.approve, name="approve"),
    path(f"{SECTION}return/", decisions.return_section, name="return"),
    path(f"{SECTION}refuse/", decisions.refuse, name="refuse"),
    path(f"{SECTION}unrate/", unrating.unrate, name="unrate"),
    path(f"{SECTION}unrate/outlook/", unrating.unrate_preview, name="unrate_preview"),
    path(f"{SECTION}outcome/", review.outcome, name="outcome"),
    path("<slug:office>/tables/confirm/", ranks.confirm_rank, name="confirm_rank"),
    path("<slug:office>/tables/play-off/", playoffs.record_playoff, name="record_playoff"),
    path("<slug:office>/register/", export_and_imports.register, name="register"),
    path("<slug:office>/register/players.<slug:suffix>", export_and_imports.export, name="export_register"),
    path("<slug:office>/register/imports/", import_pages.receive, name="receive_register"),
    path("<slug:office>/register/imports/<int:key>/", import_pages.look, name="register_import"),
    path(
        "<slug:office>/register/imports/<int:key>/progress/",
        import_pages.progress,
        name="register_progress",
    ),
    path("<slug:office>/register/imports/<int:key>/confirm/", import_pages.confirm, name="confirm_register"),
    path("<slug:office>/register/imports/<int:key>/discard/", import_pages.discard, name="discard_register"),
    path("<slug:office>/players/<str:number>/merge/", merge_entries.merge, name="merge"),
    path("<slug:office>/players/<str:number>/part/", part_entries.part, name="part"),
    path(PUBLISH, publish.publish, name="publish"),
    path("<slug:office>/lists/publish/<str:day>/", publish.published, name="published"),
    path("<slug:office>/lists/publish/<str:day>/revise/", revise.revise, name="revise"),
    path(
        "<slug:office>/lists/publish/<str:day>/revise/outlook/", revise.revise_preview, name="revise_preview"
    ),
]
