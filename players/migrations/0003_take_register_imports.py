import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('players', '0002_freeze_the_record'),
    ]

    operations = [
        # The tables are there: `ratings` gave them over with their rows. Its migration is not named as one to
        # come before, as the migrations that stand for all of either app would wait for each other; every office
        # of a release has both.
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name='RegisterImport',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('at', models.DateTimeField()),
                        ('on', models.DateField()),
                        ('name', models.CharField(max_length=200)),
                        ('size', models.PositiveIntegerField()),
                        ('sha256', models.CharField(max_length=64)),
                        ('content', models.BinaryField(null=True)),
                        ('takes_numbers', models.BooleanField(default=False)),
                        ('reading', models.BinaryField(null=True)),
                        ('state', models.CharField(choices=[('waiting', 'waiting to be read'), ('reading', 'being compared'), ('planned', 'to be confirmed'), ('confirmed', 'waiting to be written'), ('writing', 'being written'), ('written', 'written'), ('refused', 'refused'), ('discarded', 'discarded')], default='waiting', max_length=10)),
                        ('attempts', models.PositiveSmallIntegerField(default=0)),
                        ('heartbeat', models.DateTimeField(null=True)),
                        ('progress', models.PositiveSmallIntegerField(default=0)),
                        ('reason', models.JSONField(default=dict)),
                        ('notices', models.JSONField(default=list)),
                        ('counts', models.JSONField(default=dict)),
                        ('digest', models.CharField(blank=True, max_length=64)),
                        ('stale', models.BooleanField(default=False)),
                        ('leave_out', models.BooleanField(default=False)),
                        ('confirmed_on', models.DateField(null=True)),
                        ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('confirmed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                        ('federation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='register_imports', to='players.federation')),
                    ],
                    options={
                        'ordering': ('-id',),
                    },
                ),
                migrations.CreateModel(
                    name='RegisterLine',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('line', models.PositiveIntegerField()),
                        ('kind', models.CharField(choices=[('new', 'new'), ('changed', 'changed'), ('unchanged', 'unchanged'), ('problem', 'with problems')], max_length=10)),
                        ('number', models.CharField(blank=True, max_length=30)),
                        ('name', models.CharField(blank=True, max_length=201)),
                        ('changes', models.JSONField(default=dict)),
                        ('problems', models.JSONField(default=list)),
                        ('player', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='players.player')),
                        ('register_import', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='lines', to='players.registerimport')),
                    ],
                    options={
                        'ordering': ('line',),
                    },
                ),
                migrations.AddIndex(
                    model_name='registerimport',
                    index=models.Index(fields=['state'], name='register_imports_by_state'),
                ),
                migrations.AddIndex(
                    model_name='registerline',
                    index=models.Index(fields=['register_import', 'line'], name='register_lines_in_order'),
                ),
                migrations.AddIndex(
                    model_name='registerline',
                    index=models.Index(fields=['register_import', 'kind', 'line'], name='register_lines_by_kind'),
                ),
            ],
        ),
    ]
