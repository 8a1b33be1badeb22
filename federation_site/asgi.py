"""The ASGI application that the web server runs."""

import os
import threading
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "federation_site.settings")

from django.conf import settings
from django.db import connection

# prometheus_client needs it before it counts: the processes of one machine share their figures there.
_figures = os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(settings.VAR / "figures"))
Path(_figures).mkdir(mode=0o700, parents=True, exist_ok=True)
django.setup(set_prefix=False)

# Django must be set up first.
from federation_site.backup import delete_unfinished  # noqa: E402
from federation_site.database import exit_on_other_form  # noqa: E402
from federation_site.gateway import Gateway, configure_web_process, freeze_loaded_objects  # noqa: E402
from federation_site.public_files import lay_out_for_proxy  # noqa: E402
from federation_site.watch import note_web_start  # noqa: E402

exit_on_other_form()
connection.close()
delete_unfinished()
configure_web_process()
lay_out_for_proxy()
application = Gateway()
freeze_loaded_objects()
threading.Thread(target=note_web_start, name="start", daemon=True).start()
