"""Every model of this app, for Django to find; the code imports it from where it is."""

from federation_site.processes.models import (
    Message as Message,
)
