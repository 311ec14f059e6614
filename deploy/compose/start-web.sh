#!/bin/sh
# The web server of a container, after the static files are where it serves them from.
set -eu
python manage.py collectstatic --noinput --verbosity 0
exec python -m config.web_server --host 0.0.0.0
