"""Pairs about those who serve, and about reports of mistakes: invitations, last days, cases."""

from __future__ import annotations

from datetime import date, timedelta
from functools import partial
from typing import TYPE_CHECKING

from tests.races.day import day
from tests.races.pairs import BOTH_IN_ANY_ORDER, Deed, Order, Pair, Race

if TYPE_CHECKING:
    from players.models import Appointment, Region
    from tests.races.scene import Scene
    from tournaments.models import Case


def inviting(who: str, email: str, role: str, region: Region | None, office: str = "csa") -> Deed:
    fields = {
        "email": email,
        "name": "Invited Person",
        "role": role,
        "region": region.pk if region else "",
        "starts": day().isoformat(),
        "ends": "",
    }
    return Deed(who, f"/{office}/people/appoint/", fields, ("appoint",))


def _invited(emails: tuple[str, str], done: Order) -> str:
    """What is wrong: who was appointed has one account, one appointment and one letter, the other nothing."""
    from players.models import Appointment, Letter, User

    for place, email in enumerate(emails):
        found = (
            User.objects.filter(email=email).count(),
            Appointment.objects.filter(user__email=email).count(),
            Letter.objects.filter(email=email, kind="invitation").count(),
        )
        times = sum(emails[each] == email for each in done)
        wanted = (min(times, 1), times, times)
        if found != wanted:
            return f"{emails[place]}: accounts, appointments, invitations are {found}, not {wanted}"
    return ""


def invite_two_to_a_region(scene: Scene, _number: int) -> Pair:
    """csa §60: one administrator for each region."""
    from players.models import Region

    number = scene.next()
    region = Region.objects.create(federation=scene.office, code=f"N{number}", name=f"New {number}")
    emails = f"one{number}@example.org", f"two{number}@example.org"
    deeds = (
        inviting("thandi", emails[0], "regional", region),
        inviting("zanele", emails[1], "regional", region),
    )
    return Pair(deeds, partial(_invited, emails))


def invite_one_person_twice(scene: Scene, _number: int) -> Pair:
    email = f"one{scene.next()}@example.org"
    deeds = inviting("thandi", email, "official", None), inviting("zanele", email, "official", None)
    return Pair(deeds, partial(_invited, (email, email)))


def invite_to_two_offices(scene: Scene, _number: int) -> Pair:
    """A new person is appointed by two offices at once: both hold, with one account."""
    email = f"one{scene.next()}@example.org"
    deeds = (
        inviting("thandi", email, "official", None),
        inviting("zanele", email, "official", None, office="ssdc"),
    )
    return Pair(deeds, partial(_invited, (email, email)), BOTH_IN_ANY_ORDER)


def invite_again_and_void(scene: Scene, _number: int) -> Pair:
    """Both are done, and the later one holds: made void last, no link opens and no letter is to go."""
    from django.utils import timezone

    from players.appointments import Invitation, order_invitation_letter

    held = _appointed(scene, f"one{scene.next()}@example.org")
    order_invitation_letter(held, Invitation("http://office.example", timezone.now()))
    path = f"/csa/people/{held.pk}/invitation/"
    deeds = (
        Deed("thandi", path, {"again": "1"}, ("invite",)),
        Deed("zanele", path, {"void": "1"}, ("void-invitation",)),
    )
    return Pair(deeds, partial(_open_invitations, held), BOTH_IN_ANY_ORDER)


def _open_invitations(held: Appointment, done: Order) -> str:
    from players.models import Appointment, Letter

    letters = Letter.objects.filter(kind="invitation", particulars__appointment=held.pk).count()
    found = (Appointment.objects.get(pk=held.pk).invited_at is not None, letters)
    wanted = (True, 1) if done[-1] == 0 else (False, 0)
    return "" if found == wanted else f"{held.pk}: open, letters are {found}, not {wanted}"


def _appointed(scene: Scene, email: str, office: str = "csa") -> Appointment:
    from players.appointments import appoint

    held = scene.offices[office]
    began = day() - timedelta(days=30)
    return appoint(federation=held, email=email, role="official", starts=began, by=None, on=day())


def change_a_last_day_twice(scene: Scene, _number: int) -> Pair:
    held = _appointed(scene, f"one{scene.next()}@example.org")
    days = [day() + timedelta(days=each) for each in (10, 20)]
    path = f"/csa/people/{held.pk}/last-day/"
    deeds = (
        Deed("thandi", path, {"ends": days[0].isoformat(), "seen": ""}, ("set-last-day",)),
        Deed("zanele", path, {"ends": days[1].isoformat(), "seen": ""}, ("set-last-day",)),
    )
    return Pair(deeds, partial(_ends, held, (days[0], days[1])))


def _ends(held: Appointment, days: tuple[date, date], done: Order) -> str:
    held.refresh_from_db()
    return "" if held.ends == days[done[-1]] else f"{held} ends {held.ends}"


def end_twice(scene: Scene, _number: int) -> Pair:
    held = _appointed(scene, f"one{scene.next()}@example.org")
    path, yesterday = f"/csa/people/{held.pk}/end/", day() - timedelta(days=1)
    deeds = Deed("thandi", path, {}, ("end",)), Deed("zanele", path, {}, ("end",))
    return Pair(deeds, partial(_ends, held, (yesterday, yesterday)))


def end_in_two_offices(scene: Scene, _number: int) -> Pair:
    """With the last appointment that a person holds anywhere their sessions end, whichever is the last."""
    email = f"one{scene.next()}@example.org"
    held = _appointed(scene, email), _appointed(scene, email, "ssdc")
    before = held[0].user.session_number
    deeds = (
        Deed("thandi", f"/csa/people/{held[0].pk}/end/", {}, ("end",)),
        Deed("zanele", f"/ssdc/people/{held[1].pk}/end/", {}, ("end",)),
    )
    return Pair(deeds, partial(_sessions_ended, email, before), BOTH_IN_ANY_ORDER)


def _sessions_ended(email: str, before: int, _done: Order) -> str:
    from players.models import User

    now = User.objects.get(email=email).session_number
    return "" if now == before + 1 else f"the sessions of {email} ended {now - before} times"


def change_settings_twice(scene: Scene, number: int) -> Pair:
    """The page sends all settings: who saves an older page would take back what another just switched on."""
    from players.appointments import digest_of_settings

    scene.office.refresh_from_db(fields=["settings"])
    seen = {"seen": digest_of_settings(scene.office), "births": "none"}
    settings = {"case_days": 5 + number % 20}, {"appeal_days": 5 + number % 20}
    path = "/csa/settings/"
    deeds = (
        Deed("thandi", path, {**seen, **settings[0]}, ("set",)),
        Deed("zanele", path, {**seen, **settings[1]}, ("set",)),
    )
    return Pair(deeds)


# ---------------------------------------------------------------- cases


def _case(scene: Scene) -> Case:
    from tournaments.models import Case

    [player] = scene.persons(1)
    from django.utils import timezone

    return Case.objects.create(
        federation=scene.office,
        region=player.region,
        player=player,
        email="reporter@example.org",
        state=Case.State.OPEN,
        reported_at=timezone.now(),
        opened_on=day(),
        due=day() + timedelta(days=14),
    )


def case_deed(who: str, case: Case, page: str, **fields: object) -> Deed:
    told = {f"{page}-{name}": value for name, value in {"words": "We looked at it.", **fields}.items()}
    told["version"] = case.version
    return Deed(who, f"/csa/cases/{case.pk}/{page}/", told, (f"{page}-case",))


def _case_is(case: Case, states: tuple[str, str], done: Order) -> str:
    from players.models import Letter

    case.refresh_from_db()
    said = case.messages.count()
    letters = Letter.objects.filter(particulars__case=case.pk).count()
    if (case.state, said, letters) == (states[done[-1]], 1, 1):
        return ""
    return f"{case} is {case.state}, with {said} messages and {letters} letters"


def close_twice(scene: Scene, _number: int) -> Pair:
    case = _case(scene)
    deeds = (
        case_deed("nomsa", case, "close", outcome="nothing-wrong"),
        case_deed("sizwe", case, "close", outcome="nothing-wrong"),
    )
    return Pair(deeds, partial(_case_is, case, ("closed", "closed")))


def answer_and_close(scene: Scene, _number: int) -> Pair:
    case = _case(scene)
    deeds = case_deed("amahle", case, "answer"), case_deed("nomsa", case, "close", outcome="not-ours")
    return Pair(deeds, partial(_case_is, case, ("answered", "closed")))


RACES = [
    Race("invite/invite-another", invite_two_to_a_region),
    Race("invite/invite-again", invite_one_person_twice),
    Race("invite/invite-elsewhere", invite_to_two_offices),
    Race("invite-again/void", invite_again_and_void),
    Race("last-day/last-day", change_a_last_day_twice),
    Race("end/end", end_twice),
    Race("end/end-elsewhere", end_in_two_offices),
    Race("settings/settings", change_settings_twice),
    Race("close-case/close-case", close_twice),
    Race("answer-case/close-case", answer_and_close),
]
