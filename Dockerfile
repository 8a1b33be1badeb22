FROM python:3.13-slim

ENV NO_BOOTSTRAP=1 PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 VAR_DIR=/var/lib/office
RUN useradd --system --create-home --home-dir /var/lib/office office
# pg_dump and pg_restore, for backups; of the version of compose's server
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql-client && rm -rf /var/lib/apt/lists/*
WORKDIR /srv/office

COPY requirements.txt .
RUN pip install --no-cache-dir --require-hashes -r requirements.txt
COPY . .

USER office
RUN mkdir --mode 700 /var/lib/office/keys /var/lib/office/backups
RUN python manage.py collectstatic --noinput
EXPOSE 8000
CMD ["python", "-m", "granian", "--interface", "asginl", "--http", "1", "--no-ws", "--host", "0.0.0.0", \
     "--port", "8000", "--http1-header-read-timeout", "10000", "--backlog", "2048", "--log-level", "warning", \
     "federation_site.asgi:application"]
