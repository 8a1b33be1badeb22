import django.db.models.deletion
from django.db import migrations, models

from players.office.write_once_triggers import freeze


class Migration(migrations.Migration):
    """A section that was un-rated and is rated again stands where it was first rated (D-2)."""

    dependencies = [("ratings", "0014_facts_not_folded")]
    operations = [
        migrations.AddField(
            "fact",
            "first_rated",
            models.ForeignKey(
                "ratings.fact",
                on_delete=django.db.models.deletion.PROTECT,
                db_index=False,
                null=True,
                related_name="+",
            ),
        ),
        freeze("ratings_fact"),
    ]
