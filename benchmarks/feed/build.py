"""A million live capsules, made by INSERT … SELECT."""

from __future__ import annotations

import json
import time
from typing import Any

from django.db import connection, models

from accounts.models import Workspace
from capsules.models import Story
from feed.models import Card, FeedRank
from publishing.models import Bake, Publication, ViewCount

WORKSPACES = 1000
HIDDEN = 10_000  # unlisted ones, and as many unpublished ones, behind the listed
NAME = "'ab/' || md5(n::text) || md5((-n)::text)"  # as long as a SHA-256
BAKE = {"title": "A capsule", "language": "en", "scenes": [{"text": "The last ferry leaves at dusk."}] * 4}


def insert(model: type[models.Model], count: int, **expressions: str) -> None:
    """`count` rows, n = 1 … count; the SQL expressions may use n, every other field gets its default."""
    columns, values, parameters = [], [], []
    for field in model._meta.concrete_fields:
        given = expressions.get(field.attname)
        if given is None and field.primary_key:
            continue  # the database numbers it
        columns.append(f'"{field.column}"')
        values.append(given or "%s")
        if given is None:
            default = None if field.null and not field.has_default() else field.get_default()
            parameters.append(field.get_db_prep_save(default, connection))
    table = model._meta.db_table
    statement = f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(values)} FROM generate_series(1, {count}) n"  # noqa: S608, E501
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)


def build(listed: int) -> None:
    """`listed` listed capsules with views, then HIDDEN unlisted and HIDDEN unpublished ones."""
    began, total = time.perf_counter(), listed + 2 * HIDDEN
    uuid = "md5('{} ' || {})::uuid".format
    workspace = uuid("workspace", f"mod(n, {WORKSPACES})")
    at = "timestamptz '2020-01-01' + n * interval '3 minutes'"
    insert(Workspace, WORKSPACES, id=workspace, title="'Workspace ' || n", name=f"'workspace-' || mod(n, {WORKSPACES})",
           name_claimed_at="now()")  # fmt: skip
    insert(Story, total, id=uuid("story", "n"), workspace_id=workspace, title="'Capsule ' || n",
           visibility=f"CASE WHEN n <= {listed} THEN 'public' ELSE 'unlisted' END", updated_at="now()")  # fmt: skip
    insert(Bake, total, id="n", story_id=uuid("story", "n"), number="1", digest="md5(n::text)",
           content=f"'{json.dumps(BAKE)}'::jsonb")  # fmt: skip
    live = f"n <= {listed + HIDDEN}"
    insert(Publication, total, id="n", story_id=uuid("story", "n"), slug="'capsule-' || n",
           published_at=f"CASE WHEN {live} THEN {at} END", live_bake_id=f"CASE WHEN {live} THEN n END",
           updated_at=at)  # fmt: skip
    picture = "jsonb_build_array(jsonb_build_object('name', {0} || '.{1}', 'width', 640), jsonb_build_object('name', {0} || '.{1}', 'width', 1280))".format  # noqa: E501
    insert(Card, listed, publication_id="n", story_id=uuid("story", "n"), workspace_id=workspace,
           slug="'capsule-' || n", title="'Capsule ' || n", author_name="'Ines Okafor'", language="'en'",
           excerpt="'The last ferry leaves Aldermoor at dusk, whether or not anyone is aboard: number ' || n",
           scene_count="4", film=f"{NAME} || '.mp4'", published_at=at, updated_at=at,
           cover="jsonb_build_object('alt', 'A lake at dusk.', 'colour', '#223344', 'width', 1280, 'height', 720, "
                 f"'avif', {picture(NAME, 'avif')}, 'jpeg', {picture(NAME, 'jpeg')})")  # fmt: skip
    views = "floor(power(random(), -1.25))::bigint - 1"  # a few read by many; two in five by nobody
    insert(ViewCount, listed, publication_id="n", views=views)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {FeedRank._meta.db_table} SELECT publication_id, views FROM publishing_viewcount"  # noqa: S608
        )
        cursor.execute("VACUUM ANALYZE")
    print(f"built {listed:,} listed capsules in {time.perf_counter() - began:.0f} s")


def size_of(relation: str) -> int:
    """Bytes of a table or an index on disk."""
    return scalar("SELECT pg_relation_size(%s)", relation)


def scalar(statement: str, *parameters: Any) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        row = cursor.fetchone()
    return row[0]
