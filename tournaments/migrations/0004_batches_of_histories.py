from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def make_batches(apps: Apps, _schema: BaseDatabaseSchemaEditor) -> None:
    """Each history has come in one archive so far."""
    for history in apps.get_model("tournaments", "History").objects.only("name", "size", "sha256"):
        batch = {"number": 1, "name": history.name, "size": history.size, "sha256": history.sha256}
        if not history.files.exists():
            batch["waits"] = True
        history.batches = [batch]
        history.save(update_fields=["batches"])


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0003_further_steps_of_proposals")]

    operations = [
        migrations.AddField("history", "batches", models.JSONField(default=list)),
        migrations.AddField("historyfile", "batch", models.PositiveSmallIntegerField(default=1)),
        migrations.RunPython(make_batches, migrations.RunPython.noop),
    ]
