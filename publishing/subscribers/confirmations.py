"""The mail that asks a new subscriber to confirm. It may come twice after a crash, which harms nobody."""

from __future__ import annotations

import logging
from contextlib import closing
from datetime import timedelta
from email.utils import make_msgid

from django.db import DatabaseError
from django.db.models import F
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext

from accounts.people.outgoing import own_domain
from config import stopping
from config.links import absolute
from config.slots import in_one_thread
from config.words import languages
from config.words.languages import page_in
from config.words.tags import language_query
from publishing.mail import pauses
from publishing.mail.letters import Letter, Rendered
from publishing.mail.transport import AnswerLost, Connection, HungUp, Refused, Unavailable
from publishing.models import SubscriptionRequest
from publishing.subscribers.actions import forget_old_requests

logger = logging.getLogger(__name__)

TRIES = 5
TRY_AGAIN = timedelta(minutes=5)
LEASE = 300  # seconds until another worker takes a request whose worker died


def send_due_confirmations() -> int:
    """Sends every confirmation that is due; returns how many. Deletes old requests that nobody confirmed."""
    forget_old_requests()
    return send_requested()


@in_one_thread
def send_requested() -> int:
    sent = 0
    with closing(Connection()) as connection:
        while not (stopping.has_begun() or pauses.is_closed()) and (request := claim_request()):
            sent += send_confirmation(connection, request)
    return sent


def claim_request() -> SubscriptionRequest | None:
    """Takes a due request for this worker."""
    return SubscriptionRequest.objects.due().take_first(LEASE, attempts=F("attempts") + 1)


def send_confirmation(connection: Connection, request: SubscriptionRequest) -> bool:
    """Sends one mail and records what came of it; returns whether it went out."""
    try:
        letter = Letter(render_confirmation(request))
        content = letter.for_recipient(request.email, request.token, make_msgid(domain=own_domain()))
    except (DatabaseError, OSError):  # which may pass
        raise
    except Exception as error:  # whatever it is, it counts as a try, and the others go on
        # The words of the error name the address.
        logger.error("A confirmation cannot be written: %s", type(error).__name__)
        fail(request, error)
        return False
    if not request.renew(LEASE):  # this worker was stopped for so long that another one sends it
        return False
    try:
        connection.submit(letter.sender, request.email, content)
    except (HungUp, Refused, AnswerLost) as error:
        if isinstance(error, HungUp):  # maybe because of this address, so it counts as a try
            pauses.close(str(error))
        fail(request, error)
        return False
    except Unavailable as error:
        pauses.close(str(error))
        # The server's fault, not the address's: it does not count as a try.
        request.drop(attempts=F("attempts") - 1, next_try_at=Now(), error=str(error))
        return False
    request.drop(next_try_at=None, sent_at=Now(), mails=F("mails") + 1, error="")
    return True


def fail(request: SubscriptionRequest, error: Exception) -> None:
    """Has the mail tried again in a while, or gives it up."""
    ended = request.attempts >= TRIES or (isinstance(error, Refused) and error.is_final)
    request.drop(error=str(error), next_try_at=None if ended else Now() + TRY_AGAIN)


def render_confirmation(request: SubscriptionRequest) -> Rendered:
    with page_in(request.language, own=True):
        link = absolute(reverse("confirm-subscription", args=[request.token])) + language_query()
        context = {"workspace": request.workspace, "face": request.workspace.picture_url, "link": link}
        return Rendered(
            subject=gettext("Please confirm: %(workspace)s") % {"workspace": request.workspace.title},
            sender_name=request.workspace.title,
            language=languages.spoken(),
            html=render_to_string("subscriptions/confirm_mail.html", context),
            text=render_to_string("subscriptions/confirm_mail.txt", context),
        )
