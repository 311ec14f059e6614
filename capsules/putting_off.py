"""Trying a job again where what went wrong says nothing of its file: a full disk, a killed child, a bucket away.

A file is never blamed for these, however often they happen. TRIED_FOR ends it. What cannot be written down because the
database is away is written once it is back: else the try would count as one that killed its worker.
"""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeGuard

from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.db import Error, transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from capsules.media import Interrupted, NoRoom
from capsules.models import Encode, Upload
from capsules.models.putting_off import CanBePutOff
from config import outage, stopping
from config.database import release_connection
from config.errors import CapsulesError
from config.retries import next_wait

logger = logging.getLogger(__name__)

SOONEST = timedelta(seconds=5)  # until the first try after one that failed
POLL = 1.0  # seconds between two tries to write while the database is away
NO_LONGER = {"put_off": "", "put_off_since": None}  # fields of a job that came to its end, or begins anew


class LeaseLost(Exception):
    """Another worker took this job over, because this one was silent for too long."""


def is_verdict(error: Exception) -> TypeGuard[CapsulesError]:
    """Whether it says something of the file, in words for its author."""
    return isinstance(error, CapsulesError) and not isinstance(error, Interrupted)


def is_full_disk(error: Exception) -> bool:
    return getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)


def reason_of(error: Exception) -> CanBePutOff.Reason:
    if isinstance(error, NoRoom) or is_full_disk(error):
        return CanBePutOff.Reason.NO_ROOM
    if isinstance(error, Interrupted):
        return CanBePutOff.Reason.KILLED
    if isinstance(error, BotoCoreError | ClientError | OSError):
        return CanBePutOff.Reason.STORAGE
    return CanBePutOff.Reason.OTHER


def put_off(job: Encode | Upload, error: Exception, **fields: Any) -> bool:
    """Frees a job whose lease we have, to be taken again later. False where it was tried for TRIED_FOR."""
    name, now = f"{type(job).__name__} {job.pk}", timezone.now()
    since = job.put_off_since or now
    if now - since > settings.TRIED_FOR:
        logger.error("%s could not be done in time", name, exc_info=error)
        return False
    wait = next_wait(now - since, soonest=SOONEST)
    logger.warning("%s is tried again in %.0f s", name, wait.total_seconds(), exc_info=error)
    update_held(
        job,
        **fields,
        put_off=reason_of(error),
        put_off_since=since,
        attempts=F("attempts") - 1,
        lease_token=None,
        lease_until=Now() + wait,
    )
    return True


def update_held(job: Encode | Upload, *, then: Callable[[], None] = lambda: None, **fields: object) -> int:
    """Updates a job whose lease we have, and does `then` in the same transaction; returns 0 where it was taken over.
    While the database is away it waits, but not any longer when this process is told to stop.
    """
    while True:
        try:
            with transaction.atomic():
                updated = job.held().update(**fields)
                if updated:
                    then()
            return int(updated)
        except Error as error:
            if outage.error_for(error) is None or stopping.has_begun():
                raise
            outage.log_unwritten(error)
        release_connection()
        stopping.rest(POLL)
