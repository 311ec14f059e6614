"""The bearer token with which the studio's scripts call the API: an hour long, bound to the web session."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.models import User
from accounts.people.sessions import studio_token


@never_cache
@require_http_methods(["GET", "POST"])
def token(request: HttpRequest) -> HttpResponse:
    """GET: `{csrfToken, person}`: a POST must carry the first, and the second says whose token it will be.

    POST: `{token, expiresIn}`. 401 where nobody is signed in.

    A page that was open while its person signed out and in again holds a CSRF token of the old session, so scripts
    ask for the present one first. Other sites cannot read either answer.
    """
    if not isinstance(request.user, User):
        return JsonResponse({"error": gettext("You are signed out.")}, status=401)
    if request.method == "GET":
        return JsonResponse({"csrfToken": get_token(request), "person": request.user.device_key})
    seconds = int(settings.FIRST_PARTY_TOKEN_TTL.total_seconds())
    return JsonResponse({"token": studio_token(request), "expiresIn": seconds})
