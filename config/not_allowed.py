"""A 405 with words. Django's own has no body, and it is what Back, or a reload, of the answer to a form leads to."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render
from django.urls import Resolver404, resolve
from django.utils.deprecation import MiddlewareMixin

from config.api import as_json
from config.views import JSON_ANSWERS

#: Addresses that no person opens.
PROGRAMS = ("/oauth/token", "/oauth/revoke", "/oauth/register", "/.well-known/")


class MethodNotAllowed(MiddlewareMixin):
    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        if not isinstance(response, HttpResponseNotAllowed) or response.content:
            return response
        answer = in_words(request)
        answer["Allow"] = response["Allow"]
        return answer


def in_words(request: HttpRequest) -> HttpResponse:
    if request.path.startswith((*JSON_ANSWERS, *PROGRAMS)):
        return as_json({"error": f'Method "{request.method}" not allowed.'}, status=405)
    return render(None, "405.html", {"form_at": page_above(request.path)}, status=405)


def page_above(path: str) -> str:
    """The nearest path above this one that has a route: there stands the form whose answer `path` is."""
    while path := path.rpartition("/")[0]:
        try:
            resolve(path)
        except Resolver404:
            continue
        return path
    return "/"
