"""Idempotency-Key: a call repeated under one key is answered as the first time, and not done twice.

The answer is written in the transaction of what was done, so that a process killed in between leaves both or neither.
It is given again only to who may still act in the workspace where the call acted: the view names it as `acts_in`.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actors import Actor
from accounts.authentication import actor_in
from accounts.models import IdempotentAnswer
from config.errors import Conflict, Fault, Forbidden, Invalid, Locked, NotFound
from config.leases import lease_end

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
FORM = re.compile(r"[!-~]{1,255}")
KEPT_HEADERS = ("Location", "ETag", "Retry-After")
RUNNING = "The first call with this Idempotency-Key still runs."
OUT_OF_REACH = "What was done under this Idempotency-Key is out of your reach now."
TOLD_ONCE = (
    "Not taken here: the answer has a secret, which is not kept, so a repeated call cannot be told it again."
)
OTHER_CALL = "This Idempotency-Key was used for another call."

View = TypeVar("View", bound=Callable[..., Response])


def once(view: View, *, first: Callable[..., object] | None = None) -> View:
    """A view method that is carried out once for each key. `first` is called before its transaction, with what it gets,
    for what takes long and may be done twice; it gets what that returns as `ready`.

    Raises Invalid (malformed key), Conflict (the key belongs to another call), Locked (the first call still runs),
    NotFound and Forbidden (removed, or with a lower role since), and what the view raises.
    """

    def made_ready(*given: object, **named: object) -> dict[str, object]:
        return {"ready": first(*given, **named)} if first else {}

    @wraps(view)
    def answer(self: Any, request: Request, *args: object, **kwargs: object) -> Response:
        key = request.headers.get(HEADER)
        if key is None:
            return view(self, request, *args, **kwargs, **made_ready(self, request, *args, **kwargs))
        if not FORM.fullmatch(key):
            message = "Must be 1 to 255 visible ASCII characters."
            raise Invalid(faults=[Fault(HEADER, message)])
        actor = actor_in(request)
        claimed = claim_key(actor, key, request_digest(request))
        if claimed.status is not None:
            check_in_reach(claimed, actor)
            return kept_answer(claimed)
        try:
            ready = made_ready(self, request, *args, **kwargs)
            with transaction.atomic():
                response = view(self, request, *args, **kwargs, **ready)
                keep_answer(claimed, response, workspace=self.acts_in)
        except BaseException:
            # What failed is not kept: the caller may try again under the same key.
            claimed.held().running().delete()
            raise
        return response

    return cast(View, answer)


def refuse_key(request: Request) -> None:
    """For a view whose answer has a secret. Raises Invalid where the call has a key."""
    if HEADER in request.headers:
        raise Invalid(faults=[Fault(HEADER, TOLD_ONCE)])


def request_digest(request: Request) -> str:
    parts = [str(request.method), request.get_full_path(), request.body.decode("utf-8", "replace")]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def claim_key(actor: Actor, key: str, digest: str) -> IdempotentAnswer:
    """The row of this key: new and ours to answer, or answered before."""
    credential = actor.credential
    lease = settings.IDEMPOTENCY_LEASE
    rows = IdempotentAnswer.objects.filter(credential=credential, key=key)
    # The sweep may be late, and an answer past its time must not meet a new call.
    rows.filter(at__lt=timezone.now() - settings.IDEMPOTENCY_RETENTION).delete()
    # Its unique row decides between two calls at once.
    try:
        with transaction.atomic():
            return IdempotentAnswer.objects.create(
                user=actor.user,
                credential=credential,
                key=key,
                request=digest,
                lease_until=lease_end(lease),
            )
    except IntegrityError:
        known = rows.first()
    if known is None:  # answered with an error in this moment
        raise Locked(RUNNING, retry_after=1)
    if known.request != digest:
        raise Conflict(OTHER_CALL, faults=[Fault(HEADER, OTHER_CALL)])
    if known.status is None:
        known = rows.running().take(known.pk, lease)
    if known is None:
        raise Locked(RUNNING, retry_after=1)
    return known


def check_in_reach(known: IdempotentAnswer, actor: Actor) -> None:
    """Raises NotFound where the caller left the workspace since, Forbidden where they may only read it."""
    workspace = known.workspace_id
    if workspace is None or not actor.workspaces().filter(pk=workspace).exists():
        raise NotFound(OUT_OF_REACH)
    if not actor.may_write_in(workspace):
        raise Forbidden(OUT_OF_REACH)


def keep_answer(claimed: IdempotentAnswer, response: Response, *, workspace: uuid.UUID) -> None:
    """Writes the answer beside what was done. Raises Locked where another process took the key over."""
    kept = (
        claimed.held()
        .running()
        .update(
            workspace=workspace,
            status=response.status_code,
            headers={name: response[name] for name in KEPT_HEADERS if response.has_header(name)},
            body=JSONRenderer().render(response.data).decode(),
        )
    )
    if not kept:
        raise Locked(RUNNING, retry_after=1)


def kept_answer(known: IdempotentAnswer) -> Response:
    data = json.loads(known.body) if known.body else None
    return Response(data, status=known.status, headers={**known.headers, REPLAYED: "true"})
