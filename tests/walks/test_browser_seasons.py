"""Seasons of each federation in the browser: what a region and officials do between two lists."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest
from playwright.sync_api import expect

from tests.browser_office import TODAY
from tests.spoken import before_values, beginning, say, say_count, say_day, say_name, whatever, whatever_count
from tests.walks import administrator_deeds, official_deeds, public_deeds, region_deeds
from tests.walks.seasons import (
    ADMINISTRATOR,
    COLLEAGUE,
    LATE,
    OFFICIAL,
    REGION,
    SEASONS,
    TWICE,
    Season,
    with_other_winner,
)
from tests.walks.worker import Sight, Words, Worker, arrive

pytestmark = [pytest.mark.browser, pytest.mark.nightly]


@pytest.mark.parametrize("season", SEASONS, ids=[season.walk.slug for season in SEASONS])
def test_a_season_from_the_calendar_to_the_revised_list(season: Season, sight: Sight) -> None:
    rika, oto = arrive(REGION, season, sight), arrive(OFFICIAL, season, sight)
    reader = public_deeds.come_by(season, sight)

    an_event_is_announced_moved_and_cancelled(rika, reader, season)
    if season.before_play:
        a_competition_is_decided_on_before_play(rika, oto, reader, season)
    played = a_late_file_is_returned_answered_and_approved(rika, oto, reader, season)
    day = a_list_is_published(oto, reader, season)
    a_result_is_corrected_after_the_list(oto, reader, season, played, day)
    two_entries_become_one(oto, reader, season)
    a_refusal_is_appealed_against(rika, oto, season)
    the_two_are_parted_again(oto, reader, season)
    a_player_has_another_name(oto, reader, season)
    a_mistake_is_reported_and_answered(rika, oto, reader, season, played)
    if season.transfers:
        a_player_goes_to_another_region(rika, oto, season)
    if season.ranks:
        a_rank_is_awarded_and_certified(oto, reader, season)
    ada = arrive(ADMINISTRATOR, season, sight)
    a_deputy_is_invited_for_a_time(ada, rika, season)
    everybody_reads_back_what_was_done(rika, oto, season, played)
    a_region_is_handed_over(ada, rika, oto, season)


def ahead(days: int) -> date:
    return TODAY + timedelta(days=days)


# ---------------------------------------------------------------- the calendar


def an_event_is_announced_moved_and_cancelled(rika: Worker, reader: Worker, season: Season) -> None:
    """The public reads of each change, with its reason."""
    event = season.event("Sumer Festival", ended=0)
    with rika.task(8 if season.walk.slug == "mahjong" else 1):
        region_deeds.register_event(rika, event, ahead(60), ahead(61), **season.planned)
    region_deeds.open_event(rika, event.event)
    with rika.task(2):
        region_deeds.rename_event(rika, "Summer Festival")
    with rika.task(3):
        region_deeds.postpone_event(rika, ahead(67), ahead(68), "The hall is let on the first days.")
    reader.in_office(say("Events"))
    reader.follow("Summer Festival")
    reader.reads("The hall is let on the first days.")
    with rika.task(4):
        region_deeds.cancel_event(rika, "The hall was sold.")
    reader.in_office(say("Events"))
    reader.reads(say("Cancelled"), reader.row("Summer Festival"))
    reader.follow("Summer Festival")
    reader.reads("The hall was sold.")


def a_competition_is_decided_on_before_play(
    rika: Worker, oto: Worker, reader: Worker, season: Season
) -> None:
    """One is asked about, answered and admitted; another is put off and then refused for all to read."""
    question, answer = "Who referees the second day?", "The club's own referee does."
    event = season.event("Spring Cup", ended=0)
    region_deeds.register_event(rika, event, ahead(70), ahead(71), **season.planned)
    with oto.task(12):
        official_deeds.open_before_play(oto, event.event)
        official_deeds.ask_before_play(oto, question)
        region_deeds.answer_before_play(rika, question, answer)
        official_deeds.open_before_play(oto, event.event)
        oto.reads(answer)
        official_deeds.admit_before_play(oto)
    other = season.event("Lantern Cup", ended=0)
    region_deeds.register_event(rika, other, ahead(80), ahead(81), **season.planned)
    with oto.task(13):
        official_deeds.open_before_play(oto, other.event)
        official_deeds.put_off(oto, ahead(5), "The regulations are still to be read.")
        public_deeds.open_section(reader, other.event)
        official_deeds.open_put_off(oto, other.event)
        official_deeds.refuse_before_play(oto, "The hall has no second exit.")
    public_deeds.open_section(reader, other.event)
    reader.reads("The hall has no second exit.")


# ---------------------------------------------------------------- from file to list


def a_permission_is_granted_and_another_refused(
    rika: Worker, oto: Worker, season: Season, event: str
) -> None:
    granted, refused = season.permissions
    with rika.task(10):
        region_deeds.open_event(rika, event)
        region_deeds.ask_permission(rika, granted, "Two players fell ill.")
    region_deeds.open_event(rika, event)
    region_deeds.ask_permission(rika, refused, "The letter lay about.")
    with oto.task(11):
        official_deeds.answer_permission(oto, event, granted, "It was played to its end.", granted=True)
        official_deeds.answer_permission(oto, event, refused, "Say why at the submission.", granted=False)


def it_is_told_late(rika: Worker, reader: Worker, season: Season, event: str) -> None:
    """Before the file: how many days the results are late, by which clause, for region and public."""
    late = "%(days)s day late", "%(days)s days late"
    days = say_count(*late, season.days_late, days=season.days_late)
    rika.to_desk()
    region_deeds.open_event(rika, event)
    if season.late_clauses:
        rika.follow(say("Days and permissions"))
        for clause in (season.registered_clause, season.decided_clause):
            if clause:
                rika.reads(late_today(), rika.row(f"§{clause}"))
    if not season.days_late:
        rika.does_not_read(whatever_count(*late, LATE))
        return
    rika.reads(days, rika.row(f"§{season.results_clause}"))
    rika.to_desk()
    rika.reads(days, rika.row(event))
    reader.in_office(say("Events"))
    reader.reads(days, reader.row(event))
    reader.follow(event)
    reader.reads(re.compile(rf"\(§{re.escape(season.results_clause)}\)\s*,\s*{say('overdue')}"))


def each_clause_is_told(w: Worker, season: Season) -> None:
    """What is late of the file, each with its clause and its reason: where it is submitted and reviewed."""
    for clause in season.late_clauses:
        told = w.main.locator("label").filter(
            has_text=re.compile(rf"{say('clause')}\s+§{re.escape(clause)}\s")
        )
        expect(told.first).to_be_visible()
    if season.days_late:
        last = TODAY - timedelta(days=season.days_late)
        w.reads(whatever(season.late_words, last=say_day(last), allowed=season.results_within))


def a_late_file_is_returned_answered_and_approved(
    rika: Worker, oto: Worker, reader: Worker, season: Season
) -> str:
    """Filed late with a slip, returned with a remark, corrected, compared, approved; the event."""
    walk = season.event("Autumn Open", ended=LATE)
    region_deeds.register_event(rika, walk, walk.starts, walk.ends)
    if season.permissions:
        a_permission_is_granted_and_another_refused(rika, oto, season, walk.event)
    if season.before_play:
        official_deeds.open_before_play(oto, walk.event)
        official_deeds.admit_before_play(oto)
    it_is_told_late(rika, reader, season, walk.event)
    region_deeds.start_filing(rika, walk.event)
    region_deeds.file_section(rika, with_other_winner(walk, 1, 2))
    each_clause_is_told(rika, season)
    region_deeds.submit(rika)

    oto.to_desk()
    oto.follow(beginning("Awaiting review"))
    late = oto.row(walk.event).get_by_text(late_today())
    expect(late).to_have_count(1 if season.late_clauses else 0)
    official_deeds.open_review(oto, walk.event)
    each_clause_is_told(oto, season)
    with oto.task(15):
        official_deeds.take(oto)
        official_deeds.hand_over(oto, COLLEAGUE.name)
    oto.reads(say("%(who)s, since %(day)s.", who=COLLEAGUE.name, day=say_day(TODAY)))
    with oto.task(19):
        official_deeds.note_inside(oto, "The club's chairman rang.")
    with oto.task(16):
        official_deeds.return_with_remarks(oto, "One result is the other way round.", *remarks_of(season))

    with rika.task(17):
        answers = "Number 1 did; the pairing card says so.", "The club was told so late itself."
        region_deeds.answer_remarks(rika, walk.event, *answers)
        rika.does_not_read("The club's chairman rang.")
        region_deeds.file_corrected(rika, walk.event, walk)
        region_deeds.submit(rika)

    with oto.task(18):
        official_deeds.open_review(oto, walk.event)
        oto.reads("Number 1 did; the pairing card says so.")
        official_deeds.compare_filed_files(oto)
        oto.reads(walk.people[0].surname)
        oto.page.go_back()
        official_deeds.approve(oto)
    return walk.event


def late_today() -> str:
    return say("late, on %(day)s", day=say_day(TODAY, "MONTH_DAY_FORMAT"))


def remarks_of(season: Season) -> tuple[tuple[Words, str, str], ...]:
    """One on a game, or a player where only places count; and one on a finding, if something is late."""
    player = say("a player: name or number")
    game = say("a game: round and player")
    about = (player, "1") if season.walk.format == "By places" else (game, "1 1")
    finding = (before_values(season.late_words), "") if season.days_late else (player, "2")
    return (*about, "Who won?"), (*finding, "Why is it so?")


def a_list_is_published(oto: Worker, reader: Worker, season: Season) -> date:
    with oto.task(36):
        day = official_deeds.publish_list(oto, "The first of the season.")
    public_deeds.open_list(reader, day, season.walk.track)
    reader.reads("The first of the season.")
    assert len(public_deeds.ratings_shown(reader)) >= 6
    return day


def a_result_is_corrected_after_the_list(
    oto: Worker, reader: Worker, season: Season, event: str, day: date
) -> None:
    """The erratum says what, why and to whose rating; the list stays, and a revised one stands beside it."""
    before = public_deeds.ratings_shown(reader)
    walk = season.walk
    first, fourth = walk.people[0], walk.people[3]
    oto.to_desk()
    oto.follow(beginning("Rated lately"))
    oto.follow(re.compile(f"^{event}"))
    with oto.task(21):
        if walk.format == "By places":
            official_deeds.swap_places(oto, first.surname, walk.people[1].surname)
        else:
            official_deeds.correct_result(oto, (first.surname, fourth.surname), "0-1")
        official_deeds.confirm_correction(oto, "The score sheet names the other winner.", season.listed_words)
        oto.reads(say("Rated; all effects are computed."))
        oto.follow(say("See the erratum"))
    oto.reads(say("Differences in the section"))
    oto.reads("The score sheet names the other winner.")
    with oto.task(36):
        official_deeds.revise_list(oto, day, walk.track, "After the erratum.")
    public_deeds.open_list(reader, day, walk.track)
    reader.reads("After the erratum.")
    after = public_deeds.ratings_shown(reader)
    assert before != after
    assert before.keys() == after.keys()


# ---------------------------------------------------------------- one person or two


def two_entries_become_one(oto: Worker, reader: Worker, season: Season) -> None:
    """The number that ended leads to the entry that stayed."""
    who = season.walk.people[0]
    with oto.task(30):
        official_deeds.merge_doubles(oto, f"{who.surname}, {who.first_name}", "Both have the same passport.")
    public_deeds.find_player(reader, str(TWICE))
    expect(reader.page.get_by_role("heading", level=1)).to_contain_text(who.surname)
    assert str(TWICE) not in reader.page.url


def the_two_are_parted_again(oto: Worker, reader: Worker, season: Season) -> None:
    """What was rated since stays with the one who played it; both numbers stand again, with an erratum."""
    public_deeds.find_player(oto, season.walk.people[0].surname)
    with oto.task(31):
        official_deeds.part_entries(oto, str(TWICE), "They are cousins of one name.")
    public_deeds.find_player(reader, str(TWICE))
    assert reader.page.url.endswith(f"/{TWICE}/")


def a_player_has_another_name(oto: Worker, reader: Worker, season: Season) -> None:
    """Found by the former name, shown by the new one."""
    who = season.walk.people[1]
    with oto.task(27):
        official_deeds.rename_player(
            oto, who.surname, "Brandová", "She married.", "The certificate, seen by the office"
        )
    public_deeds.find_player(reader, who.surname)
    expect(reader.page.get_by_role("heading", level=1)).to_have_text(f"Brandová, {who.first_name}")


# ---------------------------------------------------------------- what is disputed


def a_refusal_is_appealed_against(rika: Worker, oto: Worker, season: Season) -> None:
    """Refused by a slip and taken back, refused, appealed against, upheld, approved."""
    walk = with_other_winner(season.event("Winter Cup", ended=1), 3, 6)
    region_deeds.register_event(rika, walk, walk.starts, walk.ends)
    if season.before_play:
        official_deeds.open_before_play(oto, walk.event)
        official_deeds.admit_before_play(oto)
    region_deeds.start_filing(rika, walk.event)
    region_deeds.file_section(rika, walk)
    region_deeds.submit(rika)
    official_deeds.open_review(oto, walk.event)
    with oto.task(22):
        official_deeds.refuse(oto, "It was no competition.")
        official_deeds.open_refused(oto, walk.event)
        official_deeds.take_back(oto)
    official_deeds.refuse(oto, "No referee was there.")
    with rika.task(23):
        until = ahead(season.appeal_days) if season.appeal_days else None
        region_deeds.appeal(rika, walk.event, "The referee signed each round.", until)
    with oto.task(24):
        official_deeds.open_appeal(oto, walk.event)
        oto.reads("The referee signed each round.")
        official_deeds.decide_appeal(oto, "We have seen the signatures.", upheld=True)
    official_deeds.approve(oto)
    region_deeds.open_event(rika, walk.event)
    rika.reads(say("Rated"))


def a_mistake_is_reported_and_answered(
    rika: Worker, oto: Worker, reader: Worker, season: Season, event: str
) -> None:
    """By somebody without an account, who confirms by mail, and reads what came of it."""
    address = f"parent@{season.code}.example"
    public_deeds.open_section(reader, event)
    with reader.task(25):
        public_deeds.report_mistake(reader, "In round 3 my daughter won.", address, "J. Parent")
        region_deeds.open_mailbox(rika)
        public_deeds.open_link(reader, region_deeds.read_letter(rika, address, ""))
        reader.press(say("Yes, I sent it"))
    with rika.task(26):
        region_deeds.answer_case(rika, event, "The score sheet has a draw, signed by both.")
        official_deeds.close_case(oto, event, "nothing is wrong", "Both players signed the draw.")
    region_deeds.open_mailbox(rika)
    closed = whatever("%(office)s: your report is closed, %(case)s", office=season.name)
    public_deeds.open_link(reader, region_deeds.read_letter(rika, address, closed))
    reader.reads("The score sheet has a draw, signed by both.")
    reader.reads("Both players signed the draw.")


def a_player_goes_to_another_region(rika: Worker, oto: Worker, season: Season) -> None:
    who = season.walk.people[2]
    with rika.task(29):
        region_deeds.ask_transfer(rika, who.surname, say("Western Cape"), "He moved to the Cape.")
        official_deeds.grant_transfer(oto, who.surname, TODAY, "From today.")
    public_deeds.find_player(rika, who.surname)
    rika.reads(say("Western Cape"))


def a_rank_is_awarded_and_certified(oto: Worker, reader: Worker, season: Season) -> None:
    """The extract leads to a page that says that it is genuine."""
    with oto.task(37):
        name = official_deeds.confirm_ranks(oto)
        public_deeds.find_player(oto, name.split(",")[0])
        oto.follow(say("Extract from the rating list"))
    public_deeds.find_player(reader, name.split(",")[0])
    reader.follow(say("Extract from the rating list"))
    reader.follow(re.compile("extract.check"))
    reader.reads(say("This extract is genuine, and nothing in it was corrected since."))


# ---------------------------------------------------------------- who serves, and what they did


def a_deputy_is_invited_for_a_time(ada: Worker, rika: Worker, season: Season) -> None:
    """The deputy is invited twice, and chooses a password by the newer letter."""
    deputy = f"deputy@{season.code}.example"
    with ada.task(32):
        administrator_deeds.appoint(ada, deputy, "Dora Ness", say_name(season.deputy_in), TODAY, ahead(60))
        administrator_deeds.invite_again(ada, "Dora Ness")
    with rika.task(38):
        region_deeds.open_mailbox(rika)
        letter = region_deeds.read_letter(rika, deputy, "")
    visitor = Worker(rika.sight.visitors.enter(), season, rika.sight)
    public_deeds.open_link(visitor, letter, "/password/")
    with rika.task(34):
        rika.follow(say("Your account"), rika.page.get_by_role("navigation", name=say("You are here")))
        rika.check(rika.main.get_by_role("checkbox").first)
        rika.press(say("Save"))
    rika.reads(say("Your choice of letters is saved."))
    expect(rika.main.get_by_role("checkbox").first).not_to_be_checked()
    expect(rika.main.get_by_role("checkbox").nth(1)).to_be_checked()


def a_region_is_handed_over(ada: Worker, rika: Worker, oto: Worker, season: Season) -> None:
    """The region goes to a successor, with an event to come; the one before leaves where only one may be."""
    event = season.event("Harvest Cup", ended=0)
    region_deeds.register_event(rika, event, ahead(90), ahead(91), **season.planned)
    successor, region = f"successor@{season.code}.example", say_name(season.region_name)
    with ada.task(33):
        administrator_deeds.appoint(ada, successor, "Sena Holt", region, TODAY, instead=season.transfers)
        administrator_deeds.hand_over(ada, "Rika Vale", "Sena Holt")
    ada.reads(say("What was open is with %(person)s now.", person="Sena Holt"))
    region_deeds.open_mailbox(oto)
    subject = say("Handover from %(from)s to %(to)s", **{"from": "Rika Vale", "to": "Sena Holt"})
    region_deeds.read_letter(oto, successor, subject)


def everybody_reads_back_what_was_done(rika: Worker, oto: Worker, season: Season, event: str) -> None:
    """The region reads of its own events who did what, and takes it away as a table."""
    with rika.task(39):
        official_deeds.read_record(rika)
        rika.fill(say("Event"), event)
        rika.press(say("Show"))
        expect(rika.row("Rika Vale", "2026-001")).to_be_visible()
        rika.does_not_read("The club's chairman rang.")
        with rika.page.expect_download() as coming:
            rika.click(rika.main.get_by_role("link", name=say("Take these out as a table (CSV)")))
    assert "Rika Vale" in coming.value.path().read_text("utf-8-sig")
    rika.follow(say_name(season.region_name), rika.main)
    expect(rika.page.get_by_role("heading", level=1)).to_have_text(say_name(season.region_name))
    with oto.task(35):
        oto.to_desk()
        oto.follow(say("Calendar of lists"))
        if season.list_days:
            oto.follow(re.compile(r"^\d+ \w+ \d{4}$"), oto.region(say("The lists to come")))
            oto.reads(say("Still missing before it"))
