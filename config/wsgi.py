"""What the page server runs: the page layer, and Django behind it."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

django = get_wsgi_application()

from django.urls import get_resolver  # noqa: E402 - like models, it can be used only once Django is set up

from config.database import limit_statements  # noqa: E402
from publishing.pages.layer import PageLayer  # noqa: E402

limit_statements()
get_resolver().reverse_dict  # noqa: B018 - else each of the first concurrent requests builds it
application = PageLayer(django)
