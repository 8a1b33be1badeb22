"""Findings that say the same of several lines: told once, with all their lines, and counted once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from django.test import Client

from players.models import User
from ratings.rulesets import rulesets
from tournaments.findings import (
    OWN_MESSAGES,
    build_worded_findings,
    describe_failure,
    join_locations,
    lines_in_words,
)
from tournaments.formats import MOST_REASONS, read_any
from tournaments.formats.sheet import FileFinding
from tournaments.models import Adjustment, Finding, Section, Upload
from tournaments.review import list_remark_tie_choices
from tournaments.submission import describe_adjustments
from tournaments.tests.conftest import Send, address, fresh
from tournaments.tests.event_files import FOUR, HEAD, open_file

ClientOf = Callable[[User], Client]
MANY = 200


def shifted(lines: int) -> bytes:
    """A TRF in which every player's line stands one column to the right."""
    return (HEAD + "".join(f"001 {n:>4}{FOUR.splitlines()[0][7:]}\n" for n in range(1, lines + 1))).encode()


LINES = open_file().decode().splitlines(keepends=True)
SHIFTED = [number for number, line in enumerate(LINES, 1) if line.startswith("001")][-2:]


def partly_shifted() -> bytes:
    """A TRF of six players in which the lines of the last two stand one column to the right."""
    lines = [line.replace("001 ", "001  ", 1) if n in SHIFTED else line for n, line in enumerate(LINES, 1)]
    return "".join(lines).encode()


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], ""),
        ([4], "line 4"),
        ([4, 4], "line 4"),
        ([4, 5], "lines 4–5"),
        ([5, 4, 7], "lines 4–5, 7"),
        (range(4, 204), "lines 4–203"),
        ([*range(4, 20), 22], "lines 4–19, 22"),
    ],
)
def test_lines_that_follow_each_other_are_told_as_one_span(lines: list[int], words: str) -> None:
    assert lines_in_words(lines) == words


@pytest.mark.parametrize(("places", "more"), [(20, False), (21, True)])
def test_twenty_places_are_named_and_of_more_their_number(places: int, more: bool) -> None:
    told = join_locations([f"Games!D{n}" for n in range(1, places + 1)])
    assert told.startswith("Games!D1, Games!D2, ")
    assert "Games!D20" in told
    assert told.endswith(" and 1 more") == more


def test_a_file_of_shifted_lines_alone_is_refused_in_one_sentence_that_names_all_lines(
    amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    upload(client_of(amahle), section, shifted(MANY))
    reason, *others = describe_failure(Upload.objects.get())
    first = len(HEAD.splitlines()) + 1
    assert reason.startswith(f"Lines {first}–{first + MANY - 1}: ")
    assert others == []


def test_ten_kinds_of_reasons_are_kept_with_all_their_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.formats.MOST_REASONS", 1)
    found = read_any(shifted(MANY) + b"001 twelve\n").findings
    assert len(found) == MANY
    assert {each.key for each in found} == {"columns-shifted"}
    assert MOST_REASONS == 10


def test_findings_with_other_words_or_none_of_the_files_stay_apart(section: Section) -> None:
    told = [("file", {"n": 1}, 4), ("file", {"n": 2}, 5), ("file", {"n": 1}, 6), ("rules", {}, None)]
    Finding.objects.bulk_create(
        Finding(section=section, source=source, level="blocks", key="k", params=params, line=line)
        for source, params, line in [*told, told[-1]]
    )
    shown = build_worded_findings(section, section.findings.order_by("pk"))
    assert [(each.line, each.lines) for each in shown] == [(4, "lines 4, 6"), (5, ""), (None, ""), (None, "")]


@pytest.mark.parametrize(("columns", "words"), [((9, 9), "lines 4–5, column 9"), ((9, 8), "lines 4–5")])
def test_the_column_is_told_where_it_is_the_same(
    section: Section, columns: tuple[int, int], words: str
) -> None:
    for line, column in enumerate(columns, 4):
        Finding.objects.create(
            section=section, source="file", level="blocks", key="tab", line=line, column=column
        )
    [shown] = build_worded_findings(section, section.findings.all())
    assert shown.lines == words


def test_cells_of_equal_findings_stand_together(section: Section) -> None:
    for cell in ("Games!D7", "Games!D9"):
        Finding.objects.create(section=section, source="file", level="blocks", key="tab", line=7, where=cell)
    [shown] = build_worded_findings(section, section.findings.all())
    assert (shown.where, shown.lines, shown.line) == ("Games!D7, Games!D9", "", None)


def test_the_page_of_findings_and_the_desk_count_equal_findings_once(
    amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    client = client_of(amahle)
    upload(client, section, partly_shifted())
    page = client.get(address(section, "findings"))
    told = [each.lines for each in page.context["found"] if "columns" in each.words]
    assert fresh(section).findings.filter(key="columns-shifted").count() == 2
    assert [each.partition(",")[0] for each in told] == [f"lines {SHIFTED[0]}–{SHIFTED[1]}"]
    assert f"<span>{told[0]}</span>" in page.content.decode()
    [row] = client.get("/csa/desk/").context["filing"].rows
    assert row.record.blocking == section.findings.blocking().count() - 1


def test_reasons_from_before_read_as_ever(section: Section) -> None:
    reasons: list[dict[str, object]] = [{"key": "empty", "line": None, "where": "", "params": {}}]
    assert describe_failure(Upload(section=section, reason=json.dumps(reasons)))[0].startswith(
        "The file is empty."
    )


def test_equal_adjustments_are_one_with_their_lines(section: Section) -> None:
    Adjustment.objects.bulk_create(
        Adjustment(section=section, key="sex-not-read", line=line, before=before)
        for line, before in ((4, "x"), (5, "x"), (6, "y"), (8, "x"))
    )
    assert [(one["before"], one["line"], one["lines"]) for one in describe_adjustments(section)] == [
        ("x", 4, "4–5, 8"),
        ("y", 6, ""),
    ]


def test_a_remark_is_offered_equal_findings_once(section: Section) -> None:
    for line in (4, 5):
        Finding.objects.create(section=section, source="file", level="blocks", key="tab", line=line)
    assert sum(kind.startswith("finding-") for kind, _words in list_remark_tie_choices(section)) == 1


def test_a_finding_is_what_a_reader_notes_by_line() -> None:
    """Readers keep telling each line: grouping is the pages'."""
    found = read_any(shifted(2)).findings
    assert [type(each) for each in found] == [FileFinding, FileFinding]


def saying_details() -> list[tuple[str, str, str, str]]:
    """The ruleset, source, key and words of each finding that sends its reader to Details."""
    of_rules = [
        (slug, "rules", key.split(":")[0], str(words))
        for slug, ruleset in rulesets().items()
        for key, words in ruleset.words.messages.items()
    ]
    all_words = [*of_rules, *(("csa", "file", key, words) for key, words in OWN_MESSAGES.items())]
    return [each for each in all_words if "Details" in each[-1]]


def test_a_finding_whose_words_send_its_reader_to_details_leads_there(section: Section) -> None:
    told = saying_details()
    assert len(told) > 60
    for slug, source, key, words in told:
        section.event.federation.ruleset_slug = slug
        params = dict.fromkeys(re.findall(r"[{(](\w+)[})]", words), "x")
        finding = Finding(section=section, source=source, key=key, level="waivable", params=params)
        [shown] = build_worded_findings(section, [finding])
        assert "/details/" in shown.action_url, (slug, key)
