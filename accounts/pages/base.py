"""What the account's pages share: a person who is logged in, and actions that end on the page they came from."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.internal.flows import reauthentication
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.models import Membership, User
from config.errors import CapsulesError, Invalid, NotFound


def person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 (login_required stands before)
    return request.user


def page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page for somebody who is logged in; kept by no cache; NotFound becomes the 404 page."""
    return login_required(open_page(view))


def open_page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page for anybody; kept by no cache; NotFound becomes the 404 page."""

    @never_cache
    @wraps(view)
    def shown(request: HttpRequest, **kwargs: Any) -> HttpResponse:
        try:
            return view(request, **kwargs)
        except NotFound as error:
            raise Http404(str(error)) from error

    return shown


def answered_on(section: str) -> Callable[[Callable[..., str]], Callable[..., HttpResponse]]:
    """A POST that ends on the page named `section`, which tells what the view returns, or why it was refused."""

    def decorate(view: Callable[..., str]) -> Callable[..., HttpResponse]:
        @page
        @require_POST
        @wraps(view)
        def done(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            try:
                messages.success(request, view(request, **kwargs))
            except NotFound:
                raise
            except CapsulesError as error:
                messages.error(request, str(error))
            place = {"workspace": kwargs["workspace"]} if "workspace" in kwargs else {}
            return redirect(section, **place)

        return done

    return decorate


def reauthenticated(request: HttpRequest) -> None:
    """Sends the person to type their password again, and then back, unless they did so a few minutes ago."""
    reauthentication.raise_if_reauthentication_required(request, app="allauth.account")


def managed(request: HttpRequest, workspace: uuid.UUID) -> Membership:
    """The person's membership, with its workspace, where they manage it. Raises NotFound."""
    rows = Membership.objects.select_related("workspace").filter(role__in=Membership.MANAGING_ROLES)
    membership = rows.filter(user=person(request), workspace=workspace).first()
    if membership is None:
        raise NotFound("There is no such workspace among those you manage.")
    return membership


def checked(form: Any) -> dict[str, Any]:
    """The cleaned data of a form. Raises Invalid with the first fault as its sentence."""
    if not form.is_valid():
        raise Invalid(next(str(error) for errors in form.errors.values() for error in errors))
    return dict(form.cleaned_data)
