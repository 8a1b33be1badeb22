"""What people do in the office, step by step. Each function begins on the page that its words name."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from playwright.sync_api import Locator, Page, expect

from players.templatetags.ui import day_and_month
from tests.browser_office import DOUBTFUL, FIRST_DAY, LAST_DAY, NEWCOMER, REGULARS, ROUNDS, TODAY, round_day
from tests.spoken import beginning, say, say_count, say_day, say_name


def main(page: Page) -> Locator:
    return page.get_by_role("main")


def press(page: Page, words: str) -> None:
    main(page).get_by_role("button", name=words, exact=True).click()


def follow(page: Page, words: str | re.Pattern[str]) -> None:
    main(page).get_by_role("link", name=words, exact=isinstance(words, str)).first.click()


def go_to(page: Page, step: str) -> None:
    """By the list of steps above."""
    page.get_by_role("list", name=say("Steps")).get_by_role("link", name=say(step)).click()
    page.wait_for_url(f"**/{step.lower()}/")


# ---------------------------------------------------------------- the region


def register(page: Page, name: str) -> None:
    """From the desk: an event of one section, and on to where its file is uploaded."""
    follow(page, say("Register an event"))
    page.get_by_label(say("Name of the event")).fill(name)
    page.get_by_label(say("First day"), exact=True).fill(FIRST_DAY.isoformat())
    page.get_by_label(say("Last day"), exact=True).fill(LAST_DAY.isoformat())
    section = page.get_by_role("group", name=say("Sections"))
    section.get_by_label(say("Name of the section")).fill("A")
    section.get_by_label(say("Format")).select_option(say("Round robin"))
    section.get_by_label(say("Minutes")).first.fill("90")
    section.get_by_label(say("Seconds a move")).first.fill("30")
    section.get_by_label(say("Played"), exact=True).select_option(say("Over the board"))
    press(page, say("Register the event", "what a button does"))
    page.wait_for_url("**/A/file/")


def open_section(page: Page, event: str) -> None:
    """From the desk: where the file of a registered section is uploaded."""
    main(page).get_by_role("row").filter(has_text=event).get_by_role(
        "link", name=say("Upload the file")
    ).click()
    page.wait_for_url("**/file/")


def choose_file(page: Page, name: str, data: bytes) -> None:
    file: Any = {"name": name, "mimeType": "text/plain", "buffer": data}
    page.locator("input[type=file]").set_input_files(file)


def drop_file(page: Page, name: str, data: bytes) -> None:
    """As by hand: the file is dragged over the zone and let go."""
    make = """([name, text]) => {
        const carried = new DataTransfer();
        carried.items.add(new File([new TextEncoder().encode(text)], name, {type: "text/plain"}));
        return carried;
    }"""
    carried = page.evaluate_handle(make, [name, data.decode()])
    zone = page.locator("[data-drop]")
    zone.dispatch_event("dragover", {"dataTransfer": carried})
    zone.dispatch_event("drop", {"dataTransfer": carried})
    expect(zone.get_by_text(name)).to_be_visible()


def upload(page: Page) -> None:
    """The worker reads the chosen file while the page shows how far it is."""
    press(page, say("Upload the file"))
    expect(page.get_by_role("heading", name=say("Your file is being read"))).to_be_visible()
    expect(main(page).get_by_role("progressbar")).to_be_visible()
    expect(page.get_by_role("heading", name=say("The file"), exact=True)).to_be_visible()


def add_section(page: Page, name: str) -> None:
    """From an event's page: a section played as section A."""
    main(page).get_by_text(say("Add a section")).first.click()
    page.get_by_label(say("Name of the section")).fill(name)
    page.get_by_label(say("Format")).select_option(say("Round robin"))
    page.get_by_label(say("Minutes")).first.fill("90")
    page.get_by_label(say("Seconds a move")).first.fill("30")
    page.get_by_label(say("Played"), exact=True).select_option(say("Over the board"))
    press(page, say("Add to the event"))
    expect(main(page).get_by_role("row", name=re.compile(f"^{name} "))).to_be_visible()


def upload_archive(page: Page, name: str, data: bytes) -> None:
    """From an event's page: a ZIP of several sections, till it is known what is in it."""
    main(page).get_by_text(say("Several sections in one ZIP")).click()
    choose_file(page, name, data)
    press(page, say("Upload the archive"))
    expect(page.get_by_role("heading", name=say("Which section has which file?"))).to_be_visible()


def share_out(page: Page, *sections: str) -> None:
    """What is proposed is right, and so each file is read for its section."""
    expect(page.get_by_label(say("It belongs to")).locator("option:checked")).to_have_text(list(sections))
    press(page, say("File them like this"))
    filed = page.get_by_role("region", name=say("Filed"))
    expect(filed.get_by_role("link", name=say("Go on"))).to_have_count(len(sections))


def replace_file(page: Page, name: str, data: bytes) -> None:
    """A corrected file in the place of one that was read."""
    main(page).get_by_text(say("Upload a corrected file")).click()
    choose_file(page, name, data)


def refresh_until_read(page: Page) -> None:
    """What a page without script asks of a person."""
    while not page.get_by_role("heading", name=say("The file"), exact=True).is_visible():
        follow(page, say("Refresh"))


def read_findings(page: Page) -> None:
    """A remark with the line of the file that it speaks of, and the questions."""
    remark = main(page).get_by_role("listitem").filter(has_text="Start number 10: the file says")
    expect(remark).to_contain_text(re.compile(r"line \d+"))
    expect(remark.locator("mark")).to_be_visible()
    expect(main(page).get_by_text("Forfeits: 1")).to_be_visible()


def fill_details(page: Page, *, days: bool) -> None:
    """What the file cannot say: the organiser, who gave notice, and the `days` of the rounds."""
    page.get_by_label(say("Chief organiser")).fill("Gugu Radebe, Gauteng")
    if days:
        for number in range(1, ROUNDS + 1):
            page.get_by_label(f"Round {number}", exact=True).fill(round_day(number).isoformat())
    page.get_by_role("group", name=say("Games lost by forfeit")).get_by_role("checkbox").check()
    press(page, say("Save and check again"))
    page.wait_for_url("**/players/")


def answer(place: Locator, label: str, value: str) -> None:
    """A field or a choice, whatever stands behind its label (`optional`)."""
    field = place.get_by_label(re.compile(rf"^{re.escape(label)}(\s|$)"))
    if field.evaluate("field => field.tagName") == "SELECT":
        field.select_option(value)
    else:
        field.fill(value)


def keep_details(page: Page, day: date) -> None:
    """The organiser, and the `day` of every round that has none yet."""
    page.get_by_label(say("Chief organiser")).fill("The club itself")
    for field in page.locator("#round-dates input").all():
        field.fill(day.isoformat())
    press(page, say("Save and check again"))
    page.wait_for_url("**/players/")


def give_reasons(place: Locator) -> None:
    """Whatever may be allowed with a reason is asked for."""
    for field in place.locator("textarea[required]").all():
        field.fill("The office knew of it and agreed.")


def decide_players(page: Page, dialect: str) -> None:
    """Who was born in another year is the one of the register all the same; whom it does not know is new.
    Both are saved together.
    """
    surname, first_name, *_ = DOUBTFUL[dialect]
    choose_doubtful(page, f"{surname}, {first_name}")
    expect(main(page).get_by_role("checkbox", name=NEWCOMER[dialect][0])).to_be_checked()
    enter_new(page, len(REGULARS) + 2)


def choose_doubtful(page: Page, name: str) -> None:
    card = page.get_by_role("article").filter(has_text=name.partition(",")[0])
    card.get_by_role("radio", name=name).check()


def all_known(players: int) -> str:
    """What the page says when the office knows everybody of a file."""
    return say_count("The player is known.", "All %(total)s players are known.", players, total=players)


def enter_new(page: Page, players: int) -> None:
    """Everybody ticked; then all are known."""
    press(page, say("Save these decisions"))
    expect(main(page).get_by_text(all_known(players))).to_be_visible()


def submit(page: Page) -> None:
    """With the word that what was adjusted is right, where anything was."""
    for tick in main(page).get_by_label(say("I have checked the adjustments, and they are correct.")).all():
        tick.check()
    press(page, say("Submit the section"))
    expect(main(page).get_by_text(say("Submitted on %(day)s.", day=say_day(TODAY)))).to_be_visible()


# ---------------------------------------------------------------- the office


def review(page: Page, name: str) -> None:
    """From the desk: every rating that would move, in every track that the section moves."""
    follow(page, re.compile(f"^{name}"))
    page.wait_for_url("**/review/")
    ahead = open_all_ratings(page)
    for track in ("OTB Main", "OTB Standard"):
        table = ahead.filter(has=page.get_by_role("heading", name=track))
        expect(table.locator("tbody tr")).to_have_count(len(REGULARS) + 2)


def open_all_ratings(page: Page) -> Locator:
    """On the review: the folds of all ratings that would move, a track each."""
    ahead = page.get_by_role("region", name=say("Rating changes if you approve"))
    ahead.get_by_text(say("All ratings, the next list, sections rated again")).first.click()
    return ahead.locator(".effects > details")


def admit_before_play(page: Page, event: str) -> None:
    """From the desk: the first decision, on what is declared."""
    page.reload()
    follow(page, beginning("Before play"))
    follow(page, re.compile(event))
    admitting = page.get_by_role("button", name=say("Admit as declared"))
    give_reasons(page.locator("form").filter(has=admitting))
    admitting.click()
    page.wait_for_url("**/desk/")


def approve(page: Page) -> None:
    """The page shows the recompute until it is finished. Hints are left open with a word, those too that the
    worker found only after the page had opened.
    """
    word = page.get_by_label(say("Why you approve although hints are open"))
    if word.count():
        word.fill("A section of a test.")
    press(page, say("Approve and rate"))
    page.wait_for_url(re.compile("/(outcome|approve)/$"))
    if page.url.endswith("/approve/"):
        word.fill("A section of a test.")
        press(page, say("Approve and rate"))
    page.wait_for_url("**/outcome/")
    expect(main(page).get_by_text(say("Rated; all effects are computed."))).to_be_visible()


def prepare_list(page: Page) -> date:
    """From the desk: what today's list would say."""
    follow(page, say("Publish a list"))
    if not page.locator("form.confirm").count():  # today is no regular day
        press(page, say("Preview this day's list"))
    expect(page.get_by_role("heading", name=say("Publish it?"))).to_be_visible()
    return date.fromisoformat(page.locator("form.confirm [name=on]").input_value())


def publish(page: Page, day: date) -> None:
    page.get_by_label(say("Type the day of the list")).fill(day.isoformat())
    press(page, say("Publish the list"))
    page.wait_for_url(re.compile(rf"/lists/publish/{day}/"))
    expect(main(page).get_by_text(say("Published. Everybody can read it now."))).to_be_visible()


# ---------------------------------------------------------------- the public


def open_list(page: Page, office: str, day: date, track: str) -> None:
    """From the front page to the list of a day."""
    page.goto("/")
    follow(page, re.compile(re.escape(say_name(office))))
    page.get_by_role("navigation", name=say("Office")).get_by_role(
        "link", name=say("Ratings"), exact=True
    ).click()
    follow(page, say("All days"))
    main(page).get_by_role("link", name=day_and_month(day)).first.click()
    follow(page, say_name(track))
    expect(page.get_by_role("heading", level=1)).to_have_text(say_name(track))


def open_player(page: Page, surname: str, track: str) -> None:
    """From the list to one of a player's ratings."""
    follow(page, re.compile(surname))
    others = page.get_by_text(say("All ratings of this player"))
    if others.count():
        others.click()
        follow(page, say_name(track))


def open_working(page: Page, event: str) -> None:
    """From the player to how that event moved the rating."""
    changes = page.get_by_role("region", name=say("Changes, newest month first")).get_by_role("row")
    opened = changes.filter(has_text=event).filter(has=page.locator("summary")).first
    opened.locator("summary").first.click()
    opened.get_by_role("link", name=say("The whole working")).click()
    page.wait_for_url(re.compile(r"/\d+/$"))


def open_clause(page: Page, clause: str = "") -> None:
    """The clause of a step opens into what it says, and leads to its place in the regulations."""
    chip = page.locator(".steps details").filter(has_text=clause).first
    chip.locator("summary").click()
    chip.get_by_role("link", name=say("In the regulations")).click()
    place = page.url.partition("#")[2]
    expect(page.locator(f'[id="{place}"]')).to_be_in_viewport()


def save(page: Page, words: str, *, exact: bool = False) -> bytes:
    """What a link on the page downloads; `exact`: the link's whole name."""
    with page.expect_download() as coming:
        main(page).get_by_role("link", name=words, exact=exact).click()
    return coming.value.path().read_bytes()


def ratings_on(page: Page) -> dict[str, str]:
    """Player's number → rating, as the list shows it."""
    rows = page.locator("tr[id^=p]").all()
    return {
        (row.get_attribute("id") or "").removeprefix("p"): row.locator("td.num").nth(1).inner_text()
        for row in rows
    }
