"""`{{ agent|browser }}`: the browser and the device of a User-Agent header, in words."""

from __future__ import annotations

from django import template

from accounts.people.browsers import browser_name

register = template.Library()
register.filter("browser", browser_name)
