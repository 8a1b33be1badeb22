"""The Russian rating system: its source, and what no program carries out of it."""

from __future__ import annotations

from ratings.law.ruleset_helpers.source_and_omissions import Enacted, EnactedText
from ratings.law.translation_marks import gettext_noop as _

ENACTED = Enacted(
    source=EnactedText(
        "Российский рейтинг игроков в маджонг", "Федерация маджонга России", url="http://www.mahjong.ru"
    ),
    chapters=(
        ("1", _("What is asked of a competition")),
        ("2", _("What is asked of players")),
        ("3", _("Admission")),
        ("4", _("Coefficient")),
        ("5", _("How the rating is worked out")),
        ("6", _("Further provisions")),
    ),
    partly_computed={
        "1.1": _("Whether anybody could enter, the organizers say."),
        "1.3": _(
            "The office keeps no register of members: the organizers say how many there are. By the register "
            "those of Russia are counted; how many are of the city or region, the organizers say."
        ),
        "1.4": _("By which rules it was played, the organizers say."),
        "1.6": _(
            "The office's own calendar announces a competition from its registration on; another day of "
            "announcement, the organizers say."
        ),
        "3": _("The Presidium decides; an official enters both decisions here, and the program checks them."),
        "6": _(
            "Observers have no place in the record. Both decisions on each competition stand on its page, "
            "with what was declared and the days; the reasons for them stay in the office."
        ),
    },
    smaller_readings=(
        (
            "1.6",
            _(
                "Registration in this office stands for the announcement, unless the organizers give another "
                "day; one that came later needs a reason."
            ),
        ),
        (
            "4",
            _(
                "The final decision is checked against what was declared for the first: the coefficient may "
                "differ only with the status."
            ),
        ),
        (
            "5",
            _(
                "A competition of one player has no result and is not admitted; a place beyond the number of "
                "players is refused."
            ),
        ),
        (
            "5",
            _(
                "An admission moves everybody's rating, and so does the calendar. A player's history tells "
                "both; a working says what the rating was on that day without the competition."
            ),
        ),
    ),
    settings={
        "deadlines": frozenset({"1.6", "3"}),
        "particulars": frozenset({"1.1", "1.2", "1.4"}),
        "membership": frozenset({"1.3"}),  # §6
    },
)
