"""Mail about accounts: a row in the transaction of what it tells of, which the worker sends. So neither the answer nor
its time depends on the mail server, which would tell strangers whose address is known. It may come twice where a worker
dies after the mail server took it, which harms nobody.
"""

from __future__ import annotations

import json
import logging
import smtplib
from datetime import timedelta
from email.utils import make_msgid, parseaddr

from cryptography.fernet import InvalidToken
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.db.models.functions import Now
from django.utils import timezone

from accounts.models import AccountMail
from accounts.people.sealing import opened, seal
from config import stopping
from config.celery import wake
from config.database import release_connection
from config.retries import next_wait
from config.slots import in_one_thread

logger = logging.getLogger(__name__)

TASK = "accounts.tasks.send_account_mails"
PURPOSE = b"capsules account mails 1"
TRIED_FOR = timedelta(days=1)
LEASE = 300  # seconds until another worker takes a mail whose worker died
SOONEST = timedelta(seconds=15)  # until the first try after one that failed


def post(email: str, subject: str, text: str, html: str = "") -> None:
    """Has a mail sent after commit. Without an address nobody gets it, and everything takes as long."""
    words = json.dumps({"email": email, "subject": subject, "text": text, "html": html})
    AccountMail.objects.create(content=seal(words, PURPOSE))
    wake(TASK)


@in_one_thread
def send_due_mails() -> int:
    """Sends every mail that is due; returns how many. After one that could not be sent the next run goes on."""
    sent = 0
    while (
        not stopping.has_begun() and (mail := AccountMail.objects.due().take_first(LEASE)) and send_mail(mail)
    ):
        sent += 1
    return sent


def send_mails_forever() -> None:
    """Looks for due mails every SWEEP_INTERVAL until the worker stops: Celery's own round waits behind whatever else
    the worker has to do, and some mails tell of what can be stopped for five minutes.
    """
    while not stopping.has_begun():
        try:
            send_due_mails()
        except Exception:  # the database is away: the next round may work
            logger.warning("Mails about accounts could not be looked for", exc_info=True)
        release_connection()
        stopping.rest(settings.SWEEP_INTERVAL)


def send_mail(mail: AccountMail) -> bool:
    """Sends one mail; False where the rest has to wait, too, or another worker has it. What is refused for good or for
    a day is dropped.
    """
    if not mail.renew(LEASE):  # this worker was stopped for so long that another one sends it
        return False
    try:
        message_in(mail).send()  # does nothing for nobody
    # Errors of smtplib are OSErrors; ValueError: no mail has such an address; InvalidToken: SECRET_KEY changed.
    except (OSError, ValueError, InvalidToken) as error:
        age = timezone.now() - mail.created_at
        # A mailbox that is full today is tried again; one that does not exist is not.
        if not is_final(error) and age < TRIED_FOR:
            logger.warning("A mail about an account is sent later: %s", type(error).__name__)
            mail.drop(next_try_at=Now() + next_wait(age, soonest=SOONEST))
            return isinstance(error, InvalidToken)  # which says nothing of the mail server
        logger.error("A mail about an account was given up: %s", type(error).__name__)
    mail.held().delete()
    return True


def own_domain() -> str:
    """The domain of our address, which the ids of mails name."""
    return parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"


def message_in(mail: AccountMail) -> EmailMultiAlternatives:
    """Raises InvalidToken where neither SECRET_KEY nor one of its fallbacks sealed it."""
    words = json.loads(opened(mail.content, PURPOSE))
    message = EmailMultiAlternatives(words["subject"], words["text"], settings.DEFAULT_FROM_EMAIL)
    # Django's own would name this machine.
    message.extra_headers["Message-ID"] = make_msgid(domain=own_domain())
    message.to = [words["email"]] if words["email"] else []
    if words["html"]:
        message.attach_alternative(words["html"], "text/html")
    return message


def is_final(error: Exception) -> bool:
    """Whether the mail server refused this recipient or this message for good, or it cannot be written at all."""
    if isinstance(error, InvalidToken):
        return False  # an operator may still add the key that sealed it
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return all(code >= 500 for code, _ in error.recipients.values())
    if isinstance(error, smtplib.SMTPDataError):
        return error.smtp_code >= 500
    return not isinstance(error, OSError)
