from django.db import migrations

TABLES = ("registerline", "registerimport")


class Migration(migrations.Migration):
    """The tables move to `players` with their rows: only their names change."""

    dependencies = [("ratings", "0002_freeze_what_is_published")]
    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.AlterModelTable(name, f"players_{name}") for name in TABLES],
            state_operations=[migrations.DeleteModel(name) for name in TABLES],
        )
    ]
