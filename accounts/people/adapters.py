"""Adapters for django-allauth."""

from __future__ import annotations

import hmac
import logging
from types import SimpleNamespace
from urllib.parse import urlsplit

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import InvalidToken
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.core.cache import cache
from django.forms import BaseForm
from django.http import HttpRequest
from django.urls import reverse

from accounts.models import User
from accounts.people import hashing
from accounts.people.letters import post_letter
from accounts.people.sealing import opened, seal
from accounts.throttling import DAY, HOUR, RateExceeded, check_rate, network_in, short_digest
from config.texts import subject_line

logger = logging.getLogger(__name__)

PURPOSE = b"capsules second factors 1"
PLACE_KNOWN = 60 * DAY  # after the last sign-in
#: Mails that anybody can have sent to an address by typing it.
ASKED_FOR = ("password_reset_key", "email_confirmation", "account_already_exists", "unknown_account")


def display_name(user: User) -> str:
    return user.get_full_name()


class AccountAdapter(DefaultAccountAdapter):
    def clean_email(self, email: str) -> str:
        """One person's address whatever its case, as the model keeps it."""
        return User.objects.normalize_email(super().clean_email(email))

    def format_email_subject(self, subject: str) -> str:
        return subject_line(super().format_email_subject(subject))

    def send_mail(self, template_prefix: str, email: str, context: dict[str, object]) -> None:
        """With links to APP_URL, whatever Host the request named; what anybody can ask for, a few times a day only."""
        if template_prefix.endswith("account_already_exists"):
            with hashing.slot_without_connection():
                make_password(email)  # it takes as long as making an account, which the time must not tell
        if template_prefix.rpartition("/")[2].startswith(ASKED_FOR):
            try:
                check_rate("account mail", short_digest(email), per=DAY)
            except RateExceeded:
                logger.warning(
                    "An address got as many account mails today as it may; %s was not sent.", template_prefix
                )
                return
        context = {"new_password_url": reverse("account_reset_password"), **context}
        told = {
            name: at_app_url(value) if name.endswith("_url") and isinstance(value, str) else value
            for name, value in context.items()
        }
        site = SimpleNamespace(domain=urlsplit(settings.APP_URL).netloc, name=settings.SERVICE_NAME)
        message = self.render_mail(template_prefix, email, {"email": email, "current_site": site, **told})
        # Nobody has a stranger mailed by naming their address.
        is_nobody = template_prefix.endswith("unknown_account")
        post_letter("" if is_nobody else email, message.subject, message.body)

    def authenticate(self, request: HttpRequest, **credentials: object) -> User | None:
        """Where no slot comes free, nothing is counted."""
        with hashing.slot_without_connection():
            found: User | None = super().authenticate(request, **credentials)
        return found

    def save_user(self, request: HttpRequest, user: User, form: BaseForm, commit: bool = True) -> User:
        with hashing.slot_without_connection():
            saved: User = super().save_user(request, user, form, commit)
        return saved

    def set_password(self, user: User, password: str) -> None:
        """The password alone: while it was hashed, staff may have closed the account, which saving all would undo."""
        with hashing.slot_without_connection():
            user.set_password(password)
        user.save(update_fields=["password"])

    def pre_authenticate(self, request: HttpRequest, **credentials: object) -> None:
        """Few wrong passwords from one place, and a bound for all places together; else strangers in many places could
        keep the owner out, so a place that the owner signed in from has only its own bound.
        """
        login, place = login_in(credentials), self.get_client_ip(request)
        if not cache.get(known_place(login, place)):
            try:
                check_rate("login", short_digest(login), per=HOUR)
            except RateExceeded as error:
                raise self.validation_error("too_many_login_attempts") from error
        super().pre_authenticate(request, **credentials)

    def login(self, request: HttpRequest, user: User) -> None:
        """Remembers the place as a digest, for `pre_authenticate`; every factor has been given by now."""
        super().login(request, user)
        cache.set(known_place(user.email, self.get_client_ip(request)), True, PLACE_KNOWN)

    def _get_login_attempts_cache_key(self, request: HttpRequest, **credentials: object) -> str:
        """The library's own key has no place in it, so strangers could lock somebody out; and it has the Host in it."""
        return f"{short_digest(login_in(credentials))}:{network_in(self.get_client_ip(request))}"


def known_place(email: str, address: str) -> str:
    secret = hmac.digest(settings.SECRET_KEY.encode(), f"{email} {network_in(address)}".encode(), "sha256")
    return f"known-place:{secret.hex()[:32]}"


def login_in(credentials: dict[str, object]) -> str:
    return str(credentials.get("email") or credentials.get("username") or "").strip().lower()


def at_app_url(url: str) -> str:
    """The same path at the public address of the service."""
    parts = urlsplit(url)
    return f"{settings.APP_URL}{parts.path}{f'?{parts.query}' if parts.query else ''}"


class MfaAdapter(DefaultMFAAdapter):
    """Keeps second-factor secrets encrypted by a key that belongs to SECRET_KEY, not in the database."""

    def encrypt(self, text: str) -> str:
        return seal(text, PURPOSE)

    def decrypt(self, encrypted_text: str) -> str:
        """Raises ValidationError where the key is gone: to whoever types a code, it is wrong."""
        try:
            return opened(encrypted_text, PURPOSE)
        except InvalidToken:
            logger.error("A second factor cannot be read: SECRET_KEY changed without SECRET_KEY_FALLBACKS")
            raise self.validation_error("incorrect_code") from None
