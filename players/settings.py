"""An office's own settings, and today's date there."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import date
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from players.models import Federation, User
from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Edition

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True, slots=True)
class SettingTerms:
    """How form, command and regulations page show a setting: by default as a switch."""

    label: StrOrPromise
    help: StrOrPromise
    choices: tuple[tuple[str, StrOrPromise], ...] = ()
    """Each value with its words, if the setting is a choice."""
    day: bool = False
    """Whether its value is a day (ISO) or empty."""
    email: bool = False
    """Whether its value is a mail address or empty."""
    url: bool = False
    """Whether its value is the address of a page or empty."""
    longest: int | None = None
    """The maximum length, if the setting is a text of several lines or empty."""
    least: int | None = None
    """The minimum, if the setting is a whole number; an empty field sets its default."""
    most: int | None = None
    on_in_real_office: bool = False
    """Whether `manage.py create_office` switches it on; in a demo its rule would hinder a newcomer."""
    on_in_production: bool = False
    """Whether `create_office` switches it on in production."""
    at_clauses: tuple[StrOrPromise, StrOrPromise, StrOrPromise] | None = None
    """The words at the clauses that a ruleset names for the setting (`Enacted.settings`): its name there, the
    words if it is on (`%(day)s` stands for the day that is set), and if it is off.
    """
    only_with_clauses: bool = False
    """Whether only federations whose ruleset names such clauses have the setting."""


def _setting(default: bool | str | int, terms: SettingTerms) -> Any:
    return field(default=default, metadata={"terms": terms})


@dataclass(frozen=True, slots=True)
class Settings:
    """An office's settings. The defaults suit a newcomer who tries the demo."""

    four_eyes: bool = _setting(
        False,
        SettingTerms(
            _("Four eyes"),
            _("The person who submitted a section cannot approve it."),
            on_in_real_office=True,
        ),
    )
    second_factor: bool = _setting(
        False,
        SettingTerms(
            _("A second factor"),
            _(
                "People who work here also sign in with a code from an authenticator app, a passkey or a "
                "security key. A person who has none yet is asked to add one."
            ),
            on_in_production=True,
        ),
    )
    successor_first: bool = _setting(
        False,
        SettingTerms(
            _("A successor first"),
            _("The last administrator of a region can be ended only once another is appointed."),
            on_in_real_office=True,
        ),
    )
    deadlines: bool = _setting(
        False,
        SettingTerms(
            _("Deadlines"),
            _(
                "Late filings need a reason that you accept. Without this setting, lateness is only noted. "
                "The regulations page shows which clauses this concerns."
            ),
            on_in_real_office=True,
            at_clauses=(
                _("Deadlines"),
                _("This office enforces deadlines: late filings need a reason that officials accept."),
                _("This office does not enforce deadlines: late filings are noted, and still rated."),
            ),
        ),
    )
    particulars: bool = _setting(
        False,
        SettingTerms(
            _("Full particulars"),
            _(
                "A filing that gives less than the regulations require, or comes from another person than "
                "they require, needs a reason that you accept, or cannot be rated. Without this setting, it "
                "is only noted. The regulations page shows which clauses this concerns."
            ),
            on_in_real_office=True,
            at_clauses=(
                _("Full particulars"),
                _(
                    "This office requires full particulars: a section with missing particulars needs a "
                    "reason that officials accept, or cannot be rated."
                ),
                _(
                    "This office does not require full particulars: missing particulars are noted, and the "
                    "section is still rated."
                ),
            ),
        ),
    )
    membership: str = _setting(
        "",
        SettingTerms(
            _("Membership in the federation was introduced on"),
            _("Rules about members apply from that day. Empty: there is no membership yet."),
            day=True,
            at_clauses=(
                _("Membership"),
                _("The federation introduced membership on %(day)s: this clause applies from then on."),
                _("The federation has not introduced membership: this clause is only noted."),
            ),
            only_with_clauses=True,
        ),
    )
    contact: str = _setting(
        "",
        SettingTerms(
            _("Mail address for the public"),
            _("Stands on the page “About this office”, for everybody. Empty: people report mistakes only."),
            email=True,
        ),
    )
    enacted_text: str = _setting(
        "",
        SettingTerms(
            _("Address of the enacted regulations"),
            _("The page on which your federation publishes them. The regulations page links to it."),
            url=True,
        ),
    )
    responsible: str = _setting(
        "",
        SettingTerms(
            _("Who is responsible for this office"),
            _(
                "Name and postal address, as the law of your country wants them, and whom to ask about data. "
                "Stands on the page “About this office”, for everybody."
            ),
            longest=1000,
        ),
    )
    births: str = _setting(
        "year",
        SettingTerms(
            _("What the public may know about births"),
            _(
                "This concerns people who are known to be adults; the day of birth is never shown. Two lists "
                "filtered by age, compared over two years, also reveal the year. With every choice, lists by "
                "sex, and the sex, title or FIDE id in a file, show that a person is an adult."
            ),
            choices=(
                ("none", _("nothing")),
                ("group", _("the age group: lists can be filtered by it")),
                ("year", _("the year, in downloaded files")),
            ),
        ),
    )
    minors: bool = _setting(
        False,
        SettingTerms(
            _("Lists by age and sex show children too"),
            _(
                "Without this setting, these lists show known adults only. With it, anybody can look up "
                "girls and boys by name: lists by sex show each child's sex, and lists by age, compared over "
                "two years, show the year of birth. Copies that people made of such lists cannot be "
                "withdrawn."
            ),
        ),
    )
    region_megabytes: int = _setting(
        200,
        SettingTerms(
            _("Megabytes of files that a region may keep"),
            _(
                "Event files and ZIP archives as they were uploaded, with what was unpacked. A file that is "
                "too much is refused. Empty: 200."
            ),
            least=5,
            most=100_000,
        ),
    )
    office_megabytes: int = _setting(
        2000,
        SettingTerms(
            _("Megabytes of files that the whole office may keep"),
            _("The files of all regions, and tables of the register. Empty: 2000."),
            least=50,
            most=1_000_000,
        ),
    )
    appeal_days: int = _setting(
        0,
        SettingTerms(
            _("Days to appeal against a decision"),
            _(
                "Uploaded files of decided sections are kept until these days and the whole season after "
                "them are over; then they are deleted, with the days of birth in them. Empty: as the "
                "regulations say, or 30 days."
            ),
            least=1,
            most=3650,
        ),
    )
    case_days: int = _setting(
        14,
        SettingTerms(
            _("Days to answer a report of a mistake"),
            _(
                "Whoever reports a mistake is answered within so many days; after them the case is late. "
                "Regulations that name their own days come first. Empty: 14."
            ),
            least=1,
            most=365,
        ),
    )
    reminder_days: int = _setting(
        3,
        SettingTerms(
            _("Days before a deadline at which a letter reminds of it"),
            _(
                "Whoever has to keep a deadline of a section is written to once, so many days before the "
                "last day, unless it is done by then. Empty: 3."
            ),
            least=1,
            most=60,
        ),
    )
    far_score: int = _setting(
        3,
        SettingTerms(
            _("Standard deviations from which a score is a hint"),
            _(
                "At review, officials are shown players whose score is so far from what the rules expect of "
                "them. By chance alone, three are reached by about one player in 370, two by one in 22. "
                "Empty: 3."
            ),
            least=2,
            most=10,
        ),
    )
    draft_days: int = _setting(
        90,
        SettingTerms(
            _("Days for which unused files are kept"),
            _(
                "Files of sections that nobody works on, unreadable files, ZIP archives, and tables of the "
                "register are deleted after so many days. Empty: 90."
            ),
            least=7,
            most=3650,
        ),
    )


def setting_terms() -> dict[str, SettingTerms]:
    """The terms of each setting by name, in the order of the form's fields."""
    return {each.name: each.metadata["terms"] for each in fields(Settings)}


def parse_settings(values: dict[str, Any]) -> Settings:
    """Settings from values by name; unknown names are ignored, missing ones get the default."""
    return Settings(**{name: values[name] for name in setting_terms() if name in values})


def get_settings(federation: Federation) -> Settings:
    return parse_settings(federation.settings)


def initial_settings(*, production: bool) -> Settings:
    """The initial settings of an office that is no demo."""
    return parse_settings(
        {
            name: True
            for name, terms in setting_terms().items()
            if terms.on_in_real_office or (production and terms.on_in_production)
        }
    )


def today(federation: Federation) -> date:
    """The date in the office's time zone."""
    return timezone.localdate(timezone=ZoneInfo(federation.equipment.office.time_zone))


def edition_in_force(federation: Federation) -> Edition:
    """The edition of today, which pages cite where they do not concern another day."""
    return federation.ruleset.edition_on_or_first(today(federation))


def today_for_ruleset(slug: str) -> date:
    """The date in the time zone of a ruleset's offices; in UTC if there is no such ruleset."""
    zone = equipment_of(rulesets()[slug]).office.time_zone if slug in rulesets() else "UTC"
    return timezone.localdate(timezone=ZoneInfo(zone))


def get_office_time_zone(person: User) -> ZoneInfo:
    """The time zone of the office that appointed a person last; UTC if none did."""
    held = person.appointments.select_related("federation").order_by("-starts", "-pk").first()
    return ZoneInfo(held.federation.equipment.office.time_zone if held else "UTC")
