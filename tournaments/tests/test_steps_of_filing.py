"""The way through the steps of filing: since when, what is shown on the way, one save for all players."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from players.models import Decision, Federation, User
from players.record import Refused
from tests.built_once import built_once
from tournaments.models import Adjustment, Finding, Section, Stage
from tournaments.sections import upload_link_text
from tournaments.submission import hash_notices, list_notices
from tournaments.tests.conftest import Send, address, enter, fresh
from tournaments.tests.event_files import open_file
from tournaments.tests.test_filing import details_of
from tournaments.uploads import refuse_upload_before_play

ClientOf = Callable[[User], Client]
FIRST, LAST = date(2026, 3, 6), date(2026, 3, 8)
"""The days of the section."""


def words_of(page: Any) -> str:
    return re.sub(r"\s+", " ", page.content.decode())


# ---------------------------------------------------------------- from which day on


@pytest.mark.parametrize(("day", "taken"), [(date(2026, 3, 5), False), (FIRST, True)])
def test_a_file_is_taken_from_the_first_day_of_play_on(day: date, taken: bool) -> None:
    if taken:
        refuse_upload_before_play(FIRST, day)
        return
    with pytest.raises(Refused, match="from 6 March 2026 on, the first day of play"):
        refuse_upload_before_play(FIRST, day)


@pytest.mark.parametrize(("day", "offered"), [("2026-03-05 12:00", False), ("2026-03-06 12:00", True)])
def test_the_page_offers_the_upload_from_that_day_on_and_says_before_why_and_when(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, day: str, offered: bool
) -> None:
    with time_machine.travel(day, tick=False):
        client = client_of(amahle)
        page = words_of(client.get(address(section, "file")))
        sent = upload(client, section, open_file())
        event = words_of(client.get(f"/csa/events/{section.event.number}/sections/"))
        zipped = words_of(client.get(f"/csa/events/{section.event.number}/sections/zip/"))
        desk = words_of(client.get("/csa/desk/"))
    assert ('type="file"' in page) == offered
    assert ("Files can be uploaded from 6 March 2026 on, the first day of play." in page) != offered
    assert (f'href="{address(section, "edit")}"' in page) != offered
    assert (sent.status_code, section.uploads.exists()) == ((302, True) if offered else (409, False))
    for elsewhere in (event, desk):
        assert ("Upload the file, from 6 March 2026 on" in elsewhere) != offered
    for elsewhere in (event, zipped):
        assert ("Files can be uploaded from 6 March 2026 on" in elsewhere) != offered


def test_a_zip_before_the_first_day_is_refused_with_that_day(
    amahle: User, client_of: ClientOf, section: Section, send: Send
) -> None:
    with time_machine.travel("2026-03-05 12:00", tick=False):
        data = {"file": SimpleUploadedFile("open.zip", b"PK\x05\x06" + b"\0" * 18)}
        answer = send(client_of(amahle), f"/csa/events/{section.event.number}/sections/zip/", data)
    assert answer.status_code == 409
    assert not section.event.archives.exists()


@pytest.mark.parametrize(("day", "noted"), [("2026-03-07 12:00", True), ("2026-03-08 12:00", False)])
def test_while_play_lasts_the_page_says_that_all_rounds_belong_in_the_file(
    amahle: User, client_of: ClientOf, section: Section, day: str, noted: bool
) -> None:
    with time_machine.travel(day, tick=False):
        page = words_of(client_of(amahle).get(address(section, "file")))
    assert ("Play lasts until 8 March 2026." in page) == noted


def test_the_link_to_the_upload_names_the_first_day_until_it_has_come(section: Section) -> None:
    assert upload_link_text(section, date(2026, 3, 5)) == "Upload the file, from 6 March 2026 on"
    assert upload_link_text(section, FIRST) == "Upload the file"


# ---------------------------------------------------------------- nothing unseen


@pytest.fixture
@built_once
def filed(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, register_of_six: list[Any]
) -> Section:
    """A section of which the file tells everything; its findings and adjustments are cleared away."""
    upload(client_of(amahle), section, open_file())
    section.findings.all().delete()
    section.adjustments.all().delete()
    return fresh(section)


def noticed(section: Section, key: str, **more: Any) -> Finding:
    told = {"source": "file", "level": "notice", **more}
    return Finding.objects.create(section=section, key=key, **told)


def next_of(client: Client, section: Section, step: str) -> str:
    return str(client.get(address(section, step)).context["next"])


def test_with_nothing_to_see_continue_leads_to_the_submission(
    amahle: User, client_of: ClientOf, filed: Section
) -> None:
    client = client_of(amahle)
    assert next_of(client, filed, "file") == address(filed, "submit")
    assert next_of(client, filed, "findings") == address(filed, "submit")


def test_continue_leads_to_the_submission_which_shows_notices_and_adjustments_itself(
    amahle: User, client_of: ClientOf, filed: Section
) -> None:
    client = client_of(amahle)
    noticed(filed, "older-dialect")
    Adjustment.objects.create(section=filed, key="sex-not-read", line=4, before="x")
    for step in ("file", "findings", "details", "players"):
        assert next_of(client, filed, step) == address(filed, "submit")
    page = words_of(client.get(address(filed, "submit")))
    assert "You can submit all the same" in page
    assert "One thing in the file was adjusted" in page


def test_what_is_open_is_asked_where_the_section_is_submitted_and_leads_back_there(
    amahle: User, client_of: ClientOf, send: Send, filed: Section
) -> None:
    client = client_of(amahle)
    noticed(filed, "rounds-needed", source="details", level="asks", where="rounds", params={"played": 5})
    assert next_of(client, filed, "file") == address(filed, "submit")
    page = client.get(address(filed, "submit")).content.decode()
    assert f'action="{address(filed, "details")}"' in page
    assert 'name="rounds"' in page
    assert "Submit the section" not in page
    answer = send(client, address(filed, "details"), details_of(client, filed))
    assert answer.headers["Location"] == address(filed, "submit")
    assert "Submit the section" in client.get(address(filed, "submit")).content.decode()


@pytest.mark.parametrize("step", ["details", "players"])
def test_the_steps_after_the_findings_tell_how_many_do_not_block(
    amahle: User, client_of: ClientOf, filed: Section, step: str
) -> None:
    client = client_of(amahle)
    assert "prevent submission</a>" not in words_of(client.get(address(filed, step)))
    for line in (4, 5):
        noticed(filed, "older-dialect", line=line)
    noticed(filed, "players-more", params={"declared": 5, "found": 6})
    assert "2 findings that do not prevent submission</a>" in words_of(client.get(address(filed, step)))


def test_the_submission_lists_what_does_not_block_above_its_button(
    amahle: User, client_of: ClientOf, filed: Section
) -> None:
    noticed(filed, "players-more", params={"declared": 5, "found": 6})
    page = words_of(client_of(amahle).get(address(filed, "submit")))
    assert 0 < page.index("You can submit all the same") < page.index("Submit the section")


@pytest.mark.parametrize("seen", [True, False])
def test_a_notice_that_the_page_did_not_show_is_not_submitted(
    amahle: User, client_of: ClientOf, send: Send, filed: Section, seen: bool
) -> None:
    client = client_of(amahle)
    before = client.get(address(filed, "submit")).context["shown"]
    noticed(filed, "players-more", params={"declared": 5, "found": 6})
    shown = client.get(address(filed, "submit")).context["shown"] if seen else before
    answer = send(client, address(filed, "submit"), {"version": filed.version, "shown": shown})
    assert (answer.status_code, fresh(filed).stage) == (
        (302, Stage.SUBMITTED) if seen else (409, Stage.FILED)
    )
    assert seen or "Something was found that this page did not show." in answer.content.decode()


def test_what_the_rules_note_on_the_day_of_the_submission_is_shown_before_it(
    filed: Section, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = Finding(section=filed, source="rules", level="notice", key="late", params={"filed": "2026-04-01"})
    waived = Finding(section=filed, source="rules", level="waivable", key="later")
    monkeypatch.setattr("tournaments.acceptance.rule_findings", lambda section, on, entries: [late, waived])
    assert [each.key for each in list_notices(filed, LAST)] == ["late"]
    noticed(filed, "late", source="rules")
    assert [each.key for each in list_notices(filed, LAST)] == ["late"]
    assert hash_notices(list_notices(filed, LAST)) == hash_notices([late])


def test_what_the_register_lets_wonder_since_the_last_save_is_shown_before_the_submission(
    csa: Any, amahle: User, client_of: ClientOf, send: Send, section: Section, upload: Send
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    entries = [entry.number for entry in section.entries.all()]
    saved = {"version": fresh(section).version, "entry": entries}
    assert send(client, address(section, "players/decide"), saved).status_code == 302
    assert "nobody-known" not in {each.key for each in section.findings.all()}
    enter(csa, "Zulu", "Nomsa", 1970, "f", number="101000001")
    page = client.get(address(section, "submit"))
    assert "nobody-known" in {each.key for each in list_notices(fresh(section), LAST)}
    data = {"version": fresh(section).version, "shown": page.context["shown"], "adjusted": "on"}
    assert send(client, address(section, "submit"), data).status_code == 302
    assert fresh(section).stage == Stage.SUBMITTED


def test_a_refusal_for_what_was_not_shown_shows_it_and_the_next_try_submits(
    csa: Any, amahle: User, client_of: ClientOf, send: Send, section: Section, upload: Send
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    entries = [entry.number for entry in section.entries.all()]
    send(client, address(section, "players/decide"), {"version": fresh(section).version, "entry": entries})
    data = {"version": fresh(section).version, "shown": "", "adjusted": "on"}
    data["shown"] = client.get(address(section, "submit")).context["shown"]
    enter(csa, "Zulu", "Nomsa", 1970, "f", number="101000001")
    refused: Any = send(client, address(section, "submit"), data)
    assert refused.status_code == 409
    assert "Something was found that this page did not show." in words_of(refused)
    again = data | {"version": fresh(section).version, "shown": refused.context["shown"]}
    assert send(client, address(section, "submit"), again).status_code == 302


# ---------------------------------------------------------------- one form for all players


@pytest.fixture
@built_once
def unknown(csa: Any, amahle: User, client_of: ClientOf, section: Section, upload: Send) -> Section:
    """A section of six, of whom the first is doubtful and nobody else is known."""
    enter(csa, "Dlamini", "Thabo", 1992, "m", number="101000001")
    upload(client_of(amahle), section, open_file())
    matches = list(fresh(section).entries.order_by("number").values_list("match", flat=True))
    assert matches == ["doubtful", *["none"] * 5]
    return fresh(section)


def test_the_players_page_has_one_form_to_which_every_choice_belongs(
    amahle: User, client_of: ClientOf, unknown: Section
) -> None:
    page = words_of(client_of(amahle).get(address(unknown, "players")))
    assert page.count("Save these decisions") == 1
    fields = re.findall(r'<input type="(?:radio|checkbox)"[^>]*name="(?:player|entry)[^>]*>', page)
    assert len([field for field in fields if 'name="entry"' in field]) == 5
    assert [field for field in fields if 'form="decide"' not in field] == []


def test_one_save_keeps_the_choice_of_one_and_the_ticks_of_others(
    amahle: User, client_of: ClientOf, send: Send, unknown: Section
) -> None:
    candidate = unknown.entries.get(number=1).candidates[0]["player"]
    before = Decision.objects.count()
    data = {"version": unknown.version, "player-1": candidate, "entry": [2, 3]}
    assert send(client_of(amahle), address(unknown, "players/decide"), data).status_code == 302
    matches = list(fresh(unknown).entries.order_by("number").values_list("match", flat=True))
    assert matches == ["decided", "new", "new", "none", "none", "none"]
    assert Decision.objects.count() == before + 1


def test_where_one_answer_is_wrong_none_is_saved_and_all_stay_as_they_were(
    amahle: User, client_of: ClientOf, send: Send, unknown: Section
) -> None:
    unknown.entries.filter(number=2).update(birth="")
    candidate = unknown.entries.get(number=1).candidates[0]["player"]
    data = {"version": unknown.version, "player-1": candidate, "entry": [2, 3], "new-2-birth": "soon"}
    answer = send(client_of(amahle), address(unknown, "players/decide"), data)
    page = words_of(answer)
    assert answer.status_code == 400
    assert not fresh(unknown).entries.exclude(match__in=("doubtful", "none")).exists()
    assert re.search(rf'name="player-1" value="{candidate}" checked', page)
    ticked = re.findall(r'name="entry" value="(\d)" checked', page)
    assert ticked == ["2", "3"]
    assert 'value="soon"' in page


@pytest.mark.parametrize(("typed", "saved"), [("2001", True), ("", False)])
def test_the_details_of_a_new_player_are_saved_with_all_else_if_any_were_typed(
    amahle: User, client_of: ClientOf, send: Send, unknown: Section, typed: str, saved: bool
) -> None:
    unknown.entries.filter(number=2).update(birth="", match="new")
    data = {"version": unknown.version, "details": [2], "new-2-birth": typed, "entry": [3]}
    assert send(client_of(amahle), address(unknown, "players/decide"), data).status_code == 302
    assert fresh(unknown).entries.get(number=2).birth == typed
    assert fresh(unknown).entries.get(number=3).match == "new"


def test_a_save_of_nothing_says_so_and_decides_nothing(
    amahle: User, client_of: ClientOf, send: Send, unknown: Section
) -> None:
    before = Decision.objects.count()
    for data in ({"player-1": ""}, {"details": [2], "new-2-birth": " "}, {"entry": [99]}):
        answer = send(
            client_of(amahle), address(unknown, "players/decide"), {"version": unknown.version, **data}
        )
        assert answer.status_code == 400
        assert "nothing was there to be saved" in answer.content.decode()
    assert Decision.objects.count() == before


@pytest.mark.parametrize(
    ("typed", "saved"), [("2001", False), (" 2001 ", False), ("", False), ("2002", True)]
)
def test_a_birth_that_the_page_filled_in_is_nothing_to_be_saved(
    amahle: User, client_of: ClientOf, send: Send, unknown: Section, typed: str, saved: bool
) -> None:
    unknown.entries.filter(number=2).update(birth="2001", match="new")
    client = client_of(amahle)
    assert re.search(
        r'name="new-2-birth"[^>]*value="2001"', words_of(client.get(address(unknown, "players")))
    )
    before = Decision.objects.count()
    data = {"version": unknown.version, "details": [2], "new-2-birth": typed}
    answer = send(client, address(unknown, "players/decide"), data)
    assert answer.status_code == (302 if saved else 400)
    assert ("nothing was there to be saved" in answer.content.decode()) != saved
    assert (fresh(unknown).version, Decision.objects.count()) == (unknown.version + saved, before + saved)
    assert fresh(unknown).entries.get(number=2).birth == (typed if saved else "2001")


def test_ticks_that_were_all_taken_off_stay_off_where_nothing_was_saved(
    amahle: User, client_of: ClientOf, send: Send, unknown: Section
) -> None:
    client = client_of(amahle)
    tick = r'name="entry" value="(\d)" checked'
    assert re.findall(tick, words_of(client.get(address(unknown, "players")))) == ["2", "3", "4", "5", "6"]
    answer = send(client, address(unknown, "players/decide"), {"version": unknown.version, "player-1": ""})
    assert (answer.status_code, re.findall(tick, words_of(answer))) == (400, [])


# ---------------------------------------------------------------- who was chosen after a search


@pytest.fixture
def lindiwe(csa: Any) -> Any:
    """In the register under another name than in the file: only a person's search finds her."""
    return enter(csa, "Mthembu", "Lindiwe", 2015, "f", number="101000901")


@pytest.fixture
def searched(unknown: Section, lindiwe: Any) -> Section:
    """Number 2 was searched for; number 3 lacks a birth."""
    unknown.entries.filter(number=3).update(birth="")
    return unknown


def rows_of(page: str) -> dict[int, str]:
    """What the browser would send of each row of a page that waits: a player's key, `new`, or nothing."""
    radios = re.findall(r'name="player-(\d+)" value="(\w*)"( checked)?', page)
    ticks = re.findall(r'type="checkbox" form="decide" name="entry" value="(\d+)"( checked)?', page)
    shown = {int(number): "" for number, *_ in [*radios, *ticks]}
    shown |= {int(number): value for number, value, checked in radios if checked}
    return shown | {int(number): "new" for number, checked in ticks if checked}


def card_found(client: Client, section: Section, number: int, q: str) -> str:
    """The card that a search puts in the place of a row, as htmx cuts it out of the answer."""
    page = words_of(client.get(address(section, "players"), {"entry": str(number), "q": q}))
    return page[page.index(f'id="entry-{number}"') :].partition("</article>")[0]


def test_who_was_chosen_after_a_search_comes_back_chosen_where_another_row_is_refused(
    amahle: User, client_of: ClientOf, send: Send, searched: Section, lindiwe: Any
) -> None:
    client = client_of(amahle)
    assert f'name="player-2" value="{lindiwe.pk}"' in card_found(client, searched, 2, "Lindiwe")
    data = {"version": searched.version, "player-1": "", "player-2": lindiwe.pk, "entry": [3, 5]}
    answer = send(client, address(searched, "players/decide"), data)
    wanted = {1: "", 2: str(lindiwe.pk), 3: "new", 4: "", 5: "new", 6: ""}
    assert (answer.status_code, rows_of(words_of(answer))) == (400, wanted)
    assert 'form="decide" name="entry" value="2"' not in words_of(answer)  # no tick beside the choice
    again = {"version": searched.version, "player-2": lindiwe.pk, "entry": [3, 5], "new-3-birth": "2014"}
    assert send(client, address(searched, "players/decide"), again).status_code == 302
    entries = {entry.number: (entry.match, entry.player) for entry in searched.entries.all()}
    assert entries[2] == ("decided", lindiwe)
    assert entries[3] == ("new", None)


def test_each_answer_after_a_search_comes_back_as_it_was_given(
    amahle: User, client_of: ClientOf, send: Send, searched: Section, lindiwe: Any
) -> None:
    client = client_of(amahle)
    for said in (str(lindiwe.pk), "new", ""):
        data = {"version": searched.version, "player-1": "", "player-2": said, "entry": [3]}
        answer = send(client, address(searched, "players/decide"), data)
        assert answer.status_code == 400
        assert rows_of(words_of(answer))[2] == said


def test_a_doubtful_row_for_which_somebody_else_was_searched_keeps_that_choice(
    amahle: User, client_of: ClientOf, send: Send, searched: Section, lindiwe: Any
) -> None:
    data = {"version": searched.version, "player-1": lindiwe.pk, "entry": [3]}
    answer = send(client_of(amahle), address(searched, "players/decide"), data)
    assert (answer.status_code, rows_of(words_of(answer))[1]) == (400, str(lindiwe.pk))
    candidate = searched.entries.get(number=1).candidates[0]["player"]
    assert f'name="player-1" value="{candidate}"' in words_of(answer)


def test_choices_after_a_search_come_back_from_a_page_that_was_overtaken(
    amahle: User, client_of: ClientOf, send: Send, searched: Section, lindiwe: Any
) -> None:
    data = {"version": searched.version - 1, "player-2": lindiwe.pk, "entry": [5]}
    answer = send(client_of(amahle), address(searched, "players/decide"), data)
    wanted = {1: "", 2: str(lindiwe.pk), 3: "", 4: "", 5: "new", 6: ""}
    assert (answer.status_code, rows_of(words_of(answer))) == (409, wanted)


def test_who_is_another_row_by_now_is_shown_and_the_row_is_left_for_later(
    amahle: User, client_of: ClientOf, send: Send, searched: Section, lindiwe: Any
) -> None:
    searched.entries.filter(number=6).update(player=lindiwe, match="decided")
    data = {"version": searched.version - 1, "player-2": lindiwe.pk, "entry": [5]}
    answer = send(client_of(amahle), address(searched, "players/decide"), data)
    page = words_of(answer)
    assert (answer.status_code, rows_of(page)[2]) == (409, "")
    assert f'name="player-2" value="{lindiwe.pk}" disabled' in page
    assert "is starting number 6" in page


def test_who_was_merged_since_the_search_comes_back_as_the_one_who_stays(
    csa: Any, amahle: User, client_of: ClientOf, send: Send, searched: Section, lindiwe: Any
) -> None:
    kept = enter(csa, "Mthembu", "Lindiwe", 2015, "f", number="101000902")
    type(lindiwe).objects.filter(pk=lindiwe.pk).update(merged_into=kept)
    data = {"version": searched.version, "player-2": lindiwe.pk}
    answer = send(client_of(amahle), address(searched, "players/decide"), data)
    assert (answer.status_code, rows_of(words_of(answer))[2]) == (409, str(kept.pk))


@pytest.mark.parametrize("ticked", [[], [5]])
def test_filling_a_column_in_keeps_every_choice_with_and_without_ticks(
    amahle: User, client_of: ClientOf, send: Send, searched: Section, lindiwe: Any, ticked: list[int]
) -> None:
    candidate = searched.entries.get(number=1).candidates[0]["player"]
    data = {"version": searched.version, "player-1": candidate, "player-2": lindiwe.pk, "entry": ticked}
    fill = {"fill-in": "1", "fill-column": "birth", "fill-default": "2014"}
    answer = send(client_of(amahle), address(searched, "players/decide"), data | fill)
    wanted = {1: str(candidate), 2: str(lindiwe.pk), 3: "", 4: "", 5: "", 6: ""}
    assert answer.status_code == 200
    assert rows_of(words_of(answer)) == wanted | dict.fromkeys(ticked, "new")


@pytest.fixture
def another() -> Federation:
    return Federation.objects.create(code="xyz", name="Another", ruleset_slug="csa")


def test_a_player_of_another_office_is_shown_on_no_page_that_comes_back(
    amahle: User, client_of: ClientOf, send: Send, searched: Section, another: Any
) -> None:
    stranger = enter(another, "Elsewhere", "Ann", 2001, "f", number="1")
    fill = {"fill-in": "1", "fill-column": "birth", "fill-default": "2014"}
    data = {"version": searched.version, "player-2": stranger.pk, "entry": [5]} | fill
    page = words_of(send(client_of(amahle), address(searched, "players/decide"), data))
    assert (rows_of(page)[2], "Elsewhere" in page) == ("", False)


def test_a_tick_that_was_taken_off_stays_off_where_another_row_is_changed(
    amahle: User, client_of: ClientOf, send: Send, searched: Section, lindiwe: Any
) -> None:
    """“Change” beside a settled row sends the page along, and so the ticks that are not there."""
    searched.entries.filter(number=6).update(player=lindiwe, match="decided")
    data = {"version": searched.version, "player-1": ""}
    answer = send(client_of(amahle), address(searched, "players/6/reopen"), data)
    assert (answer.status_code, set(rows_of(words_of(answer)).values())) == (200, {""})


@pytest.mark.parametrize(
    ("filed", "ticked"),
    [
        ({}, True),
        ({"rating": 0}, True),
        ({"rating": 589}, False),
        ({"filed_id": "14300001"}, False),
        ({"filed_id": "14300001", "id_kind": "club"}, True),
        ({"other_ids": [["fide", "14300001"]]}, False),
        ({"other_ids": [["fide-provisional", "3"]]}, True),
    ],
)
def test_whom_the_file_knows_by_an_id_or_a_rating_becomes_a_new_player_by_no_tick_of_its_own(
    amahle: User, client_of: ClientOf, send: Send, unknown: Section, filed: dict[str, Any], ticked: bool
) -> None:
    """The register may have that player under another spelling: a person says that it has not."""
    client = client_of(amahle)
    unknown.entries.filter(number__gt=1).update(rating=None, filed_id="", other_ids=[])
    unknown.entries.filter(number=2).update(**filed)
    rows = rows_of(words_of(client.get(address(unknown, "players"))))
    assert rows == {1: "", 2: "new" if ticked else "", **dict.fromkeys((3, 4, 5, 6), "new")}
    data = {"version": unknown.version, "entry": [2]}
    assert send(client, address(unknown, "players/decide"), data).status_code == 302
    assert unknown.entries.get(number=2).match == "new"


# ---------------------------------------------------------------- where it ended


def steps_behind(client: Client, section: Section) -> tuple[list[str], str]:
    """The steps that the page says are done, and the sentence on where the filing ended."""
    answer: Any = client.get(address(section, "submit"))
    states = [step["label"] for step in answer.context["steps"] if step["state"] == "done"]
    ended = re.search(r"This section is [^<]*: its filing ended before “[^”]*”\.", words_of(answer))
    return states, ended[0] if ended else ""


@pytest.mark.parametrize("stage", [Stage.CANCELLED, Stage.WITHDRAWN, Stage.REFUSED])
def test_a_section_that_came_to_an_end_before_any_file_has_no_step_done(
    amahle: User, client_of: ClientOf, section: Section, stage: Stage
) -> None:
    said = {"decision": "refused", "words": "No."} if stage == Stage.REFUSED else {}
    Section.objects.update(stage=stage, before_play=said)
    ended = f"This section is {stage.label}: its filing ended before “Upload”."
    assert steps_behind(client_of(amahle), section) == ([], ended)


def test_a_cancelled_section_shows_the_steps_up_to_which_it_came(
    amahle: User, client_of: ClientOf, section: Section, upload: Send
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    Section.objects.update(stage=Stage.CANCELLED)
    done, ended = steps_behind(client, section)
    assert done == ["Upload", "Findings", "Details"]
    assert ended == "This section is cancelled: its filing ended before “Players”."


@pytest.mark.parametrize("stage", [Stage.SUBMITTED, Stage.RATED, Stage.REFUSED])
def test_what_the_office_got_has_all_steps_done_whatever_it_decided(
    amahle: User, client_of: ClientOf, section: Section, upload: Send, stage: Stage
) -> None:
    client = client_of(amahle)
    upload(client, section, open_file())
    Section.objects.update(stage=stage)
    assert steps_behind(client, section) == (["Upload", "Findings", "Details", "Players"], "")
