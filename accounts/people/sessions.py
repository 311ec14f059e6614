"""Web sessions and the tokens that are bound to them."""

from __future__ import annotations

import time
from contextlib import suppress

from allauth.usersessions.models import UserSession
from allauth.usersessions.views import ListUserSessionsView
from django.conf import settings
from django.contrib.auth import logout
from django.contrib.sessions.backends.base import SessionBase, UpdateError
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin

from accounts import tokens
from accounts.models import User
from config import outage


class IdleEnd(MiddlewareMixin):
    """Ends a web session that nobody used for SESSION_IDLE. Use is noted at most once an hour, so pages stay reads."""

    KEY = "used_at"
    NOTED_EVERY = 3600  # seconds

    def process_request(self, request: HttpRequest) -> None:
        if settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated:
            now = int(time.time())
            idle = now - request.session.get(self.KEY, now - self.NOTED_EVERY)
            if idle >= settings.SESSION_IDLE.total_seconds():
                logout(request)
            elif idle >= self.NOTED_EVERY:
                self.note_use(request.session, now)

    def note_use(self, session: SessionBase, now: int) -> None:
        """Here and not at the end of the request, where a disk without room would make the read fail."""
        session[self.KEY] = now
        session.modified = False
        with outage.note(), suppress(UpdateError):  # which says that it was ended meanwhile
            session.save()
            session.modified = True  # so that the cookie lasts longer, too


def begin_use(session: SessionBase) -> None:
    """A session that begins is saved anyway: the first page that it opens need not write this down."""
    session[IdleEnd.KEY] = int(time.time())


def studio_token(request: HttpRequest) -> str:
    """A bearer token of the API for the scripts of a page; it ends with the web session, and after an hour."""
    assert isinstance(request.user, User)  # noqa: S101 (a page asks for a login)
    UserSession.objects.create_from_request(request)
    session = UserSession.objects.get(session_key=request.session.session_key)
    return tokens.issue(request.user, session=session.pk, via="studio")


def sign_out_everywhere(user: User) -> None:
    """Ends every web session of a user. Their rows belong to no user, so nothing else takes them along."""
    own = UserSession.objects.filter(user=user).values_list("session_key", flat=True)
    Session.objects.filter(session_key__in=list(own)).delete()


def forget_spent(rows: QuerySet[UserSession]) -> None:
    """Deletes those whose web session is gone or has expired, all at once."""
    living = Session.objects.filter(session_key=OuterRef("session_key"), expire_date__gt=timezone.now())
    rows.filter(~Exists(living)).delete()


class SessionsPage(ListUserSessionsView):
    """allauth's page, which would look at each spent session and delete it, one by one."""

    def get_context_data(self, **kwargs: object) -> dict[str, object]:
        forget_spent(UserSession.objects.filter(user=self.request.user))
        return dict(super().get_context_data(**kwargs))


def is_alive(id: int, user: User) -> bool:
    """One query: the session is the user's, not signed out, not ended on their page, not expired."""
    stored = Session.objects.filter(expire_date__gt=timezone.now()).values("session_key")
    return UserSession.objects.filter(pk=id, user=user, session_key__in=stored).exists()
