"""Rounds beside the scheduled ones, such as finals, by their names."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0014_histories")]

    operations = [
        migrations.AddField(
            model_name="section",
            name="finals",
            field=models.JSONField(blank=True, default=list),
        ),
    ]
