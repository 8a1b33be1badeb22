"""What officials do: take, return, compare, approve, refuse, publish, correct, merge and part, decide.

Each function begins where its words say, and ends on the page that the last click opened.
"""

from __future__ import annotations

import re
from datetime import date

from playwright.sync_api import expect

from tests.spoken import beginning, in_any_number, say, whatever
from tests.walks.public_deeds import find_player, open_list
from tests.walks.worker import Words, Worker

ALLOWED = "The office knew of it and agreed."


def open_review(w: Worker, event: str) -> None:
    """From the desk: a section that awaits its review."""
    w.to_desk()
    w.follow(beginning("Awaiting review"))
    w.follow(re.compile(f"^{re.escape(event)}"), w.row(event))


def take(w: Worker) -> None:
    w.press(say("Take this section"))
    w.reads(whatever("%(who)s, since %(day)s."))


def hand_over(w: Worker, to: str) -> None:
    w.unfold(say("Hand it over"))
    w.fill(say("Official"), to)
    w.press(say("Hand over"))


def note_inside(w: Worker, words: str) -> None:
    fold = w.unfold(say("Note for the office alone"))
    w.fill(say("Words"), words, fold)
    w.press(say("Note"), fold)
    w.reads(words)


def return_with_remarks(w: Worker, reason: str, *remarks: tuple[Words, str, str]) -> None:
    """On the review: back to the region; each remark is about one thing of the file: what, which, words."""
    fold = w.unfold(say("Return to the region"))
    w.fill(say("Reason"), reason, fold)
    for number, (about, which, words) in enumerate(remarks, start=1):
        if number > 1:
            w.press(say("Add a remark"), fold)
        remark = fold.get_by_role("group", name=say("Remark")).nth(number - 1)
        w.choose(say("About"), about, remark)
        if which:
            w.fill(say("Which"), which, remark)
        w.fill(say("Words"), words, remark)
    w.press(say("Return"), fold)


def compare_filed_files(w: Worker) -> None:
    """On the review: what differs between the newest file and the one before."""
    w.follow(say("See what differs between the section’s files"))


def answer_hint(w: Worker, kind: str, words: str) -> None:
    """On the review: an odd thing that is right."""
    fold = w.unfold(re.compile(rf"{say('Answer')}\s*: {re.escape(say(kind))}"))
    w.fill(say("Your words"), words, fold)
    w.press(say("It is right"), fold)


def approve(w: Worker) -> None:
    """On the review: exceptions allowed with a reason, open hints left with a word, until all is computed."""
    for field in w.page.locator("#decide form").first.locator("textarea[required]").all():
        w.write(field, ALLOWED)
    _leave_hints(w)
    w.press(say("Approve and rate"))
    if w.page.url.endswith("/approve/"):  # hints that the worker found after the page had opened
        w.sight.visitors.expect_refusals(409)
        _leave_hints(w)
        w.press(say("Approve and rate"))
    w.reads(say("Rated; all effects are computed."))


def _leave_hints(w: Worker) -> None:
    if w.main.get_by_label(say("Why you approve although hints are open")).count():
        w.fill(say("Why you approve although hints are open"), ALLOWED)


def refuse(w: Worker, reason: str) -> None:
    fold = w.unfold(say("Refuse"), w.page.locator("#decide"))
    w.fill(say("Reason"), reason, fold)
    w.press(say("Refuse"), fold)


def open_refused(w: Worker, event: str) -> None:
    """From the desk: a section that was refused."""
    w.to_desk()
    w.follow(beginning("Refused", "several sections"))
    w.follow(re.compile(f"^{re.escape(event)}"), w.row(event))


def take_back(w: Worker) -> None:
    w.press(say("Take it back"))
    w.reads(say("Taken back: the section waits for review again."))


def open_appeal(w: Worker, event: str) -> None:
    """From the desk: a section against whose refusal its region appealed."""
    w.to_desk()
    w.follow(re.compile(f"^{re.escape(event)}"), w.region(beginning("Appeals to decide")))


def decide_appeal(w: Worker, words: str, *, upheld: bool) -> None:
    """On the review of a section against whose refusal the region appealed."""
    w.fill(say("Your words"), words)
    w.press(say("Uphold it") if upheld else say("Dismiss it"))


# ---------------------------------------------------------------- before play


def open_before_play(w: Worker, event: str) -> None:
    w.to_desk()
    w.follow(beginning("Before play"))
    w.follow(re.compile(re.escape(event)))


def ask_before_play(w: Worker, question: str) -> None:
    fold = w.unfold(say("Ask the region something"))
    w.fill(say("Question"), question, fold)
    w.press(say("Ask the region"), fold)


def admit_before_play(w: Worker) -> None:
    form = w.page.locator("form").filter(has=w.page.get_by_role("button", name=say("Admit as declared")))
    if form.locator("textarea").count():
        w.write(form.locator("textarea").first, ALLOWED)
    w.press(say("Admit as declared"))


def put_off(w: Worker, until: date, reason: str) -> None:
    fold = w.unfold(say("Put the decision off"))
    w.fill(say("Until"), until.isoformat(), fold)
    w.fill(say("Reason"), reason, fold)
    w.press(say("Put the decision off"), fold)


def open_put_off(w: Worker, event: str) -> None:
    """From the desk: a section whose decision was put off, before its day."""
    w.to_desk()
    w.follow(beginning("With the regions"))
    w.follow(re.compile(f"^{re.escape(event)}"), w.row(event))


def refuse_before_play(w: Worker, reason: str) -> None:
    fold = w.unfold(say("Refuse it before play"))
    w.fill(say("Reason"), reason, fold)
    w.press(say("Refuse it", "a section"), fold)


def answer_permission(w: Worker, event: str, clause: str, words: str, *, granted: bool) -> None:
    """From the desk: a permission that a region asked for."""
    w.to_desk()
    w.follow(re.compile(re.escape(event)), w.region(say("Permissions asked for")))
    asked = w.main.get_by_role("article").filter(has_text=f"§{clause}")
    w.fill(say("Your words"), words, asked)
    w.press(say("Grant it") if granted else say("Refuse it"), asked)
    w.reads(whatever("Granted on %(day)s." if granted else "Refused on %(day)s."), asked)


# ---------------------------------------------------------------- lists


def publish_list(w: Worker, note: str) -> date:
    """From the desk: today's list, with a note; its day."""
    w.to_desk()
    w.follow(say("Publish a list"))
    if not w.page.locator("form.confirm").count():  # today is no regular day
        w.press(say("Preview this day's list"))
    day = date.fromisoformat(w.page.locator("form.confirm [name=on]").input_value())
    w.fill(say("Note to the list"), note)
    w.fill(say("Type the day of the list"), day.isoformat())
    w.press(say("Publish the list"))
    w.reads(say("Published. Everybody can read it now."))
    return day


def revise_list(w: Worker, day: date, track: str, note: str) -> None:
    """From the public list: a new version after an erratum."""
    open_list(w, day, track)
    w.follow(say("Publish it again"))
    w.fill(say("Note to the list"), note)
    w.fill(say("Type the day of the list"), day.isoformat())
    w.press(say("Publish it again"))
    w.reads(say("Published. Everybody can read it now."))


# ---------------------------------------------------------------- corrections


def correct_result(w: Worker, pair: tuple[str, str], result: str) -> None:
    """On the review: one game's result is chosen, and what follows is shown."""
    w.follow(say("Correct a result, a pairing, a place or a day"))
    one, other = map(re.escape, pair)
    w.choose(say("Game"), re.compile(f"{one}.*{other}|{other}.*{one}"))
    w.fill(say("Its result"), result)
    w.press(say("Show what this corrects"))


def swap_places(w: Worker, first: str, second: str) -> None:
    """On the review: two final places were confused."""
    w.follow(say("Correct a result, a pairing, a place or a day"))
    for number, surname in ((2, first), (1, second)):
        if w.main.get_by_text(say("Correct something more")).count():
            w.unfold(say("Correct something more"))
        w.choose(say("Player"), surname)
        w.fill(say("Final place"), str(number))
        w.press(say("Show what this corrects"))


def confirm_correction(w: Worker, words: str, listed: str) -> None:
    """The correction as shown, with code, words, and what the regulation wants confirmed: of a section that a
    list has `listed`, if that is not empty, and nothing else.
    """
    form = w.page.locator("form#approve")
    own = form.locator("[name=after_list]")
    expect(own).to_have_count(1 if listed else 0)
    if listed:
        expect(form.get_by_role("checkbox", name=say(listed))).to_be_visible()
    if form.get_by_label(say("What was wrong")).count():
        w.fill(say("What was wrong"), "result", form)
    w.write(form.locator("textarea").first, words)
    for tick in own.all():
        w.check(tick)
    for field in w.page.locator("textarea[required]").all():
        if not field.input_value():
            w.write(field, ALLOWED)
    w.press(beginning("Correct"), form)


def confirm_of_submitted(w: Worker, reason: str) -> None:
    """The correction of a section that waits for review, as shown."""
    w.fill(say("Reason"), reason)
    w.press(say("Correct"))


def withhold_name(w: Worker, reason: str) -> None:
    """On the page of a player who asked not to be named."""
    w.follow(say("Correct this entry"))
    w.tick(say("Withheld: asked not to be named"))
    w.fill(say("Why is it corrected?"), reason)
    w.press(say("See the changes"))
    w.press(say("Correct the entry"))


def rename_player(w: Worker, surname: str, new: str, reason: str, proof: str) -> None:
    find_player(w, surname)
    w.follow(say("Correct this entry"))
    w.fill(say("Surname"), new)
    w.fill(say("Why is it corrected?"), reason)
    w.fill(say("What proves it?"), proof)
    w.press(say("See the changes"))
    w.press(say("Correct the entry"))


def merge_doubles(w: Worker, name: str, ground: str) -> None:
    """From the players' page: the likely doubles of that name."""
    w.in_office(say("Players"))
    w.follow(say("Likely doubles"))
    w.follow(beginning("Compare and merge"), w.region(re.compile(re.escape(name))))
    w.fill(say("How do you know that they are one person?"), ground)
    w.press(say("Merge the two entries"))


def part_entries(w: Worker, ended: str, ground: str) -> None:
    """On the page of the entry that stayed: two persons after all; what was filed since stays with it."""
    w.follow(say("Separate from %(number)s", number=ended))
    for question in w.main.get_by_role("group").filter(has=w.page.get_by_role("radio")).all():
        w.check(question.get_by_role("radio").first)
    w.write(w.main.locator("form.confirm textarea").first, ground)
    w.press(say("Separate the two entries"))


# ---------------------------------------------------------------- cases, transfers, ranks


def close_case(w: Worker, event: str, outcome: str, words: str) -> None:
    w.to_desk()
    w.follow(say("All reports of mistakes"))
    w.follow(whatever("Case %(number)s"))
    w.reads(re.compile(re.escape(event)))
    w.pick(say(outcome))
    w.fill(say("Words with the outcome"), words)
    w.press(say("Close the case"))
    w.reads(whatever("Closed on %(day)s: %(outcome)s."))


def grant_transfer(w: Worker, surname: str, day: date, words: str) -> None:
    w.in_office(say("Players"))
    w.follow(say("Transfers"))
    w.follow(beginning("Decide"), w.main.get_by_role("listitem").filter(has_text=surname))
    w.pick(say("Grant it"))
    w.fill(say("From which day?"), day.isoformat())
    w.fill(say("Words to both regions"), words)
    w.press(say("Decide"))
    w.reads(say("The transfer is decided."))


def confirm_ranks(w: Worker) -> str:
    """From the desk, by what waits: the first rank proposed; whose it is."""
    w.to_desk()
    one, many = "%(number)s rank waits to be confirmed.", "%(number)s ranks wait to be confirmed."
    w.follow(in_any_number(one, many))
    row = w.main.get_by_role("row").filter(has=w.page.get_by_role("link", name=say("Confirm"))).first
    name = row.get_by_role("link").first.inner_text()
    w.follow(beginning("Confirm"), row)
    w.press(say("Confirm the rank"))
    return name


def read_record(w: Worker) -> None:
    w.to_desk()
    w.follow(say("Read the record"))
    expect(w.page.get_by_role("heading", level=1)).to_have_text(say("The record"))
