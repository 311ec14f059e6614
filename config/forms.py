"""What every form passes before its page: how large it may be and from whom, and that its texts are texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import Resolver404, resolve
from django.utils.deprecation import MiddlewareMixin

from config.middleware import JSON_PATHS

#: Pages that take files without a login. They look at the secret of their link and at sizes before they read.
SENDING_PATHS = ("/studio/up/",)
#: Asked by programs, and answered to them in their own form.
APP_PATHS = ("/oauth/", "/oembed")
#: Kinds of bodies whose fields Django reads into request.POST.
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def takes_files(may_send: Callable[..., bool]) -> Callable[[View], View]:
    """Marks a view whose forms bring files; `may_send(request, **kwargs)` says from whom, before anything is read."""

    def mark(view: View) -> View:
        view.may_send_files = may_send  # type: ignore[attr-defined]
        return view

    return mark


class FormGate(MiddlewareMixin):
    """Refuses a form that is larger than FORM_LIMIT before anything of it is read, but where the page takes files, and
    from those who may send them there up to FILE_FORM_LIMIT. Django bounds the fields of a form, and its files not
    at all; and it reads the whole form for the CSRF token, before any view is asked.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        declared = request.META.get("CONTENT_LENGTH") or "0"
        is_ours = not request.path.startswith((*JSON_PATHS, *SENDING_PATHS))
        size = int(declared) if is_ours and declared.isdecimal() else 0
        if size > settings.FILE_FORM_LIMIT or (size > settings.FORM_LIMIT and not may_send_files(request)):
            return render(None, "413.html", status=413)
        return None


def may_send_files(request: HttpRequest) -> bool:
    """Whether the requested page takes files, and takes them from this caller."""
    if not request.user.is_authenticated:
        return False
    try:
        page = resolve(request.path_info)
    except Resolver404:
        return False
    if page.app_names == ["admin"]:
        return request.user.is_staff
    may_send = getattr(page.func, "may_send_files", None)
    return may_send is not None and may_send(request, **page.kwargs)


class TextsHaveNoNul(MiddlewareMixin):
    """Answers 400 to a NUL in a query or a form: none of our texts has one, and PostgreSQL takes none.

    Bodies of the API say which field it is.
    """

    def process_view(
        self, request: HttpRequest, view: object, args: object, kwargs: object
    ) -> HttpResponse | None:
        if request.path.startswith((*JSON_PATHS, *APP_PATHS)):
            return None
        has_form = request.content_type in FORMS and not request.path.startswith(SENDING_PATHS)
        queries = [request.GET, request.POST] if has_form else [request.GET]
        if any("\0" in text for query in queries for name, texts in query.lists() for text in [name, *texts]):
            return render(None, "400.html", status=400)
        return None
