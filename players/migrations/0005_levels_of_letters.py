"""Three levels of letters in place of a switch for each kind: each person gets the nearest."""

from collections import defaultdict
from typing import Any

from django.db import migrations, models

ASKING = {
    "official": set("submitted asked answered answered_early appealed handed_over mend_proposed".split()),
    "regional": set("returned unrated question asked_early".split()),
}
ASKING_BOTH = {"reported", "reported_again", "deadline_near"}
TELLING = {
    "official": {"imported", "mend_dropped"},
    "regional": set(
        "received admitted granted denied event_moved refused_early put_off closed_early appeal_upheld"
        " appeal_dismissed called_off approved refused mended transfer_granted transfer_refused".split()
    ),
}
TELLING_ALL = {"published", "revised"}


def choose_levels(apps: Any, _editor: object) -> None:
    """Give everybody who switched letters off the level that sends most nearly those that were left on; of
    two as near, the one with more letters.
    """
    off: dict[int, set[str]] = defaultdict(set)
    for user, kind in apps.get_model("players", "LetterSwitch").objects.values_list("user", "kind"):
        off[user].add(kind)
    appointments = apps.get_model("players", "Appointment").objects
    for user, kinds in off.items():
        roles = set(appointments.filter(user=user).values_list("role", flat=True)) & ASKING.keys()
        asking = set().union(*(ASKING[role] for role in roles), ASKING_BOTH if roles else ())
        telling = set().union(*(TELLING[role] for role in roles), TELLING_ALL)
        wanted = (asking | telling) - kinds
        sent = {"all": asking | telling, "waiting": asking, "security": set()}
        level = min(sent, key=lambda name: len(sent[name] ^ wanted))
        apps.get_model("players", "User").objects.filter(pk=user).update(letters=level)


class Migration(migrations.Migration):
    dependencies = [("players", "0004_filing_keys")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="letters",
            field=models.CharField(
                choices=[
                    ("all", "All"),
                    ("waiting", "Only what waits for me"),
                    ("security", "Only about my account and appointments"),
                ],
                default="all",
                max_length=10,
                verbose_name="letters",
            ),
        ),
        migrations.RunPython(choose_levels, migrations.RunPython.noop),
        migrations.DeleteModel(name="LetterSwitch"),
    ]
