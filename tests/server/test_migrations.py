"""A new database is made by one migration of each app, an earlier one goes the way of those that it stands for."""

from __future__ import annotations

from pathlib import Path

from django.apps import apps
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState


def test_the_short_way_stands_for_all_that_was_before_and_the_long_one_leads_to_the_same_tables():
    way = MigrationLoader(None, replace_migrations=False)
    short = {key: migration for key, migration in way.disk_migrations.items() if migration.replaces}
    assert {app for app, _ in short} == {"accounts", "capsules", "publishing", "feed"}
    for (app, name), migration in short.items():
        last = name.partition("squashed_")[2]
        files = sorted(path.stem for path in Path(apps.get_app_config(app).path, "migrations").glob("0*.py"))
        before = [file for file in files if "squashed" not in file and file <= last]
        assert migration.replaces == [(app, file) for file in before]
    ends = [end for end in way.graph.leaf_nodes() if end not in short]
    ours = MigrationAutodetector(way.project_state(ends), ProjectState.from_apps(apps))
    assert ours.changes(graph=way.graph) == {}
