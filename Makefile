# `make run` serves Capsules with its demo content; `make test` runs every test. Both set up what they need.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: run test check lock schema

run: .venv/ready
	$(BIN)/python manage.py serve --demo

test: .venv/ready-dev
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile

check: .venv/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py spectacular --validate --fail-on-warn --file .data/openapi.yaml
	diff -u docs/openapi.yaml .data/openapi.yaml
	DEBUG=false SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_hex(40))') \
	  ALLOWED_HOSTS=capsules.example DATABASE_URL=sqlite:///.data/check.sqlite3 APP_URL=https://capsules.example \
	  $(BIN)/python manage.py check --deploy --fail-level WARNING

# The OpenAPI document in docs/, from the code.
schema: .venv/ready
	$(BIN)/python manage.py spectacular --validate --fail-on-warn --file docs/openapi.yaml

# The pinned requirements, from the short lists of direct dependencies.
lock: .venv/ready
	$(BIN)/python -m pip install -q uv
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --python-version 3.11 requirements.in -o requirements.txt
	$(BIN)/uv pip compile -q --universal --generate-hashes --no-header --python-version 3.11 requirements-dev.in -o requirements-dev.txt

.venv/ready: requirements.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements.txt
	touch $@

.venv/ready-dev: requirements-dev.txt .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements-dev.txt
	touch $@
