"""The journal's log of an office: what it stands at, signing by hand, keys, origins, witnesses."""

from argparse import ArgumentParser
from datetime import date, datetime
from pathlib import Path
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from players.commands import OfficeCommand
from players.models import Federation, Ledger
from players.settings import today
from ratings import signing
from ratings.models import Checkpoint
from ratings.signing import load_checkpoint_text, resume_restored_office
from ratings.witnesses import drop_witness, find_signature, list_witnesses, name_witness


class Command(OfficeCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        actions = parser.add_subparsers(dest="action", required=True)
        actions.add_parser("status", help="the key, the newest checkpoint, and what keeps it from signing")
        sign = actions.add_parser("sign", help="sign what is due, as the worker does by itself")
        sign.add_argument("--all", action="store_true", help="and what would be signed tomorrow")
        actions.add_parser("new-key", help="a new key for the same log, announced under both signatures")
        origin = actions.add_parser("new-origin", help="end this log and begin another, saying why")
        origin.add_argument("--reason", required=True, help="said in public, for good")
        origin.add_argument("--origin", default="", help="its name; default: the first with a number behind")
        resume = actions.add_parser("resume", help="after a restore: say what was signed")
        resume.add_argument("file", type=Path, help="the newest checkpoint that anybody has, or a list.json")
        name = actions.add_parser("witness", help="offer each checkpoint to a witness from now on")
        name.add_argument("url", help="its address before /add-checkpoint")
        drop = actions.add_parser("drop-witness", help="offer it nothing more")
        cosign = actions.add_parser("cosign", help="keep a witness's signature that came by another way")
        cosign.add_argument("file", type=Path, help="our checkpoint as it came back, signed")
        for action in (name, drop, cosign):
            action.add_argument("--key", required=True, help="the witness's verifier key")

    def handle_office(self, office: Federation, *, action: str, **options: Any) -> None:
        at, on = timezone.now(), today(office)
        getattr(self, action.replace("-", "_"))(office, on, at, options)

    def status(self, office: Federation, on: date, at: datetime, options: dict[str, Any]) -> None:
        key = signing.find_newest_key(office)
        if key is None:
            self.stdout.write(_("No key yet: the first is made when the first line is signed."))
            return
        newest = Checkpoint.objects.of(office).newest_first().first()
        self.stdout.write(f"origin  {key.origin}\nvkey    {key.vkey}")
        lines = Ledger.objects.get(federation=office).facts
        self.stdout.write(f"signed  {newest.size if newest else 0} of {lines}")
        for witness in list_witnesses(office):
            found = find_signature(office, witness.vkey, origin=key.origin)
            self.stdout.write(f"witness {witness.name} {witness.url} {found.checkpoint.size if found else 0}")
        signing.refuse_another_history(office, key)

    def sign(self, office: Federation, on: date, at: datetime, options: dict[str, Any]) -> None:
        made = signing.sign_due_checkpoints(office, at=at, all_lines=options["all"])
        self.stdout.write(_("Signed: %(count)s") % {"count": len(made)})

    def new_key(self, office: Federation, on: date, at: datetime, options: dict[str, Any]) -> None:
        checkpoint = signing.change_key(federation=office, by=None, on=on, at=at)
        self.stdout.write(checkpoint.key.vkey)

    def new_origin(self, office: Federation, on: date, at: datetime, options: dict[str, Any]) -> None:
        reason, origin = options["reason"], options["origin"]
        key = signing.begin_origin(federation=office, reason=reason, origin=origin, by=None, on=on, at=at)
        self.stdout.write(key.vkey)

    def resume(self, office: Federation, on: date, at: datetime, options: dict[str, Any]) -> None:
        resumed = resume_restored_office(
            federation=office, note=load_checkpoint_text(options["file"]), on=on, at=at
        )
        self.stdout.write(_("Goes on after line %(size)s, as signed.") % {"size": resumed.size})

    def witness(self, office: Federation, on: date, at: datetime, options: dict[str, Any]) -> None:
        name_witness(federation=office, vkey=options["key"], url=options["url"], by=None, on=on)

    def drop_witness(self, office: Federation, on: date, at: datetime, options: dict[str, Any]) -> None:
        drop_witness(federation=office, vkey=options["key"], by=None, on=on)

    def cosign(self, office: Federation, on: date, at: datetime, options: dict[str, Any]) -> None:
        note, vkey = load_checkpoint_text(options["file"]), options["key"]
        taken = signing.take_cosignature(federation=office, note=note, vkey=vkey, by=None, on=on, at=at)
        self.stdout.write(taken.line.rstrip())
