"""The checks in front of the MCP server: hosts, sizes, credentials, permissions and rates of every request."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import anyio
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp_types.jsonrpc import INTERNAL_ERROR, INVALID_REQUEST
from rest_framework.exceptions import AuthenticationFailed
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from accounts.actors import APP_SCOPES, SCOPES, SCOPES_OF, Actor, MissingScope
from accounts.authentication import actor_of, note_refused_token
from accounts.mcp.tools import in_thread, next_step
from accounts.oauth.metadata import resource
from accounts.resources import INSUFFICIENT, METADATA_PATHS, challenge
from accounts.throttling import check_rate
from accounts.visits import Refusal, refusal_kind, visits
from config.api import error_from, error_headers, error_status
from config.errors import CapsulesError, Throttled, TooLarge
from config.links import is_our_host
from config.logs import new_id, request_id

logger = logging.getLogger(__name__)

PATH = "/mcp"
MOST_BYTES = 256 * 1024  # of a request
BODY_TIME = 30  # seconds that a request may take to arrive
AT_ONCE = 24  # requests of one connection
NOT_THE_PROTOCOL = (400, 406, 415)
NO_TOKEN = "Connect first: send a bearer token for this address."  # noqa: S105
BAD_TOKEN = "Connect again: this token has expired, was revoked, or is for another address."  # noqa: S105


class Credentials(TokenVerifier):
    """Bearer tokens for the MCP server, looked up in the database at every request."""

    async def verify_token(self, token: str) -> AccessToken | None:
        try:
            actor: Actor = await in_thread("credential", actor_of, token.strip(), audience="mcp")
        except AuthenticationFailed:
            return None
        return AccessToken(
            token="",
            client_id=actor.credential,
            scopes=list(APP_SCOPES if actor.scopes is None else actor.scopes),
            subject=str(actor.user.pk),
            claims={"actor": actor},
        )


class Guard:
    """The outermost: a host that is ours, an id for the log, and an answer whatever goes wrong further in."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        token = request_id.set(new_id())
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            if is_our_host(Headers(scope=scope).get("host", "")):
                await self.app(scope, receive, sending)
            else:
                await JSONResponse({"error": "This host is not known here."}, 421)(scope, receive, send)
        except Exception as exc:
            # Half an answer is out: only ending the connection tells the client that it is not whole.
            if begun:
                raise
            error = error_from(exc)
            told = f"{error} {next_step(error)}".strip()
            await refusal(error_status(error), told, error_headers(error))(scope, receive, send)
        finally:
            request_id.reset(token)


@dataclass
class Gate:
    """Lets a request through to the server: POST, from a known caller, within the limits, with the tool's permission.

    It answers a missing permission with the challenge that makes an app ask its person for it (RFC 6750).
    """

    app: ASGIApp
    scope_of_tool: dict[str, str | None]
    scope_of_resource: dict[str, str | None]  # by how its address begins
    under_way: Counter[str] = field(default_factory=Counter)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != PATH:
            await self.app(scope, receive, send)
            return
        user = scope.get("user")
        if not isinstance(user, AuthenticatedUser):
            sent = Headers(scope=scope).get("authorization", "").partition(" ")[2].strip()
            await in_thread("credential", note_refused_token, sent)
            wanted = challenge("mcp", scopes=SCOPES_OF["mcp"])
            await refusal(401, BAD_TOKEN if sent else NO_TOKEN, {"WWW-Authenticate": wanted})(
                scope, receive, send
            )
        elif scope["method"] != "POST":
            # Without sessions there is nothing to listen to and nothing to end.
            headers = {"Allow": "POST"}
            await JSONResponse({"error": "Use POST."}, 405, headers)(scope, receive, send)
        else:
            actor = (user.access_token.claims or {})["actor"]
            try:
                await self.answer(actor, scope, receive, watched(send, actor))
            except CapsulesError as error:
                if kind := refusal_kind(error):
                    visits.refused(actor.credential, kind, str(error))
                raise

    async def answer(self, actor: Actor, scope: Scope, receive: Receive, send: Send) -> None:
        # Without a lock: one event loop runs all of this, and nothing is awaited in between.
        if self.under_way[actor.credential] >= AT_ONCE:
            raise Throttled(f"At most {AT_ONCE} calls of one connection at once.", retry_after=2)
        self.under_way[actor.credential] += 1
        try:
            body = await whole_body(scope, receive)
            messages = messages_in(body)
            if missing := self.missing_scope(actor, messages):
                wanted = challenge("mcp", scopes=missing.wanted, error=INSUFFICIENT)
                told = f"{missing} Connect again and allow it: {SCOPES[missing.scope]}."
                visits.refused(actor.credential, Refusal.SCOPE, f"It may not: {SCOPES[missing.scope]}.")
                answer = refusal(403, told, {"WWW-Authenticate": wanted}, id_of(messages))
                await answer(scope, receive, send)
                return
            for message in messages:
                visits.saw(actor.credential, str(message.get("method")))
            # Tools count for themselves; a body without any message counts as well.
            if not messages or not all(self.counts_itself(message) for message in messages):
                await in_thread("credential", check_rate, "read", actor.credential)
            await self.app(scope, replayed(body, receive), send)
        finally:
            self.under_way[actor.credential] -= 1
            if not self.under_way[actor.credential]:
                del self.under_way[actor.credential]

    def counts_itself(self, message: dict[str, object]) -> bool:
        """Whether it calls a tool that exists: such a call counts against the tool's own rate."""
        params = message.get("params")
        if message.get("method") != "tools/call" or not isinstance(params, dict):
            return False
        return str(params.get("name")) in self.scope_of_tool

    def missing_scope(self, actor: Actor, messages: list[dict[str, object]]) -> MissingScope | None:
        for message in messages:
            scope = self.scope_for(message)
            try:
                if scope is not None:
                    actor.require_scope(scope)
            except MissingScope as missing:
                return missing
        return None

    def scope_for(self, message: dict[str, object]) -> str | None:
        params = message.get("params")
        if not isinstance(params, dict):
            return None
        if message.get("method") == "tools/call":
            return self.scope_of_tool.get(str(params.get("name")))
        if message.get("method") == "resources/read":
            uri = str(params.get("uri"))
            starts = (start for start in self.scope_of_resource if uri.startswith(start))
            return next((self.scope_of_resource[start] for start in starts), None)
        return None


def watched(send: Send, actor: Actor) -> Send:
    """`send` that notes where the server finds that a request is none of the protocol's."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] in NOT_THE_PROTOCOL:
            words = f"Its request was not as the protocol asks (status {message['status']})."
            visits.refused(actor.credential, Refusal.PROTOCOL, words)
        await send(message)

    return sending


def refusal(status: int, told: str, headers: Mapping[str, str], id: str | int | None = None) -> JSONResponse:
    """An error of JSON-RPC, so that clients show its words; they show none of any other body."""
    code = INTERNAL_ERROR if status >= 500 else INVALID_REQUEST
    body = {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": told}}
    return JSONResponse(body, status, {**headers, "Cache-Control": "no-store"})


def id_of(messages: list[dict[str, object]]) -> str | int | None:
    """Of the call that is answered; None for several at once."""
    id = messages[0].get("id") if len(messages) == 1 else None
    return id if isinstance(id, str | int) else None


async def whole_body(scope: Scope, receive: Receive) -> bytes:
    """Raises TooLarge, and Throttled for a body that takes too long to arrive."""
    too_large = TooLarge(
        f"A request has at most {MOST_BYTES // 1024} KiB. Files go through create_upload_link."
    )
    length = Headers(scope=scope).get("content-length", "")
    if length.isdecimal() and int(length) > MOST_BYTES:
        raise too_large
    body = bytearray()
    with anyio.move_on_after(BODY_TIME) as time:
        while True:
            message = await receive()
            body += message.get("body", b"")
            if len(body) > MOST_BYTES:
                raise too_large
            if not message.get("more_body", False):
                break
    if time.cancelled_caught:
        raise Throttled("This request took too long to arrive.", retry_after=1)
    return bytes(body)


def replayed(body: bytes, receive: Receive) -> Receive:
    left: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return left.pop() if left else await receive()

    return again


def messages_in(body: bytes) -> list[dict[str, object]]:
    """The JSON-RPC messages of a body; none where it is not JSON, which the server refuses itself."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return []
    return [
        message for message in (found if isinstance(found, list) else [found]) if isinstance(message, dict)
    ]


async def health(request: object) -> JSONResponse:
    return JSONResponse({"status": "ok"})


async def metadata(request: object) -> JSONResponse:
    """For apps that look for it here instead of following the challenge to the authorization server."""
    return JSONResponse(resource("mcp"))


def guarded(application: Starlette, gate: Middleware) -> Starlette:
    """The server behind its gate; the SDK's own middleware between the two finds out who calls."""
    application.router.routes += [
        Route("/health", health),
        Route(METADATA_PATHS["mcp"], metadata),
    ]
    outer = [
        Middleware(Guard),
        Middleware(
            CORSMiddleware,
            allow_origins=["*"],
            allow_methods=["POST"],
            allow_headers=["*"],
            expose_headers=["WWW-Authenticate", "Retry-After"],
        ),
    ]
    application.user_middleware = [*outer, *application.user_middleware, gate]
    return application
