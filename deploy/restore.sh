#!/usr/bin/env bash
# deploy/restore.sh FOLDER/STAMP [--replace]: puts a backup back. Stop web, MCP, worker and timer first.
#
# The database must be empty; --replace gives up what is in it (of SQLite, the file is kept beside it).
# No premiere goes out afterwards before staff release it, also where a later step fails: mails may have gone out since
# the backup was made. Files come last; those that cannot be copied are named, and the rest of them is there.
set -euo pipefail
umask 027 # as in the units: nginx, of the service's group, reads pages, pictures and films
[ $# -ge 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ -f "$1/SHA256SUMS" ] || { echo "$1 is not a backup: it has no file SHA256SUMS." >&2; exit 2; }
backup=$(cd "$1" && pwd)
replace=${2:-}
cd "$(dirname "$0")/.."
. deploy/database.sh
[ -O "$DATA_DIR" ] || { echo "$DATA_DIR belongs to another user. Run this as that user: the service could not read what another restored." >&2; exit 1; }
(cd "$backup" && sha256sum --quiet -c SHA256SUMS)
because="Restored from the backup ${backup##*/}. Mails may have gone out after it was made."
refuse() { echo "There is a database already. Give --replace to give up what is in it." >&2; exit 1; }

case $DATABASE_KIND in
  postgresql)
    [ -f "$backup/database.dump" ] || { echo "This is a backup of SQLite; DATABASE_URL names PostgreSQL." >&2; exit 1; }
    if [ -n "$(psql -XAtc "SELECT 1 FROM pg_tables WHERE schemaname = 'public' LIMIT 1")" ]; then
      [ "$replace" = --replace ] || refuse
      psql -XqAt -v ON_ERROR_STOP=1 -c 'DROP SCHEMA public CASCADE; CREATE SCHEMA public' 2>/dev/null
    fi
    pg_restore --no-owner --no-privileges --exit-on-error --single-transaction --dbname="$PGDATABASE" "$backup/database.dump"
    psql -Xq -v ON_ERROR_STOP=1 -v because="$because" <<'SQL'
UPDATE publishing_premiere SET state = 'held', note = :'because' WHERE state IN ('scheduled', 'sending');
SQL
    ;;
  sqlite)
    [ -f "$backup/database.sqlite3" ] || { echo "This is a backup of PostgreSQL; DATABASE_URL names SQLite." >&2; exit 1; }
    if [ -e "$DATABASE_FILE" ]; then
      [ "$replace" = --replace ] || refuse
      for part in "" -wal -shm; do
        [ ! -e "$DATABASE_FILE$part" ] || mv "$DATABASE_FILE$part" "$DATABASE_FILE.before-restore$part"
      done
    fi
    mkdir -p "$(dirname "$DATABASE_FILE")"
    cp "$backup/database.sqlite3" "$DATABASE_FILE.restoring"
    "$PYTHON" - "$DATABASE_FILE.restoring" "$because" <<'PY'
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as database:
    database.execute(
        "UPDATE publishing_premiere SET state = 'held', note = ? WHERE state IN ('scheduled', 'sending')", sys.argv[2:]
    )
database.close()
PY
    mv "$DATABASE_FILE.restoring" "$DATABASE_FILE"
    ;;
esac
"$PYTHON" manage.py migrate --noinput --verbosity 0
"$PYTHON" manage.py shell --verbosity 0 -c 'from publishing.pages.files import page_files; page_files().drop_all()' # of the lost time
"$PYTHON" manage.py hold_webhooks --because "The service was restored from the backup ${backup##*/}."
"$PYTHON" manage.py copy_files in "$backup/../files" || {
  echo "The database is restored and its premieres are held, but files are missing. Once what is named above is mended:" >&2
  echo "manage.py copy_files in ${backup%/*}/files" >&2
  exit 1
}
echo "Restored. Start the service, then look at /readyz and at the held premieres in the admin."
