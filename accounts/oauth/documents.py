"""Client id metadata documents: a client whose id is the https address of its own description.

The address is the client's choice, so the library's fetcher is used: https at port 443, public addresses only, the
checked one is the one connected to, no redirects, 5 s, 16 KiB. Failures are remembered for a minute, and few fetches
run at once. Only the consent page fetches, and only for somebody who is signed in: nothing else waits for a stranger.
"""

from __future__ import annotations

import hashlib
import logging
import re
import threading
from datetime import timedelta

from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.utils import timezone
from oauth2_provider import cimd
from oauth2_provider.cimd import CIMDError, SafeMetadataFetcher

from accounts.models import Application
from accounts.oauth.clients import fill, is_public_client, understood
from accounts.oauth.redirects import HOST
from config import addresses
from config.database import release_connection
from config.errors import Invalid

logger = logging.getLogger(__name__)

MAX_ID_LENGTH = 255
DOCUMENT_ID = re.compile(rf"https://{HOST}(?::443)?/[!-~]*", re.ASCII)
BACKOFF = 60  # seconds
slots = threading.BoundedSemaphore(4)

# The library's own lets through what embeds an IPv4 address (::127.0.0.1), multicast and relays. Its fetcher asks this
# name for each address that it resolved, before it connects to that very address.
cimd._ip_is_public = addresses.is_public


def is_document_id(client_id: str) -> bool:
    return len(client_id) <= MAX_ID_LENGTH and bool(DOCUMENT_ID.fullmatch(client_id))


def refresh(client_id: str) -> None:
    """Makes or updates the client that the document describes; out of reach, the client stays as it is."""
    known = Application.objects.filter(client_id=client_id).first()
    if known and known.cimd_expires_at and known.cimd_expires_at > timezone.now():
        return
    key = f"client-document:{hashlib.sha256(client_id.encode()).hexdigest()}"
    if cache.get(key) or not slots.acquire(blocking=False):
        return
    try:
        save_client(client_id, known)
    except (CIMDError, Invalid) as error:
        logger.info("The client document %r is not usable: %s", client_id, error)
        cache.set(key, True, BACKOFF)
    finally:
        slots.release()


def save_client(client_id: str, known: Application | None) -> None:
    """Raises CIMDError or Invalid where there is no usable document."""
    release_connection()
    document, max_age = SafeMetadataFetcher().fetch(client_id)
    if document.get("client_id") != client_id:
        raise CIMDError("it describes another client")
    metadata = understood(document)
    if not is_public_client(metadata) or "client_secret" in document:
        raise CIMDError("a client with a document has no secret")
    client = known or Application(
        client_id=client_id, registration_source=Application.RegistrationSource.CIMD
    )
    client.cimd_expires_at = timezone.now() + timedelta(seconds=max_age)
    try:
        with transaction.atomic():
            fill(client, metadata).save()
    except IntegrityError:
        logger.info("The client document %r was just stored by another request.", client_id)
