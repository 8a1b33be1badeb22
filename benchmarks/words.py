"""How many words the pages of staff have in the demo: the desk, reviews of waiting sections, filing.

    python -m benchmarks.words [OFFICE …]

Makes the demo offices in a scratch database, or takes those that stand in `DATABASE_URL`, and prints for
each page the words between its head and its foot (`<main>`): all of them, folded ones and titles too. Of
reviews the longest stands first.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from html.parser import HTMLParser

from benchmarks.scratch import database

BOUNDS = {"desk": 350, "review": 600, "details": 200}
REVIEWS = 8
"""The most reviews of an office that are printed."""
_SILENT = {"script", "style", "template"}


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.inside = self.silent = self.count = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside += tag == "main"
        self.silent += tag in _SILENT
        if self.inside:
            self.count += sum(len((value or "").split()) for name, value in attrs if name == "title")

    def handle_endtag(self, tag: str) -> None:
        self.inside -= tag == "main"
        self.silent -= tag in _SILENT

    def handle_data(self, data: str) -> None:
        if self.inside and not self.silent:
            self.count += sum(any(letter.isalnum() for letter in word) for word in data.split())


def count_words(html: str) -> int:
    """The words of a page's main part, with those of titles."""
    reader = _Words()
    reader.feed(html)
    return reader.count


def pages(codes: list[str]) -> Iterator[tuple[str, str, str, int]]:
    """Yield office, kind, address and words of each page."""
    from django.test import Client

    from players.models import Federation, Role
    from ratings.hints import search_due_hints
    from tournaments.models import Section, Stage

    for office in Federation.objects.filter(demo=True, **({"code__in": codes} if codes else {})):
        search_due_hints(office)
        held = office.appointments.select_related("user")
        official = held.filter(role=Role.OFFICIAL).first()
        region = held.filter(role=Role.REGIONAL).first()
        for role, appointment in (("official", official), ("region", region)):
            if appointment:
                client = Client(headers={"accept-language": office.language}, SERVER_NAME="localhost")
                client.force_login(appointment.user)
                address = f"{office.get_absolute_url()}desk/"
                yield office.code, "desk", f"{address} ({role})", _words_at(client, address)
        if official is None:
            continue
        client = Client(SERVER_NAME="localhost")
        client.force_login(official.user)
        sections = Section.objects.filter(event__federation=office).select_related("event__federation")
        waiting = [f"{each.get_absolute_url()}review/" for each in sections.filter(stage=Stage.SUBMITTED)]
        found = sorted(((_words_at(client, each), each) for each in waiting), reverse=True)
        yield from ((office.code, "review", address, words) for words, address in found[:REVIEWS])
        for section in sections.filter(stage=Stage.FILED)[:2]:
            address = f"{section.get_absolute_url()}details/"
            yield office.code, "details", address, _words_at(client, address)


def _words_at(client: object, address: str) -> int:
    answer = client.get(address)  # type: ignore[attr-defined]
    return count_words(answer.content.decode()) if answer.status_code == 200 else 0


def main() -> None:
    parser = argparse.ArgumentParser(description="How many words the pages of staff have in the demo.")
    parser.add_argument("offices", nargs="*")
    options = parser.parse_args()
    stands = os.environ.get("DATABASE_URL")
    with database(None) as scratch:
        os.environ["DATABASE_URL"] = stands or scratch
        import django
        from django.core.management import call_command

        django.setup()
        from players.models import Federation

        call_command("migrate", verbosity=0)
        if not Federation.objects.exists():
            call_command("demo", *options.offices)
        for office, kind, address, words in pages(options.offices):
            over = "" if words <= BOUNDS[kind] else f"  over {BOUNDS[kind]}"
            print(f"{office:11}{kind:8}{words:6}  {address}{over}")


if __name__ == "__main__":
    main()
