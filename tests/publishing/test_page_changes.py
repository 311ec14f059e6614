"""Changes of what pages show: followed at once on this machine, and by the looks of every other."""

from __future__ import annotations

import errno
import os
import shutil
import time
from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from accounts.actions import workspaces
from accounts.models import User
from feed.actions import relist
from publishing.models import PageChange, Publication
from publishing.pages import changes, files, serving
from publishing.pages.files import PageFiles
from tests.support import factories
from tests.support.pages import PATH

pytestmark = pytest.mark.django_db(transaction=True)  # changes are followed after commit
PAGE = "live/north-shore/small-voyages.html"
FILE_STEPS = 11  # at least, that an unpublish takes in the folders of pages


CHANGES = {
    "unpublish": lambda story, api: api.unpublish(story),
    "rename": lambda story, api: api.publish(story, slug="elsewhere"),
}
ENDINGS = ("", "/embed")


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_gone_is_gone_at_once_and_at_the_next_look_of_every_other_machine(
    change, site, another_host, live_story, api
):
    sites = (site, another_host)

    def asked(each) -> list[int]:
        return [each.ask(PATH + ending)[0] for ending in ENDINGS]

    assert [asked(each) for each in sites] == [[200, 200], [200, 200]]
    workspaces.change_title(
        live_story.workspace, "Far Shore", by=User.objects.get(email__startswith="owner@n")
    )
    another_host.look.again()  # now the page as it was is among the last ones
    assert [asked(each) for each in sites] == [[200, 200], [200, 200]]
    CHANGES[change](live_story, api)
    assert asked(site) == [404, 404]
    another_host.look.again()
    assert asked(another_host) == [404, 404]
    for each in sites:
        assert not [name for name in each.kept() if "small-voyages" in name]


def test_what_a_page_shows_of_other_rows_is_new_at_once(site, live_story, rendered, api, north_shore, owner):
    assert b"Classroom" not in site.ask()[2]
    edition = factories.make_edition(live_story, rendered)
    api.publish(edition)
    assert b"Classroom" in site.ask()[2]
    assert b"classroom" in site.ask(f"{PATH}?edition=classroom")[2]
    edition.shown = False
    edition.save()
    assert b"Classroom" not in site.ask()[2]
    assert not [name for name in site.kept() if "~classroom" in name]
    workspaces.change_title(north_shore, "South Shore Press", by=owner)
    assert b"South Shore Press" in site.ask()[2]
    other = factories.make_story(north_shore, rendered, title="Far shores")
    api.publish(other)
    assert b"/north-shore/far-shores" in site.ask()[2]
    api.unpublish(other)
    assert b"/north-shore/far-shores" not in site.ask()[2]


@pytest.mark.both_databases
def test_a_page_that_was_rendered_from_older_data_is_not_kept(site, live_story, api):
    django = site.pages.django

    def overtaken(environ, start_response):
        answer = b"".join(django(environ, start_response))  # read before, sent after the change
        site.pages.django = django
        api.unpublish(live_story)
        return [answer]

    site.pages.django = overtaken
    assert site.ask()[0] == 200
    assert not [name for name in site.kept() if "small-voyages" in name]
    assert site.ask()[0] == 404


@pytest.mark.both_databases
def test_one_change_is_followed_once_on_a_machine_however_many_processes_look(site, live_story, api):
    api.publish(live_story)
    assert site.ask()[0] == 200
    for look in (site.look, changes.Look(site.files), changes.Look(site.files)):
        look.again()
        look.again()
    assert PAGE in site.kept()


def test_a_change_whose_process_was_killed_is_found_by_the_next_look(site, live_story, api, monkeypatch):
    assert site.ask()[0] == 200
    with monkeypatch.context() as killed:
        killed.setattr(changes, "follow", lambda *args: None)
        api.unpublish(live_story)
    assert site.ask()[0] == 200
    site.look.again()
    assert site.ask()[0] == 404


def test_a_workspace_whose_change_cannot_be_followed_keeps_no_page_of_another_and_is_tried_again(
    site, live_story, north_shore, api, monkeypatch
):
    assert site.ask()[0] == 200
    site.look.begin()
    site.ask(), site.ask()
    site.look.again()
    PageChange.objects.create(workspace="another")  # before it, by time and by name
    (site.files.marks / "another").touch()
    looked_at = site.files.looked_at()
    with monkeypatch.context() as full:
        full.setattr(site.files, "renew", failing_for("another", site.files.renew))
        unpublish_elsewhere(live_story, api, monkeypatch)
        with pytest.raises(OSError, match="No space left"):
            site.look.again()
    assert site.ask()[0] == 404
    assert site.files.looked_at() == looked_at  # so that after a restart it is looked for
    renewed = []
    monkeypatch.setattr(site.files, "renew", lambda workspace, public: renewed.append(workspace))
    site.look.again()
    site.look.again()
    assert renewed == ["another"]
    assert site.files.looked_at() > looked_at


def failing_for(workspace: str, renew):
    def fail(name, public):
        if name == workspace:
            raise OSError(errno.ENOSPC, "No space left on device")
        renew(name, public)

    return fail


def unpublish_elsewhere(story, api, monkeypatch) -> None:
    """As on another machine: nothing of this one is renewed by it."""
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(changes, "follow", lambda *args: None)
        api.unpublish(story)


@pytest.mark.both_databases
@pytest.mark.parametrize("hours, has_looked", [(-2, True), (2, False)])
def test_a_machine_whose_clock_is_wrong_by_hours_follows_changes_all_the_same(
    hours, has_looked, site, live_story, api, monkeypatch
):
    @contextmanager
    def wrong_clock():
        real, now = time.time, timezone.now
        with monkeypatch.context() as patch:
            patch.setattr(time, "time", lambda: real() + hours * 3600)
            patch.setattr(timezone, "now", lambda: now() + timedelta(hours=hours))
            yield

    site.look.begin()
    if not has_looked:
        (site.files.root / "release").unlink()
    look = changes.Look(site.files)
    with wrong_clock():
        look.begin()
        look.again()
    site.ask(), site.ask()
    assert PAGE in site.kept()
    unpublish_elsewhere(live_story, api, monkeypatch)
    with wrong_clock():
        look.again()
    assert site.ask()[0] == 404


def test_a_look_loads_what_is_new_alone(site, live_story, api, monkeypatch):
    old = timezone.now() - timedelta(minutes=5)
    PageChange.objects.bulk_create(PageChange(workspace="busy", changed_at=old) for _ in range(300))
    loaded, load = [], changes.load
    monkeypatch.setattr(changes, "load", lambda rows: loaded.append(load(rows)) or loaded[-1])
    site.look.again()
    assert len(loaded.pop()) >= 300
    site.look.again()
    loaded.clear()
    site.look.again()
    assert not loaded
    PageChange.objects.create(workspace="busy")
    site.look.again()
    assert [len(rows) < 20 for rows in loaded] == [True]


@pytest.mark.both_databases
def test_the_change_of_a_transaction_that_took_minutes_is_followed_once_it_is_there(
    site, live_story, api, monkeypatch
):
    for _ in range(2):
        site.look.again()
    assert site.ask()[0] == 200
    unpublish_elsewhere(live_story, api, monkeypatch)
    latest = PageChange.objects.latest("changed_at")
    PageChange.objects.filter(pk=latest.pk).update(changed_at=timezone.now() - timedelta(minutes=5))
    PageChange.objects.create(workspace="another")  # a newer one is seen as well
    assert site.ask()[0] == 200
    site.look.again()
    assert site.ask()[0] == 404


def test_looks_begin_although_the_disk_is_full_at_first(site, live_story, api, monkeypatch):
    assert site.ask()[0] == 200
    unpublish_elsewhere(live_story, api, monkeypatch)
    begin, begun = site.look.begin, []

    def full_at_first():
        begun.append(True)
        if len(begun) == 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        begin()

    class Enough(BaseException):
        pass

    rests = iter([None, Enough])

    def rest(seconds):
        if ending := next(rests):
            raise ending

    monkeypatch.setattr(site.look, "begin", full_at_first)
    monkeypatch.setattr(changes.time, "sleep", rest)
    with pytest.raises(Enough):
        site.look.run()
    assert len(begun) == 2
    assert site.ask()[0] == 404


class Killed(BaseException):
    pass


@pytest.mark.both_databases
def test_a_process_killed_within_a_change_leaves_what_the_next_look_puts_right(
    site, live_story, rendered, north_shore, api, owner, monkeypatch, tmp_path
):
    api.publish(factories.make_story(north_shore, rendered, title="Far shores"))
    workspaces.change_title(north_shore, "Shore", by=owner)
    assert [site.ask(f"{PATH}{ending}")[0] for ending in ENDINGS] == [200, 200]
    site.ask("/north-shore/far-shores")
    workspaces.change_title(north_shore, "Far Shore", by=owner)
    site.ask()  # the other pages, as they were, are among the last ones
    pages = shutil.copytree(site.files.root, tmp_path / "pages")
    published = Publication.objects.filter(story=live_story)
    row = published.values().get()
    step, is_killed = 0, True
    while is_killed:
        step += 1
        published.update(**row)
        relist(row["id"])
        shutil.rmtree(site.files.root)
        shutil.copytree(pages, site.files.root)
        assert site.ask()[0] == 200, step
        is_killed = killed_at(step, lambda: api.unpublish(live_story), monkeypatch)
        site.look.again()
        assert (site.ask()[0], site.ask("/north-shore/far-shores")[0]) == (404, 200), step
        assert not [name for name in site.kept() if "small-voyages" in name], step
    assert step > FILE_STEPS


def killed_at(step: int, change, monkeypatch) -> bool:
    """Whether this step of its work on files kills the process that makes a change: none after the last does."""
    steps = iter(range(1, 1000))

    def dying(real):
        def call(*args, **kwargs):
            if next(steps) == step:
                raise Killed
            return real(*args, **kwargs)

        return call

    with monkeypatch.context() as patch:
        for name in ("replace", "rename", "unlink", "mkdir"):
            patch.setattr(files.Path, name, dying(getattr(files.Path, name)))
        patch.setattr(files.shutil, "rmtree", dying(files.shutil.rmtree))
        try:
            change()
        except Killed:
            return True
    return False


def away(*args, **kwargs):
    raise OperationalError("the database server is away")


def test_a_change_nobody_can_name_the_withdrawn_pages_of_drops_them_all(site, live_story, api, monkeypatch):
    assert site.ask()[0] == 200
    monkeypatch.setattr(changes, "public_names", away)
    api.unpublish(live_story)
    assert not [name for name in site.kept() if "small-voyages" in name]


def test_a_draft_and_a_workspace_without_a_name_of_its_own_change_no_page(site, north_shore, harbour):
    before = PageChange.objects.count()
    factories.make_draft(north_shore)
    story = factories.make_draft(harbour)
    story.title = "Another"
    story.save()
    assert PageChange.objects.count() == before


def test_old_changes_are_forgotten_and_new_ones_are_not(site):
    PageChange.objects.create(workspace="x", changed_at="2020-01-01T00:00Z")
    there = PageChange.objects.count()
    assert changes.forget_old_changes() == 1
    assert PageChange.objects.count() == there - 1 > 0


# --- Starting --------------------------------------------------------------------------------------------------


def test_after_a_restart_the_files_are_there(site, django_assert_num_queries):
    site.look.begin()
    site.ask(), site.ask()
    expected = site.ask()
    again = PageFiles(site.files.root)
    changes.Look(again).begin()
    assert PAGE in site.kept()
    with django_assert_num_queries(0):
        site.pages = serving.Pages(site.pages.django, again)
        assert site.ask() == expected


def test_a_change_made_while_a_machine_was_down_is_followed_when_it_starts(
    site, another_host, live_story, api
):
    another_host.look.begin()
    another_host.ask(), another_host.ask()
    assert another_host.ask()[0] == 200
    api.unpublish(live_story)
    PageChange.objects.update(changed_at=timezone.now() - timedelta(hours=5))
    release = another_host.files.root / "release"
    os.utime(release, (time.time() - 6 * 3600,) * 2)
    started = changes.Look(another_host.files)
    started.begin()
    started.again()
    assert another_host.ask()[0] == 404


def test_a_machine_that_was_away_for_days_begins_with_empty_folders(site):
    site.look.begin()
    site.ask(), site.ask()
    assert PAGE in site.kept()
    os.utime(site.files.root / "release", (time.time() - 2 * 86400,) * 2)
    changes.Look(site.files).begin()
    assert not [name for name in site.kept() if "small-voyages" in name]


def test_pages_of_an_older_release_are_only_shown_while_they_cannot_be_rendered(site, monkeypatch):
    site.look.begin()
    site.ask(), site.ask()
    assert PAGE in site.kept()
    new = PageFiles(site.files.root)
    monkeypatch.setattr(changes, "release", lambda: "new")
    changes.Look(new).begin()
    assert PAGE not in site.kept() and PAGE.replace("live", "last") in site.kept()
    assert site.ask()[0] == 200  # of the process that still runs the old release
    assert PAGE not in site.kept()
    site.pages = serving.Pages(site.pages.django, new)
    assert site.ask()[0] == 200
    assert PAGE in site.kept()
