"""Who acts: a user, through what, and how far that reaches. Views and actions ask the actor, never the credential."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from django.db.models import QuerySet

from accounts.models import ApiKey, Connection, Membership, User, Workspace
from config.errors import Forbidden

PUBLICATIONS_READ = "publications:read"
PUBLICATIONS_WRITE = "publications:write"
CONNECTIONS_READ = "connections:read"
CONNECTIONS_WRITE = "connections:write"

#: Every scope, in the order in which a person reads them, with what it allows in plain words.
SCOPES = {
    PUBLICATIONS_READ: "See whether your capsules are published, and where",
    PUBLICATIONS_WRITE: "Publish and unpublish your capsules, which readers and search engines see at once",
    CONNECTIONS_READ: "See which apps are connected to your account",
    CONNECTIONS_WRITE: "Disconnect apps from your account",
}


@dataclass(frozen=True)
class Actor:
    """A user as one credential lets them act.

    `workspace_ids` None reaches every workspace of the user; `scopes` None allows whatever the role allows.
    """

    user: User
    credential: str  # names the credential in rate limits and logs, without its secret
    workspace_ids: frozenset[uuid.UUID] | None = None
    scopes: frozenset[str] | None = None
    default_workspace_id: uuid.UUID | None = None
    is_staff: bool = False

    @classmethod
    def by_token(cls, user: User) -> Actor:
        """The user's own first-party token: everything the user may."""
        return cls(user, f"user:{user.pk}", default_workspace_id=user.default_workspace_id)

    @classmethod
    def by_connection(cls, connection: Connection, *, scopes: Collection[str]) -> Actor:
        """A connected app: the connection's workspaces, and those of `scopes` that it still has."""
        workspace_ids = [workspace.pk for workspace in connection.workspaces]
        return cls(
            connection.user,
            f"connection:{connection.pk}",
            frozenset(workspace_ids),
            frozenset(scopes) & frozenset(connection.scopes),
            next(iter(workspace_ids), None),
        )

    @classmethod
    def by_key(cls, key: ApiKey) -> Actor:
        """A workspace key: its workspace only, by its creator's role today."""
        return cls(
            key.creator,
            f"key:{key.pk}",
            frozenset({key.workspace_id}),
            frozenset({PUBLICATIONS_READ, PUBLICATIONS_WRITE}),
            key.workspace_id,
        )

    @classmethod
    def by_staff(cls, user: User) -> Actor:
        """A member of staff in the admin: every workspace, as an owner."""
        return cls(user, f"staff:{user.pk}", is_staff=True)

    @cached_property
    def _roles(self) -> dict[uuid.UUID, str]:
        roles = dict(Membership.objects.filter(user=self.user).values_list("workspace_id", "role"))
        if self.workspace_ids is None:
            return roles
        return {id: role for id, role in roles.items() if id in self.workspace_ids}

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

    def require_scope(self, scope: str) -> None:
        """Raises Forbidden where the credential was not granted `scope`; the same whatever it is asked for."""
        if self.scopes is not None and scope not in self.scopes:
            raise Forbidden(f"This connection was not granted the permission {scope}.")
