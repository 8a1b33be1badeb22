from django.urls import URLPattern, path

from players.pages import administration, filing_keys

app_name = "players"
urlpatterns: list[URLPattern] = [
    path("<slug:office>/people/", administration.people, name="people"),
    path("<slug:office>/people/appoint/", administration.people_appoint, name="appoint"),
    path("<slug:office>/people/<int:key>/end/", administration.people_end, name="end"),
    path("<slug:office>/people/<int:key>/last-day/", administration.people_last_day, name="last_day"),
    path(
        "<slug:office>/people/<int:key>/invitation/",
        administration.people_invitation,
        name="invitation",
    ),
    path("<slug:office>/regions/<str:code>/keys/", filing_keys.filing_keys, name="filing_keys"),
    path("<slug:office>/regions/<str:code>/keys/<int:key>/end/", filing_keys.end, name="end_filing_key"),
    path("<slug:office>/settings/", administration.settings, name="settings"),
    path("<slug:office>/settings/regions/add/", administration.region_add, name="region_add"),
    path("<slug:office>/settings/regions/<str:code>/", administration.region_rename, name="region_rename"),
]
