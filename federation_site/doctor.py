"""The doctor: tries what an installation must be able to do, as the account that asks, and says what to do
where it cannot. `manage.py doctor` runs it after an install, an upgrade and a restore, the worker each week.
"""

import os
import socket
import ssl
import stat
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.core.mail import mail_admins
from django.db import Error
from django.test import Client
from django.utils.translation import gettext as _, ngettext

from federation_site import backup, watch
from federation_site.operations import WatchedFigure, WatchedTopic, figures_by_office, figures_by_topic
from players.models import Federation
from players.writing import make_unfinished_folder

CERTIFICATE_DAYS = 21
"""Days before a certificate's end from which the doctor says so: renewals begin at thirty."""
NOT_OF_THE_PROGRAM = frozenset({".git", "var", "__pycache__", "node_modules"})
SECONDS = 10.0
"""The longest that the site's own address may take to answer."""


def examine(now: datetime) -> list[WatchedTopic]:
    """Try everything, and return it with the figures of the page of operations, the site's own first.

    A letter with the result goes to the operators, and the result of what was tried is stored.
    """
    tried = [
        account_figure(),
        program_figure(),
        *data_figures(),
        *page_figures(),
        backup_figure(now),
        *certificate_figures(now),
    ]
    topics: list[WatchedTopic] = [
        (_("Tried just now"), tried),
        *figures_by_topic(now),
        *figures_by_office(now),
    ]
    tried.append(letter_figure(topics))
    watch.give(watch.DOCTOR, tried=[[each.label, each.value, each.mend] for each in tried])
    return topics


def write_report(topics: list[WatchedTopic]) -> Iterator[str]:
    """The lines of a report: each figure, and below one that is not in order what to do."""
    for title, figures in topics:
        yield title
        for each in figures:
            yield f"  {'✗' if each.mend else '✓'} {each.label}: {each.value}"
            if each.mend:
                yield f"      {each.mend}"


def count_wrong(topics: list[WatchedTopic]) -> int:
    return sum(bool(each.mend) for _title, figures in topics for each in figures)


# ---- What is tried
def account_figure() -> WatchedFigure:
    """Whether the account is the one to which the data belong: what another can do proves nothing."""
    own, owner = os.geteuid(), Path(settings.VAR).stat().st_uid
    mend = _("Run it as the account of the office: deploy/manage doctor.")
    return WatchedFigure(_("Account"), str(own), mend if own != owner else "")


def program_figure() -> WatchedFigure:
    """Whether the account can read each file of the program and, in production, change none."""
    label, files = _("Files of the program"), 0
    for folder, folders, names in os.walk(settings.ROOT):
        folders[:] = [each for each in folders if each not in NOT_OF_THE_PROGRAM]
        for name in (*folders, *names):
            path = os.path.join(folder, name)
            files += 1
            if os.access(path, os.R_OK) or not os.path.exists(path):
                continue
            mend = _("As root: chmod -R a+rX %(folder)s") % {"folder": settings.ROOT}
            return WatchedFigure(label, _("%(path)s cannot be read") % {"path": path}, mend)
    value = ngettext("%d file, all can be read", "%d files, all can be read", files) % files
    writable = settings.PRODUCTION and os.geteuid() != 0 and os.access(settings.ROOT, os.W_OK)
    mend = _("The program can be changed by who breaks into it. As root: chown -R root: %(folder)s")
    return WatchedFigure(label, value, mend % {"folder": settings.ROOT} if writable else "")


def data_figures() -> Iterator[WatchedFigure]:
    """Whether no other account can look into the folders of the data."""
    folders = {Path(settings.VAR), Path(settings.KEYS_DIR), Path(settings.DUMPS_DIR)}
    folders |= {settings.BACKUP_DIR} if settings.BACKUP_DIR else set()
    for folder in sorted(each for each in folders if each.exists()):
        mode = stat.S_IMODE(folder.stat().st_mode)
        mend = _("Other accounts may look into it. As root: chmod -R go= %(folder)s") % {"folder": folder}
        yield WatchedFigure(str(folder), f"{mode:04o}", mend if mode & 0o077 else "")


def page_figures() -> Iterator[WatchedFigure]:
    """Whether a page of each office opens in each language."""
    for office in Federation.objects.order_by("code"):
        wrong = [
            f"/{code}/{office.code}/: {status}"
            for code, _words in settings.LANGUAGES
            if (status := _open_page(f"/{code}/{office.code}/")) != 200
        ]
        label = _("Pages of %(office)s") % {"office": office.name}
        mend = _("The log of the web server says why.")
        value = ", ".join(wrong) or _("open in %(count)d languages") % {"count": len(settings.LANGUAGES)}
        yield WatchedFigure(label, value, mend if wrong else "")


def _open_page(path: str) -> int:
    client = Client(raise_request_exception=False, headers={"host": settings.SITE_HOST})
    return client.get(path, secure=True, follow=True).status_code


def backup_figure(now: datetime) -> WatchedFigure:
    """Whether a backup can be made and put back, beside the database; both are deleted again."""
    label = _("A backup made and restored beside")
    folder = settings.BACKUP_DIR or settings.VAR / "backups"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with make_unfinished_folder(folder) as scratch:
            made = backup.make_backup(scratch, secrets=False, now=now)
            restored = backup.rehearse_restore(made, scratch)
    except (backup.CannotCopy, backup.DamagedBackup, OSError, Error) as error:
        return WatchedFigure(
            label, str(error), _("Until this is mended there is no backup that can be trusted.")
        )
    if restored:
        return WatchedFigure(label, _("the same offices, line for line"))
    return WatchedFigure(label, _("read back whole; to restore it, the role of DATABASE_URL needs CREATEDB"))


def certificate_figures(now: datetime) -> Iterator[WatchedFigure]:
    """The last day of the certificate that visitors of a site in production get."""
    if not settings.PRODUCTION:
        return
    label = _("Certificate of %(host)s") % {"host": settings.SITE_HOST}
    try:
        ends = get_certificate_end(settings.SITE_HOST, 443, ssl.create_default_context())
    except OSError as error:
        mend = _("See that the proxy runs, and “certbot certificates” on its machine.")
        yield WatchedFigure(label, str(error), mend)
        return
    mend = _("It should have been renewed: “certbot renew” says why it was not.")
    soon = ends - now < timedelta(days=CERTIFICATE_DAYS)
    yield WatchedFigure(label, _("until %(day)s") % {"day": f"{ends:%Y-%m-%d}"}, mend if soon else "")


def get_certificate_end(host: str, port: int, context: ssl.SSLContext) -> datetime:
    """The end of the certificate at an address. Raises OSError if nobody answers, or if it is not valid."""
    with (
        socket.create_connection((host, port), timeout=SECONDS) as plain,
        context.wrap_socket(plain, server_hostname=host) as secured,
    ):
        found = secured.getpeercert() or {}
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(str(found["notAfter"])), UTC)


def letter_figure(
    topics: list[WatchedTopic], send: Callable[[str, str], None] = mail_admins
) -> WatchedFigure:
    """Whether the operators can be written to: by a letter with all that was found."""
    label = _("Letter to the operators")
    to = ", ".join(address for _name, address in settings.ADMINS)
    if not to:
        return WatchedFigure(label, _("to nobody"), _("Set OPERATORS to the addresses of who runs the site."))
    wrong = count_wrong(topics)
    subject = _("all is in order")
    if wrong:
        subject = ngettext("%d thing is not in order", "%d things are not in order", wrong) % wrong
    try:
        send(f"{settings.SITE_HOST}: {subject}", "\n".join(write_report(topics)))
    except OSError as error:  # an answer of a mail server is one too
        return WatchedFigure(label, str(error), _("See EMAIL_URL: the mail server has not taken the letter."))
    return WatchedFigure(label, _("sent to %(addresses)s") % {"addresses": to})
