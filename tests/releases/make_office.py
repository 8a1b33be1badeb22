"""Makes the office of a release, from which later releases are upgraded: its backup, and what it served.

    make released-office

lays `VERSION.sqlite.backup.zip` and `VERSION.sqlite.json` beside this file (on PostgreSQL if `DATABASE_URL`
says so). It makes no office of a release that has one here: what today's files make proves nothing of the one
of then. Everybody in it is invented.
"""

from __future__ import annotations

import io
import json
import os
import re
import tempfile
import zipfile
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.test import Client

    from players.models import Federation

HERE = Path(__file__).resolve().parent
DAY = date(2026, 11, 20)
SCALE, MONTHS = 0.01, 3
"""The least of an office that the demo makes whole, and how long its record is."""
PAST = "past"
"""The code of an office of csa that began with event files of former years."""
PASSWORD = "of an office that was invented"
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
OFFICIAL, REGIONAL, ELSEWHERE = (f"{name}@example.org" for name in ("nomsa", "amahle", "pieter"))


def main(var: Path) -> None:
    os.environ |= {"NO_BOOTSTRAP": "1", "VAR_DIR": str(var), "SECRET_KEY": ""}
    os.environ.setdefault("DATABASE_URL", f"sqlite:///{var}/db.sqlite3")
    os.environ["DJANGO_SETTINGS_MODULE"] = "federation_site.settings"
    import django

    django.setup()
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    office = HERE / f"{settings.VERSION}.{connection.vendor}"
    backup, told_beside = (office.with_name(f"{office.name}{end}") for end in (".backup.zip", ".json"))
    if backup.exists():
        raise SystemExit(f"{backup.name} is here already.")
    call_command("migrate", verbosity=0)
    call_command("createcachetable")
    codes = make_offices()
    merge_two()
    withhold_a_child()
    unrate_one()
    call_command("recompute", pending=True)
    revise_a_list()
    take_a_past()
    codes.append(PAST)
    call_command("recompute", pending=True)
    for code in codes:
        call_command("log", code, "sign")
    approve_one()
    told = {"people": let_in(), "served": served(codes), "shown": shown(codes)}
    told |= leave_waiting()
    _shrink()
    call_command("backup", var / "backups")
    pack_tightly(next((var / "backups").iterdir()), backup)
    told_beside.write_text(json.dumps(told, indent=1) + "\n")


def pack_tightly(backup: Path, smaller: Path) -> None:
    """Write the same parts as the backup, packed by LZMA: two thirds of its size."""
    with zipfile.ZipFile(backup) as parts, zipfile.ZipFile(smaller, "w", zipfile.ZIP_LZMA) as packed:
        for part in parts.infolist():
            packed.writestr(
                zipfile.ZipInfo(part.filename, part.date_time),
                parts.read(part),
                compress_type=zipfile.ZIP_LZMA,
            )


def make_offices() -> list[str]:
    """Invented offices, one of each federation, in every stage: sections rated, corrected, un-rated and filed
    anew, returned, refused; lists. Returns their codes.
    """
    from ratings.demo.office import demo_rulesets_without_office, make_office
    from ratings.rulesets.demo import months_before

    start = months_before(MONTHS)(DAY)
    made = [
        make_office(ruleset, today=DAY, seed=1, scale=SCALE, start=start, say=print)
        for ruleset in demo_rulesets_without_office()
    ]
    return [each.code for each in made]


def take_a_past() -> None:
    """An office that began with the event file of a former year, whose players are on no list yet."""
    from django.core.management import call_command

    from players.appointments import create_office
    from tournaments.tests import histories

    create_office(ruleset_slug="csa", code=PAST, official_email="zanele@example.org", on=date(2020, 7, 1))
    files = {
        "open.trf": histories.trf("Soweto Open", date(2022, 3, 5), histories.SIX),
        "table.csv": histories.table(
            ("file", "region", "platform"), {"file": "*", "region": "GAU", "platform": "otb"}
        ),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        call_command("take_history", PAST, folder)


def _played(office: Federation) -> list[Any]:
    from players.models import Player

    played = Player.objects.filter(federation=office, changes__isnull=False).distinct()
    return list(played.order_by("born", "number"))


def merge_two() -> None:
    """Two entries of one person, found after both had played."""
    from players.models import Federation, User
    from ratings.merging import merge_players, shared_sections

    office = Federation.objects.get(code="csa")
    played = _played(office)
    into, player = next(
        (one, other) for one in played for other in played if one != other and not shared_sections(other, one)
    )
    by = User.objects.get(email=OFFICIAL)
    merge_players(player=player, into=into, by=by, on=DAY, reason="Both cards show one person.")


def withhold_a_child() -> None:
    """The youngest who played asked not to be named."""
    from players.models import Federation, User
    from ratings.people import correct_player

    child, by = _played(Federation.objects.get(code="csa"))[-1], User.objects.get(email=OFFICIAL)
    correct_player(player=child, by=by, on=DAY, reason="The parents ask.", withheld=True)


def unrate_one() -> None:
    """A section that stands on a list already."""
    from players.models import User
    from ratings import approval
    from tournaments.models import Section

    rated = Section.objects.filter(event__federation__code="csa", stage="rated").order_by("event__ends")
    approval.unrate(
        section=rated[0],
        by=User.objects.get(email=OFFICIAL),
        on=DAY,
        version=rated[0].version,
        reason="result",
        words="Two results were exchanged.",
        after_list=True,
    )


def revise_a_list() -> None:
    """The newest list, published again without what was un-rated."""
    from players.models import Federation, User
    from ratings import publication
    from ratings.models import RatingList

    office, by = Federation.objects.get(code="csa"), User.objects.get(email=OFFICIAL)
    day = RatingList.objects.filter(federation=office).latest("on").on
    publication.revise_list(
        federation=office, list_day=day, by=by, on=DAY, note="Two results were exchanged."
    )


def approve_one() -> None:
    """A section whose ratings no worker has computed yet, and whose line none has signed."""
    from players.models import User
    from ratings import approval
    from tournaments.models import Section

    submitted = Section.objects.filter(event__federation__code="csa", stage="submitted").order_by(
        "event__ends"
    )
    by = User.objects.get(email=OFFICIAL)
    approval.approve(section=submitted[0], by=by, on=DAY, version=submitted[0].version)


def let_in() -> dict[str, Any]:
    """Everybody's password, and the official's second factor."""
    from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
    from allauth.mfa.totp.internal.auth import TOTP
    from django.contrib.auth.hashers import make_password

    from players.models import User

    User.objects.update(password=make_password(PASSWORD))
    official = User.objects.get(email=OFFICIAL)
    TOTP.activate(official, SECRET)
    codes: list[str] = RecoveryCodes.activate(official).get_unused_codes()
    people = {"official": OFFICIAL, "regional": REGIONAL, "password": PASSWORD}
    return {**people, "totp_secret": SECRET, "recovery_code": codes[0]}


def new_browser() -> Client:
    from django.test import Client

    return Client(SERVER_NAME="localhost")


def signed_in(email: str) -> Client:
    browser = new_browser()
    browser.post("/accounts/login/", {"login": email, "password": PASSWORD})
    assert browser.get("/csa/desk/").status_code == 200, email
    return browser


def leave_waiting() -> dict[str, Any]:
    """A file, an archive and a table that no worker has read yet, and a letter that none has sent; and the
    session of whoever filed.
    """
    from django.core.files.uploadedfile import SimpleUploadedFile as File
    from django.utils import timezone

    from players.models import User

    regional, official = signed_in(REGIONAL), new_browser()
    official.force_login(User.objects.get(email=OFFICIAL))
    found = sorted(Path(os.environ["VAR_DIR"]).glob("demo/csa/*"))
    number = found[0].name.partition("_")[0]
    waiting = _own_section(number)
    _sent(regional.post(f"{waiting}file/", {"file": File(found[0].name, found[0].read_bytes())}))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("section.txt", found[0].read_bytes())
    event = waiting.rsplit("/", 2)[0]
    _sent(regional.post(f"{event}/sections/zip/", {"file": File("event.zip", packed.getvalue())}))
    table = b"surname,first name,sex,born\nNewcomer,Lindiwe,f,2001\n"
    _sent(official.post("/csa/register/imports/", {"file": File("new.csv", table)}))
    _sent(new_browser().post("/accounts/password/reset/", {"email": ELSEWHERE}))
    session = regional.cookies["sessionid"].value
    return {"at": timezone.now().isoformat(), "waiting": waiting, "session": session}


def _own_section(number: str) -> str:
    from tournaments.models import Section

    section = Section.objects.filter(event__number=number, event__federation__code="csa")[:1].get()
    return f"/csa/events/{number}/{section.code}/"


def _sent(answer: Any) -> None:
    assert answer.status_code == 302, (answer.status_code, answer.content.decode()[-2000:])


def served(codes: list[str]) -> dict[str, str]:
    """What never may be otherwise, by address: lists, their proofs, the journal, its log, the programs."""
    reader = new_browser()
    return {address: _sha256(reader.get(address)) for code in codes for address in addresses(code)}


def shown(codes: list[str]) -> dict[str, list[str]]:
    """The numbers on some pages, by address: of each office's newest list, a player and a section on it."""
    reader = new_browser()
    return {address: numbers_on(reader.get(address)) for code in codes for address in pages(code)}


def pages(code: str) -> list[str]:
    from ratings.models import Change, RatingList

    lists = RatingList.objects.filter(federation__code=code).order_by("-on", "-revision")[:1]
    rated = Change.objects.filter(player__federation__code=code, player__withheld=False).latest("pk")
    section = rated.fact.section
    assert section
    return [
        *(f"{newest.get_absolute_url()}r{newest.revision}/" for newest in lists),
        rated.player.get_absolute_url(),
        section.get_absolute_url(),
    ]


def numbers_on(answer: Any) -> list[str]:
    """The numbers in the cells of a page's tables, each once."""
    assert answer.status_code == 200, answer
    cells = re.findall(r"<td[^>]*>(.*?)</td>", answer.content.decode(), re.S)
    return sorted(
        {each for cell in cells for each in re.findall(r"\d[\d.,]*", re.sub(r"<[^>]*>", " ", cell))}
    )


def addresses(code: str) -> list[str]:
    from ratings.models import Checkpoint, RatingList

    lists = RatingList.objects.filter(federation__code=code).order_by("on", "track", "revision")
    found = [f"{each.get_absolute_url()}r{each.revision}/" for each in lists]
    newest = Checkpoint.objects.filter(key__federation__code=code).order_by("-size")[0]
    tile = "000" if newest.size >= 256 else f"000.p/{newest.size}"
    log = ("journal.ndjson", "journal/checkpoint", "journal/vkey", f"journal/tile/0/{tile}")
    programs = sorted({f"/programs/{_program_of(each)}" for each in lists})
    return [
        *(f"{address}content" for address in found),
        *(f"{address}list.json" for address in found),
        *(f"/{code}/{each}" for each in log),
        *programs,
    ]


def _program_of(published: Any) -> str:
    return f"ratings-{published.program_version}-{published.program_sha256[:8]}.pyz"


def _sha256(answer: Any) -> str:
    assert answer.status_code == 200, answer
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return sha256(content).hexdigest()


def _shrink() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder) / "var")
