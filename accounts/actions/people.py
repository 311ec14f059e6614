"""What a person does to their own account."""

from __future__ import annotations

from django.db.models import F

from accounts.actions import connections
from accounts.models import Connection, User


def end_own_tokens(user: User) -> None:
    """Every first-party token issued so far is refused from now on."""
    User.objects.filter(pk=user.pk).update(token_generation=F("token_generation") + 1)
    user.refresh_from_db(fields=["token_generation"])


def disconnect_apps(user: User) -> int:
    """Ends every connected app, as chosen with a new password; returns how many."""
    return connections.end_all(user, because=Connection.Ended.PASSWORD, by=user)
