"""Finals in a past that moves in: behind the scheduled rounds in the journal, by name in the office."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management.base import CommandError
from django.db import transaction
from django.utils import timezone

from players.models import Federation
from ratings.moving import export_office, import_office
from tournaments.models import Section
from tournaments.tests.histories import SIX, table, trf
from tournaments.tests.test_histories import DEFAULTS, MARCH, PFO_COLUMNS, Take, othello, pfo, take

__all__ = ["pfo", "take"]

FINALS = "\n%Round: 3-4\n  5739 > 1025\n%Round: F\n   700 > 707\n"


def with_finals(rounds: str = "") -> dict[str, bytes]:
    """The Spring Open with two finals, by a table that says how many rounds were scheduled."""
    every = {"file": "*", "status": "gpp", "season": "2019/2020", "places": "points", "rounds": rounds}
    file = othello()["wiosna.elo"] + FINALS.encode()
    return {"wiosna.elo": file, "table.csv": table((*PFO_COLUMNS, "rounds"), every)}


@pytest.mark.parametrize(("rounds", "numbers"), [("", (4, 5)), ("7", (8, 9))])
def test_finals_of_a_past_lie_behind_its_scheduled_rounds_and_keep_their_names(
    pfo: Federation, take: Take, rounds: str, numbers: tuple[int, int]
) -> None:
    take("pfo", with_finals(rounds))
    section = Section.objects.get()
    assert (section.rounds, section.finals) == (numbers[0] - 1, ["3-4", "F"])
    assert list(section.games.order_by("order").values_list("round", flat=True))[-2:] == [*numbers]
    assert section.name_of_round(numbers[0]) == "3-4"


def test_what_lies_behind_the_rounds_of_the_table_is_told_and_counts_as_finals(
    pfo: Federation, take: Take
) -> None:
    assert "By the table 2 rounds were scheduled" in take("pfo", with_finals("2"))
    section = Section.objects.get()
    assert (section.rounds, section.finals) == (2, ["F1", "3-4", "F"])


def test_a_file_with_more_rounds_than_it_says_is_asked_for_their_number(
    csa: Federation, take: Take, capsys: pytest.CaptureFixture[str]
) -> None:
    file = trf("Soweto Open", MARCH, SIX).replace(b"XXR 5", b"XXR 4").replace(b"142 5", b"142 4")
    files = {"soweto.trf": file, "table.csv": table(tuple(DEFAULTS), DEFAULTS)}
    with pytest.raises(CommandError):
        take("csa", files)
    assert "says that 4 were scheduled" in capsys.readouterr().out
    files["table.csv"] = table((*DEFAULTS, "rounds"), {**DEFAULTS, "rounds": "4"})
    take("csa", files)
    assert Section.objects.get().finals == ["F1"]


def test_the_names_of_finals_move_with_their_office_outside_the_journal(
    pfo: Federation, take: Take, tmp_path: Path
) -> None:
    with transaction.atomic():
        take("pfo", with_finals())
        export_office(Federation.objects.get(code="pfo"), tmp_path / "before.zip")
        transaction.set_rollback(True)
    Federation.objects.filter(code="pfo").update(code="old")
    office, _manifest, report = import_office(tmp_path / "before.zip", at=timezone.now())
    assert report.differences == []
    assert Section.objects.get(event__federation=office).finals == ["3-4", "F"]
