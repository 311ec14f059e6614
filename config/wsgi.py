"""What the page server runs: the page layer, and Django behind it."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

django = get_wsgi_application()

from config.database import limit_statements  # noqa: E402
from publishing.pages.layer import PageLayer  # noqa: E402 - models can be imported only once Django is set up

limit_statements()
application = PageLayer(django)
