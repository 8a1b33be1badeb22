
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='SignOfLife',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40, unique=True)),
                ('at', models.DateTimeField()),
                ('details', models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name='Message',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('queue', models.CharField(max_length=120)),
                ('payload', models.TextField()),
            ],
            options={
                'indexes': [models.Index(fields=['queue', 'id'], name='federation__queue_44c8d3_idx')],
            },
        ),
        migrations.CreateModel(
            name='PastSignIn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('outcome', models.CharField(choices=[('signed-in', 'signed in'), ('wrong-password', 'failed: wrong password'), ('wrong-code', 'failed: wrong code')], max_length=15)),
                ('network', models.CharField(blank=True, max_length=45)),
                ('device', models.CharField(blank=True, max_length=40)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='sign_ins', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'sign-ins of late',
                'ordering': ('-at', '-pk'),
                'indexes': [models.Index(fields=['user', '-at'], name='federation__user_id_68ed4b_idx')],
            },
        ),
    ]
