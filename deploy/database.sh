# Sourced by backup.sh and restore.sh: PYTHON, DATA_DIR, DATABASE_KIND and DATABASE_FILE (SQLite) or PG… (PostgreSQL: no password is
# in a command line, where every process sees it).
PYTHON=${PYTHON:-.venv/bin/python}
ENV_FILE=${ENV_FILE:-/etc/capsules/env}
if [ -r "$ENV_FILE" ]; then
  while IFS='=' read -r name value; do
    case $name in '' | '#'* | *[!A-Z0-9_]*) ;; *) [ -n "${!name+set}" ] || export "$name=$value" ;; esac
  done <"$ENV_FILE"
fi
settings=$("$PYTHON" - <<'PY'
import os, shlex
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
from django.conf import settings
database = settings.DATABASES["default"]
if database["ENGINE"].endswith("sqlite3"):
    found = {"DATABASE_KIND": "sqlite", "DATABASE_FILE": database["NAME"]}
else:
    found = {"DATABASE_KIND": "postgresql", "PGHOST": database["HOST"], "PGPORT": database["PORT"],
             "PGUSER": database["USER"], "PGPASSWORD": database["PASSWORD"], "PGDATABASE": database["NAME"]}
found |= {"DATA_DIR": settings.DATA_DIR}
for name, value in found.items():
    if value:
        print(f"export {name}={shlex.quote(str(value))}")
PY
)
eval "$settings"
