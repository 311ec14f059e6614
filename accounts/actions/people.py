"""What happens to a person's account as a whole: its tokens, its apps, whether it is enabled."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.urls import reverse
from django.utils.translation import gettext

from accounts.actions import connections, keys, members
from accounts.actions.events import Kind, record
from accounts.models import Connection, User
from accounts.people import sessions
from accounts.people.letters import post_letter
from config.links import absolute


def end_own_tokens(user: User) -> None:
    """Every first-party token issued so far is refused from now on."""
    User.objects.filter(pk=user.pk).update(token_generation=F("token_generation") + 1)
    user.refresh_from_db(fields=["token_generation"])


@transaction.atomic
def use_only_address(user: User, *, by: User) -> None:
    """Makes the account's present address the only one to sign in with."""
    user.email = User.objects.normalize_email(user.email)
    user.save(update_fields=["email"])
    EmailAddress.objects.filter(user=user).delete()
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    record(Kind.ADDRESS_CHANGED, by=user, subject="" if by == user else "by staff")


def disconnect_apps(user: User) -> int:
    """Ends every connected app, as chosen with a new password; returns how many."""
    return connections.end_all(user, because=Connection.Ended.PASSWORD, by=user)


@transaction.atomic
def disable(user: User, *, by: User) -> None:
    """Closes an account: its sessions and what it gave others (apps, keys, invitations) end too and do not come back
    with it.
    """
    User.objects.filter(pk=user.pk).update(is_active=False)
    user.is_active = False
    end_own_tokens(user)
    sessions.sign_out_everywhere(user)
    connections.end_all(user, because=Connection.Ended.STAFF, by=by)
    keys.revoke_keys_of(user, by=by)
    members.withdraw_invitations_of(user, by=by)
    record(Kind.ACCOUNT_DISABLED, by=by, subject=user.email)


@transaction.atomic
def enable(user: User, *, by: User) -> None:
    """Opens a closed account again. Its owner signs in, connects apps and makes keys anew."""
    User.objects.filter(pk=user.pk).update(is_active=True)
    user.is_active = True
    record(Kind.ACCOUNT_ENABLED, by=by, subject=user.email)


@transaction.atomic
def remove_factors(user: User, *, by: User) -> bool:
    """Staff take the second factors of a person who lost them all, who is told by mail; False where there was none."""
    deleted, _ = Authenticator.objects.filter(user=user).delete()
    if not deleted:
        return False
    record(Kind.MFA_CHANGED, by=user, subject="" if by == user else "All removed by staff")
    told = gettext(
        "Staff removed every second factor of your account. Your password alone signs you in until you add one."
    )
    doubt = gettext("If this was not you, answer this mail: somebody else used your account.")
    add = f"{gettext('Add a second factor')}: {absolute(reverse('mfa_index'))}"
    subject = gettext("Your second factors were removed")
    text = f"{told}\n\n{add}\n\n{doubt}\n\n{settings.SERVICE_NAME}\n"
    post_letter(user.email, subject, text)
    return True
