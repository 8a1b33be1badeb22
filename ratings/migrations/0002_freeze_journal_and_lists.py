from django.db import migrations

from players.append_only import freeze


class Migration(migrations.Migration):
    dependencies = [("ratings", "0001_initial")]
    operations = [freeze("ratings_fact", "ratings_ratinglist", "ratings_listrow")]
