"""What a region does: registers, changes and files its events, answers the office, appeals.

Each function begins where its words say, and ends on the page that the last click opened.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from playwright.sync_api import expect

from tests.browser_federations import DOUBTFUL, Walk
from tests.browser_office import TODAY
from tests.browser_steps import all_known
from tests.spoken import beginning, in_any_number, say, say_day, say_name, whatever
from tests.walks.public_deeds import find_player
from tests.walks.worker import Effort, Words, Worker

# ---------------------------------------------------------------- events


def register_event(w: Worker, walk: Walk, starts: date, ends: date, **otherwise: str) -> None:
    """From the desk, with what the regulation asks; `otherwise`: other answers than usual, by label."""
    w.to_desk()
    w.follow(say("Register an event"))
    describe_event(w, walk, starts, ends, **otherwise)


def describe_event(w: Worker, walk: Walk, starts: date, ends: date, **otherwise: str) -> None:
    """In the form for a new event of one section."""
    w.fill(say("Name of the event"), walk.event)
    w.fill(say("First day"), starts.isoformat())
    w.fill(say("Last day"), ends.isoformat())
    section = w.page.get_by_role("group", name=say("Sections"))
    w.fill(say("Name of the section"), "A", section)
    w.fill(say("Format"), say(walk.format), section)
    w.fill(say("Scheduled rounds"), "7", section)
    answers = {say(label): say_name(value) for label, value in {**walk.declared, **otherwise}.items()}
    for label, value in answers.items():
        w.fill(label, value, section)
    w.press(say("Register the event", "what a button does"))
    expect(w.page.get_by_role("heading", level=1)).to_contain_text(walk.event)


def rename_event(w: Worker, name: str) -> None:
    """On the event's page: a name that was misspelt."""
    w.follow(say("Name, place, days and people"))
    w.fill(say("Name of the event"), name)
    w.fill(say("Why it changes"), "The name was misspelt.")
    w.press(say("Save"))
    expect(w.page.get_by_role("heading", level=1)).to_have_text(name)


def postpone_event(w: Worker, starts: date, ends: date, reason: str) -> None:
    w.follow(say("Postpone it"))
    w.fill(say("New first day"), starts.isoformat())
    w.fill(say("New last day"), ends.isoformat())
    w.fill(say("Reason"), reason)
    w.press(say("Postpone"))
    w.reads(whatever("%(name)s is postponed."))


def cancel_event(w: Worker, reason: str) -> None:
    w.follow(say("Cancel it"))
    w.fill(say("Reason"), reason)
    w.press(say("Cancel it"))
    w.reads(whatever("%(name)s is cancelled."))


def withdraw_section(w: Worker, name: str, reason: str) -> None:
    """On the event's page: a section that was registered by mistake."""
    change = w.unfold(say("Change", "verb"), w.row(f"/{name}"))
    w.follow(say("Withdraw it"), change)
    w.fill(say("Reason"), reason)
    w.press(say("Withdraw it"))
    w.reads(whatever("%(name)s is withdrawn."))


def register_again(w: Worker, starts: date, ends: date) -> None:
    """On the page of an event of before: the same once more, with all its sections."""
    w.follow(say("Register it again for next year"))
    w.fill(say("First day"), starts.isoformat())
    w.fill(say("Last day"), ends.isoformat())
    w.press(say("Register the event", "what a button does"))


def open_event(w: Worker, name: str) -> None:
    """From anywhere, by the public calendar: the page where the event is managed."""
    w.in_office(say("Events"))
    w.follow(name)
    w.follow(say("Manage this event"))


def ask_permission(w: Worker, clause: str, reason: str) -> None:
    """On the event's page: the office is asked to permit what the regulation leaves to it."""
    w.follow(say("Days and permissions"))
    w.unfold(say("Ask for a permission"))
    w.choose(say("What the office should permit"), f"§{clause}")
    w.fill(say("Reason"), reason)
    w.press(say("Ask the office"))
    w.reads(say("The office has not answered yet."))


def answer_before_play(w: Worker, question: str, answer: str) -> None:
    """From the desk: the question that the office asked."""
    w.to_desk()
    w.follow(say("Answer the office’s question"))
    w.reads(question)
    w.fill(say("Your answer"), answer)
    w.press(say("Answer"))


# ---------------------------------------------------------------- files


def start_filing(w: Worker, event: str) -> None:
    """From the desk: where the file of a registered section is uploaded."""
    w.to_desk()
    w.follow(say("Upload the file"), w.row(event))


def choose_file(w: Worker, name: str, data: bytes) -> None:
    file: Any = {"name": name, "mimeType": "text/plain", "buffer": data}
    w.page.locator("input[type=file]").first.set_input_files(file)
    w.effort += Effort(fields=1)


def file_section(w: Worker, walk: Walk) -> None:
    """From where the file is uploaded to the page of the submission."""
    choose_file(w, walk.file, walk.event_file())
    upload(w)
    details(w, walk)
    decide_players(w, walk)
    to_submission(w)


def upload(w: Worker) -> None:
    w.press(say("Upload the file"))
    expect(w.page.get_by_role("heading", name=say("The file"), exact=True)).to_be_visible()
    w.look()


def details(w: Worker, walk: Walk) -> None:
    """What the file cannot say: the organiser, and the day of every round that has none."""
    steps = w.page.get_by_role("list", name=say("Steps"))
    w.follow(say("Findings"), steps)
    w.follow(say("Details"), steps)
    w.fill(say("Chief organiser"), "The club itself")
    for field in w.page.locator("#round-dates input").all():
        if not field.input_value():
            w.write(field, walk.ends.isoformat())
    w.press(say("Save and check again"))


def decide_players(w: Worker, walk: Walk) -> None:
    """Whose year of birth is another is the one of the register; whom it does not know yet is new."""
    doubtful = walk.people[DOUBTFUL - 1]
    name = f"{doubtful.surname}, {doubtful.first_name}"
    card = w.page.get_by_role("article").filter(has_text=doubtful.surname)
    w.check(card.get_by_role("radio", name=name))
    newcomer = w.main.get_by_role("checkbox", name=walk.people[-1].surname)
    if newcomer.count():
        expect(newcomer).to_be_checked()
    w.press(say("Save these decisions"))
    w.reads(all_known(len(walk.people)))


def submit(w: Worker, reason: str = "The club was told so late itself.") -> None:
    """The region's word, with a reason for whatever may be allowed."""
    for tick in w.main.get_by_label(say("I have checked the adjustments, and they are correct.")).all():
        w.check(tick)
    for field in w.main.locator("textarea[required]").all():
        w.write(field, reason)
    w.press(say("Submit the section"))
    w.reads(say("Submitted on %(day)s.", day=say_day(TODAY)))


def open_returned(w: Worker, event: str) -> None:
    """From the desk: a section that came back, with the office's reason."""
    w.to_desk()
    reads, corrects = map(
        beginning, ("Read the reason, and correct the section", "Correct it and submit it again")
    )
    w.follow(re.compile(f"{reads.pattern}|{corrects.pattern}"), w.row(event))


def answer_remarks(w: Worker, event: str, *answers: str) -> None:
    """From the desk, by the section that came back: an answer to each remark of the office."""
    open_returned(w, event)
    one, many = "%(number)s remark about this section", "%(number)s remarks about this section"
    w.follow(in_any_number(one, many))
    open_ones = w.main.get_by_role("listitem").filter(has=w.page.get_by_label(say("Your answer")))
    for place, words in enumerate(answers):
        w.fill(say("Your answer"), words, open_ones.nth(place))
    w.press(say("Send to the office"))


def file_corrected(w: Worker, event: str, walk: Walk) -> None:
    """From the desk: a corrected file in the place of the one that came back, up to its submission."""
    open_returned(w, event)
    w.follow(say("Upload"), w.page.get_by_role("list", name=say("Steps")))
    w.unfold(say("Upload a corrected file"))
    choose_file(w, walk.file, walk.event_file())
    upload(w)
    details(w, walk)
    to_submission(w)


def to_submission(w: Worker) -> None:
    """Unless nothing was left to ask and one is there already."""
    if not w.page.url.endswith("/submit/"):
        w.follow(say("Submit"), w.page.get_by_role("list", name=say("Steps")))


def appeal(w: Worker, event: str, reason: str, until: date | None) -> None:
    """From the event's page: against a refusal, until the day that is told or, with None, at any time."""
    open_event(w, event)
    w.follow(say("See it"))
    fold = w.unfold(say("Appeal against the refusal"))
    if until:
        w.reads(say("Until %(day)s you can ask the office to decide otherwise.", day=say_day(until)), fold)
    else:
        expect(fold.get_by_text(say("Until"))).to_have_count(0)
    w.fill(say("Reason"), reason)
    w.press(say("Appeal"))
    w.reads(whatever("You appealed on %(day)s; the office has not decided yet."))


# ---------------------------------------------------------------- players, cases, letters


def ask_transfer(w: Worker, surname: str, to: str, reason: str) -> None:
    find_player(w, surname)
    w.follow(say("Ask for a transfer"))
    w.choose(say("Region to belong to"), to)
    w.fill(say("Why?"), reason)
    w.press(say("Ask for it"))
    w.reads(say("The transfer is asked for. The office decides on it."))


def answer_case(w: Worker, event: str, words: str) -> None:
    """From the desk: the report of a mistake in an event, answered by mail."""
    w.to_desk()
    w.follow(whatever("Case %(number)s"), w.region(beginning("Mistakes reported")))
    w.reads(re.compile(re.escape(event)))
    w.fill(say("Answer"), words)
    w.press(say("Send the answer"))


def open_mailbox(w: Worker) -> None:
    """By one's own account: the letters of the demo."""
    banner = w.page.get_by_role("banner")
    w.click(banner.locator("details.menu summary"))
    w.follow(say("Your account"), banner)
    w.follow(say("Open the mailbox of the demo"))


def read_letter(w: Worker, to: str, subject: Words) -> str:
    """In the mailbox: the newest letter to that address with these words in its subject; its text."""
    letter = w.main.locator("details").filter(has_text=to).filter(has_text=subject)
    for _try in range(40):
        if letter.count():
            break
        w.page.wait_for_timeout(500)
        w.page.reload()
    w.click(letter.first.locator("summary"))
    return letter.first.inner_text()
