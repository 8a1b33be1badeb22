"""The registry of kinds of files: what each reader reads is there, under the code that offices name."""

from __future__ import annotations

import pytest

from ratings.rulesets import rulesets
from tournaments.filing import accepted_kind_names, accepted_kinds, block_unaccepted_kind
from tournaments.formats import KINDS, read_any
from tournaments.formats.plain_table import TABLE
from tournaments.formats.sheet import Reading, Sheet
from tournaments.tests.abroad_files import ABROAD
from tournaments.tests.cross_files import cross_of
from tournaments.tests.elo_files import ELO
from tournaments.tests.event_files import open_file, open_sheet
from tournaments.tests.ftd_files import ftd
from tournaments.tests.own_sm_files import own_file
from tournaments.tests.placement_files import EMA, PORTAL
from tournaments.tests.sm_files import exports_of
from tournaments.tests.sp_files import packed, three_files

FILES = {
    "trf": open_file(),
    "elo": ELO.encode(),
    "ema": EMA.encode(),
    "portal": PORTAL.encode(),
    "swiss-manager": "\n".join(exports_of(open_sheet())).encode(),
    "cross-table": cross_of(open_sheet()).encode(),
    "swiss-perfect": packed(three_files()),
    "flip-the-disc": ftd(),
    "games-abroad": ABROAD.encode(),
    "swiss-manager-own": own_file(),
}
PLAIN = b"surname,first name,place\nNowak,Anna,1\n"


def test_the_registry_has_every_kind_of_which_there_is_a_file_here_and_no_other() -> None:
    assert set(KINDS) == set(FILES)


@pytest.mark.parametrize("code", FILES)
def test_a_sheet_is_of_the_kind_whose_reader_read_it(code: str) -> None:
    sheet = read_any(FILES[code]).sheet
    assert sheet
    assert sheet.family == code == KINDS[code].code


def test_the_plain_table_is_no_kind_and_every_federation_takes_it() -> None:
    reading = read_any(PLAIN)
    assert reading.sheet
    assert reading.sheet.family == TABLE
    assert TABLE not in KINDS
    assert all(block_unaccepted_kind(reading, ruleset) is reading for ruleset in rulesets().values())


@pytest.mark.parametrize("code", KINDS)
@pytest.mark.parametrize("slug", rulesets())
def test_a_kind_is_taken_where_the_office_names_it_and_refused_by_its_name_elsewhere(
    slug: str, code: str
) -> None:
    reading, ruleset = Reading(Sheet(family=code)), rulesets()[slug]
    taken = block_unaccepted_kind(reading, ruleset)
    if KINDS[code] in accepted_kinds(ruleset):
        assert taken is reading
        assert KINDS[code].name in accepted_kind_names(ruleset)
    else:
        assert taken.sheet is None
        assert [finding.params["kind"] for finding in taken.findings] == [KINDS[code].name]


@pytest.mark.parametrize("code", KINDS)
def test_a_kind_tells_its_name_and_where_its_files_come_from(code: str) -> None:
    assert KINDS[code].name
    assert KINDS[code].sources
