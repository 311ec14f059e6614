"""What must hold before the service starts."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register


@register
def client_documents_come_from_public_addresses(**kwargs: object) -> list[CheckMessage]:
    """The library has no setting for its rule of public addresses, so ours replaces a private name of it."""
    from accounts.oauth.documents import cimd  # puts our rule in; it needs the models
    from config.addresses import is_public

    asks = getattr(getattr(cimd, "_resolve_and_validate", None), "__code__", None)
    is_asked = asks is not None and "_ip_is_public" in asks.co_names
    if is_asked and getattr(cimd, "_ip_is_public", None) is is_public:
        return []
    return [
        Error(
            "oauth2_provider.cimd does not ask our rule which addresses are public.",
            hint="See accounts/oauth/documents.py, and what this release of django-oauth-toolkit asks instead.",
            id="accounts.E001",
        )
    ]


@register
def what_is_overridden_is_still_there(**kwargs: object) -> list[CheckMessage]:
    """A method of a library that has gone would leave ours uncalled (docs/adr/0018-names-of-libraries.md)."""
    from accounts.oauth.validator import Validator
    from accounts.people.adapters import AccountAdapter

    return [
        Error(
            f"{ours.__name__}.{name} replaces nothing: {theirs.__module__}.{theirs.__name__} has no such method.",
            hint="See what this release of the library calls instead.",
            id="accounts.E002",
        )
        for ours in (Validator, AccountAdapter)
        for theirs in ours.__bases__[:1]
        for name in vars(ours)
        if name.startswith("_") and not name.startswith("__") and not hasattr(theirs, name)
    ]


@register
def spent_codes_are_kept(**kwargs: object) -> list[CheckMessage]:
    """A code of an authenticator app is taken once only as long as we know where the library remembers it."""
    from allauth.mfa.models import Authenticator

    totp = Authenticator(type=Authenticator.Type.TOTP).wrap()
    used = getattr(getattr(totp, "_mark_code_used", None), "__code__", None)
    if used is not None and "_get_used_cache_key" in used.co_names:
        return []
    return [
        Error(
            "allauth.mfa remembers spent codes elsewhere than under TOTP._get_used_cache_key.",
            hint="See accounts/people/receivers.py, and for how long this release remembers a code.",
            id="accounts.E003",
        )
    ]


@register(Tags.database)
def no_workspace_has_a_reserved_name(databases: Any = None, **kwargs: object) -> list[CheckMessage]:
    """A first segment that we took since leads to our page, not to theirs. It needs the database: `migrate` asks it."""
    from django.db import DatabaseError

    from accounts.models import Workspace
    from accounts.names import reserved_names

    if not databases:
        return []
    try:
        taken = Workspace.objects.filter(name__in=reserved_names(), name_claimed_at__isnull=False)
        names = list(taken.order_by("name").values_list("name", flat=True))
    except DatabaseError:  # before the first migrate
        return []
    return [
        Warning(
            f"The workspace /{name} has published under a name that the service needs itself.",
            hint="Its pages below it are reached, its profile may not be. Agree with its owner on another name.",
            id="accounts.W001",
        )
        for name in names
    ]


@register(Tags.security, deploy=True)
def private_networks_are_named_on_purpose(**kwargs: object) -> list[CheckMessage]:
    if not settings.FETCH_PRIVATE:
        return []
    message = (
        f"Webhooks and files by address may lead to {', '.join(settings.FETCH_PRIVATE)} (FETCH_PRIVATE)."
    )
    hint = "Whoever may make a webhook or fetch a file can call what is there."
    return [Warning(message, hint=hint, id="accounts.W002")]


@register(Tags.security, deploy=True)
def links_lead_to_the_service(**kwargs: object) -> list[CheckMessage]:
    if urlsplit(settings.APP_URL).hostname not in ("127.0.0.1", "localhost"):
        return []
    message = (
        f"APP_URL is {settings.APP_URL}: every link, in mails too, leads to the machine of who follows it."
    )
    return [Warning(message, hint="Set APP_URL to the public address of the service.", id="accounts.W003")]
