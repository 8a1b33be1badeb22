# `make help` lists what there is. Everything runs in .venv, which the first target that needs it makes.

PYTHON = .venv/bin/python
BIN = .venv/bin
# one more than there are cores: many tests wait for programs that they start; --dist worksteal: whoever is done takes
# over what waits behind those
JOBS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
RUN = -n $(JOBS) --dist worksteal
# What needs more than Python has targets of its own.
TESTS = not (browser or faults or containers or verifiers)
ALTERATIONS = 1000
ifndef SEED
SEED := $(shell date +%s)
endif
PRODUCTION = PRODUCTION=1 ALLOWED_HOSTS=ratings.example.org SECRET_KEY=only-for-the-check-0123456789-abcdefghijklmnopqrstuvwxyz EMAIL_URL=smtp+tls://mail.example.org TRUSTED_PROXIES=1 BACKUP_DIR=/var/backups/office SECURITY_CONTACT=security@example.org

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' Makefile | expand -t 16

dev:  ## make .venv with everything that the checks need
	@python3 -m federation_site.install requirements-dev.txt

up: dev  ## start the office with its demo
	@$(PYTHON) manage.py up

check: lint types imports migrations deploy  ## all that runs no test

format: dev  ## lay the code out, mend what can be mended
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/djangofmt templates

lint: dev  ## layout of code and templates, lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/djangofmt --check templates

types: dev
	$(BIN)/mypy .

imports: dev
	$(BIN)/lint-imports

messages: dev  ## bring the catalogues of all languages up to the sources
	@$(PYTHON) -m tests.translations messages

translations: dev  ## compile the catalogues, and name what is wrong with them
	@$(PYTHON) -m tests.translations translations

migrations: dev
	$(PYTHON) manage.py makemigrations --check --dry-run

deploy: dev
	$(PRODUCTION) $(PYTHON) manage.py check --deploy --fail-level WARNING

test: dev  ## the tests of every day, on SQLite
	$(BIN)/pytest $(RUN)

long: dev  ## the tests that are not for every day
	$(BIN)/pytest -m 'long and not nightly and $(TESTS)' $(RUN)

test-servers: dev  ## the tests of what PostgreSQL and Redis do in their own way, on both, started for the occasion
	.ci/with-servers $(BIN)/pytest -m 'servers and not (long or nightly) and $(TESTS)' $(RUN)

browser: dev  ## a slice of the tests that drive Chromium
	$(BIN)/pytest tests -m 'browser and not nightly' -n 2 --dist loadgroup

faults: dev  ## a slice of the tests that kill processes and hurt what an office stands on
	$(BIN)/pytest tests -m 'faults and not (servers or nightly)'
	.ci/with-servers $(BIN)/pytest tests -m 'faults and servers and not nightly'

containers: dev  ## a slice of the commands of image, compose and documents, in rooms of their own (root on Linux)
	$(BIN)/pytest tests -m 'containers and not nightly'

verifiers: dev  ## what is written, read by other programs
	$(BIN)/pytest ratings tournaments -m verifiers

NIGHTLY = $(addprefix night-,sqlite servers verifiers browser containers faults races alterations mutants)

nightly: dev  ## everything that takes long, each part to its end, with its minutes (hours; SEED=… repeats a night)
	@failed=; for part in $(NIGHTLY); do \
	  started=$$(date +%s); $(MAKE) --no-print-directory SEED=$(SEED) $$part || failed="$$failed $$part"; \
	  echo "== $$part: $$((($$(date +%s) - started) / 60)) minutes"; \
	done; [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

night-sqlite:
	SEED=$(SEED) $(BIN)/pytest -m '$(TESTS)' $(RUN) --hypothesis-seed=$(SEED)

night-servers:
	.ci/with-servers $(BIN)/pytest -m '$(TESTS) and not any_database' $(RUN)

night-verifiers: verifiers

night-browser:
	PICTURES=all $(BIN)/pytest tests -m browser -n 2 --dist loadgroup

night-containers:
	$(BIN)/pytest tests -m containers

night-faults:
	$(BIN)/pytest tests -m faults
	.ci/with-servers $(BIN)/pytest tests -m faults

night-races:
	$(PYTHON) -m tests.races --pairs 20 --seed $(SEED)
	.ci/with-servers $(PYTHON) -m tests.races --pairs 20 --seed $(SEED)

night-alterations:
	SEED=$(SEED) ALTERATIONS=$(ALTERATIONS) $(BIN)/pytest -s -m '$(TESTS)' ratings/tests/test_alterations.py
	SEED=$(SEED) ALTERATIONS=$(ALTERATIONS) .ci/with-servers $(BIN)/pytest -s -m '$(TESTS)' ratings/tests/test_alterations.py

night-mutants:
	$(PYTHON) -m tests.mutants --seed $(SEED) --rules 40 --rest 40 --jobs $(JOBS)

released-office: dev  ## make the office of this release, which later ones are tested to upgrade
	PYTHONPATH=. $(PYTHON) tests/releases/make_office.py

screenshots: dev  ## take the README's pictures anew, of a demo office
	$(PYTHON) -m tests.screenshots

fonts: dev  ## cut the pages' fonts from their originals anew (needs npm)
	$(PYTHON) -m tests.cut_fonts

mutants: dev  ## put faults into the sources and see whether the tests find them (long: docs/faults.md)
	rm -rf mutants mutants.log
	$(PYTHON) -m tests.mutants --jobs $(JOBS)

kills: dev  ## every fault of docs/faults.md, hundreds of times on each database (hours; goes on where it ended)
	$(PYTHON) -m tests.faults --seed $(SEED) --log faults.jsonl
	.ci/with-servers $(PYTHON) -m tests.faults --seed $(SEED) --log faults.jsonl

locks: dev  ## pin the newest packages that pyproject.toml allows, and show what changes
	$(LOCK) -o requirements.txt
	$(LOCK) --group test -o requirements-test.txt
	$(LOCK) --group dev -o requirements-dev.txt
	@git --no-pager diff --unified=0 -- requirements*.txt | sed -nE 's/^([-+][a-z].*==[^ ]+).*/\1/p' | sort -u -k 1.2

LOCK = $(BIN)/uv pip compile --upgrade --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-annotate --no-header pyproject.toml

images:  ## pin the images of Dockerfile and compose by digest, and show what changes (needs docker)
	@deploy/pin-images

audit: dev  ## look for known holes in all locked packages; fails as well where nobody could be asked
	$(BIN)/pip-audit --strict --disable-pip --require-hashes -r requirements-dev.txt

VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)

sbom: dev  ## write what the office is made of, as CycloneDX: every locked package with its digests
	$(BIN)/cyclonedx-py requirements requirements.txt --pyproject pyproject.toml --output-reproducible \
	  -o federation-ratings-$(VERSION).cdx.json

.PHONY: help dev up check format lint types imports messages translations migrations deploy test long test-servers browser faults containers verifiers nightly $(NIGHTLY) released-office screenshots fonts mutants kills locks images audit sbom
