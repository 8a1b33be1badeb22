import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "federation_site.settings")
django.setup(set_prefix=False)

from federation_site.gateway.application import Gateway  # noqa: E402  Django must be set up first

application = Gateway()
