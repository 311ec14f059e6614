"""The tool about workspaces, and how tools find one."""

from __future__ import annotations

import uuid

from typing_extensions import TypedDict

from accounts.actors import STORIES_READ
from accounts.mcp.tools import me, tool
from accounts.models import Workspace
from config.errors import Fault, Invalid, NotFound

NO_DEFAULT = "Name a workspace: this connection has no default. list_workspaces has their ids."


class WorkspaceAnswer(TypedDict):
    id: str
    title: str
    name: str
    role: str | None
    is_default: bool


class WorkspacesAnswer(TypedDict):
    workspaces: list[WorkspaceAnswer]


@tool("List workspaces", scope=STORIES_READ, quotes=True)
def list_workspaces() -> WorkspacesAnswer:
    """The workspaces that this connection reaches, with the person's role in each. A viewer can only read. You need
    this only where there are several; otherwise every tool takes the default one."""
    actor = me()
    roles = dict(actor.user.memberships.values_list("workspace", "role"))
    return {
        "workspaces": [
            {
                "id": str(workspace.pk),
                "title": workspace.title,
                "name": workspace.name,
                "role": roles.get(workspace.pk),
                "is_default": workspace.pk == actor.default_workspace_id,
            }
            for workspace in actor.workspaces().order_by("title", "pk")
        ]
    }


def uuid_of(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def workspace_of(id: str | None) -> Workspace:
    """The workspace of an argument, or the connection's default one. Raises NotFound, and Invalid without any."""
    if id is None:
        default = me().default_workspace()
        if default is None:
            raise Invalid(faults=[Fault("workspace", NO_DEFAULT)])
        return default
    key = uuid_of(id)
    workspace = me().workspaces().filter(pk=key).first() if key else None
    if workspace is None:
        raise NotFound("There is no such workspace.")
    return workspace


TOOLS = [list_workspaces]
