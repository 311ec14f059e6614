#!/bin/sh
# The web server of a container, after the static files are where it serves them from.
set -eu
DJANGO_SETTINGS_MODULE=config.settings python -m config.static
exec python -m config.web_server --host 0.0.0.0
