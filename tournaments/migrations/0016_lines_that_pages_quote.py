"""The lines of a file that pages quote, kept beside its sheet."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0015_finals_of_sections")]

    operations = [
        migrations.AddField(
            model_name="filedsheet",
            name="lines",
            field=models.JSONField(default=dict),
        ),
    ]
