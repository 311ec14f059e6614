#!/usr/bin/env bash
# deploy/backup.sh FOLDER: a backup of the running service, into FOLDER. docs/backup.md says when, how often and where to.
#
# Reads the service's own settings from the environment, and from ENV_FILE (/etc/capsules/env) where that exists.
#   FOLDER/20261122T031500Z/   the database of that moment
#   FOLDER/files/              originals, blobs and parts of all moments, each once: names follow from contents
# The database comes first: what it names is kept for a day (BLOB_RETENTION), so the copies that follow have it all.
set -euo pipefail
umask 077
[ $# -eq 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
folder=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
. deploy/database.sh

exec 9>"$folder/.lock"
flock -n 9 || { echo "Another backup into $folder is running." >&2; exit 1; }
stamp=$(date -u +%Y%m%dT%H%M%SZ)
unfinished=$folder/.unfinished-$stamp
trap 'rm -rf "$unfinished"' EXIT
mkdir "$unfinished"

case $DATABASE_KIND in
  postgresql)
    pg_dump --format=custom --no-owner --no-privileges --file="$unfinished/database.dump"
    ;;
  sqlite)
    "$PYTHON" - "$DATABASE_FILE" "$unfinished/database.sqlite3" <<'PY'
import sqlite3, sys
source = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True, timeout=60)
with sqlite3.connect(sys.argv[2]) as copy:
    source.backup(copy)  # in one step: one moment, while others write
copy.execute("PRAGMA journal_mode = DELETE")  # so that it is one file
copy.close()
PY
    ;;
esac
(cd "$unfinished" && sha256sum database.* >SHA256SUMS)
ended=0
"$PYTHON" manage.py copy_files out "$folder/files" || ended=$?
case $ended in
  0 | 3) ;;                        # 3: all there is was copied, but for files that are damaged here and have no copy
  *) exit "$ended" ;;
esac
mv "$unfinished" "$folder/$stamp"  # only a whole backup has its name
if [ "${KEEP:-0}" -gt 0 ]; then
  find "$folder" -mindepth 1 -maxdepth 1 -type d -name '[0-9]*T*Z' | sort | head -n "-$KEEP" | xargs -r rm -rf --
fi
echo "$folder/$stamp"
exit "$ended"
