"""All tables of this app, as the first release with journals of form 3 has them."""

import django.db.models.deletion
import django.utils.timezone
import players.names
import players.seals
import players.writing
from django.conf import settings
from django.db import migrations, models

from players.record import freeze


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        players.writing.CreateTables(
            tables=[migrations.CreateModel(
                name='User',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('password', models.CharField(max_length=128, verbose_name='password')),
                    ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                    ('email', models.EmailField(max_length=254, unique=True, verbose_name='e-mail address')),
                    ('name', models.CharField(blank=True, max_length=100, verbose_name='name')),
                    ('is_active', models.BooleanField(default=True)),
                    ('joined', models.DateTimeField(auto_now_add=True)),
                    ('session_number', models.PositiveIntegerField(default=0)),
                    ('language', models.CharField(blank=True, default='', max_length=10, verbose_name='language of letters')),
                ],
                options={
                    'abstract': False,
                },
            ), migrations.CreateModel(
                name='Federation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('code', models.SlugField(max_length=20, unique=True, verbose_name='code')),
                    ('name', models.CharField(max_length=100, verbose_name='name')),
                    ('ruleset_slug', models.CharField(max_length=40, verbose_name='ruleset')),
                    ('accent', models.PositiveSmallIntegerField(default=1)),
                    ('settings', models.JSONField(blank=True, default=dict)),
                    ('next_player_number', models.PositiveBigIntegerField(default=101000001)),
                    ('demo', models.BooleanField(default=False)),
                ],
                options={
                    'ordering': ('name',),
                },
            ), migrations.CreateModel(
                name='FormerName',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='former_names', to='players.player')),
                    ('surname', models.CharField(max_length=100)),
                    ('first_name', models.CharField(blank=True, max_length=100)),
                    ('name_key', models.CharField(editable=False, max_length=120)),
                    ('first_name_key', players.names.FoldedNameField('first_name', blank=True, default='', editable=False, max_length=120)),
                    ('until', models.DateField()),
                ],
                options={
                    'ordering': ('-until', '-pk'),
                    'indexes': [models.Index(fields=['name_key', 'player'], name='players_for_name_ke_17a114_idx')],
                },
            ), migrations.CreateModel(
                name='Letter',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('email', models.EmailField(max_length=254)),
                    ('kind', models.CharField(blank=True, max_length=20)),
                    ('particulars', models.JSONField(default=dict)),
                    ('subject', models.CharField(blank=True, max_length=200)),
                    ('text', models.TextField(blank=True)),
                    ('at', models.DateTimeField(default=django.utils.timezone.now)),
                    ('due', models.DateTimeField(db_index=True, default=django.utils.timezone.now)),
                    ('tries', models.PositiveSmallIntegerField(default=0)),
                ],
            ), migrations.CreateModel(
                name='Decision',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='players.federation')),
                    ('number', models.PositiveBigIntegerField()),
                    ('kind', models.CharField(max_length=40)),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
                    ('at', models.DateTimeField()),
                    ('on', models.DateField()),
                    ('about', models.CharField(max_length=120)),
                    ('sealed_details', models.JSONField(default=dict)),
                    ('hash', models.CharField(blank=True, max_length=64)),
                ],
                options={
                    'ordering': ('-number',),
                    'indexes': [models.Index(fields=['federation', 'about'], name='players_dec_federat_b7ce20_idx')],
                    'constraints': [models.UniqueConstraint(fields=('federation', 'number'), name='decisions_are_numbered')],
                },
            ), migrations.CreateModel(
                name='Appointment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='appointments', to=settings.AUTH_USER_MODEL)),
                    ('role', models.CharField(choices=[('regional', 'regional administrator'), ('official', 'official'), ('administrator', 'federation administrator')], max_length=20, verbose_name='role')),
                    ('federation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='appointments', to='players.federation')),
                    ('region', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, to='players.region')),
                    ('name', models.CharField(blank=True, max_length=100, verbose_name='name')),
                    ('starts', models.DateField(verbose_name='from')),
                    ('ends', models.DateField(blank=True, null=True, verbose_name='to')),
                    ('invited_at', models.DateTimeField(null=True)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('region__isnull', False), ('role', 'regional')), models.Q(models.Q(('role', 'regional'), _negated=True), ('region', None)), _connector='OR'), name='a_regional_administrator_has_a_region')],
                },
            ), migrations.CreateModel(
                name='Ledger',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('holder', models.UUIDField(null=True)),
                    ('heartbeat', models.DateTimeField(null=True)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('federation', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='ledger', to='players.federation')),
                    ('wanted', models.PositiveBigIntegerField(default=0)),
                    ('done', models.PositiveBigIntegerField(default=0)),
                    ('facts', models.PositiveBigIntegerField(default=0)),
                    ('line', models.PositiveBigIntegerField(default=0)),
                    ('rules', models.CharField(blank=True, max_length=64)),
                    ('agreed_rules', models.CharField(blank=True, max_length=64)),
                    ('decisions', models.PositiveBigIntegerField(default=0)),
                    ('signed', models.PositiveBigIntegerField(default=0)),
                    ('restored_at', models.DateTimeField(null=True)),
                    ('held', models.BooleanField(default=False)),
                    ('folded', models.PositiveBigIntegerField(default=0)),
                    ('to_fold', models.PositiveBigIntegerField(default=0)),
                    ('not_before', models.DateTimeField(null=True)),
                    ('last_error', models.TextField(blank=True)),
                    ('finished_at', models.DateTimeField(null=True)),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('done__lte', models.F('wanted'))), name='nothing_done_that_was_not_wanted')],
                },
            ), migrations.CreateModel(
                name='LettersOrdered',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='letters_ordered', to='players.federation')),
                    ('number', models.PositiveBigIntegerField(default=0)),
                ],
            ), migrations.CreateModel(
                name='LetterSwitch',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='letters_switched_off', to=settings.AUTH_USER_MODEL)),
                    ('kind', models.CharField(max_length=20)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('user', 'kind'), name='a_kind_is_switched_off_once')],
                },
            ), migrations.CreateModel(
                name='NamedColumns',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='players.federation')),
                    ('key', models.CharField(max_length=64)),
                    ('naming', models.JSONField()),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('federation', 'key'), name='one_naming_a_head')],
                },
            ), migrations.CreateModel(
                name='Player',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='players', to='players.federation')),
                    ('number', models.CharField(max_length=30, verbose_name='number')),
                    ('surname', models.CharField(max_length=100, verbose_name='surname')),
                    ('first_name', models.CharField(blank=True, max_length=100, verbose_name='first name')),
                    ('sex', models.CharField(blank=True, choices=[('m', 'male'), ('f', 'female')], max_length=1, verbose_name='sex')),
                    ('born', models.PositiveSmallIntegerField(blank=True, null=True, verbose_name='year of birth')),
                    ('nation', models.CharField(blank=True, max_length=3, verbose_name='nation')),
                    ('resident', models.BooleanField(default=True, verbose_name='resident')),
                    ('included_by', models.CharField(blank=True, max_length=100)),
                    ('region', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='players', to='players.region')),
                    ('title', models.CharField(blank=True, max_length=5, verbose_name='title')),
                    ('salt', models.CharField(blank=True, default=players.seals.new_salt, editable=False, max_length=32)),
                    ('name_seal', models.CharField(blank=True, editable=False, max_length=64)),
                    ('name_key', models.CharField(db_index=True, editable=False, max_length=120)),
                    ('first_name_key', players.names.FoldedNameField('first_name', blank=True, default='', editable=False, max_length=120)),
                    ('sort_key', players.names.NameOrderField(blank=True, default='', editable=False, max_length=480)),
                    ('club', models.CharField(blank=True, max_length=100, verbose_name='club')),
                    ('deceased', models.BooleanField(default=False, verbose_name='deceased')),
                    ('merged_into', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='merged', to='players.player')),
                    ('withheld', models.BooleanField(default=False)),
                    ('registered_on', models.DateField(blank=True, null=True)),
                ],
                options={
                    'ordering': ('sort_key', 'number'),
                    'indexes': [models.Index(fields=['federation', 'name_key', 'born'], name='players_pla_federat_7df7c4_idx'), models.Index(fields=['federation', 'sort_key', 'number'], name='players_by_name')],
                    'constraints': [models.UniqueConstraint(fields=('federation', 'number'), name='one_player_a_number')],
                },
            ), migrations.CreateModel(
                name='PairOfTwo',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('one', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='players.player')),
                    ('other', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='players.player')),
                    ('on', models.DateField()),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('one', 'other'), name='one_answer_a_pair')],
                },
            ), migrations.CreateModel(
                name='NameWord',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='name_words', to='players.player')),
                    ('former', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='words', to='players.formername')),
                    ('key', players.names.KeyField(max_length=40)),
                ],
                options={
                    'indexes': [models.Index(fields=['key', 'player'], name='players_by_a_names_word', opclasses=['varchar_pattern_ops', ''])],
                },
            ), migrations.CreateModel(
                name='Identifier',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='players.federation')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='identifiers', to='players.player')),
                    ('kind', models.CharField(max_length=30, verbose_name='kind')),
                    ('value', models.CharField(max_length=60, verbose_name='id')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('federation', 'kind', 'value'), name='one_player_an_identifier')],
                },
            ), migrations.CreateModel(
                name='BirthDate',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('player', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='birth_date', to='players.player')),
                    ('day', models.DateField(db_index=True)),
                ],
            ), migrations.CreateModel(
                name='Region',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='regions', to='players.federation')),
                    ('code', models.CharField(max_length=10, verbose_name='code')),
                    ('name', models.CharField(max_length=100, verbose_name='name')),
                ],
                options={
                    'ordering': ('name',),
                    'constraints': [models.UniqueConstraint(fields=('federation', 'code'), name='one_region_a_code')],
                },
            ), migrations.CreateModel(
                name='RegisterImport',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('holder', models.UUIDField(null=True)),
                    ('heartbeat', models.DateTimeField(null=True)),
                    ('attempts', models.PositiveSmallIntegerField(default=0)),
                    ('let_go_on', models.DateField(null=True)),
                    ('let_go_because', models.CharField(blank=True, choices=[('decided', 'the time for appeals and the season after it were over'), ('draft', 'nobody had worked on the section for a long time'), ('called-off', 'its section was cancelled or withdrawn a long time before'), ('unreadable', 'it could not be read'), ('archive', 'an archive is kept only until its files are with their sections'), ('forgotten', 'the name of whom it is about was deleted'), ('table', 'a table is kept only for some time after it was used')], max_length=10)),
                    ('federation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='register_imports', to='players.federation')),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('at', models.DateTimeField()),
                    ('on', models.DateField()),
                    ('name', models.CharField(max_length=200)),
                    ('size', models.PositiveIntegerField()),
                    ('sha256', models.CharField(max_length=64)),
                    ('content', models.BinaryField(null=True)),
                    ('takes_numbers', models.BooleanField(default=False)),
                    ('reading', models.BinaryField(null=True)),
                    ('head', models.JSONField(default=dict)),
                    ('naming', models.JSONField(default=dict)),
                    ('opening', models.JSONField(default=dict)),
                    ('coming_list', models.JSONField(default=list)),
                    ('state', models.CharField(choices=[('waiting', 'waiting to be read'), ('reading', 'being compared'), ('unnamed', 'columns to be named'), ('planned', 'to be confirmed'), ('confirmed', 'waiting to be written'), ('writing', 'being written'), ('written', 'written'), ('refused', 'refused'), ('discarded', 'discarded')], default='waiting', max_length=10)),
                    ('progress', models.PositiveSmallIntegerField(default=0)),
                    ('reason', models.JSONField(default=dict)),
                    ('notices', models.JSONField(default=list)),
                    ('counts', models.JSONField(default=dict)),
                    ('digest', models.CharField(blank=True, max_length=64)),
                    ('stale', models.BooleanField(default=False)),
                    ('leave_out', models.BooleanField(default=False)),
                    ('confirmed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('confirmed_on', models.DateField(null=True)),
                ],
                options={
                    'ordering': ('-id',),
                    'indexes': [models.Index(fields=['state'], name='register_imports_by_state')],
                },
            ), migrations.CreateModel(
                name='RegisterLine',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('register_import', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='lines', to='players.registerimport')),
                    ('line', models.PositiveIntegerField()),
                    ('kind', models.CharField(choices=[('new', 'new'), ('changed', 'changed'), ('unchanged', 'unchanged'), ('problem', 'with problems')], max_length=10)),
                    ('player', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.DO_NOTHING, related_name='+', to='players.player')),
                    ('number', models.CharField(blank=True, max_length=30)),
                    ('name', models.CharField(blank=True, max_length=201)),
                    ('changes', models.JSONField(default=dict)),
                    ('opening', models.JSONField(default=dict)),
                    ('problems', models.JSONField(default=list)),
                ],
                options={
                    'ordering': ('line',),
                    'indexes': [models.Index(fields=['register_import', 'line'], name='register_lines_in_order'), models.Index(fields=['register_import', 'kind', 'line'], name='register_lines_by_kind')],
                },
            ), migrations.CreateModel(
                name='SealedName',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sealed_names', to='players.federation')),
                    ('seal', models.CharField(max_length=64)),
                    ('name', models.CharField(max_length=201)),
                    ('salt', models.CharField(max_length=32)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('federation', 'seal'), name='one_name_a_seal')],
                },
            ), migrations.CreateModel(
                name='SentForm',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='players.federation')),
                    ('mark', models.CharField(max_length=64)),
                    ('made', models.CharField(max_length=500)),
                    ('at', models.DateTimeField(auto_now_add=True)),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('federation', 'mark'), name='a_form_makes_one_thing')],
                },
            ), migrations.CreateModel(
                name='Transfer',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('federation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='transfers', to='players.federation')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='transfers', to='players.player')),
                    ('giving', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='players.region')),
                    ('taking', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='players.region')),
                    ('reason', models.CharField(blank=True, max_length=2000)),
                    ('asked_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('asked_on', models.DateField()),
                    ('state', models.CharField(choices=[('asked', 'asked for'), ('granted', 'granted'), ('refused', 'refused'), ('done', 'done')], default='asked', max_length=10)),
                    ('starts', models.DateField(null=True)),
                    ('answer', models.CharField(blank=True, max_length=2000)),
                    ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('decided_on', models.DateField(null=True)),
                ],
                options={
                    'ordering': ('-pk',),
                    'constraints': [models.UniqueConstraint(condition=models.Q(('state__in', ('asked', 'granted'))), fields=('player',), name='one_open_transfer_a_player')],
                },
            ), migrations.CreateModel(
                name='ProofFile',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('let_go_on', models.DateField(null=True)),
                    ('let_go_because', models.CharField(blank=True, choices=[('decided', 'the time for appeals and the season after it were over'), ('draft', 'nobody had worked on the section for a long time'), ('called-off', 'its section was cancelled or withdrawn a long time before'), ('unreadable', 'it could not be read'), ('archive', 'an archive is kept only until its files are with their sections'), ('forgotten', 'the name of whom it is about was deleted'), ('table', 'a table is kept only for some time after it was used')], max_length=10)),
                    ('federation', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proof_files', to='players.federation')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='proof_files', to='players.player')),
                    ('region', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='players.region')),
                    ('transfer', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='proof_files', to='players.transfer')),
                    ('decision', models.PositiveBigIntegerField()),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('on', models.DateField()),
                    ('name', models.CharField(max_length=60)),
                    ('kind', models.CharField(choices=[('pdf', 'PDF'), ('jpg', 'JPEG'), ('png', 'PNG')], max_length=3)),
                    ('size', models.PositiveIntegerField()),
                    ('sha256', models.CharField(max_length=64)),
                    ('content', models.BinaryField(null=True)),
                ],
                options={
                    'ordering': ('pk',),
                },
            ), migrations.CreateModel(
                name='DecisionWords',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('decision', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='words', to='players.decision')),
                    ('key', models.CharField(max_length=40)),
                    ('salt', models.CharField(max_length=32)),
                    ('value', models.JSONField()),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('decision', 'key'), name='words_of_a_detail')],
                },
            )],
        ),
        freeze(
            "players_decision",
            "players_decisionwords",
            "players_sealedname",
        ),
    ]
