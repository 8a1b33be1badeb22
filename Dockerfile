# One image for every program of the office. It holds no secret and writes nothing but below VAR_DIR and /tmp, so it
# runs with a read-only root and without any right (docker-compose.yml does both).
FROM python:3.13-slim

ENV NO_BOOTSTRAP=1 PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 VAR_DIR=/var/lib/office STATIC_ROOT=/srv/static \
    KEPT_DIR=/var/cache/office GRANIAN_WORKERS=1
RUN useradd --system --uid 10001 --user-group --no-create-home --home-dir /var/lib/office office
# pg_dump and pg_restore, for backups; of the version of compose's server
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql-client && rm -rf /var/lib/apt/lists/*
WORKDIR /srv/office

COPY requirements.txt .
RUN pip install --no-cache-dir --require-hashes -r requirements.txt
COPY . .

# The key signs nothing that stays. A volume at one of the folders begins as it is here: the office's own.
RUN SECRET_KEY=of-this-step-alone python manage.py collectstatic --noinput --verbosity 0 \
 && chmod --recursive a+rX,go-w /srv \
 && install --directory --owner office --group office --mode 700 \
    /var/lib/office /var/lib/office/keys /var/lib/office/backups /var/lib/office/journals \
    /var/lib/office/dumps \
 && install --directory --owner office --group office --mode 755 /var/cache/office
USER office
EXPOSE 8000
CMD ["python", "-m", "granian", "--interface", "asginl", "--http", "1", "--no-ws", "--host", "0.0.0.0", \
     "--port", "8000", "--respawn-failed-workers", "--http1-header-read-timeout", "10000", "--backlog", "2048", \
     "--log-level", "warning", "federation_site.asgi:application"]
