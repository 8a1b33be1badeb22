"""From the event file to the published list, with a real browser, web server and worker."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from pathlib import PurePosixPath

import pytest
from playwright.sync_api import Page, expect

from ratings.replay import replay
from tests import browser_steps
from tests.browser import DESKTOP, PHONE, Size, Visitors
from tests.browser_office import (
    BAD_FILES,
    DOUBTFUL,
    FIRST_NUMBER,
    NEWCOMER,
    REGULARS,
    TAKEN_OVER_TWICE,
    TWICE,
    WITHOUT_SCRIPT,
    event_file,
)

pytestmark = pytest.mark.browser
SignIn = Callable[..., Page]


def test_a_vega_file_dropped_on_the_page_becomes_ratings(sign_in: SignIn) -> None:
    amahle = sign_in("Amahle")
    browser_steps.register(amahle, "Yellowwood Masters")
    browser_steps.drop_file(amahle, "masters.trf", event_file("Vega", "Yellowwood Masters"))
    browser_steps.upload(amahle)
    browser_steps.go_to(amahle, "Findings")
    browser_steps.read_findings(amahle)
    browser_steps.go_to(amahle, "Details")
    browser_steps.fill_details(amahle, days=True)
    browser_steps.decide_players(amahle, "Vega")
    browser_steps.go_to(amahle, "Submit")
    browser_steps.submit(amahle)
    nomsa = sign_in("Nomsa")
    browser_steps.review(nomsa, "Yellowwood Masters")
    browser_steps.approve(nomsa)


def test_a_swiss_manager_file_becomes_a_published_list_that_anyone_can_recompute(
    sign_in: SignIn, visitors: Visitors
) -> None:
    amahle = sign_in("Amahle")
    visitors.look(amahle)
    browser_steps.register(amahle, "Jacaranda Masters")
    visitors.look(amahle)
    browser_steps.choose_file(amahle, "masters.txt", event_file("Swiss-Manager", "Jacaranda Masters"))
    browser_steps.upload(amahle)
    visitors.look(amahle)
    browser_steps.go_to(amahle, "Findings")
    browser_steps.read_findings(amahle)
    visitors.look(amahle)
    browser_steps.go_to(amahle, "Details")
    visitors.look(amahle)
    browser_steps.fill_details(amahle, days=False)
    visitors.look(amahle)
    browser_steps.decide_players(amahle, "Swiss-Manager")
    browser_steps.go_to(amahle, "Submit")
    visitors.look(amahle)
    browser_steps.submit(amahle)

    nomsa = sign_in("Nomsa")
    visitors.look(nomsa)
    browser_steps.review(nomsa, "Jacaranda Masters")
    visitors.look(nomsa)
    browser_steps.approve(nomsa)
    visitors.look(nomsa)
    nomsa.goto("/csa/desk/")
    day = browser_steps.prepare_list(nomsa)
    visitors.look(nomsa)
    browser_steps.publish(nomsa, day)
    visitors.look(nomsa)

    reader = visitors.enter(PHONE)
    shown = read_list(reader, day)
    list_page = reader.url
    open_working(reader, "Jacaranda Masters")
    check_against_replay(reader, list_page, shown)


def test_a_zip_of_two_sections_becomes_the_files_of_both(sign_in: SignIn, visitors: Visitors) -> None:
    amahle = sign_in("Amahle")
    browser_steps.register(amahle, "Marula Festival")
    amahle.get_by_role("navigation", name="You are here").get_by_role("link", name="Marula Festival").click()
    browser_steps.add_section(amahle, "B")
    visitors.look(amahle)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as files:
        for section, dialect in (("B", "Vega"), ("A", "Swiss-Manager")):
            name = f"Marula Festival {section}"
            files.writestr(f"Marula/{section}.trf", event_file(dialect, name))
    browser_steps.upload_archive(amahle, "marula.zip", packed.getvalue())
    visitors.look(amahle)
    browser_steps.share_out(amahle, "B", "A")
    visitors.look(amahle)


def read_list(reader: Page, day: date) -> dict[str, str]:
    """From the front page to the list of the day: number → rating, as shown."""
    browser_steps.open_list(reader, "Chess South Africa", day, "OTB Main")
    for surname, *_ in (*REGULARS, DOUBTFUL["Swiss-Manager"], NEWCOMER["Swiss-Manager"]):
        expect(browser_steps.main(reader).get_by_role("link", name=surname)).to_be_visible()
    return browser_steps.ratings_on(reader)


def open_working(reader: Page, event: str) -> None:
    """A player, a change opened into its steps, the clause of one, and the cross table of the event."""
    browser_steps.open_player(reader, "Naidoo", "OTB Main")
    browser_steps.open_working(reader, event)
    expect(
        browser_steps.main(reader).get_by_text("Its effect on the OTB Main rating of Naidoo, Priya")
    ).to_be_visible()
    working = reader.url
    browser_steps.open_clause(reader, "§37")
    reader.goto(working)
    reader.get_by_role("heading", level=1).get_by_role("link").click()
    table = browser_steps.main(reader).get_by_role("table", name="Cross table, A")
    expect(table.locator("tbody tr")).to_have_count(len(REGULARS) + 2)


def check_against_replay(reader: Page, list_page: str, shown: dict[str, str]) -> None:
    """The replay of the downloaded journal gives what the page shows and what each of its files says."""
    reader.goto("/csa/journal/")
    replayed = replay(browser_steps.save(reader, "Download the journal"))["ratings"]
    exact = {row["player"]: row["rating"] for row in replayed if row["track"] == "otb-main" and row["listed"]}
    reader.goto(list_page)
    filed = json.loads(browser_steps.save(reader, "JSON", exact=True))["players"]
    layout = in_chess_sa_layout(browser_steps.save(reader, "Chess SA’s layout"))
    assert shown == {player: rounded(rating, "0.1") for player, rating in exact.items()}
    whole = {player: rounded(rating, "1") for player, rating in exact.items()}  # §28: of what is downloaded
    assert {row["number"]: row["rating"] for row in filed} == whole
    assert layout == whole


def in_chess_sa_layout(archive: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        [name] = files.namelist()
        rows = csv.DictReader(io.StringIO(files.read(name).decode("utf-8-sig")))
        return {row["UNIQUE_NO"]: row["RATING"] for row in rows}


def rounded(rating: str, places: str) -> str:
    return str(Decimal(rating).quantize(Decimal(places), ROUND_HALF_UP))


def test_an_official_merges_two_entries_after_a_look_at_what_follows(
    sign_in: SignIn, visitors: Visitors
) -> None:
    nomsa = sign_in("Nomsa")
    stays, ends = (str(FIRST_NUMBER + len(REGULARS) + len(DOUBTFUL) + place) for place in range(len(TWICE)))
    nomsa.goto(f"/csa/players/{ends}/")
    browser_steps.follow(nomsa, "Merge with another entry")
    visitors.look(nomsa)
    browser_steps.follow(nomsa, "Maseko, Thulani")
    both = nomsa.get_by_role("region", name="The two entries")
    expect(both).to_contain_text(f"{ends}, which ends")
    expect(both).to_contain_text(f"{stays}, which stays")
    moved = nomsa.locator("details.moves").first.get_by_role("row").filter(has_text="Maseko, Thulani")
    expect(moved.filter(has_text=f"{TAKEN_OVER_TWICE}.0").first).to_be_visible(timeout=30_000)
    visitors.look(nomsa)
    nomsa.get_by_label("How do you know that they are one person?").fill("His club wrote to the office.")
    browser_steps.press(nomsa, "Merge the two entries")
    expect(browser_steps.main(nomsa).get_by_role("heading", level=1)).to_have_text("Maseko, Thulani")
    reader = visitors.enter(PHONE)
    reader.goto(f"/csa/players/{ends}/")
    expect(reader.get_by_role("heading", level=1)).to_have_text("Maseko, Thulani")
    assert reader.url.endswith(f"/players/{stays}/")


# ---------------------------------------------------------------- what goes wrong


def test_wrong_files_are_told_with_their_line_and_leave_nothing_behind(sign_in: SignIn) -> None:
    amahle = sign_in("Amahle")
    browser_steps.open_section(amahle, BAD_FILES)
    section = amahle.url
    before = amahle.request.get("/csa/journal.ndjson").body()
    good = event_file("TRF16", BAD_FILES)

    browser_steps.choose_file(amahle, "empty.trf", b"")
    browser_steps.press(amahle, "Upload the file")
    expect(browser_steps.main(amahle).get_by_text("The file is empty.").first).to_be_visible()
    browser_steps.choose_file(amahle, "letter.trf", b"Dear office, here is our tournament.\n")
    browser_steps.press(amahle, "Upload the file")
    expect(browser_steps.main(amahle).get_by_role("alert")).to_contain_text(
        "No format that is read here fits"
    )
    amahle.goto("/csa/desk/")
    row = browser_steps.main(amahle).get_by_role("row").filter(has_text=BAD_FILES)
    expect(row).to_contain_text("Registered")

    amahle.goto(section)
    browser_steps.choose_file(amahle, "cut.trf", good.rstrip()[:-4])
    assert_blocked(amahle, "seems cut off", line=len(good.splitlines()))
    amahle.goto(section)
    browser_steps.replace_file(amahle, "two-stories.trf", contradicting(good))
    assert_blocked(amahle, "The two results contradict each other", line=line_of(good, "Dlamini"))

    follow_discard(amahle, section)
    assert amahle.request.get("/csa/journal.ndjson").body() == before


def contradicting(data: bytes) -> bytes:
    """Number 2 says that they won the game that number 1 says to have won."""
    return data.replace(b"     1 b 0", b"     1 b 1", 1)


def line_of(data: bytes, words: str) -> int:
    return next(n for n, line in enumerate(data.decode().splitlines(), 1) if words in line)


def assert_blocked(amahle: Page, words: str, *, line: int) -> None:
    """Once it is read: the finding at its line; and no way on to the submission, not even by its address."""
    browser_steps.upload(amahle)
    browser_steps.go_to(amahle, "Findings")
    finding = browser_steps.main(amahle).get_by_role("listitem").filter(has_text=words)
    expect(finding.first).to_contain_text(f"line {line}")
    links = amahle.get_by_role("list", name="Steps").get_by_role("link")
    expect(links).to_have_text(["Upload", "Players"])
    amahle.goto(amahle.url.replace("/findings/", "/submit/"))
    expect(amahle.get_by_role("heading", name="Problems that prevent submission")).to_be_visible()
    expect(amahle.get_by_role("button", name="Submit the section")).to_have_count(0)


def follow_discard(amahle: Page, section: str) -> None:
    amahle.goto(section)
    browser_steps.follow(amahle, "Remove the file")
    browser_steps.press(amahle, "Remove the file")
    expect(amahle.get_by_role("heading", name="Upload the event file")).to_be_visible()


def test_without_script_a_file_is_filed_all_the_same(sign_in: SignIn, visitors: Visitors) -> None:
    amahle = sign_in("Amahle", java_script_enabled=False)
    browser_steps.open_section(amahle, WITHOUT_SCRIPT)
    browser_steps.choose_file(amahle, "empty.trf", b"")
    browser_steps.press(amahle, "Upload the file")
    expect(browser_steps.main(amahle).get_by_text("The file is empty.").first).to_be_visible()
    visitors.expect_refusals(400)
    browser_steps.choose_file(amahle, "aloe.trf", event_file("TRF16", WITHOUT_SCRIPT))
    browser_steps.press(amahle, "Upload the file")
    browser_steps.refresh_until_read(amahle)
    browser_steps.go_to(amahle, "Findings")
    browser_steps.read_findings(amahle)
    browser_steps.go_to(amahle, "Details")
    browser_steps.fill_details(amahle, days=True)
    browser_steps.decide_players(amahle, "TRF16")
    browser_steps.go_to(amahle, "Submit")
    browser_steps.submit(amahle)


# ---------------------------------------------------------------- every page, for everybody

PUBLIC = (
    "/",
    "/csa/",
    "/csa/lists/",
    "/csa/lists/2025-04/",
    "/csa/lists/2025-04/otb-main/",
    "/csa/players/",
    "/csa/players/?q=Naidoo",
    "/csa/players/101000002/",
    "/csa/events/",
    "/csa/events/2025-001/",
    "/csa/events/2025-001/A/",
    "/csa/events/2025-002/A/",
    "/csa/regulations/",
    "/csa/journal/",
    "/csa/check/",
    "/csa/about/",
    "/accounts/login/",
    "/accounts/password/reset/",
)
ADMINISTRATION = (
    "/csa/desk/",
    "/csa/people/",
    "/csa/people/appoint/",
    "/csa/settings/",
    "/csa/record/",
    "/accounts/password/change/",
)


def test_everybody_can_use_what_the_public_reads(visitors: Visitors) -> None:
    reader = visitors.enter()
    for address in PUBLIC:
        reader.goto(address)
        visitors.look(reader)
    reader.goto("/csa/players/101000002/")
    reader.goto(str(reader.locator("a[href*='/101000002/otb-main/']").first.get_attribute("href")))
    expect(browser_steps.main(reader).get_by_text("§").first).to_be_visible()
    visitors.look(reader)
    reader.goto("/csa/players/999999999/")
    expect(reader.get_by_role("heading", level=1)).to_be_visible()
    visitors.look(reader)
    visitors.expect_refusals(404)


WEIGHED = ("/", "/csa/", "/csa/players/101000002/", "/csa/lists/2025-04/otb-main/", "/csa/events/2025-001/A/")
MOST_BYTES = 60_000
"""Of a page with all that it needs but fonts, by a reader who comes for the first time."""
MOST_BYTES_OF_FONTS = 80_000
WEIGHT = """fonts => ["navigation", "resource"].flatMap(kind => performance.getEntriesByType(kind))
    .filter(entry => entry.name.endsWith(".woff2") === fonts)
    .reduce((sum, entry) => sum + entry.transferSize, 0)"""
SLOW = 6
"""Times that a phone's processor is slower, as Lighthouse has a cheap one."""
SHIFTS = """() => new Promise(done => {
    new PerformanceObserver(list => done(list.getEntries().reduce((sum, entry) => sum + entry.value, 0)))
        .observe({type: "layout-shift", buffered: true});
    setTimeout(() => done(0), 500);
})"""


@pytest.mark.nightly
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_what_readers_come_for_is_light_and_stands_still(visitors: Visitors, size: Size) -> None:
    for address in WEIGHED:
        reader = visitors.enter(size)
        # On a slow device a page is painted while it still comes in: what stands already shall not move.
        reader.context.new_cdp_session(reader).send("Emulation.setCPUThrottlingRate", {"rate": SLOW})
        reader.goto(address, wait_until="networkidle")
        assert 0 < reader.evaluate(WEIGHT, False) < MOST_BYTES, address
        assert 0 < reader.evaluate(WEIGHT, True) < MOST_BYTES_OF_FONTS, address
        # The columns of a table may still grow by a pixel as its rows come in.
        assert reader.evaluate(SHIFTS) < 0.01, address


def test_the_pages_letters_are_of_the_house_and_fetched_once_for_good(visitors: Visitors) -> None:
    reader = visitors.enter()
    fetched = []
    reader.on("response", lambda answer: fetched.append(answer) if ".woff2" in answer.url else None)
    reader.goto("/csa/", wait_until="networkidle")
    names = [PurePosixPath(answer.url).name.split(".")[0] for answer in fetched]
    assert sorted(names) == ["record-sans", "record-serif"]
    assert all("immutable" in answer.headers["cache-control"] for answer in fetched)
    reader.goto("/csa/players/", wait_until="networkidle")
    assert reader.evaluate("document.fonts.check('1rem \"Record Sans\"')")
    assert reader.evaluate(WEIGHT, True) == 0


def test_everybody_can_use_what_the_administrator_works_with(sign_in: SignIn, visitors: Visitors) -> None:
    thandi = sign_in("Thandi")
    for address in ADMINISTRATION:
        thandi.goto(address)
        visitors.look(thandi)
    thandi.goto("/csa/events/register/")
    visitors.look(thandi)
    visitors.expect_refusals(403)


def test_everybody_can_use_the_review_of_a_section_and_of_one_that_is_rated(
    sign_in: SignIn, visitors: Visitors
) -> None:
    nomsa = sign_in("Nomsa")
    for address in ("2025-001/A/review/", "2025-002/A/review/"):
        nomsa.goto(f"/csa/events/{address}")
        visitors.look(nomsa)
    nomsa.locator("details.moves:not([open]) > summary").first.click()
    nomsa.locator("details.moves a[href$='/otb-main/']").first.click()
    nomsa.wait_for_url("**/otb-main/")
    visitors.look(nomsa)
