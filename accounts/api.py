"""What endpoints for tokens, apps and keys share."""

from __future__ import annotations

from accounts.actors import Actor
from accounts.authentication import ApiKeyAuthentication, BearerAuthentication, HasScope, actor_in
from accounts.models import Workspace
from accounts.throttling import CredentialThrottle
from config.api import ApiViewSet
from config.ids import row_of


class ActorViewSet(ApiViewSet):
    """Endpoints about one workspace, for tokens, apps and keys."""

    # Each names the scope of its actions in `scopes`.
    authentication_classes = [BearerAuthentication, ApiKeyAuthentication]
    permission_classes = [HasScope]
    throttle_classes = [CredentialThrottle]

    @property
    def actor(self) -> Actor:
        return actor_in(self.request)

    def workspace(self, id: str) -> Workspace:
        """Raises NotFound, the same for every reason."""
        return row_of(self.actor.workspaces(), id, "There is no such workspace.")
