"""What the id column of a file holds: told by whom it finds, asked once, and kept under its kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client

from players.models import Federation, Identifier, Player, User
from ratings.rulesets import rulesets
from tournaments.filing import remembered_id_kind
from tournaments.formats import trf_writer
from tournaments.matching import id_kind_label
from tournaments.models import Section
from tournaments.tests.conftest import Send, address, enter, fresh
from tournaments.tests.event_files import NAMES, open_file, open_sheet
from tournaments.tests.trf_files import LICHESS

ClientOf = Callable[[User], Client]
IDS = tuple(f"143000{n}7" for n in range(1, 7))


def file_with_ids(*ids: str | None, **changes: Any) -> bytes:
    """The six players, the first ones with these ids."""
    given = [*ids, *[None] * (6 - len(ids))]
    sheet = open_sheet(**changes)
    rows = (replace(row, identifier=id_) for row, id_ in zip(sheet.rows, given, strict=True))
    return trf_writer.write(replace(sheet, rows=tuple(rows)), "Swiss-Manager")


def asked(section: Section) -> list[str]:
    return list(section.findings.filter(level="asks", source="file").values_list("key", flat=True))


def kinds(section: Section) -> set[str]:
    return set(section.entries.exclude(filed_id="").values_list("id_kind", flat=True))


@pytest.fixture
def amahles(amahle: User, client_of: ClientOf) -> Client:
    return client_of(amahle)


@pytest.fixture
def details(csa: Federation, amahles: Client, section: Section, send: Send) -> Callable[..., Any]:
    """`details(id_kind="club")`: the details form as it stands on the page, with these answers."""

    def answer(**changes: str) -> Any:
        page = amahles.get(address(section, "details"))
        form = page.context["forms"].details
        days = {f"round-{n}": day for n, day in enumerate(fresh(section).round_dates, 1)}
        told = {
            "version": fresh(section).version,
            **{name: form[name].value() or "" for name in ("name", "starts", "ends", "format", "rounds")},
            **{"own-platform": "otb", "own-time_controls_0": "90", "own-time_controls_1": "30"},
            **{name: "0" for each in ("arbiters", "left") for name in (f"{each}-TOTAL_FORMS",)},
            **{name: "0" for each in ("arbiters", "left") for name in (f"{each}-INITIAL_FORMS",)},
            "organizer": "Gugu Radebe, gugu@example.org",
            "place": form["place"].value() or "",
        }
        if "id_kind" in form.fields:
            told["id_kind"] = form["id_kind"].value() or ""
        return send(amahles, address(section, "details"), told | days | changes)

    return answer


# ---------------------------------------------------------------- told by whom the ids find


@pytest.mark.parametrize(
    ("registered", "filed", "kind"),
    [
        ("number", IDS, "number"),
        ("fide", IDS, "fide"),
        ("fide", tuple(f"00{id_}" for id_ in IDS), "fide"),
    ],
)
def test_ids_that_find_those_whom_the_file_names_are_not_asked_about(
    csa: Federation,
    amahles: Client,
    section: Section,
    upload: Send,
    registered: str,
    filed: tuple[str, ...],
    kind: str,
) -> None:
    for place, (name, id_) in enumerate(zip(NAMES, IDS, strict=True), 1):
        player = enter(csa, *name, number=id_ if registered == "number" else f"10100000{place}")
        if registered != "number":
            Identifier.objects.create(federation=csa, player=player, kind=registered, value=id_)
    upload(amahles, section, file_with_ids(*filed))
    assert (kinds(section), asked(section)) == ({kind}, [])
    assert set(section.entries.values_list("match", flat=True)) == {"certain"}


def test_a_kind_of_id_that_only_another_federation_has_bears_its_name_here() -> None:
    assert id_kind_label(rulesets()["mahjong"], "fide") == "FIDE id"
    assert id_kind_label(rulesets()["csa"], "wof") == "Number at the World Othello Federation"
    assert id_kind_label(rulesets()["csa"], "of-a-file") == "of-a-file"


def test_ids_of_several_kinds_are_each_what_the_register_knows(
    csa: Federation, amahles: Client, section: Section, upload: Send, register_of_six: list[Player]
) -> None:
    Identifier.objects.create(federation=csa, player=register_of_six[0], kind="fide", value=IDS[0])
    upload(amahles, section, file_with_ids(IDS[0], register_of_six[1].number))
    assert (kinds(section), asked(section)) == ({"several"}, [])


def test_ids_that_find_other_people_by_chance_tell_nothing(
    csa: Federation, amahles: Client, section: Section, upload: Send
) -> None:
    for number in ("1", "2", "3"):
        enter(csa, f"Somebody{number}", "Else", 1980, "m", number=number)
    upload(amahles, section, file_with_ids("1", "2", "3"))
    assert (kinds(section), asked(section)) == ({""}, ["id-kind-needed"])


def test_a_file_without_ids_is_asked_nothing(amahles: Client, section: Section, upload: Send) -> None:
    upload(amahles, section, open_file())
    assert asked(section) == []
    assert "id_kind" not in amahles.get(address(section, "details")).context["forms"].details.fields


# ---------------------------------------------------------------- asked once, and kept


def test_unknown_ids_are_asked_about_once_and_by_the_book_they_are_fides(
    csa: Federation, amahles: Client, section: Section, upload: Send, details: Callable[..., Any]
) -> None:
    upload(amahles, section, file_with_ids(*IDS))
    assert asked(section) == ["id-kind-needed"]
    form = amahles.get(address(section, "details")).context["forms"].details
    assert form["id_kind"].value() == "fide"
    offered = [value for value, _label in form.fields["id_kind"].choices]
    assert offered == ["number", "fide", "lichess", "chess.com", "several", "club"]
    details()
    assert (kinds(section), asked(section), fresh(section).id_kind) == ({"fide"}, [], "fide")
    upload(amahles, section, file_with_ids(*IDS, name="Soweto Open A, corrected"))
    assert (kinds(section), asked(section)) == ({"fide"}, [])


@pytest.mark.parametrize(
    ("kind", "kept"), [("fide", 6), ("lichess", 6), ("club", 0), ("number", 0), ("several", 0)]
)
def test_a_new_players_id_is_kept_under_its_kind_and_a_clubs_own_not_at_all(
    csa: Federation,
    amahles: Client,
    section: Section,
    upload: Send,
    send: Send,
    details: Callable[..., Any],
    kind: str,
    kept: int,
) -> None:
    upload(amahles, section, file_with_ids(*IDS))
    details(id_kind=kind)
    data = {"version": fresh(section).version, "entry": [1, 2, 3, 4, 5, 6]}
    send(amahles, address(section, "players/decide"), data)
    send(amahles, address(section, "submit"), {"version": fresh(section).version, "adjusted": "on"})
    assert fresh(section).stage == "submitted", list(section.findings.values_list("level", "key"))
    known = Identifier.objects.filter(federation=csa)
    assert known.count() == kept
    assert set(known.values_list("kind", flat=True)) == ({kind} if kept else set())


def test_a_known_player_keeps_the_id_too_unless_it_is_somebody_elses(
    csa: Federation,
    amahles: Client,
    section: Section,
    upload: Send,
    send: Send,
    details: Callable[..., Any],
    register_of_six: list[Player],
) -> None:
    thabo, priya, pieter, *_others = register_of_six
    Identifier.objects.create(federation=csa, player=pieter, kind="fide", value=IDS[2])
    stranger = enter(csa, "Zulu", "Nomsa", 1970, "f", number="9")
    Identifier.objects.create(federation=csa, player=stranger, kind="fide", value=IDS[1])
    upload(amahles, section, file_with_ids(IDS[0], IDS[1], IDS[2]))
    details(id_kind="fide")
    assert section.entries.get(number=2).match == "doubtful"
    choice = {"version": fresh(section).version, "player-2": str(priya.pk)}
    send(amahles, address(section, "players/decide"), choice)
    send(amahles, address(section, "submit"), {"version": fresh(section).version, "adjusted": "on"})
    assert list(thabo.identifiers.values_list("kind", "value")) == [("fide", IDS[0])]
    assert not priya.identifiers.exists()
    assert stranger.identifiers.get().value == IDS[1]


def test_another_answer_looks_everybody_up_anew_but_whom_a_person_decided(
    csa: Federation,
    amahles: Client,
    section: Section,
    upload: Send,
    send: Send,
    details: Callable[..., Any],
) -> None:
    thabo = enter(csa, "Dlamini", "Thabo", 1991, "m", number=IDS[1])
    upload(amahles, section, file_with_ids(IDS[0], IDS[1]))
    assert "id-nearly" in section.entries.get(number=1).candidates[0]["evidence"]
    send(amahles, address(section, "players/decide"), {"version": fresh(section).version, "entry": [2]})
    details(id_kind="club")
    one, two = section.entries.filter(number__in=(1, 2))
    assert (one.match, one.player) == ("certain", thabo)
    assert (two.match, two.id_kind) == ("new", "club")


def test_what_a_person_said_of_an_id_column_goes_with_the_file(
    amahles: Client, section: Section, upload: Send, send: Send, details: Callable[..., Any]
) -> None:
    upload(amahles, section, file_with_ids(*IDS))
    details(id_kind="club")
    send(amahles, address(section, "file/discard"), {"version": fresh(section).version})
    assert (fresh(section).id_kind, fresh(section).hints) == ("", {})


def test_an_id_is_shown_as_text_and_never_as_markup(amahles: Client, section: Section, upload: Send) -> None:
    upload(amahles, section, file_with_ids("<b>1</b>"))
    page = amahles.get(address(section, "details")).content.decode()
    assert "&lt;b&gt;1&lt;/b&gt;" in page
    assert "<b>1</b>" not in page


# ---------------------------------------------------------------- platforms


def test_users_of_a_platform_get_their_names_from_a_person_and_keep_the_platforms(
    csa: Federation, amahles: Client, section: Section, upload: Send, send: Send
) -> None:
    upload(amahles, section, LICHESS.encode())
    assert "platform-differs" in asked(section)
    assert "id-kind-needed" not in asked(section)
    send(amahles, address(section, "players/decide"), {"version": fresh(section).version, "entry": [1]})
    assert section.entries.get(number=1).match == "none"
    said = {"new-1-surname": "Dlamini", "new-1-first_name": "Thabo", "new-1-sex": "m", "new-1-birth": "1991"}
    data = {"version": fresh(section).version, "entry": [1]} | said
    send(amahles, address(section, "players/decide"), data)
    one = section.entries.get(number=1)
    assert (one.match, one.name, one.other_ids) == ("new", "Dlamini, Thabo", [["lichess", "thabo-d"]])


def test_a_section_registered_without_a_platform_is_online_where_a_platform_wrote_the_file(
    amahles: Client, section: Section, upload: Send
) -> None:
    section.particulars = {}
    section.save()
    upload(amahles, section, LICHESS.encode())
    assert fresh(section).particulars["platform"] == "online"
    assert "platform-differs" not in asked(section)


# ---------------------------------------------------------------- ids that cannot be what they seem


@pytest.mark.parametrize(("ids", "chosen"), [(("123456", "14300027"), "fide"), (("12345", "14300027"), "")])
def test_ids_are_suggested_as_fides_only_where_all_have_six_digits(
    amahles: Client, section: Section, upload: Send, ids: tuple[str, ...], chosen: str
) -> None:
    upload(amahles, section, file_with_ids(*ids))
    form = amahles.get(address(section, "details")).context["forms"].details
    assert (form["id_kind"].value() or "") == chosen


def test_what_was_said_of_a_programs_ids_is_suggested_for_its_next_file_in_that_region(
    amahles: Client, section: Section, upload: Send, send: Send, details: Callable[..., Any]
) -> None:
    upload(amahles, section, file_with_ids("1234567", "7654321"))
    details(id_kind="club")
    other = Section.objects.create(
        event=section.event, code="B", name="B", starts=section.starts, ends=section.ends, format="swiss"
    )
    upload(amahles, other, file_with_ids("2234567", "8654321", name="Soweto Open B"))
    form = amahles.get(address(other, "details")).context["forms"].details
    assert form["id_kind"].value() == "club"
    assert "id-kind-needed" in asked(fresh(other))
    assert remembered_id_kind(other, "Vega") == ""
