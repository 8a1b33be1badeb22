"""The five steps of filing a section: which are done, which can be opened, and which is next."""

from django.utils.translation import gettext_lazy

from tournaments.findings import filing_url
from tournaments.models import CANCELLED_OR_WITHDRAWN, SUBMITTED_OR_RATED, Section, Stage
from tournaments.sections import is_refused_before_play

STEP_LABELS = {
    "file": gettext_lazy("Upload"),
    "findings": gettext_lazy("Findings"),
    "details": gettext_lazy("Details"),
    "players": gettext_lazy("Players"),
    "submit": gettext_lazy("Submit"),
}
"""The steps in order, each a page of that name."""


def is_file_read(section: Section) -> bool:
    return section.entries.exists() and not section.uploads.waiting().exists()


def done_steps(section: Section) -> set[str]:
    """The steps that are done: all once the office has the section, unless it was refused before play."""
    if section.stage in SUBMITTED_OR_RATED or (
        section.stage == Stage.REFUSED and not is_refused_before_play(section)
    ):
        return set(STEP_LABELS)
    if not is_file_read(section):
        return set()
    blocking = list(section.findings.blocking().values_list("source", "level"))
    done = {"file"}
    if not any(level == "blocks" for _source, level in blocking):
        done.add("findings")
        if not any(level == "asks" and source != "players" for source, level in blocking):
            done.add("details")
        if not any(source == "players" for source, _level in blocking):
            done.add("players")
    return done


def reachable_steps(section: Section) -> tuple[str, ...]:
    """The steps that can be opened now: while the file has faults only the file, its findings and players."""
    if not section.open_to_filing:
        return ("submit",)
    if not is_file_read(section):
        return ("file",)
    blocked = section.findings.filter(source="file", level="blocks").exists()
    return ("file", "findings", "players") if blocked else tuple(STEP_LABELS)


def get_last_step_label(section: Section) -> str:
    """The label of the step at which filing a cancelled or refused section ended, or an empty string."""
    if section.stage not in (*CANCELLED_OR_WITHDRAWN, Stage.REFUSED):
        return ""
    done = done_steps(section)
    return next((str(label) for step, label in STEP_LABELS.items() if step not in done), "")


def next_step_url(section: Section, current_step: str) -> str:
    """The address of the next step to do: findings that stop everything, then the players; else of the
    submission, which shows all that was found and asks what is open.
    """
    if not is_file_read(section):
        return ""
    done, order = done_steps(section), list(STEP_LABELS)
    after = order.index(current_step) + 1
    left = [step for step in (*order[after:], *order[:after]) if step in ("findings", "players")]
    return filing_url(next((step for step in left if step not in done), "submit"), section)
