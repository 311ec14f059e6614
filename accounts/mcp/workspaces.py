"""The tool about workspaces, and how tools find one."""

from __future__ import annotations

from typing_extensions import TypedDict

from accounts.actors import STORIES_READ
from accounts.mcp.tools import me, tool
from accounts.models import Workspace
from config.errors import Fault, Invalid
from config.ids import row_of

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


def workspace_of(id: str | None) -> Workspace:
    """The workspace of an argument, or the connection's default one. Raises NotFound, and Invalid without any."""
    if id is None:
        default = me().default_workspace()
        if default is None:
            raise Invalid(faults=[Fault("workspace", NO_DEFAULT)])
        return default
    return row_of(me().workspaces(), id, "There is no such workspace.")


TOOLS = [list_workspaces]
