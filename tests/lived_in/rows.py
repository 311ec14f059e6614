"""Which rows stand in the address of which route. A route that this table does not know fails the walk."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable
from urllib.parse import quote

from tests.lived_in.routes import Route

Row = dict[str, str]
Ledger = dict[str, list[Row]]  # rows by what they are of; the first of each list is the fullest one

#: What a route's address begins with (or all of it), and where in the ledger its arguments are. The first match counts.
TABLE = (
    (r"/api{_0}", "api"),
    (r"/api/v2/connected-apps/{id}", "connections"),
    (r"/api/v2/stories/{id}/scenes/{scene}", "scenes"),
    (r"/api/v2/stories/{id}/previews/{number}", "previews"),
    (r"/api/v2/stories/{id}/revisions/{number}", "revisions"),
    (r"/api/v2/stories/{id}/publication/versions/{number}", "versions"),
    (r"/api/v2/stories/{id}", "stories"),
    (r"/api/v2/media/{id}", "media"),
    (r"/api/v2/uploads/{id}", "uploads"),
    (r"/api/v2/workspaces/{workspace}/webhooks/{webhook}", "webhooks"),
    (r"/api/v2/workspaces/{workspace}", "workspaces"),
    (r"/admin/accounts/user/{id}/password/", "people"),
    (r"/admin/publishing/premiere/{pk}/preview/{mode}", "premieres"),
    (r"/admin/r/{content_type_id}/{object_id}/", "objects"),
    (r"/admin/{app_label}/", "admin apps"),
    (r"/admin/{url}", "nothing"),
    (r"/account/workspaces/{workspace}/invitations/{id}", "invitations"),
    (r"/account/workspaces/{workspace}/members/{id}", "members"),
    (r"/account/workspaces/{workspace}/keys/{id}", "keys"),
    (r"/account/workspaces/{workspace}/webhooks/{webhook}", "webhooks"),
    (r"/account/workspaces/{workspace}", "workspaces"),
    (r"/account/connected-apps/{id}", "connections"),
    (r"/account/invitations/{secret}", "invitation links"),
    (r"/account/memberships/{id}", "members"),
    (r"/account/password/reset/key/{uidb36}-{key}/", "reset links"),
    (r"/account/2fa/webauthn/keys/{pk}", "security keys"),
    (r"/media/{name}", "blobs"),
    (r"/studio/up/{secret}", "upload links"),
    (r"/studio/stop/{signed}", "links that stop"),
    (r"/studio/notices/{notice}", "notices of apps"),
    (r"/studio/asks/{ask}", "questions of apps"),
    (r"/studio/stories/{story}/history/{number}", "revisions"),
    (r"/studio/stories/{story}/versions/{number}", "versions"),
    (r"/studio/stories/{story}/preview/{number}", "previews"),
    (r"/studio/stories/{story}/taken-down", "taken down stories"),
    (r"/studio/stories/{story}", "stories"),
    (r"/studio/{workspace}/suspended", "suspended workspaces"),
    (r"/studio/{workspace}/new/{name}", "examples"),
    (r"/studio/{workspace}", "workspaces"),
    (r"/subscribers/{workspace}/premieres/{premiere}/{mode}", "premieres"),
    (r"/subscribers/{workspace}", "workspaces"),
    (r"/subscribe/{name}", "names"),
    (r"/confirm/{token}", "subscription requests"),
    (r"/unsubscribe/{token}", "subscribers"),
    (r"/sitemaps/{first}.xml", "sitemap sections"),
    (r"/r/{publication}", "publications"),
    (r"/{workspace}/{slug}", "pages"),
    (r"/{workspace}(/feed.(atom|json))?$", "profiles"),
)


class Unknown(AssertionError):
    pass


def rows_for(route: Route, ledger: Ledger) -> list[Row]:
    """The rows for a route, in whose place a made-up one comes last. Raises Unknown where there is none."""
    if not route.arguments:
        return [{}]
    kind = f"admin {route.admin_model}" if route.admin_model else kind_of(route)
    wanted = [{name: row[name] for name in route.arguments if name in row} for row in ledger.get(kind, [])]
    rows = [row for row in unique(wanted) if len(row) == len(set(route.arguments))]
    if not rows:
        raise Unknown(
            f"{route.pattern}: the instance has no row of “{kind}”. Give this route a row (fill, rows)."
        )
    return [*rows, made_up(rows[0])]


def kind_of(route: Route) -> str:
    for begins, kind in TABLE:
        if re.match(begins.replace("{", r"\{").replace("}", r"\}"), route.template):
            return kind
    raise Unknown(f"{route.pattern}: give this route a row (tests/lived_in/rows.py).")


def unique(rows: Iterable[Row]) -> list[Row]:
    return list({tuple(row.items()): row for row in rows}.values())


def made_up(row: Row) -> Row:
    """Of the same shape, and of nothing that exists."""
    return {name: like(value) for name, value in row.items()}


def like(value: str) -> str:
    if value.isdigit():
        return "987654321"
    try:
        uuid.UUID(value)
    except ValueError:
        return "no-such-thing"
    return str(uuid.UUID(int=0xABC))


def addresses(route: Route, ledger: Ledger) -> list[str]:
    """The addresses to open, the fullest row first; those with a query too."""
    plain = [
        route.address({name: quote(value, safe="/") for name, value in row.items()})
        for row in rows_for(route, ledger)
    ]
    asked = [row["query"] for row in ledger["queries"] if row["template"] == route.template]
    return [plain[0], *(f"{plain[0]}?{query}" for query in asked), *plain[1:]]
