"""Every page that shows a rating: the office's own work first, then what the public reads."""

from django.urls import path

from ratings.demo.offered_file_download import demo_file
from ratings.office.urls import urlpatterns as office
from ratings.public.proof.program_files import checksum, program
from ratings.public.urls import urlpatterns as public

app_name = "ratings"
demo = [path("<slug:office>/demo-file/<str:name>/", demo_file, name="demo_file")]
programs = [
    path("programs/<str:name>.sha256", checksum, name="program_checksum"),
    path("programs/<str:name>", program, name="program"),
]
urlpatterns = [*programs, *office, *demo, *public]
