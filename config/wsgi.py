"""What the page server runs: the page layer, and Django behind it."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

django = get_wsgi_application()

from publishing.page_layer import PageLayer  # noqa: E402 - models can be imported only once Django is set up

application = PageLayer(django)
