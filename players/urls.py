from django.urls import URLPattern, path

from players.pages import administration_views

app_name = "players"
urlpatterns: list[URLPattern] = [
    path("<slug:office>/people/", administration_views.people, name="people"),
    path("<slug:office>/people/appoint/", administration_views.people_appoint, name="appoint"),
    path("<slug:office>/people/<int:key>/end/", administration_views.people_end, name="end"),
    path("<slug:office>/people/<int:key>/last-day/", administration_views.people_last_day, name="last_day"),
    path(
        "<slug:office>/people/<int:key>/invitation/",
        administration_views.people_invitation,
        name="invitation",
    ),
    path("<slug:office>/settings/", administration_views.settings, name="settings"),
    path("<slug:office>/settings/regions/add/", administration_views.region_add, name="region_add"),
    path(
        "<slug:office>/settings/regions/<str:code>/", administration_views.region_rename, name="region_rename"
    ),
]
