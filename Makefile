# `make run` serves Capsules with its demo content; `make test` runs every test. Both set up what they need.
# A Python that was built without optimizations, as pyenv builds it, is a fifth slower: where the system has the same
# version (and can make environments of it), that one is taken.
UNOPTIMIZED := import sys, sysconfig; how = sysconfig.get_config_var("CONFIG_ARGS"); \
  sys.exit(not how or "--enable-optimizations" in how)
PYTHON ?= $(shell system=/usr/bin/$$(python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])'); \
  python3 -c '$(UNOPTIMIZED)' && $$system -c 'import ensurepip' 2>/dev/null && echo $$system || echo python3)
BIN := .venv/bin
UV := $(BIN)/uv
# uv installs in a tenth of pip's time. It does not read pip's settings: pip tries where uv does not reach an index.
INSTALL = $(UV) pip install --quiet --system-certs --python $(BIN)/python --require-hashes -r $(1) || \
  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r $(1)
LOCK := $(UV) pip compile -q --system-certs --universal --generate-hashes --no-header --python-version 3.11
WORKERS := $(shell echo $$(($$(nproc) + 2))) # a fifth of what tests do is waiting
# Databases and files of tests are in memory where it has room for them, which makes a run a tenth shorter.
ROOM := $(shell df --output=avail -k /dev/shm 2>/dev/null | tail -1)
ON_SCRATCH := $(if $(shell [ $(or $(ROOM),0) -gt 4000000 ] && echo yes),TMPDIR=/dev/shm)

.PHONY: mcp-conformance run test test-quick check check-types docs faults lock schema words vendor

run: .venv/ready
	$(BIN)/python manage.py serve --demo

test: .venv/ready-to-test
	$(ON_SCRATCH) $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# The tests for one's own loop: all but browsers, encoders, services in their own processes, and files that take ten
# seconds by themselves (races, whole tables of statuses, a mail server's every answer).
SLOW := tests/browser tests/mcp tests/capsules/test_media*.py tests/capsules/test_bucket.py \
  tests/capsules/test_import.py tests/capsules/test_authoring_document.py \
  tests/feed/test_feed_walk.py tests/server/test_server.py tests/server/test_starting_and_stopping.py tests/server/test_schema.py \
  tests/server/test_production.py \
  tests/*/test_*races.py tests/capsules/test_authoring_status_table.py tests/capsules/test_uploads.py \
  tests/premieres/test_premiere_send*.py tests/premieres/test_greylisting.py \
  tests/server/test_admin.py tests/server/test_staff.py tests/accounts/test_people.py tests/accounts/test_erasing.py
test-quick: .venv/ready-to-test
	$(ON_SCRATCH) $(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(foreach path,$(SLOW),--ignore-glob='$(path)')

check: .venv/ready-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/djlint --lint --quiet templates
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	$(BIN)/biome check --error-on-warnings
	@$(MAKE) --no-print-directory check-types
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py spectacular --validate --fail-on-warn --file .data/openapi.yaml
	diff -u docs/openapi.yaml .data/openapi.yaml
	DEBUG=false SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_hex(40))') \
	  ALLOWED_HOSTS=capsules.example DATABASE_URL=sqlite:///.data/check.sqlite3 APP_URL=https://capsules.example FETCH_PRIVATE= \
	  $(BIN)/python manage.py check --deploy --fail-level WARNING

# The types of the studio's scripts (JSDoc); skipped, loudly, without Node or npm's registry.
TYPESCRIPT := typescript@7.0.2
check-types:
	@if ! command -v npx >/dev/null || ! npm_config_fetch_retries=0 timeout 60 npx --yes -p $(TYPESCRIPT) tsc --version >/dev/null 2>&1; then \
	  printf '\n!!! NO NODE, OR NPM IS OUT OF REACH: THE TYPES OF THE SCRIPTS ARE NOT CHECKED.\n\n'; \
	else timeout 120 npx --yes -p $(TYPESCRIPT) tsc -p jsconfig.json; fi

# The documents as a site in .data/site.
docs: .venv/ready-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# Everything that is broken on purpose, and whether the promises held; DATABASE_URL and REDIS_URL say on what.
faults: .venv/ready-dev
	$(BIN)/python -m tests.faults $(FAULTS)

# The OpenAPI document in docs/, from the code.
schema: .venv/ready
	$(BIN)/python manage.py spectacular --validate --fail-on-warn --file docs/openapi.yaml

# Brings the catalogues (locale/*/LC_MESSAGES/django.po) up to date with code and templates, and compiles them.
words: .venv/ready
	$(BIN)/python -m config.words gather

# The one vendored script, from npm; for another version change its name, here and where it stands, and SHA256SUMS.
LIT := lit-html-3.3.3
vendor:
	mkdir -p .data && npm pack --silent $(LIT:lit-html-%=lit-html@%) --pack-destination .data
	tar -xOf .data/$(LIT).tgz package/lit-html.js | sed '/^\/\/# sourceMappingURL/d' >static/vendor/$(LIT).js
	tar -xOf .data/$(LIT).tgz package/LICENSE >static/vendor/lit-html-LICENSE.txt
	cd static/vendor && sha256sum --check SHA256SUMS

# The pinned requirements, from the short lists of direct dependencies.
lock: $(UV)
	$(LOCK) requirements-uv.in -o requirements-uv.txt
	$(LOCK) requirements.in -o requirements.txt
	$(LOCK) requirements-dev.in -o requirements-dev.txt

$(UV): requirements-uv.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-uv.txt
	touch $@

.venv/ready: requirements.txt $(UV)
	$(call INSTALL,requirements.txt)
	$(BIN)/python -m config.words
	touch $@

.venv/ready-dev: requirements-dev.txt .venv/ready
	$(call INSTALL,requirements-dev.txt)
	touch $@

# What each worker of a first run would do, or wait for: bytecode of all that tests import, and a migrated database.
.venv/ready-to-test: .venv/ready-dev
	$(BIN)/python -m tests.support.migrated & $(BIN)/python -m pytest -q --collect-only >/dev/null; wait
	touch $@

# The official conformance suite of the Model Context Protocol against the MCP server; skipped, loudly, without npm.
mcp-conformance: .venv/ready-dev
	$(BIN)/python -m tests.mcp.conformance
