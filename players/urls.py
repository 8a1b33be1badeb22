from django.urls import URLPattern, path

from players.pages import views

app_name = "players"
urlpatterns: list[URLPattern] = [
    path("<slug:office>/people/", views.people, name="people"),
    path("<slug:office>/people/appoint/", views.people_appoint, name="appoint"),
    path("<slug:office>/people/<int:key>/end/", views.people_end, name="end"),
    path("<slug:office>/settings/", views.settings, name="settings"),
    path("<slug:office>/settings/regions/add/", views.region_add, name="region_add"),
    path("<slug:office>/settings/regions/<str:code>/", views.region_rename, name="region_rename"),
    path("<slug:office>/record/", views.record, name="record"),
]
