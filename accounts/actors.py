"""Actors: a user and the credential they act through, which limits them.

Views and actions ask the actor, never the credential.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from django.db.models import Q, QuerySet
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import ApiKey, Connection, Membership, User, Workspace
from accounts.resources import INSUFFICIENT, Audience, challenge
from config.database import only
from config.errors import Forbidden

STORIES_READ = "stories:read"
STORIES_WRITE = "stories:write"
PUBLICATIONS_READ = "publications:read"
PUBLICATIONS_WRITE = "publications:write"
CONNECTIONS_READ = "connections:read"
CONNECTIONS_WRITE = "connections:write"
EVENTS_READ = "events:read"
WEBHOOKS_READ = "webhooks:read"
WEBHOOKS_WRITE = "webhooks:write"

#: What the tools of the MCP server do.
TOOL_SCOPES = (STORIES_READ, STORIES_WRITE, PUBLICATIONS_READ, PUBLICATIONS_WRITE)
#: What a workspace key may be given.
KEY_SCOPES = (*TOOL_SCOPES, EVENTS_READ, WEBHOOKS_READ, WEBHOOKS_WRITE)

#: Every scope, in the order in which a person reads them, with what it allows in plain words.
SCOPES = {
    STORIES_READ: _("Read your capsules, including unpublished ones"),
    STORIES_WRITE: _("Create and edit your capsules and upload media. Readers see nothing until you publish"),
    PUBLICATIONS_READ: _("See whether your capsules are published, and where"),
    PUBLICATIONS_WRITE: _(
        "Publish and unpublish your capsules, which readers and search engines see at once"
    ),
    CONNECTIONS_READ: _("See which apps are connected to your account"),
    CONNECTIONS_WRITE: _("Disconnect apps from your account"),
    EVENTS_READ: _(
        "Follow what happens in your workspaces: which capsules are begun, published or taken from the public"
    ),
    WEBHOOKS_READ: _("See which addresses are told what happens, and what was sent to them"),
    WEBHOOKS_WRITE: _("Choose the addresses that are told what happens"),
}

#: What an app may ask a person for: what is sent where is for people and their own programs.
APP_SCOPES = tuple(scope for scope in SCOPES if scope not in (WEBHOOKS_READ, WEBHOOKS_WRITE))

#: What a person ticks for the second form of the permission to publish; to apps both are PUBLICATIONS_WRITE.
PREPARES_ONLY = f"{PUBLICATIONS_WRITE}:{Connection.Publishing.PREPARES}"

#: The same in a few English words, for the audit log: a line of it has room for all that an app may do.
IN_SHORT = {
    STORIES_READ: "read capsules",
    STORIES_WRITE: "edit capsules",
    PUBLICATIONS_READ: "see what is published",
    PUBLICATIONS_WRITE: "publish",
    CONNECTIONS_READ: "see connected apps",
    CONNECTIONS_WRITE: "disconnect apps",
    EVENTS_READ: "follow what happens",
    WEBHOOKS_READ: "see webhooks",
    WEBHOOKS_WRITE: "change webhooks",
}

#: What an app may ask for where it uses a resource; the tools of the MCP server have nothing to do with connections.
SCOPES_OF: dict[Audience, tuple[str, ...]] = {"api": APP_SCOPES, "mcp": TOOL_SCOPES}

#: Through what somebody acts: the studio's pages, another own token, a connected app, a workspace key, a link that
#: takes files, a link in a mail to them, the admin.
Via = Literal["studio", "token", "app", "key", "link", "mail", "staff"]


@dataclass(frozen=True)
class Actor:
    """A user as one credential lets them act.

    `workspace_ids` None reaches every workspace of the user; `scopes` None allows whatever the role allows.
    `label` names the app or the key for a person who reads a history; it is empty for `via` of any other kind. `tool`
    is the tool of the MCP server that the app uses, empty elsewhere. `publishing` says how an app publishes that may
    (`Connection.Publishing`), and is empty for everybody else.
    """

    user: User
    credential: str  # names the credential in rate limits and logs, without its secret
    workspace_ids: frozenset[uuid.UUID] | None = None
    scopes: frozenset[str] | None = None
    default_workspace_id: uuid.UUID | None = None
    is_staff: bool = False
    via: Via = "token"
    label: str = ""
    tool: str = ""
    publishing: str = ""

    @classmethod
    def by_token(cls, user: User, *, via: Via = "token") -> Actor:
        """The user's own first-party token: everything the user may."""
        return cls(user, f"user:{user.pk}", default_workspace_id=user.default_workspace_id, via=via)

    @classmethod
    def by_connection(cls, connection: Connection, *, scopes: Collection[str]) -> Actor:
        """A connected app: the connection's workspaces, and those of `scopes` that it still has."""
        workspace_ids = [workspace.pk for workspace in connection.workspaces]
        allowed = frozenset(scopes) & frozenset(connection.scopes)
        return cls(
            connection.user,
            f"connection:{connection.pk}",
            frozenset(workspace_ids),
            allowed,
            next(iter(workspace_ids), None),
            via="app",
            label=connection.client.display_name,
            publishing=connection.publishing if PUBLICATIONS_WRITE in allowed else "",
        )

    @classmethod
    def by_key(cls, key: ApiKey) -> Actor:
        """A workspace key: its workspace only, by its creator's role today."""
        return cls(
            key.creator,
            f"key:{key.pk}",
            frozenset({key.workspace_id}),
            frozenset(key.scopes).intersection(KEY_SCOPES),
            key.workspace_id,
            via="key",
            label=key.label or str(key),
        )

    @classmethod
    def by_staff(cls, user: User) -> Actor:
        """A member of staff in the admin: every workspace, as an owner."""
        return cls(user, f"staff:{user.pk}", is_staff=True, via="staff")

    def now(self) -> Actor | None:
        """The same actor as the database knows them now; None where user, key or connection came to an end meanwhile.

        For what takes minutes: what an actor may is looked up once when a request begins.
        """
        generation = self.user.token_generation
        user = only(User.objects.filter(pk=self.user.pk, is_active=True))
        if user is None:
            return None
        id = self.credential.partition(":")[2]
        if self.via == "key":
            key = only(ApiKey.objects.working().select_related("creator").filter(pk=id))
            return Actor.by_key(key) if key else None
        if self.via == "app":
            connection = only(Connection.objects.live().with_reach().filter(pk=id))
            return Actor.by_connection(connection, scopes=self.scopes or ()) if connection else None
        if self.via in ("link", "mail"):
            return None  # looked up at each request; they do nothing that takes minutes
        if self.is_staff:
            return Actor.by_staff(user) if user.is_staff else None
        return Actor.by_token(user, via=self.via) if user.token_generation == generation else None

    @cached_property
    def _roles(self) -> dict[uuid.UUID, str]:
        roles = dict(Membership.objects.filter(user=self.user).values_list("workspace_id", "role"))
        if self.workspace_ids is None:
            return roles
        return {id: role for id, role in roles.items() if id in self.workspace_ids}

    @property
    def reach(self) -> Q:
        """Which rows of workspaces the actor can see; without asking for the workspaces themselves."""
        return Q() if self.is_staff else Q(workspace__in=list(self._roles))

    def workspaces(self) -> QuerySet[Workspace]:
        """Every workspace the actor can see."""
        return Workspace.objects.all() if self.is_staff else Workspace.objects.filter(pk__in=self._roles)

    def default_workspace(self) -> Workspace | None:
        """The credential's default workspace, as long as the user is a member."""
        return (
            self.workspaces().filter(pk=self.default_workspace_id).first()
            if self.default_workspace_id
            else None
        )

    def may_publish_in(self, workspace_id: uuid.UUID) -> bool:
        return self.is_staff or self._roles.get(workspace_id) in Membership.PUBLISHING_ROLES

    @property
    def only_prepares(self) -> bool:
        """Whether it makes everything ready and its person presses Publish."""
        return self.publishing == Connection.Publishing.PREPARES

    def may_write_in(self, workspace_id: uuid.UUID) -> bool:
        return self.is_staff or self._roles.get(workspace_id) in Membership.WRITING_ROLES

    def may_manage(self, workspace_id: uuid.UUID) -> bool:
        return self.is_staff or self._roles.get(workspace_id) in Membership.MANAGING_ROLES

    def require_scope(self, scope: str) -> None:
        """Raises Forbidden where the credential was not granted `scope`; the same whatever it is asked for."""
        if self.scopes is not None and scope not in self.scopes:
            raise MissingScope(self, scope)


def allowed_words(connection: Connection) -> list[str]:
    """What a connection may do, in words; the permission to publish in those that its person chose."""
    words = {
        **SCOPES,
        PUBLICATIONS_WRITE: gettext("Publishing: “%(how)s”")
        % {"how": Connection.Publishing(connection.publishing).label},
    }
    return [str(words[scope]) for scope in SCOPES if scope in connection.scopes]


class MissingScope(Forbidden):
    """Tells an app what to ask its person for: the missing scope, and those it has, which it would lose otherwise."""

    def __init__(self, actor: Actor, scope: str) -> None:
        what = "key" if actor.via == "key" else "connection"
        super().__init__(f"This {what} was not granted the permission {scope}.")
        self.scope = scope
        self.wanted = [name for name in SCOPES if name == scope or name in (actor.scopes or ())]
        self.headers = (
            {"WWW-Authenticate": challenge(scopes=self.wanted, error=INSUFFICIENT)}
            if actor.via == "app"
            else {}
        )
