"""The application that the web server runs: the office behind its gateway."""

import os
import threading
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "federation_site.settings")

from django.conf import settings
from django.db import connection

# Before anything counts: the processes of one machine put their figures together in this folder.
_figures = os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(settings.VAR / "figures"))
Path(_figures).mkdir(mode=0o700, parents=True, exist_ok=True)
django.setup(set_prefix=False)

# Django must be set up first.
from federation_site.backup import clear_after_the_dead  # noqa: E402
from federation_site.database import refuse_other_form  # noqa: E402
from federation_site.gateway import (  # noqa: E402
    Gateway,
    spare_program,
    suit_web,
)
from federation_site.watch import note_web_start  # noqa: E402

refuse_other_form()
connection.close()
clear_after_the_dead()
suit_web()
application = Gateway()
spare_program()
threading.Thread(target=note_web_start, name="start", daemon=True).start()
