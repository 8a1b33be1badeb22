"""`manage.py new_federation checkers --name "Checkers Union"`: writes the folder of a new federation."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import URLResolver, get_resolver
from django.utils import timezone
from django.utils.translation import gettext as _

from ratings.new_federation import NO_COUNTRY, NewFederation, NotWritten, write_federation

YEARS_BACK = 5
"""The first rules hold for so many years by default, so that an office can take in recent events."""


def iter_first_address_parts(resolver: URLResolver) -> Iterator[str]:
    """Yield the first parts of the site's own addresses, which no office can have as its code."""
    for each in resolver.url_patterns:
        route = str(each.pattern)
        if route or not isinstance(each, URLResolver):
            yield route.partition("/")[0]
        else:
            yield from iter_first_address_parts(each)


class Command(BaseCommand):
    help = "Write the folder of a new federation: a complete simple law, its tests, a worked example."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "slug", help="two to twenty letters a–z: the folder's name and the office's address"
        )
        parser.add_argument("--name", required=True, help="the federation's name, as readers see it")
        parser.add_argument(
            "--country",
            default=NO_COUNTRY,
            metavar="XXX",
            help="its country's three letters, say IRL; default: XXX, no one country",
        )
        parser.add_argument(
            "--time-zone",
            default="UTC",
            metavar="ZONE",
            help="the zone in which its days begin and end, say Europe/Dublin; default: UTC",
        )
        parser.add_argument(
            "--since",
            type=int,
            metavar="YEAR",
            help="the rules hold from its 1 January; default: five years back",
        )

    def handle(self, *args: Any, slug: str, since: int | None, **options: Any) -> None:
        if slug in {*iter_first_address_parts(get_resolver()), settings.STATIC_URL.strip("/")}:
            raise CommandError(
                _("“%(slug)s” is an address of the site itself. Take another slug.") % {"slug": slug}
            )
        year = timezone.localdate().year - YEARS_BACK if since is None else since
        federation = NewFederation(slug, options["name"], year, options["country"], options["time_zone"])
        try:
            written = write_federation(federation, Path(settings.ROOT))
        except NotWritten as why:
            raise CommandError(str(why)) from why
        for path in written:
            self.stdout.write(str(path.relative_to(settings.ROOT)))
        self.stdout.write(
            _(
                "Next: pytest -k %(slug)s; manage.py migrate; manage.py create_office %(slug)s --official "
                "EMAIL. docs/new-federation.md leads on."
            )
            % {"slug": slug}
        )
