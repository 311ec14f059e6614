"""Every route of the URL conf as an address with places for its arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RoutePattern
from django.utils.regex_helper import normalize


@dataclass(frozen=True)
class Route:
    """`template`: its path, arguments as {name}. `pattern`: as the URL conf writes it."""

    template: str
    pattern: str
    name: str
    admin_model: str  # "accounts.user" where the admin has a page for each row of it, otherwise ""

    @property
    def arguments(self) -> list[str]:
        return re.findall(r"{(\w+)}", self.template)

    def address(self, row: dict[str, str]) -> str:
        return self.template.format(**row)


def every_route() -> list[Route]:
    return list(found_in(get_resolver(), "/", "/"))


def found_in(resolver: URLResolver, template: str, pattern: str) -> Iterator[Route]:
    for one in resolver.url_patterns:
        path, written = template + template_of(one), pattern + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from found_in(one, path, written)
        else:
            yield Route(path, written, one.name or "", admin_model(one))


def template_of(one: URLPattern | URLResolver) -> str:
    if isinstance(one.pattern, RoutePattern):
        return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(one.pattern))
    (written, _), *_ = normalize(one.pattern.regex.pattern)
    return re.sub(r"%\((\w+)\)s", r"{\1}", written)


def admin_model(one: URLPattern | URLResolver) -> str:
    view = getattr(one, "callback", None)
    site = getattr(view, "model_admin", None)
    return site.model._meta.label_lower if site and one.pattern.converters else ""
