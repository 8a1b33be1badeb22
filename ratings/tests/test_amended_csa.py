"""An amendment of a number is one line of data and the new words of its clause: tried on a copy of csa."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from html import unescape
from pathlib import Path

import pytest
import time_machine
from django.test import Client

from players.models import Federation, Ledger
from ratings import rulesets as ratings
from ratings.rulesets import rulesets
from ratings.rulesets.csa import RULESET
from ratings.rulesets.ruleset import Ruleset
from ratings.tests import csa_record
from ratings.tests.csa_record import Record
from ratings.tests.test_every_ruleset import PROPERTIES

DAY = date(2027, 1, 1)
EVE = date(2026, 12, 31)
LINES = {
    "parameters.py": (
        'parameter("30.1.standard", _("K of Standard ratings"), Decimal(24)),',
        'parameter("30.1.standard", _("K of Standard ratings"), Decimal(24), '
        '(date(2027, 1, 1), Decimal(20), "General meeting of 3 October 2026")),',
    ),
    "clauses.py": (
        "AMENDMENTS: tuple[Amendment, ...] = ()",
        'AMENDMENTS = (Amendment(date(2027, 1, 1), "Rules as amended in 2027", {"30.1": "Standard: 20."}),)',
    ),
}
"""In each module of the folder, the line as it stands and as amended."""


@contextmanager
def in_place_of(slug: str, tmp_path: Path, lines: Mapping[str, tuple[str, str]]) -> Iterator[Ruleset]:
    """A copy of a federation's folder with other lines in some modules, in the place of the federation."""
    folder, law = tmp_path / slug, f"ratings.rulesets.{slug}"
    shutil.copytree(Path(ratings.__path__[0]) / slug, folder)
    for name, (line, other) in lines.items():
        text = (folder / name).read_text("utf-8") if line else ""
        assert text.count(line) == 1
        text = text.replace(line, other)
        if "date(" in other:
            text = text.replace("\nfrom ", "\nfrom datetime import date\nfrom ", 1)
        (folder / name).write_text(text, "utf-8")
    own = {name: module for name, module in sys.modules.items() if f"{name}.".startswith(f"{law}.")}
    for name in own:
        del sys.modules[name]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratings, "__path__", [str(tmp_path), *ratings.__path__])
        patch.setattr(ratings, slug, None)
        rulesets.cache_clear()
        try:
            yield rulesets()[slug]
        finally:
            for name in [name for name in sys.modules if f"{name}.".startswith(f"{law}.")]:
                del sys.modules[name]
            sys.modules.update(own)
    rulesets.cache_clear()


@pytest.fixture
def amended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Ruleset]:
    """A copy of csa with these two lines, in the place of csa."""
    with in_place_of("csa", tmp_path, LINES) as ruleset:
        monkeypatch.setattr(csa_record, "RULESET", ruleset)
        yield ruleset


CHANGED_RULE = """
from ratings.rulesets.ssdc import edition_2017
from ratings.rulesets.ssdc.edition_2017 import *
from ratings.rulesets.ssdc.edition_2017 import K


def k_of_2027(games):
    return K["new"] if games < 10 else K["usual"]
"""


def test_a_changed_rule_and_those_of_the_edition_before_read_the_numbers_of_their_day(tmp_path: Path) -> None:
    usual, edition = (
        'parameter("1.4.2.usual", _("K otherwise"), Decimal(20)',
        "EDITIONS = ruleset.enact(\n    (\n",
    )
    lines = {
        "parameters.py": (usual, f'{usual}, (date(2027, 1, 1), Decimal(18), "General meeting")'),
        "edition_2027.py": ("", CHANGED_RULE),
        "__init__.py": (
            edition,
            "from ratings.rulesets.ssdc import edition_2027\n"
            f'{edition}ruleset.Edition(date(2027, 1, 1), "New rules", edition_2027, PARAMETERS),\n',
        ),
    }
    with in_place_of("ssdc", tmp_path, lines) as ruleset:
        old, new = ruleset.edition_on(EVE).rules, ruleset.edition_on(DAY).rules
        assert (old.k_factor(Decimal(1500), 50), new.k_factor(Decimal(1500), 50)) == (20, 18)
        assert [new.k_of_2027(games) for games in (9, 10)] == [40, 18]
        assert not hasattr(old, "k_of_2027")


def k_shown(starts: date, track: str = "otb-standard") -> tuple[Decimal | None, str]:
    """What a lost game between equals costs white, and what the working says of K."""
    record = Record()
    for name in ("Amahle", "Pieter"):
        record.open(name, 1500)
    changes = record.rate("1 Amahle 0-1 Pieter", starts=starts, ends=max(starts, DAY), on=DAY)
    [step] = [step for step in record.explain("Amahle", track).steps if step.key in ("k-standard", "k-main")]
    return changes["Amahle", track].points, str(step.result)


def test_30_1_what_begins_the_day_before_has_the_old_k_and_what_begins_on_the_day_the_new(
    amended: Ruleset,
) -> None:
    equals = Decimal("0.541767")
    assert k_shown(EVE) == (-24 * equals, "24")
    assert k_shown(DAY) == (-20 * equals, "20")
    assert k_shown(EVE, "otb-main") == k_shown(DAY, "otb-main")


def test_30_1_the_product_s_own_law_is_what_it_was() -> None:
    assert [edition.in_force for edition in RULESET.editions] == [date(2020, 7, 1)]
    assert rulesets()["csa"] is RULESET


@pytest.mark.long
@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda holds: holds.__name__)
def test_what_holds_for_every_ruleset_holds_for_the_copy(holds: object, amended: Ruleset) -> None:
    for seed in range(3):
        holds.hypothesis.inner_test(ruleset=amended, seed=seed)  # type: ignore[attr-defined]


def page_on(day: date, client: Client) -> str:
    with time_machine.travel(f"{day}T10:00:00Z", tick=False):
        return unescape(" ".join(client.get("/csa/regulations/").content.decode().split()))


@pytest.mark.django_db
def test_the_page_of_the_regulations_shows_what_is_in_force_and_beside_it_what_comes(
    amended: Ruleset, client: Client
) -> None:
    Ledger.objects.create(federation=Federation.objects.create(code="csa", name="CSA", ruleset_slug="csa"))
    before, after = page_on(EVE, client), page_on(DAY, client)
    assert "From 1 January 2027: Rules as amended in 2027." in before
    assert "not in force yet" in before
    clause = before[before.index('<li id="clause-30.1-before-2027-01-01">') :].partition("</li>")[0]
    assert "<p>Standard: 24.</p>" in clause
    assert 'id="clause-30.1"> <b>From 1 January 2027:</b> Standard: <del>' in clause
    assert "24.</del>" in clause
    assert "20.</ins>" in clause
    assert "From 1 January 2027: Rules" not in after
    assert "not in force yet" not in after
    clause = after[after.index('<li id="clause-30.1">') :].partition("</li>")[0]
    assert "<p>Standard: 20.</p>" in clause
    assert "24" not in clause
    earlier = after[after.index("As they were before 1 January 2027") :]
    assert "<p>Standard: 24.</p>" in earlier
    assert "24.</del>" in earlier
    assert "20.</ins>" in earlier
    meeting = "General meeting of 3 October 2026"
    for page, rows in ((before, [("", "24"), (meeting, "20")]), (after, [(meeting, "20"), ("", "24")])):
        row = r'K of Standard ratings(?:<span class="sub">([^<]*)</span>)? ?</th> <td class="num">(\d+)</td>'
        assert re.findall(row, page) == rows
