"""Settings of a service that may fetch from this machine, for tests whose public web is a server of their own.

Used as DJANGO_SETTINGS_MODULE of a started service. The picture fetcher then asks 127.0.0.1 and nothing else; that of
client documents, which takes https at port 443 alone, gets the file that CLIENT_DOCUMENT names.
"""

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS as OUR_APPS

INSTALLED_APPS = [*OUR_APPS, "tests.support.open_net_app.OpenNet"]
