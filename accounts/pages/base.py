"""What the account's pages share: who is logged in, what they may manage, and how a form or a question is answered."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Any, TypeVar

from allauth.account.decorators import reauthentication_required
from cryptography.fernet import InvalidToken
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.actors import Actor
from accounts.models import Membership, User, Workspace
from accounts.people.sealing import opened, seal
from config.errors import CapsulesError, Invalid, NotFound
from config.ids import row_of
from config.json_types import JsonObject

Response = TypeVar("Response", bound=HttpResponseBase)

SECRET_PURPOSE = b"capsules new secret 1"
SECRET_WAITS = 60  # seconds, for the page that shows it


def person(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # noqa: S101 (login_required stands before)
    return request.user


def actor_in(request: HttpRequest) -> Actor:
    """The person of the session, with everything they may, which is looked up once in a request."""
    actor: Actor | None = getattr(request, "studio_actor", None)
    if actor is None or actor.user != person(request):
        actor = request.studio_actor = Actor.by_token(person(request), via="studio")  # type: ignore[attr-defined]
    return actor


def login_page(view: Callable[..., Response]) -> Callable[..., Response]:
    """A page for somebody who is logged in; kept by no cache; NotFound becomes the 404 page."""
    return login_required(public_page(view))


def public_page(view: Callable[..., Response]) -> Callable[..., Response]:
    """A page for anybody; kept by no cache; NotFound becomes the 404 page."""

    @never_cache
    @wraps(view)
    def shown(request: HttpRequest, **kwargs: object) -> Response:
        try:
            return view(request, **kwargs)
        except NotFound as error:
            raise Http404(str(error)) from error

    return shown


@contextmanager
def refusal_told(request: HttpRequest) -> Iterator[None]:
    """The next page tells what is refused inside; NotFound goes on to become the 404 page."""
    try:
        yield
    except NotFound:
        raise
    except CapsulesError as error:
        messages.error(request, str(error))


def way_back(request: HttpRequest) -> str:
    """The path of this service that `next` names, where the page was opened on the way to something; else empty."""
    path = request.POST.get("next") or request.GET.get("next", "")
    is_ours = path.startswith("/") and url_has_allowed_host_and_scheme(path, allowed_hosts=None)
    return path if is_ours else ""


def post_then_redirect(section: str) -> Callable[[Callable[..., str]], Callable[..., HttpResponse]]:
    """Makes a view that returns a sentence a POST: it redirects to the page named `section`, which shows the sentence.

    Where the view is refused, that page shows the reason. Where it is done, `next` leads elsewhere.
    """

    def decorate(view: Callable[..., str]) -> Callable[..., HttpResponse]:
        @login_page
        @require_POST
        @wraps(view)
        def done(request: HttpRequest, **kwargs: Any) -> HttpResponse:
            back = way_back(request)
            with refusal_told(request):
                messages.success(request, view(request, **kwargs))
                if back:
                    return redirect(back)
            place: dict[str, object] = {
                name: kwargs[name] for name in ("workspace", "webhook") if name in kwargs
            }
            return redirect(reverse(section, kwargs=place, query={"next": back} if back else None))

        return done

    return decorate


def redirect_to_show(secret: str, request: HttpRequest, page: str, **place: object) -> HttpResponse:
    """Redirects to a page that shows a new secret, so that loading the answer again does not make another one.

    Until then it waits in this browser's session, encrypted: the session is a row of the database.
    """
    path = reverse(page, kwargs=place)
    request.session[f"new secret {path}"] = seal(secret, SECRET_PURPOSE)
    return redirect(path)


def secret_to_show(request: HttpRequest) -> str:
    """The new secret that this page was led to show: once, within SECRET_WAITS, else empty."""
    sealed = request.session.pop(f"new secret {request.path}", "")
    with suppress(InvalidToken):
        return opened(sealed, SECRET_PURPOSE, within=SECRET_WAITS)
    return ""


def require_recent_login(request: HttpRequest) -> None:
    """Raises ReauthenticationRequired unless they proved a few minutes ago who they are.

    django-allauth then asks for the password or the second factor, and comes back.
    """
    reauthentication_required(lambda request: None, app="allauth.account")(request)


def require_manager(request: HttpRequest, workspace: uuid.UUID) -> Membership:
    """The person's membership, with its workspace. Raises NotFound where they are not its owner or admin."""
    rows = Membership.objects.select_related("workspace").filter(role__in=Membership.MANAGING_ROLES)
    missing = gettext("There is no such workspace among those you manage.")
    return row_of(rows.filter(user=person(request)), workspace, missing, by="workspace")


def render_for_member(
    request: HttpRequest, template: str, own: Membership, **context: object
) -> HttpResponse:
    context |= {"workspace": own.workspace, "own": own}
    return render(request, f"accounts/{template}.html", context)


def cleaned(form: Any) -> JsonObject:
    """The cleaned data of a form. Raises Invalid with the first fault as its sentence."""
    if not form.is_valid():
        raise Invalid(next(str(error) for errors in form.errors.values() for error in errors))
    return dict(form.cleaned_data)


def confirmation_page(
    request: HttpRequest, title: str, *, button: str, back: str, fault: str = "", **words: object
) -> HttpResponse:
    """The page that asks before something that cannot be undone; with a `fault`, asks again (409).

    `words`: `text` and `items` (sentences, lines), `links` (pairs of address and text), `typed` (what must be typed),
    `keep` (the other button).
    """
    context = {"title": title, "button": button, "back": back, "keep": gettext("No, go back"), "fault": fault}
    return render(request, "accounts/ask.html", {**context, **words}, status=409 if fault else 200)


def ways_out(alone: Iterable[Workspace]) -> list[tuple[str, str]]:
    """Links for the only owner of these workspaces, who can neither leave them nor delete the account before."""
    return [
        (reverse(page, args=[each.pk]), words % {"workspace": each.title})
        for page, words in (
            ("account_delete_workspace", gettext("Delete %(workspace)s")),
            ("account_members", gettext("Make somebody else an owner of %(workspace)s")),
        )
        for each in alone
    ]
