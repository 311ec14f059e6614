"""The consent page and the token endpoint."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from oauth2_provider.exceptions import FatalClientError, OAuthToolkitError
from oauth2_provider.views import RevokeTokenView
from oauth2_provider.views import TokenView as LibraryTokenView
from oauth2_provider.views.base import BaseAuthorizationView
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error, InvalidRequestError

from accounts import resources
from accounts.actions import connections
from accounts.models import Application, Connection, Grant, RefreshToken
from accounts.models.digests import digest_of
from accounts.oauth import client_names, documents, redirects
from accounts.oauth.forms import ConsentForm, first_choice, lacking
from accounts.pages.base import person
from accounts.throttling import RateExceeded, address_of, check_rate
from config.api import error_response
from config.errors import Conflict

#: No frame, no script. `form-action` is left open: Chromium applies it to the redirect that follows the answer, which
#: goes to whatever app asked.
CONSENT_POLICY = (
    "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
S256 = re.compile(r"[A-Za-z0-9_-]{43}")
WRONG_RESOURCE = "This server issues tokens for one of its own resources only, see protected_resources."


def with_issuer(uri: str) -> str:
    """The answer to a client, with the one `iss` that is ours (RFC 9207)."""
    parts = urlsplit(uri)
    query = [(key, value) for key, value in parse_qsl(parts.query, keep_blank_values=True) if key != "iss"]
    head, _, _ = uri.partition("?")
    return f"{head}?{urlencode([*query, ('iss', settings.BASE_URL)])}"


@method_decorator(never_cache, name="dispatch")
class ConsentView(BaseAuthorizationView):
    """GET shows who asks for what; POST to the same address answers. Every request is checked anew."""

    def dispatch(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        try:
            check_rate("token", address_of(request.META))
            response: HttpResponse = super().dispatch(request, *args, **kwargs)
        except OAuthToolkitError as error:
            response = self.error_response(error, self.named_client())
        except RateExceeded as error:
            response = error_response(error)
        response["Content-Security-Policy"] = CONSENT_POLICY
        return response

    def get(self, request: HttpRequest) -> HttpResponse:
        client, scopes, credentials = self.validated_request()
        user, connection = person(request), self.connection_of(client)
        initial = first_choice(user, scopes, connection)
        form = ConsentForm(user=user, asked=scopes, connection=connection, initial=initial)
        return self.consent_page(credentials, form, connection)

    def post(self, request: HttpRequest) -> HttpResponse:
        client, scopes, credentials = self.validated_request()
        if request.POST.get("answer") != "allow":
            self.create_authorization_response(request, "", credentials, allow=False)  # raises access_denied
        connection = self.connection_of(client)
        form = ConsentForm(request.POST, user=person(request), asked=scopes, connection=connection)
        if not form.is_valid():
            return self.consent_page(credentials, form, connection, status=400)
        try:
            with transaction.atomic():
                uri = self.allow(client, form, credentials)
        except Conflict as error:
            form.add_error(None, str(error))
            return self.consent_page(credentials, form, None, status=409)
        return self.redirect(uri, client)

    def validated_request(self) -> tuple[Application, list[str], dict[str, object]]:
        """The client, the scopes and the rest of a valid request. Raises OAuthToolkitError."""
        client_id = self.request.GET.get("client_id", "")
        if documents.is_document_id(client_id):
            documents.refresh(client_id)
        scopes, credentials = self.validate_authorization_request(self.request)
        resource = resources.named_resource(self.request.GET.getlist("resource"))
        fault = None
        if credentials.get("code_challenge_method") != "S256":
            fault = InvalidRequestError("The code_challenge_method must be S256.")
        elif not S256.fullmatch(credentials["code_challenge"]):
            fault = InvalidRequestError("The code_challenge is not a SHA-256 hash in base64url.")
        elif resource is None:
            fault = CustomOAuth2Error("invalid_target", WRONG_RESOURCE)
        elif "none" in self.request.GET.get("prompt", "").split():
            fault = CustomOAuth2Error("interaction_required", "Access is only given by a person, on a page.")
        if fault is not None:
            fault.state = credentials["state"]
            raise OAuthToolkitError(error=fault, redirect_uri=credentials["redirect_uri"])
        return credentials["request"].client, scopes, {**credentials, "resource": [resource]}

    def allow(self, client: Application, form: ConsentForm, credentials: dict[str, Any]) -> str:
        """Connects the app and returns where the browser takes the code."""
        credentials["connection"] = connections.connect(
            client,
            by=form.user,
            memberships=list(form.cleaned_data["workspaces"]),
            default=form.cleaned_data["default"],
            scopes=form.cleaned_data["scopes"],
            publishing=form.cleaned_data["publishing"],
        )
        scopes = " ".join(credentials["connection"].scopes)
        uri, *_ = self.create_authorization_response(self.request, scopes, credentials, allow=True)
        return str(uri)

    def connection_of(self, client: Application) -> Connection | None:
        return Connection.objects.live().of(self.request.user).with_reach().filter(client=client).first()

    def consent_page(
        self, credentials: dict[str, Any], form: ConsentForm, connection: Connection | None, status: int = 200
    ) -> HttpResponse:
        client = credentials["request"].client
        goes_to = redirects.destination(credentials["redirect_uri"])
        others = Connection.objects.live().of(form.user).exclude(client=client).select_related("client")
        context = {
            "client": client,
            "form": form,
            "connection": connection,
            "lacking": lacking(form.asked, connection),
            "goes_to": goes_to,
            "elsewhere": client.document_host
            and goes_to.kind == "site"
            and goes_to.name != client.document_host,
            "namesake": any(client_names.look_alike(client.name, other.client.name) for other in others),
        }
        return render(self.request, "accounts/consent.html", context, status=status)

    def error_response(
        self, error: OAuthToolkitError, application: Application | None, **kwargs: object
    ) -> HttpResponse:
        """Tells the client, but only one that the person knows: whoever registers a client chooses its addresses, and
        a link to this page must not lead on to any of them before somebody answered here (RFC 9700, 4.11.2).
        """
        is_known = application is not None and self.connection_of(application) is not None
        if self.request.method != "POST" and not is_known:
            error = FatalClientError(error=error.oauthlib_error)
        return super().error_response(error, application, **kwargs)

    def redirect(self, redirect_to: str, application: Application | None) -> HttpResponse:
        return super().redirect(with_issuer(redirect_to), application)

    def named_client(self) -> Application | None:
        """The registered client that the request names; the library decides whether an error may be sent to it."""
        return Application.objects.filter(
            client_id=self.request.GET.get("client_id", "").replace("\0", "")
        ).first()

    def render_to_response(self, context: dict[str, object], status: int, **kwargs: object) -> HttpResponse:
        """Shows the person an error that must not be sent to the client."""
        return render(self.request, "accounts/consent_refused.html", context, status=status)


class TokenView(LibraryTokenView):
    """Exchanges codes and refresh tokens for access tokens, one at a time for each connection."""

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        try:
            check_rate("token", address_of(request.META))
        except RateExceeded as error:
            return error_response(error)
        if not request.POST.get("grant_type"):  # the library would name it unsupported
            missing = InvalidRequestError("Missing grant_type parameter.")
            return HttpResponse(missing.json, "application/json", 400, headers={"Cache-Control": "no-store"})
        with transaction.atomic():
            lock_connection(request)
            return with_challenge(self.authorization_flow_token_response(request))


class RevokeView(RevokeTokenView):
    """Takes tokens back (RFC 7009)."""

    def post(self, request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
        return with_challenge(super().post(request, *args, **kwargs))


def with_challenge(answer: HttpResponse) -> HttpResponse:
    """The answer, whose 401 names the scheme that clients use here (RFC 6749, 5.2); the library names Bearer."""
    if answer.status_code == 401:
        answer["WWW-Authenticate"] = 'Basic realm="capsules"'
    return answer


def lock_connection(request: HttpRequest) -> None:
    """Waits until nobody else exchanges, refreshes or ends anything of the connection that is asked about."""
    token, code = request.POST.get("refresh_token"), request.POST.get("code")
    rows: Any = Connection.objects.none()
    if token:
        rows = RefreshToken.objects.filter(token_checksum=digest_of(token)).values("connection")
    elif code:
        rows = Grant.objects.filter(code=code).values("connection")
    list(Connection.objects.select_for_update().filter(pk__in=rows).values_list("pk"))
