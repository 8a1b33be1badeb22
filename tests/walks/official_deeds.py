"""What officials do: take, return, compare, approve, refuse, publish, correct, merge and part, decide.

Each function begins where its words say, and ends on the page that the last click opened.
"""

from __future__ import annotations

import re
from datetime import date

from playwright.sync_api import expect

from tests.walks.public_deeds import find_player
from tests.walks.worker import Worker

ALLOWED = "The office knew of it and agreed."


def open_review(w: Worker, event: str) -> None:
    """From the desk: a section that awaits its review."""
    w.to_desk()
    w.follow(re.compile("^Awaiting review"))
    w.follow(re.compile(f"^{re.escape(event)}"), w.row(event))


def take(w: Worker) -> None:
    w.press("I am on it")
    w.reads(re.compile("since"))


def hand_over(w: Worker, to: str) -> None:
    w.unfold("Hand it over")
    w.fill("Official", to)
    w.press("Hand over")


def note_inside(w: Worker, words: str) -> None:
    fold = w.unfold("Note for the office alone")
    w.fill("Words", words, fold)
    w.press("Note", fold)
    w.reads(words)


def return_with_remarks(w: Worker, reason: str, *remarks: tuple[str, str, str]) -> None:
    """On the review: back to the region; each remark is about one thing of the file: what, which, words."""
    fold = w.unfold("Return to the region")
    w.fill("Reason", reason, fold)
    for number, (about, which, words) in enumerate(remarks, start=1):
        remark = fold.get_by_role("group", name=f"Remark {number}")
        w.choose("About", about, remark)
        if which:
            w.fill("Which", which, remark)
        w.fill("Words", words, remark)
    w.press("Return", fold)


def compare_files(w: Worker) -> None:
    """On the review: what differs between the newest file and the one before."""
    w.follow("See what differs between the section’s files")


def answer_hint(w: Worker, kind: str, words: str) -> None:
    """On the review: an odd thing that is right."""
    fold = w.unfold(re.compile(rf"Answer\s*: {re.escape(kind)}"))
    w.fill("Your words", words, fold)
    w.press("It is right", fold)


def approve(w: Worker) -> None:
    """On the review: exceptions allowed with a reason, open hints left with a word, until all is computed."""
    for field in w.page.locator("#decide form").first.locator("textarea[required]").all():
        w.write(field, ALLOWED)
    _leave_hints(w)
    w.press("Approve and rate")
    if w.page.url.endswith("/approve/"):  # hints that the worker found after the page had opened
        w.sight.visitors.expect_refusals(409)
        _leave_hints(w)
        w.press("Approve and rate")
    w.reads("all effects are computed")


def _leave_hints(w: Worker) -> None:
    if w.main.get_by_label("Why you approve although hints are open").count():
        w.fill("Why you approve although hints are open", ALLOWED)


def refuse(w: Worker, reason: str) -> None:
    fold = w.unfold("Refuse", w.page.locator("#decide"))
    w.fill("Reason", reason, fold)
    w.press("Refuse", fold)


def open_refused(w: Worker, event: str) -> None:
    """From the desk: a section that was refused."""
    w.to_desk()
    w.follow(re.compile("^Refused"))
    w.follow(re.compile(f"^{re.escape(event)}"), w.row(event))


def take_back(w: Worker) -> None:
    w.press("Take it back")
    w.reads("the section waits for review again")


def open_appeal(w: Worker, event: str) -> None:
    """From the desk: a section against whose refusal its region appealed."""
    w.to_desk()
    w.follow(re.compile(f"^{re.escape(event)}"), w.region(re.compile("^Appeals to decide")))


def decide_appeal(w: Worker, words: str, *, upheld: bool) -> None:
    """On the review of a section against whose refusal the region appealed."""
    w.fill("Your words", words)
    w.press("Uphold it" if upheld else "Dismiss it")


# ---------------------------------------------------------------- before play


def open_before_play(w: Worker, event: str) -> None:
    w.to_desk()
    w.follow(re.compile("^Before play"))
    w.follow(re.compile(re.escape(event)))


def ask_before_play(w: Worker, question: str) -> None:
    fold = w.unfold("Ask the region something")
    w.fill("Question", question, fold)
    w.press("Ask the region", fold)


def admit_before_play(w: Worker) -> None:
    form = w.page.locator("form").filter(has=w.page.get_by_role("button", name="Admit as declared"))
    if form.locator("textarea").count():
        w.write(form.locator("textarea").first, ALLOWED)
    w.press("Admit as declared")


def put_off(w: Worker, until: date, reason: str) -> None:
    fold = w.unfold("Put the decision off")
    w.fill("Until", until.isoformat(), fold)
    w.fill("Reason", reason, fold)
    w.press("Put the decision off", fold)


def open_put_off(w: Worker, event: str) -> None:
    """From the desk: a section whose decision was put off, before its day."""
    w.to_desk()
    w.follow(re.compile("^With the regions"))
    w.follow(re.compile(f"^{re.escape(event)}"), w.row(event))


def refuse_before_play(w: Worker, reason: str) -> None:
    fold = w.unfold("Refuse it before play")
    w.fill("Reason", reason, fold)
    w.press("Refuse it", fold)


def answer_permission(w: Worker, event: str, clause: str, words: str, *, granted: bool) -> None:
    """From the desk: a permission that a region asked for."""
    w.to_desk()
    w.follow(re.compile(re.escape(event)), w.region("Permissions asked for"))
    asked = w.main.get_by_role("article").filter(has_text=f"§{clause}")
    w.fill("Your words", words, asked)
    w.press("Grant it" if granted else "Refuse it", asked)
    w.reads("Granted on" if granted else "Refused on", asked)


# ---------------------------------------------------------------- lists


def publish_list(w: Worker, note: str) -> date:
    """From the desk: today's list, with a note; its day."""
    w.to_desk()
    w.follow("Publish a list")
    day = date.fromisoformat(w.page.locator("form.confirm [name=on]").input_value())
    w.fill("Note to the list", note)
    w.fill("Type the day of the list", day.isoformat())
    w.press("Publish the list")
    w.reads("Everybody can read it now.")
    return day


def revise_list(w: Worker, day: date, track: str, note: str) -> None:
    """From the public list: a new version after an erratum."""
    w.in_office("Ratings")
    w.follow(re.compile(f"{day:%-d %B}"))
    w.follow(track)
    w.follow("Publish it again")
    w.fill("Note to the list", note)
    w.fill("Type the day of the list", day.isoformat())
    w.press("Publish it again")
    w.reads("Everybody can read it now.")


# ---------------------------------------------------------------- corrections


def correct_result(w: Worker, pair: tuple[str, str], result: str) -> None:
    """On the review: one game's result is chosen, and what follows is shown."""
    w.follow("Correct a result, a pairing, a place or a day")
    one, other = map(re.escape, pair)
    w.choose("Game", re.compile(f"{one}.*{other}|{other}.*{one}"))
    w.fill("Its result", result)
    w.press("Show what this corrects")


def swap_places(w: Worker, first: str, second: str) -> None:
    """On the review: two final places were confused."""
    w.follow("Correct a result, a pairing, a place or a day")
    for number, surname in ((2, first), (1, second)):
        if w.main.get_by_text("Correct something more").count():
            w.unfold("Correct something more")
        w.choose("Player", surname)
        w.fill("Final place", str(number))
        w.press("Show what this corrects")


def confirm_correction(w: Worker, words: str, listed: str) -> None:
    """The correction as shown, with code, words, and what the regulation wants confirmed: of a section that a
    list has `listed`, if that is not empty, and nothing else.
    """
    form = w.page.locator("form#approve")
    expect(form.get_by_role("checkbox")).to_have_count(1 if listed else 0)
    if listed:
        expect(form.get_by_role("checkbox", name=listed)).to_be_visible()
    if form.get_by_label("What was wrong").count():
        w.fill("What was wrong", "result", form)
    w.write(form.locator("textarea").first, words)
    for tick in form.get_by_role("checkbox").all():
        w.check(tick)
    for field in w.page.locator("textarea[required]").all():
        if not field.input_value():
            w.write(field, ALLOWED)
    w.press(re.compile("^Correct"), form)


def confirm_of_submitted(w: Worker, reason: str) -> None:
    """The correction of a section that waits for review, as shown."""
    w.fill("Reason", reason)
    w.press("Correct")


def withhold_name(w: Worker, reason: str) -> None:
    """On the page of a player who asked not to be named."""
    w.follow("Correct this entry")
    w.tick(re.compile("asked not to be named"))
    w.fill("Why is it corrected?", reason)
    w.press("See the changes")
    w.press("Correct the entry")


def rename_player(w: Worker, surname: str, new: str, reason: str, proof: str) -> None:
    find_player(w, surname)
    w.follow("Correct this entry")
    w.fill("Surname", new)
    w.fill("Why is it corrected?", reason)
    w.fill("What proves it?", proof)
    w.press("See the changes")
    w.press("Correct the entry")


def merge_doubles(w: Worker, name: str, ground: str) -> None:
    """From the players' page: the likely doubles of that name."""
    w.in_office("Players")
    w.follow("Likely doubles")
    w.follow(re.compile("^Compare and merge"), w.region(re.compile(re.escape(name))))
    w.fill("How do you know that they are one person?", ground)
    w.press("Merge the two entries")


def part_entries(w: Worker, ended: str, ground: str) -> None:
    """On the page of the entry that stayed: two persons after all; what was filed since stays with it."""
    w.follow(f"Separate from {ended}")
    for question in w.main.get_by_role("group").filter(has=w.page.get_by_role("radio")).all():
        w.check(question.get_by_role("radio").first)
    w.write(w.main.locator("form.confirm textarea").first, ground)
    w.press("Separate the two entries")


# ---------------------------------------------------------------- cases, transfers, ranks


def close_case(w: Worker, event: str, outcome: str, words: str) -> None:
    w.to_desk()
    w.follow("All reports of mistakes")
    w.follow(re.compile("^Case"))
    w.reads(re.compile(re.escape(event)))
    w.pick(outcome)
    w.fill("Words with the outcome", words)
    w.press("Close the case")
    w.reads("Closed on")


def grant_transfer(w: Worker, surname: str, day: date, words: str) -> None:
    w.in_office("Players")
    w.follow("Transfers")
    w.follow(re.compile("^Decide"), w.main.get_by_role("listitem").filter(has_text=surname))
    w.pick("Grant it")
    w.fill("From which day?", day.isoformat())
    w.fill("Words to both regions", words)
    w.press("Decide")
    w.reads("The transfer is decided.")


def confirm_ranks(w: Worker) -> str:
    """From the desk, by what waits: the first rank proposed; whose it is."""
    w.to_desk()
    w.follow(re.compile("rank.* wait"))
    row = w.main.get_by_role("row").filter(has=w.page.get_by_role("link", name="Confirm")).first
    name = row.get_by_role("link").first.inner_text()
    w.follow(re.compile("^Confirm"), row)
    w.press("Confirm the rank")
    return name


def read_record(w: Worker) -> None:
    w.to_desk()
    w.follow("Read the record")
    expect(w.page.get_by_role("heading", level=1)).to_have_text("The record")
