"""The cast of the tests, and real rendered media that every story of a test shares."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.core.mail import EmailMessage
from django.core.management.commands import flush
from django.db import connection
from django.test import Client
from django.utils import timezone
from django.utils.translation import trans_real
from playwright.sync_api import Browser, expect, sync_playwright
from pytest_django.plugin import DjangoDbBlocker
from xdist.scheduler import LoadFileScheduling

from accounts.actions.keys import create_api_key
from accounts.actors import Actor
from accounts.models import User, Workspace
from accounts.people import outgoing
from capsules.models import Story
from publishing.statistics.notebook import BusyNotebook
from tests.browser.waiting import PATIENCE
from tests.support import factories, mail, migrated, pseudo, shared_blobs
from tests.support.chromium import BROWSERS, CHROMIUM, FLAGS
from tests.support.kept import Keeper, Kept, empty_database, given, keep
from tests.support.running import forget_redis
from tests.support.smtp import Mailbox

#: Files that take a minute by themselves come first, so that no worker begins one when the others are done.
LONG = [
    "browser/test_contrast",
    "server/test_server",
    "browser/test_studio",
    "mcp/",
    "studio/test_modules",
    "server/test_schema",
    "browser/test_every_page",
    "capsules/test_media",
    "server/test_starting_and_stopping",
    "browser/",
    "feed/test_feed_walk",
    "capsules/test_bucket",
    "capsules/test_authoring_document",
    "capsules/test_import",
    "server/",
]
MCP = "tests/mcp/"
#: What can differ by database and broker runs on PostgreSQL and Redis as well: locks, races, constraints, conflicts,
#: the rules of JSON and text, what is queued, the way of one capsule from a file to its readers, and once each
#: statement that is more than a plain comparison. Everything runs on SQLite. A test elsewhere that belongs here says
#: so: `pytest.mark.both_databases`.
ON_BOTH = (
    "accounts/test_erasing_races",
    "accounts/test_oauth_races",
    "capsules/test_authoring_races",
    "capsules/test_uploads.py::test_a_server_that_is_killed",
    "capsules/test_uploads.py::test_a_worker",
    "capsules/test_uploads.py::test_an_address_that_sends_slowly",
    "capsules/test_uploads.py::test_no_connection_of_the_database",
    "capsules/test_uploads.py::test_two_requests",
    "feed/test_feed_races",
    "mcp/test_publishing.py::test_one_process",
    "premieres/test_claiming",
    "publishing/test_leases",
    "publishing/test_races",
    "server/test_broker",
    "server/test_server.py::test_a_killed_publish_leaves_nothing_half_and_a_later_one_succeeds_within_the_lease[web",
    "server/test_server.py::test_views_are_counted",
    "statistics/test_counting_at_once",
    "statistics/test_counting_races",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if leaves_out(config):
        keep_what_can_differ(config, items)

    def place(item: pytest.Item) -> int:
        return next(
            (n for n, start in enumerate(LONG) if item.nodeid.startswith(f"tests/{start}")), len(LONG)
        )

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    return ByService(config, log) if config.getvalue("dist") == "loadfile" else None


class ByService(LoadFileScheduling):
    """By file, but all that asks the MCP server is for one process, which starts it once."""

    def _split_scope(self, nodeid: str) -> str:
        return MCP if nodeid.startswith(MCP) else super()._split_scope(nodeid)


def leaves_out(config: pytest.Config) -> bool:
    """Whether what only SQLite needs to show is left out: on PostgreSQL, but of files that were asked for by name."""
    return connection.vendor != "sqlite" and config.args == config.getini("testpaths")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Reads no file that has nothing to show on PostgreSQL."""
    if not leaves_out(config):
        return None
    if not collection_path.name.startswith("test_") or "both_databases" in collection_path.read_text():
        return None
    file = collection_path.relative_to(config.rootpath).as_posix().removeprefix("tests/")
    return not file.startswith(tuple(start.partition("::")[0] for start in ON_BOTH))


def keep_what_can_differ(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what only SQLite needs to show of the files that are left."""
    starts = tuple(f"tests/{start}" for start in ON_BOTH)
    kept = [
        item for item in items if item.nodeid.startswith(starts) or item.get_closest_marker("both_databases")
    ]
    if kept:
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept


@pytest.fixture(autouse=True)
def the_connection_of_a_transaction_stays(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A test that is rolled back would lose its data where the product gives its connection back before a wait."""
    if "db" in request.fixturenames or request.node.get_closest_marker("django_db"):
        marker = request.node.get_closest_marker("django_db")
        is_real = "transactional_db" in request.fixturenames or (marker and marker.kwargs.get("transaction"))
        if not is_real:
            monkeypatch.setattr(connection, "close", lambda: None)


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """What `django_db_modify_db_settings` has put in place is a database that was migrated already."""
    return connection.vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """The test database begins as a copy of a migrated one, which saves its migrations."""
    test = connection.settings_dict["TEST"]
    if connection.vendor == "sqlite":
        shutil.copy(migrated.file(), test["NAME"])
    else:
        test["TEMPLATE"] = migrated.database(os.environ["DATABASE_URL"])


@pytest.fixture(autouse=True, scope="session")
def passwords_are_hashed_quickly() -> Iterator[None]:
    """By the hasher that the service has, in few rounds: a tenth of a second for each password adds up to minutes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PBKDF2PasswordHasher, "iterations", 10)
        yield


#: What a migrated database has; no test changes it, and Django would make it again with 200 queries after each.
MIGRATED = ("django_content_type", "auth_permission")


@pytest.fixture(autouse=True, scope="session")
def only_tables_with_rows_are_emptied() -> Iterator[None]:
    """Between tests that commit. PostgreSQL's TRUNCATE, of all tables, takes ten times as long."""

    def sql_flush(ops: Any, style: Any, tables: list[str], **options: bool) -> list[str]:
        quoted = [connection.ops.quote_name(table) for table in tables if table not in MIGRATED]
        asked = [f"SELECT {n} WHERE EXISTS (SELECT 1 FROM {name})" for n, name in enumerate(quoted)]  # noqa: S608
        with connection.cursor() as cursor:
            cursor.execute(" UNION ALL ".join(asked))
            return [f"DELETE FROM {quoted[n]};" for (n,) in cursor.fetchall()]  # noqa: S608

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            type(connection.ops), "sql_flush", sql_flush
        )  # a browser's thread has a connection of its own
        patch.setattr(flush, "emit_post_migrate_signal", lambda *arguments, **options: None)
        yield


@pytest.fixture(autouse=True, scope="session")
def redis_of_its_own() -> Iterator[None]:
    """Nothing stays of what this process kept in Redis, under a prefix that no other has (tests.environment)."""
    yield
    forget_redis(settings.REDIS_PREFIX)


@pytest.fixture(autouse=True, scope="session")
def no_thread_counts_views() -> Iterator[None]:
    """The thread of a page server would write into whatever database the next test has, and after the last."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BusyNotebook, "start", lambda self: None)
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium for every test of a session: Playwright runs once in a thread."""
    if CHROMIUM is None:
        pytest.skip(f"NO BROWSER: none of {', '.join(BROWSERS)} is on the PATH, so no page was opened.")
    # Playwright runs an event loop in this thread, which Django takes for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            expect.set_options(timeout=1000 * PATIENCE)
            yield browser
            browser.close()
    finally:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="session")
def rendered() -> dict[str, dict]:
    """Really encoded outputs of one small still and one small clip, by encode kind; their blobs lie in MEDIA_ROOT."""
    media = factories.render_media()
    shared_blobs.remember()
    return media


@pytest.fixture(autouse=True)
def blobs_come_back() -> Iterator[None]:
    yield
    shared_blobs.bring_back()


@pytest.fixture(scope="session")
def kept_shore(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Kept:
    with django_db_blocker.unblock(), empty_database():
        return keep(make_shore)


@pytest.fixture(scope="session")
def kept_story(django_db_blocker: DjangoDbBlocker, kept_shore: Kept, rendered: dict[str, dict]) -> Kept:
    with django_db_blocker.unblock(), empty_database(kept_shore):
        return keep(lambda: factories.make_story(Workspace.objects.get(), rendered).pk)


@pytest.fixture(scope="session")
def kept_publish(django_db_blocker: DjangoDbBlocker, kept_shore: Kept, kept_story: Kept) -> Kept:
    return keep_publish(django_db_blocker, kept_shore, kept_story)


def keep_publish(django_db_blocker: DjangoDbBlocker, shore: Kept, story: Kept) -> Kept:
    with django_db_blocker.unblock(), empty_database(shore, story):
        owner = User.objects.get(email="owner@north-shore.example")
        kept = keep(lambda: publish(factories.Api(Client(), owner), story.made))
        shared_blobs.remember()
        return kept


@pytest.fixture(scope="module")
def once() -> Keeper:
    """`once(name, make)`: the rows that a whole table of tests begins with, made by its first."""
    return Keeper()


def make_shore() -> Any:
    return factories.make_workspace("north-shore", title="North Shore Press", plan="pro").pk


def publish(api: factories.Api, story: Any) -> None:
    answer = api.publish(story)
    assert answer.status_code == 200, answer.content


@pytest.fixture
def north_shore(db: None, kept_shore: Kept) -> Workspace:
    """A pro workspace with an owner, an admin, an editor and a viewer."""
    return Workspace.objects.get(pk=given(kept_shore, make_shore))


@pytest.fixture
def harbour(db: None) -> Workspace:
    """A free workspace with an owner."""
    return factories.make_workspace("harbour", title="Harbour Letters", plan="free", roles=["owner"])


@pytest.fixture
def owner(north_shore: Workspace) -> User:
    return User.objects.get(email="owner@north-shore.example")


@pytest.fixture
def by(owner: User) -> Actor:
    """North Shore's owner, for what is called in this process."""
    return Actor.by_token(owner)


@pytest.fixture
def owner_page(client: Client, owner: User) -> Client:
    """Where North Shore's owner is signed in."""
    client.force_login(owner)
    return client


@pytest.fixture
def person(north_shore: Workspace, harbour: Workspace):
    """A user by role in North Shore; "stranger" owns another workspace."""

    def get(who: str) -> User:
        email = "owner@harbour.example" if who == "stranger" else f"{who}@north-shore.example"
        return User.objects.get(email=email)

    return get


@pytest.fixture
def api(client: Client, owner: User) -> factories.Api:
    """The API as North Shore's owner calls it; `api.as_(user)` is another caller."""
    return factories.Api(client, owner)


@pytest.fixture
def ready_story(north_shore: Workspace, rendered: dict[str, dict], kept_story: Kept) -> Story:
    """A capsule of three scenes and a finale, encoded and previewed, never published."""
    story = Story.objects.get(pk=given(kept_story, lambda: factories.make_story(north_shore, rendered).pk))
    story.workspace = north_shore
    return story


@pytest.fixture
def live_story(ready_story: Story, api: factories.Api, kept_publish: Kept) -> Story:
    given(kept_publish, lambda: publish(api, ready_story))
    return ready_story


@pytest.fixture
def clock_stands() -> Iterator[None]:
    """Calls are counted by the minute and by the hour: none ends during this test."""
    with time_machine.travel(timezone.now(), tick=False):
        yield


@pytest.fixture(scope="session")
def spoken_by_nobody() -> Path:
    """The catalogues of en-XA and ar-XB, for LOCALE_PATHS."""
    return pseudo.written(Path(os.environ["SHARED_FOLDER"]))


@pytest.fixture
def spoken(settings, spoken_by_nobody: Path) -> Iterator[None]:
    """All pages of account and studio speak en-XA."""
    settings.LOCALE_PATHS = [spoken_by_nobody, *settings.LOCALE_PATHS]
    settings.LANGUAGES = [*settings.LANGUAGES, ("en-xa", "en-XA")]
    settings.LANGUAGE_CODE = "en-xa"
    yield
    trans_real._translations.pop("en-xa", None)  # which Django keeps for good


@pytest.fixture
def workspace_key(north_shore: Workspace, owner: User) -> str:
    return create_api_key(north_shore, by=owner)[1]


@pytest.fixture
def mailbox(settings) -> Iterator[Mailbox]:
    """A real SMTP server that the service sends through during this test."""
    box = Mailbox()
    box.controller.start()
    mail.use(settings, box)
    yield box
    box.controller.stop()


class SentMails(Sequence):
    """What went out; whoever asks sends what waits first, as the worker does."""

    def __init__(self, sent: list[EmailMessage]) -> None:
        self.sent = sent

    def __len__(self) -> int:
        outgoing.send_due_mails()
        return len(self.sent)

    def __getitem__(self, place: Any) -> Any:
        outgoing.send_due_mails()
        return self.sent[place]


@pytest.fixture
def mailoutbox(mailoutbox: list[EmailMessage]) -> SentMails:
    return SentMails(mailoutbox)


@pytest.fixture
def queue() -> Iterator[Callable[[str], list[datetime | None]]]:
    """What was sent to the broker since for a task: the moment of each message, None for at once."""
    from config.celery import app

    with app.connection() as connection, connection.SimpleQueue(app.conf.task_default_queue) as waiting:
        waiting.clear()

        def sent(task: str) -> list[datetime | None]:
            found = []
            with suppress(waiting.Empty):
                while message := waiting.get_nowait():
                    message.ack()
                    eta = message.headers["eta"]
                    found.append((message.headers["task"], datetime.fromisoformat(eta) if eta else None))
            return [moment for name, moment in found if name == task]

        yield sent


@pytest.fixture
def dead_broker() -> Iterator[None]:
    """Nobody answers where the broker should be."""
    from config.celery import app

    before = {name: app.conf[name] for name in ("broker_url", "broker_transport", "broker_transport_options")}
    quick = {"socket_connect_timeout": 1, "max_retries": 1, "interval_start": 0.1}
    app.conf.update(
        broker_url="redis://127.0.0.1:1/0", broker_transport="redis", broker_transport_options=quick
    )
    app.amqp._producer_pool = None
    yield
    app.conf.update(before)
    app.amqp._producer_pool = None
