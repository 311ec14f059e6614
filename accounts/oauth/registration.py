"""POST /oauth/register: a client registers itself (RFC 7591). Anybody may: being registered gives no access."""

from __future__ import annotations

import json

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from accounts.models import Application
from accounts.oauth.clients import fill, understood
from accounts.throttling import RateExceeded, address_of, check_rate
from config.api import error_response
from config.errors import Invalid

BODY_LIMIT = 16 * 1024  # bytes


@csrf_exempt
@require_POST
def register(request: HttpRequest) -> HttpResponse:
    """201 with the client's id, and its secret if it asked for one; 400 in the words of RFC 7591."""
    try:
        check_rate("registration", address_of(request.META))
        metadata = understood(read_json(request))
    except RateExceeded as error:
        return error_response(error)
    except Invalid as error:
        return registration_refusal(error)
    client = fill(Application(registration_source=Application.RegistrationSource.DCR), metadata)
    secret = client.client_secret  # saving hashes it
    client.save()
    return JsonResponse(
        registration_answer(client, metadata, secret), status=201, headers={"Cache-Control": "no-store"}
    )


def read_json(request: HttpRequest) -> object:
    if int(request.META.get("CONTENT_LENGTH") or 0) > BODY_LIMIT:  # no more than that is read of it
        raise Invalid(f"The metadata is larger than {BODY_LIMIT // 1024} KiB.")
    try:
        return json.loads(request.body)
    except (ValueError, RecursionError) as error:
        raise Invalid("The body is not JSON.") from error


def registration_refusal(error: Invalid) -> JsonResponse:
    code = "invalid_redirect_uri" if any(f.path == "redirect_uris" for f in error.faults) else ""
    told = "; ".join(f"{fault.path}: {fault.message}" for fault in error.faults) or str(error)
    return JsonResponse({"error": code or "invalid_client_metadata", "error_description": told}, status=400)


def registration_answer(client: Application, metadata: dict[str, object], secret: str) -> dict[str, object]:
    told = {
        "client_id": client.client_id,
        "client_id_issued_at": int(client.created.timestamp()),
        **{name: value for name, value in metadata.items() if value},
        "grant_types": ["authorization_code", "refresh_token"],
    }
    if client.client_type == Application.CLIENT_CONFIDENTIAL:
        told |= {"client_secret": secret, "client_secret_expires_at": 0}
    return told
