"""What pages cost in four languages, against the same pages where one language is offered.

    python -m benchmarks.languages [--players 2000] [--pages 9]           SQLite

A generated office (csa, ten games a player) is computed. Each kind of page is asked for in English with one
language offered, and in English, Polish, Czech and Russian with four, seven times in turn, forwards and
backwards; each time at addresses that were never asked for before, so that no kept page answers. Prints
medians of the process's own processor in milliseconds, and the ratio of each to that of one language.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import statistics
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from benchmarks.pages import ENCODINGS, addresses, computed, look, sections_of
from benchmarks.scratch import database

if TYPE_CHECKING:
    from django.test import Client

ONE = (("en", "English"),)
FOUR = (*ONE, ("pl", "Polski"), ("cs", "Čeština"), ("ru", "Русский"))
LANGUAGES = {"one": ("", ONE), **{code: (f"/{code}", FOUR) for code, _name in FOUR}}
"""What is measured, each with the beginning of its addresses and the languages that are offered."""
RUNS = 7
WARM = 5
"""The number of pages that are asked for in a language before any is measured."""
MOST = 0.05
"""The share by which a page may cost more than in one language."""


def measure(client: Client, given: Callable[[], str], pages: int) -> Mapping[str, float]:
    """Ask for pages of one kind in each language in turn, and return the medians of runs."""
    from django.test import override_settings

    runs: dict[str, list[float]] = {name: [] for name in LANGUAGES}
    for run in range(RUNS + 1):
        asked = [given() for _ in range(WARM + pages)]
        in_turn = list(LANGUAGES.items())
        for name, (prefix, offered) in in_turn if run % 2 else reversed(in_turn):
            gc.collect()
            gc.disable()
            with override_settings(LANGUAGES=offered):
                # The first read catalogues and templates anew, as no server does with each page.
                spent = [look(client, prefix + address)[0] for address in asked]
            gc.enable()
            if run:
                runs[name].append(statistics.median(spent[WARM:]))
    return {name: statistics.median(each) for name, each in runs.items()}


def main(players: int, pages: int) -> None:
    with database(None) as address:
        os.environ["DATABASE_URL"] = address
        office = computed(players)
        from django.conf import settings
        from django.test import Client, override_settings

        plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
        client = Client(headers={"host": "localhost", "accept-encoding": ENCODINGS})
        with override_settings(STORAGES={**settings.STORAGES, "staticfiles": plain}):
            known = addresses(office, random.Random(1))
            kinds = {kind: known[kind] for kind in ("list, a page", "a player")}
            kinds["a section of 200"] = iter(list(sections_of(office, (RUNS + 1) * (WARM + pages)))).__next__
            numbers = iter(range(10_000))
            kinds["the front page"] = lambda: f"/?look={next(numbers)}"
            for kind, given in kinds.items():
                tell(kind, measure(client, given, pages))


def tell(kind: str, medians: Mapping[str, float]) -> None:
    one = medians["one"]
    each = [f"{name} {spent:.1f} ms ({spent / one:.3f})" for name, spent in medians.items()]
    print(f"{kind:<18} {'; '.join(each)}", flush=True)
    for name, spent in medians.items():
        if spent > one * (1 + MOST):
            print(f"{'':<18} {name} is beyond {MOST:.0%}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--players", type=int, default=2_000)
    parser.add_argument("--pages", type=int, default=9)
    options = parser.parse_args()
    main(options.players, options.pages)
