"""All tables of this app, as the first release with journals of form 3 has them."""

import django.db.models.deletion
import players.writing
import ratings.models
from django.conf import settings
from django.db import migrations, models

from players.record import freeze


FUNCTION = """
CREATE OR REPLACE FUNCTION take_stock(named regclass) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS
$$ BEGIN EXECUTE 'ANALYZE ' || named; END $$
"""


def create_take_stock(apps, editor):
    """ANALYZE is for a table's owner; this lets the application's role ask for it."""
    if editor.connection.vendor == "postgresql":
        editor.execute(FUNCTION)


def drop_take_stock(apps, editor):
    if editor.connection.vendor == "postgresql":
        editor.execute("DROP FUNCTION IF EXISTS take_stock(regclass)")


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('players', '0001_form_3'),
        ('players', '__first__'),
        ('tournaments', '0001_form_3'),
    ]

    operations = [
        players.writing.CreateTables(
            tables=[migrations.CreateModel(
                name='ProgramFile',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('version', models.CharField(max_length=40)),
                    ('sha256', models.CharField(max_length=64, unique=True)),
                    ('content', models.BinaryField()),
                ],
            ), migrations.CreateModel(
                name='DoublesCount',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='doubles_count', to='players.federation')),
                    ('pairs', models.PositiveIntegerField()),
                    ('decision', models.PositiveBigIntegerField()),
                    ('at', models.DateTimeField()),
                ],
            ), migrations.CreateModel(
                name='Fact',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='facts', to='players.federation')),
                    ('number', models.PositiveBigIntegerField()),
                    ('kind', models.CharField(max_length=12)),
                    ('subject', models.CharField(blank=True, max_length=60)),
                    ('on', models.DateField(null=True)),
                    ('line', models.TextField()),
                    ('takes', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ratings.fact')),
                    ('first_rated', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ratings.fact')),
                    ('particulars', models.TextField(blank=True)),
                    ('pres', models.JSONField(default=dict)),
                    ('section', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='facts', to='tournaments.section')),
                    ('order', models.BigIntegerField(null=True)),
                    ('fingerprint', models.CharField(blank=True, max_length=64)),
                    ('folded', models.CharField(blank=True, max_length=64)),
                    ('taken_back', models.PositiveBigIntegerField(null=True)),
                ],
                options={
                    'ordering': ('number',),
                    'indexes': [models.Index(condition=models.Q(('order__isnull', False)), fields=['federation', 'order'], name='facts_in_order'), models.Index(condition=models.Q(('taken_back__isnull', False)), fields=['federation', 'taken_back'], name='facts_taken_back'), models.Index(condition=models.Q(('on__isnull', False)), fields=['federation', 'on', 'number'], name='facts_by_day'), models.Index(fields=['federation', 'kind', 'subject', 'number'], name='facts_by_subject'), models.Index(condition=models.Q(('folded', ''), ('order__isnull', False)), fields=['federation', 'folded', 'order'], name='facts_not_folded')],
                    'constraints': [models.UniqueConstraint(fields=('federation', 'number'), name='lines_are_numbered')],
                },
            ), migrations.CreateModel(
                name='Erratum',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('fact', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='erratum', to='ratings.fact')),
                    ('players', models.PositiveIntegerField(default=0)),
                ],
            ), migrations.CreateModel(
                name='Change',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('since', models.PositiveBigIntegerField()),
                    ('fact', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='%(class)ss', to='ratings.fact')),
                    ('player', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='%(class)ss', to='players.player')),
                    ('track', models.CharField(max_length=24)),
                    ('order', models.BigIntegerField()),
                    ('before', players.writing.ExactDecimalField(null=True)),
                    ('after', players.writing.ExactDecimalField(null=True)),
                    ('points', players.writing.ExactDecimalField(null=True)),
                    ('games', models.PositiveIntegerField()),
                    ('state', models.TextField()),
                ],
                options={
                    'indexes': [models.Index(fields=['player', 'track', 'order'], name='changes_in_order')],
                    'constraints': [models.UniqueConstraint(fields=('fact', 'player', 'track'), name='one_change_a_fact')],
                },
            ), migrations.CreateModel(
                name='Hint',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('section', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='review_hints', to='tournaments.section')),
                    ('kind', models.CharField(choices=[('same-event', 'same-event'), ('two-places', 'two-places'), ('look-alike', 'look-alike'), ('far-score', 'far-score')], max_length=12)),
                    ('key', models.CharField(max_length=40)),
                    ('order', models.PositiveSmallIntegerField()),
                    ('evidence', models.JSONField()),
                    ('players', models.ManyToManyField(related_name='+', to='players.player')),
                ],
                options={
                    'ordering': ('section', 'order'),
                    'constraints': [models.UniqueConstraint(fields=('section', 'key'), name='one_hint_a_key')],
                },
            ), migrations.CreateModel(
                name='HintAnswer',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('section', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hint_answers', to='tournaments.section')),
                    ('kind', models.CharField(choices=[('same-event', 'same-event'), ('two-places', 'two-places'), ('look-alike', 'look-alike'), ('far-score', 'far-score')], max_length=12)),
                    ('key', models.CharField(max_length=40)),
                    ('version', models.PositiveIntegerField()),
                    ('outcome', models.CharField(choices=[('right', 'it is right'), ('asked', 'the region was asked')], max_length=10)),
                    ('evidence', models.JSONField()),
                    ('decision', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='players.decision')),
                    ('remark', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='tournaments.remark')),
                    ('players', models.ManyToManyField(related_name='+', to='players.player')),
                ],
                options={
                    'ordering': ('pk',),
                },
            ), migrations.CreateModel(
                name='HintsSearch',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('section', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='hints_search', to='tournaments.section')),
                    ('version', models.PositiveIntegerField()),
                    ('line', models.PositiveBigIntegerField()),
                    ('decision', models.PositiveBigIntegerField()),
                    ('far', models.PositiveSmallIntegerField()),
                    ('at', models.DateTimeField()),
                ],
                options={
                    'verbose_name_plural': 'searches for hints',
                },
            ), migrations.CreateModel(
                name='LogKey',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='log_keys', to='players.federation')),
                    ('number', models.PositiveSmallIntegerField()),
                    ('origin', models.CharField(max_length=200)),
                    ('vkey', models.CharField(max_length=300)),
                    ('reason', models.TextField(blank=True)),
                    ('at', models.DateTimeField()),
                ],
                options={
                    'ordering': ('-number',),
                    'constraints': [models.UniqueConstraint(fields=('federation', 'number'), name='log_keys_are_numbered')],
                },
            ), migrations.CreateModel(
                name='Checkpoint',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='checkpoints', to='players.federation')),
                    ('number', models.PositiveBigIntegerField()),
                    ('key', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='checkpoints', to='ratings.logkey')),
                    ('size', models.PositiveBigIntegerField()),
                    ('note', models.TextField()),
                    ('edge', models.BinaryField()),
                    ('at', models.DateTimeField()),
                ],
                options={
                    'ordering': ('number',),
                    'indexes': [models.Index(fields=['federation', 'size'], name='checkpoints_by_size')],
                    'constraints': [models.UniqueConstraint(fields=('federation', 'number'), name='checkpoints_are_numbered')],
                },
            ), migrations.CreateModel(
                name='MergeOutlook',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('holder', models.UUIDField(null=True)),
                    ('heartbeat', models.DateTimeField(null=True)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('federation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='players.federation')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='players.player')),
                    ('into', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='players.player')),
                    ('asked_at', models.DateTimeField()),
                    ('state', models.CharField(choices=[('waiting', 'Waiting'), ('drawing', 'Drawing'), ('drawn', 'Drawn'), ('failed', 'Failed')], default='waiting', max_length=8)),
                    ('done', models.PositiveIntegerField(default=0)),
                    ('total', models.PositiveIntegerField(null=True)),
                    ('mark', models.CharField(blank=True, max_length=64)),
                    ('content', models.JSONField(default=dict)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('player', 'into'), name='one_outlook_a_pair')],
                },
            ), migrations.CreateModel(
                name='PastChange',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('since', models.PositiveBigIntegerField()),
                    ('until', models.PositiveBigIntegerField()),
                    ('fact', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='%(class)ss', to='ratings.fact')),
                    ('player', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='%(class)ss', to='players.player')),
                    ('track', models.CharField(max_length=24)),
                    ('order', models.BigIntegerField()),
                    ('before', players.writing.ExactDecimalField(null=True)),
                    ('after', players.writing.ExactDecimalField(null=True)),
                    ('points', players.writing.ExactDecimalField(null=True)),
                    ('games', models.PositiveIntegerField()),
                    ('state', models.TextField()),
                ],
                options={
                    'indexes': [models.Index(fields=['player', 'track', 'order'], name='past_changes_in_order')],
                    'constraints': [models.UniqueConstraint(fields=('fact', 'player', 'track', 'since'), name='one_past_change_a_fact_and_line')],
                },
            ), migrations.CreateModel(
                name='PastWide',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('since', models.PositiveBigIntegerField()),
                    ('until', models.PositiveBigIntegerField()),
                    ('federation', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, to='players.federation')),
                    ('order', models.BigIntegerField()),
                    ('state', models.TextField()),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('federation', 'order', 'since'), name='one_past_wide_state_a_fact_and_line')],
                },
            ), migrations.CreateModel(
                name='RatingList',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='lists', to='players.federation')),
                    ('track', models.CharField(max_length=24)),
                    ('on', models.DateField()),
                    ('revision', models.PositiveSmallIntegerField(default=1)),
                    ('supersedes', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='superseded_by', to='ratings.ratinglist')),
                    ('fact', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='lists', to='ratings.fact')),
                    ('ledger', models.PositiveBigIntegerField()),
                    ('edition', models.CharField(max_length=60)),
                    ('program_version', models.CharField(max_length=40)),
                    ('program_sha256', models.CharField(max_length=64)),
                    ('players', models.PositiveIntegerField()),
                    ('content', models.BinaryField()),
                    ('sha256', models.CharField(max_length=64)),
                    ('note', models.TextField(blank=True)),
                    ('published_at', models.DateTimeField()),
                ],
                options={
                    'ordering': ('-on', 'track', '-revision'),
                    'constraints': [models.UniqueConstraint(fields=('federation', 'on', 'track', 'revision'), name='one_list_a_day_track_and_revision')],
                },
            ), migrations.CreateModel(
                name='ListRow',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('rating_list', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='rows', to='ratings.ratinglist')),
                    ('player', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='list_rows', to='players.player')),
                    ('rank', models.PositiveIntegerField(verbose_name='rank')),
                    ('position', models.PositiveIntegerField()),
                    ('rating', players.writing.ExactDecimalField()),
                    ('previous', players.writing.ExactDecimalField(null=True)),
                    ('games', models.PositiveIntegerField()),
                    ('status', models.CharField(max_length=20)),
                ],
                options={
                    'indexes': [models.Index(fields=['player', 'rating_list'], name='rows_of_a_player'), models.Index(fields=['rating_list', 'games'], name='rows_by_games'), models.Index(models.F('rating_list'), ratings.models.Gained('rating', 'previous'), name='rows_by_gain')],
                    'constraints': [models.UniqueConstraint(fields=('rating_list', 'position'), name='one_row_a_position')],
                },
            ), migrations.CreateModel(
                name='ReviewFigures',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('section', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='figures', to='tournaments.section')),
                    ('version', models.PositiveIntegerField()),
                    ('line', models.PositiveBigIntegerField()),
                    ('at', models.DateTimeField()),
                    ('on', models.DateField()),
                    ('moves', models.PositiveIntegerField(null=True)),
                    ('most', players.writing.ExactDecimalField(null=True)),
                ],
                options={
                    'verbose_name_plural': 'figures of reviews',
                },
            ), migrations.CreateModel(
                name='RulesVersion',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rules_versions', to='players.federation')),
                    ('rules', models.CharField(max_length=64)),
                    ('program', models.CharField(max_length=40)),
                    ('compared_at', models.DateTimeField(null=True)),
                    ('line', models.PositiveBigIntegerField(default=0)),
                    ('moves', models.BooleanField(default=False)),
                    ('effects', models.JSONField(default=dict)),
                    ('decision', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='players.decision')),
                    ('in_force_at', models.DateTimeField(null=True)),
                    ('left_at', models.DateTimeField(null=True)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('federation', 'rules'), name='one_row_of_rules')],
                },
            ), migrations.CreateModel(
                name='Standing',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, to='players.federation')),
                    ('player', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='standings', to='players.player')),
                    ('track', models.CharField(max_length=24)),
                    ('order', models.BigIntegerField()),
                    ('rating', players.writing.ExactDecimalField(null=True)),
                    ('games', models.PositiveIntegerField()),
                    ('due', models.BooleanField()),
                    ('state', models.TextField()),
                ],
                options={
                    'indexes': [models.Index(fields=['federation', 'track', '-rating'], name='standings_by_rating'), models.Index(condition=models.Q(('due', True)), fields=['federation'], name='standings_due')],
                    'constraints': [models.UniqueConstraint(fields=('player', 'track'), name='one_standing_a_track')],
                },
            ), migrations.CreateModel(
                name='StatedPre',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='players.federation')),
                    ('player', models.CharField(max_length=30)),
                    ('line', models.PositiveBigIntegerField()),
                    ('pre', models.PositiveSmallIntegerField()),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('federation', 'player', 'line'), name='one_pre_a_line')],
                },
            ), migrations.CreateModel(
                name='TreeTile',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='players.federation')),
                    ('level', models.PositiveSmallIntegerField()),
                    ('index', models.PositiveBigIntegerField()),
                    ('content', models.BinaryField()),
                    ('root', models.BinaryField()),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('federation', 'level', 'index'), name='one_tile_a_place')],
                },
            ), migrations.CreateModel(
                name='Wide',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('since', models.PositiveBigIntegerField()),
                    ('federation', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, to='players.federation')),
                    ('order', models.BigIntegerField()),
                    ('state', models.TextField()),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('federation', 'order'), name='one_wide_state_a_fact')],
                },
            ), migrations.CreateModel(
                name='Cosignature',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('checkpoint', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='cosignatures', to='ratings.checkpoint')),
                    ('vkey', models.CharField(max_length=300)),
                    ('line', models.TextField()),
                    ('at', models.DateTimeField()),
                ],
                options={
                    'ordering': ('pk',),
                    'constraints': [models.UniqueConstraint(fields=('checkpoint', 'line'), name='cosigned_once')],
                },
            ), migrations.CreateModel(
                name='CorrectedRating',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('erratum', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ratings', to='ratings.erratum')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='corrected', to='players.player')),
                    ('track', models.CharField(max_length=24)),
                    ('position', models.PositiveIntegerField()),
                    ('before', players.writing.ExactDecimalField(null=True)),
                    ('after', players.writing.ExactDecimalField(null=True)),
                ],
                options={
                    'ordering': ('position',),
                    'constraints': [models.UniqueConstraint(fields=('erratum', 'position'), name='one_corrected_rating_a_position')],
                },
            )],
        ),
        freeze(
            "ratings_fact",
            "ratings_statedpre",
            "ratings_ratinglist",
            "ratings_listrow",
            "ratings_programfile",
            "ratings_erratum",
            "ratings_correctedrating",
            "ratings_hintanswer",
            "ratings_pastchange",
            "ratings_pastwide",
            "ratings_logkey",
            "ratings_checkpoint",
            "ratings_cosignature",
            "ratings_treetile",
        ),
        migrations.RunPython(create_take_stock, drop_take_stock),
    ]
