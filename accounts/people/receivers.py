"""News from django-allauth and django.contrib.auth, written into the audit log."""

from __future__ import annotations

from typing import Any

from allauth.account import signals as account_signals
from allauth.mfa import app_settings
from allauth.mfa import signals as mfa_signals
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import decrypt
from django.contrib.auth import signals as auth_signals
from django.core.cache import cache
from django.db.models.signals import post_delete
from django.dispatch import Signal, receiver
from django.http import HttpRequest
from django.utils import timezone

from accounts.actions import members
from accounts.actions.events import Kind, record
from accounts.models import ApiKey, Membership, User
from accounts.people import sessions
from accounts.people.totp import current_codes

#: As the pages call them, in the log's English.
FACTORS = {
    Authenticator.Type.TOTP: "Authenticator app",
    Authenticator.Type.WEBAUTHN: "Security key",
    Authenticator.Type.RECOVERY_CODES: "Recovery codes",
}


@receiver(auth_signals.user_logged_in)
def note_login(user: User, request: HttpRequest | None = None, **kwargs: object) -> None:
    record(Kind.LOGGED_IN, by=user)
    if request is not None:
        sessions.begin_use(request.session)


@receiver(auth_signals.user_login_failed)
def note_failed_login(credentials: dict[str, object], **kwargs: object) -> None:
    """One line for a known and for an unknown address, so that both take the same time."""
    email = str(credentials.get("email") or credentials.get("username") or "")
    record(Kind.LOGIN_FAILED, by=User.objects.filter(email=User.objects.normalize_email(email)).first())


@receiver(account_signals.user_signed_up)
def note_signup(user: User, **kwargs: object) -> None:
    record(Kind.SIGNED_UP, by=user)


@receiver([account_signals.password_changed, account_signals.password_reset, account_signals.password_set])
def note_new_password(user: User, **kwargs: object) -> None:
    record(Kind.PASSWORD_CHANGED, by=user)


@receiver(account_signals.password_reset)
def withdraw_invitations(user: User, **kwargs: object) -> None:
    """A person who had to reset the password may not have sent the invitations."""
    members.withdraw_invitations_of(user, by=user)


@receiver([account_signals.email_changed, account_signals.email_removed])
def note_new_address(user: User, **kwargs: object) -> None:
    came_with_the_account = "from_email_address" in kwargs and kwargs["from_email_address"] is None
    if not came_with_the_account:
        record(Kind.ADDRESS_CHANGED, by=user)


@receiver(post_delete, sender=Membership)
def revoke_keys_of_a_gone_member(instance: Membership, **kwargs: object) -> None:
    """However the membership went, also in the admin; else the keys would work again after a new invitation.

    Without a line in the audit log, because the workspace itself may be going.
    """
    made = ApiKey.objects.filter(creator=instance.user_id, workspace=instance.workspace_id)
    made.filter(revoked_at__isnull=True).update(revoked_at=timezone.now())


@receiver(
    [mfa_signals.authenticator_added, mfa_signals.authenticator_removed, mfa_signals.authenticator_reset]
)
def note_second_factor(user: User, authenticator: Any, signal: Signal, **kwargs: object) -> None:
    gone = " removed" if signal is mfa_signals.authenticator_removed else ""
    record(Kind.MFA_CHANGED, by=user, subject=f"{FACTORS[authenticator.type]}{gone}")


@receiver(mfa_signals.authenticator_added)
def use_up_the_code_of_the_setup(
    authenticator: Authenticator, request: HttpRequest, **kwargs: object
) -> None:
    """The code that set up an authenticator app does not count as the second factor of the next sign-in."""
    if authenticator.type == Authenticator.Type.TOTP:
        body = getattr(request, "api_body", None)  # of an app that signs in without a browser
        typed = body["code"] if isinstance(body, dict) else request.POST["code"]
        authenticator.wrap().validate_code(str(typed))
        keep_spent_codes(authenticator)


@receiver(mfa_signals.authenticator_used)
def keep_spent_codes(authenticator: Authenticator, **kwargs: object) -> None:
    """The library remembers a spent code for one step, and by MFA_TOTP_TOLERANCE takes a code for three."""
    if authenticator.type != Authenticator.Type.TOTP:
        return
    totp = authenticator.wrap()
    codes = current_codes(decrypt(authenticator.data["secret"]))
    for code in codes:
        cache.touch(totp._get_used_cache_key(code), len(codes) * app_settings.TOTP_PERIOD)
