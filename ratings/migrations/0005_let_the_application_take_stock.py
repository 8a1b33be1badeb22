from django.db import migrations

FUNCTION = """
CREATE OR REPLACE FUNCTION take_stock(named regclass) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
$$ BEGIN EXECUTE 'ANALYZE ' || named; END $$
"""


def create(apps, editor):
    """ANALYZE is for a table's owner; this lets the application's role ask for it."""
    if editor.connection.vendor == "postgresql":
        editor.execute(FUNCTION)


def drop(apps, editor):
    if editor.connection.vendor == "postgresql":
        editor.execute("DROP FUNCTION IF EXISTS take_stock(regclass)")


class Migration(migrations.Migration):
    dependencies = [("ratings", "0004_refuse_replace_and_truncate")]
    operations = [migrations.RunPython(create, drop)]
