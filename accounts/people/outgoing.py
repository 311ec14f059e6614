"""Mail about accounts: a row in the transaction of what it tells of, which the worker sends. So neither the answer nor
its time depends on the mail server, which would tell strangers whose address is known. It may come twice after a
crash, which harms nobody.
"""

from __future__ import annotations

import json
import logging
import smtplib
import threading
from datetime import timedelta

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.db import transaction
from django.utils import timezone

from accounts.models import AccountMail
from accounts.people.sealing import opened, seal
from config import stopping
from config.celery import app

logger = logging.getLogger(__name__)

TASK = "accounts.tasks.send_account_mails"
PURPOSE = b"capsules account mails 1"
TRIED_FOR = timedelta(days=1)
LEASE = timedelta(minutes=5)  # until a mail whose worker died is due again
SOONEST, LATEST = timedelta(seconds=15), timedelta(minutes=5)  # until the next try; between them it doubles

sending = threading.Lock()  # one thread of a worker: a mail server that hangs must not take all of them


def post(email: str, subject: str, text: str, html: str = "") -> None:
    """Has a mail sent after commit. Without an address nobody gets it, and everything takes as long."""
    words = json.dumps({"email": email, "subject": subject, "text": text, "html": html})
    AccountMail.objects.create(content=seal(words, PURPOSE))
    transaction.on_commit(lambda: app.send_task(TASK), robust=True)


def send_due() -> int:
    """Sends every mail that is due; returns how many. After one that could not be sent the next run goes on."""
    if not sending.acquire(blocking=False):
        return 0
    try:
        sent = 0
        while not stopping.has_begun() and (mail := claim()) is not None and send(mail):
            sent += 1
        return sent
    finally:
        sending.release()


def claim() -> AccountMail | None:
    """Takes a due mail for this worker."""
    now = timezone.now()
    due = AccountMail.objects.filter(next_try_at__lte=now)
    while (mail := due.order_by("pk").first()) is not None:
        if due.filter(pk=mail.pk).update(next_try_at=now + LEASE):
            return mail
    return None


def send(mail: AccountMail) -> bool:
    """Sends one mail; False where it is tried again later. What is refused for good or for a day is dropped."""
    words = json.loads(opened(mail.content, PURPOSE))
    message = EmailMultiAlternatives(words["subject"], words["text"], settings.DEFAULT_FROM_EMAIL)
    message.to = [words["email"]] if words["email"] else []
    if words["html"]:
        message.attach_alternative(words["html"], "text/html")
    try:
        message.send()  # does nothing for nobody
    except OSError as error:  # smtplib's errors are such
        age = timezone.now() - mail.created_at
        if not is_final(error) and age < TRIED_FOR:
            logger.warning("A mail about an account is sent later: %s", type(error).__name__)
            mail.next_try_at = timezone.now() + min(max(age, SOONEST), LATEST)
            mail.save(update_fields=["next_try_at"])
            return False
        logger.error("A mail about an account was given up: %s", type(error).__name__)
    mail.delete()
    return True


def is_final(error: OSError) -> bool:
    """Whether the mail server refused this recipient or this message for good."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        return all(code >= 500 for code, _ in error.recipients.values())
    return isinstance(error, smtplib.SMTPDataError) and error.smtp_code >= 500
