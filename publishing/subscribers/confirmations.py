"""The mail that asks a new subscriber to confirm. It may come twice after a crash, which harms nobody."""

from __future__ import annotations

from datetime import timedelta
from email.utils import make_msgid

from django.db.models import F
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse

from config.links import absolute
from publishing.mail import pauses
from publishing.mail.letters import Letter, Rendered, own_domain
from publishing.mail.transport import AnswerLost, Connection, HungUp, Refused, Unavailable
from publishing.models import SubscriptionRequest
from publishing.subscribers.actions import forget_old_requests

TRIES = 5
TRY_AGAIN = timedelta(minutes=5)


def send_due() -> int:
    """Sends every confirmation that is due; returns how many. Deletes old requests that nobody confirmed."""
    forget_old_requests()
    sent = 0
    with Connection() as connection:
        while not pauses.is_closed() and (request := claim()) is not None:
            sent += send(connection, request)
    return sent


def claim() -> SubscriptionRequest | None:
    """Takes a due request for this worker. If the worker dies, the request is due again after TRY_AGAIN."""
    due = SubscriptionRequest.objects.filter(next_try_at__lte=Now())
    while (pk := due.order_by("next_try_at").values_list("pk", flat=True).first()) is not None:
        if due.filter(pk=pk).update(next_try_at=Now() + TRY_AGAIN, attempts=F("attempts") + 1):
            return SubscriptionRequest.objects.select_related("workspace").get(pk=pk)
    return None


def send(connection: Connection, request: SubscriptionRequest) -> bool:
    """Sends one mail and records what came of it; returns whether it went out."""
    row = SubscriptionRequest.objects.filter(pk=request.pk)
    letter = Letter(render(request))
    content = letter.for_recipient(request.email, request.token, make_msgid(domain=own_domain()))
    try:
        connection.submit(letter.sender, request.email, content)
    except (HungUp, Refused, AnswerLost) as error:
        if isinstance(error, HungUp):  # maybe because of this address, so it counts as a try
            pauses.close(str(error))
        ended = request.attempts >= TRIES or (isinstance(error, Refused) and error.is_final)
        row.update(error=str(error), **({"next_try_at": None} if ended else {}))
        return False
    except Unavailable as error:
        pauses.close(str(error))
        row.update(attempts=F("attempts") - 1, next_try_at=Now(), error=str(error))
        return False
    row.update(next_try_at=None, sent_at=Now(), mails=F("mails") + 1, error="")
    return True


def render(request: SubscriptionRequest) -> Rendered:
    context = {
        "workspace": request.workspace,
        "face": request.workspace.picture_url,
        "link": absolute(reverse("confirm-subscription", args=[request.token])),
    }
    return Rendered(
        subject=f"Please confirm: {request.workspace.title}",
        sender_name=request.workspace.title,
        language="en",
        html=render_to_string("subscriptions/confirm_mail.html", context),
        text=render_to_string("subscriptions/confirm_mail.txt", context),
    )
