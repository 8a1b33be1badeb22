# `make help` lists what there is. Everything runs in .venv, which the first target that needs it makes.

PYTHON = .venv/bin/python
BIN = .venv/bin
# one more than there are cores: many tests wait for programs that they start; --dist worksteal: whoever is done takes
# over what waits behind those
JOBS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# Everyday tests and those that take long.
TESTS = not (browser or faults or verifiers or crawl or every_day or proofs or containers)
# But those that no database concerns, and those whose programs have a SQLite database of their own.
ON_SERVERS = $(TESTS) and not (own_database or any_database or no_database)
ifndef SEED
SEED := $(shell date +%s)
endif
PRODUCTION = PRODUCTION=1 ALLOWED_HOSTS=ratings.example.org SECRET_KEY=only-for-the-check-0123456789-abcdefghijklmnopqrstuvwxyz EMAIL_URL=smtp+tls://mail.example.org TRUSTED_PROXIES=1 BACKUP_DIR=/var/backups/office SECURITY_CONTACT=security@example.org

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' Makefile | expand -t 16

dev:  ## make .venv with everything that the checks need
	@python3 -m federation_site.install_packages requirements-dev.txt

up: dev  ## start the office with its demo
	@$(PYTHON) manage.py up

check: lint types imports migrations deploy test long test-servers verifiers  ## the whole gate but browser and faults

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
	@$(PYTHON) -m federation_site.languages messages

translations: dev  ## compile the catalogues, and name what is wrong with them
	@$(PYTHON) -m federation_site.languages translations

migrations: dev
	$(PYTHON) manage.py makemigrations --check --dry-run

deploy: dev
	$(PRODUCTION) $(PYTHON) manage.py check --deploy --fail-level WARNING

test: dev  ## the tests on SQLite
	$(BIN)/pytest -n $(JOBS) --dist worksteal

long: dev  ## the tests that take long: whole offices, thousands of cases, servers that are waited for
	$(BIN)/pytest -m 'long and $(TESTS)' -n $(JOBS) --dist worksteal

test-servers: dev  ## both kinds of tests, if they use a database, on PostgreSQL and Redis, started for the occasion
	.ci/with-servers $(BIN)/pytest -n $(JOBS) --dist worksteal -m '$(ON_SERVERS)'

browser: dev  ## the tests that drive Chromium
	$(BIN)/pytest tests -m browser

screenshots: dev  ## take the README's pictures anew, of a demo office
	$(PYTHON) -m tests.screenshots

pictures: dev  ## take the style guide's pictures anew, which the browser tests hold
	$(PYTHON) -m tests.style_guide_pictures

fonts: dev  ## cut the pages' fonts from their originals anew (needs npm)
	$(PYTHON) -m tests.cut_fonts

containers: dev  ## run the commands of image, compose and documents in rooms of their own (root on Linux)
	$(BIN)/pytest tests -m containers

verifiers: dev  ## what is written, read by other programs
	$(BIN)/pytest ratings tournaments -m verifiers

proofs: dev  ## prove every list of every demo office by the commands that its page prints
	$(BIN)/pytest -m proofs -n $(JOBS)

properties: dev  ## the whole suite with other random cases than usual (SEED=… repeats a run)
	SEED=$(SEED) $(BIN)/pytest -m '$(TESTS)' -n $(JOBS) --hypothesis-seed=$(SEED)

mutants: dev  ## put faults into the sources and see whether the tests find them (long: docs/mutation.md)
	rm -rf mutants mutants.log
	$(PYTHON) -m tests.mutants --jobs $(JOBS)

crawl: dev  ## look at every public answer of an office with a hundred children, and at whole demos for broken links
	SEED=$(SEED) $(BIN)/pytest -m crawl

alterations: dev  ## alter an office by SQL in a thousand ways, and see whether verify names each (SEED=… repeats them)
	SEED=$(SEED) ALTERATIONS=1000 $(BIN)/pytest -s -m '$(TESTS)' ratings/tests/test_alterations.py

faults: dev  ## a slice of the tests that kill processes and hurt what an office stands on
	$(BIN)/pytest tests -m faults
	.ci/with-servers $(BIN)/pytest tests -m faults -k 'servers or guard or races'

races: dev  ## two people decide in one moment: a hundred pairs of each kind on each database (SEED=… repeats them)
	$(PYTHON) -m tests.races --pairs 100 --seed $(SEED)
	.ci/with-servers $(PYTHON) -m tests.races --pairs 100 --seed $(SEED)

kills: dev  ## every fault of docs/faults.md, hundreds of times on each database (hours; goes on where it ended)
	$(PYTHON) -m tests.faults --seed $(SEED) --log faults.jsonl
	.ci/with-servers $(PYTHON) -m tests.faults --seed $(SEED) --log faults.jsonl

days: dev  ## what pages say of every past day of every office, against replays (SEED=… repeats a run)
	SEED=$(SEED) $(BIN)/pytest -m every_day -n $(JOBS)

locks:  ## pin the newest packages that pyproject.toml allows (needs uv)
	$(LOCK) -o requirements.txt
	$(LOCK) --group test -o requirements-test.txt
	$(LOCK) --group dev -o requirements-dev.txt

LOCK = uv pip compile --upgrade --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-annotate --no-header pyproject.toml

.PHONY: help dev up check format lint types imports migrations deploy test long test-servers browser screenshots pictures fonts containers verifiers proofs properties mutants crawl alterations faults races kills days locks
