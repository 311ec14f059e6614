"""Staff in the admin: what each permission allows, what is on record, and what is asked first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.db import connection
from django.db.models.signals import pre_save
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.actions import keys, members
from accounts.actions.workspaces import NO_ACCOUNT
from accounts.admin import LINKS
from accounts.admin_base import MOST_ROWS, TOO_MANY
from accounts.models import ApiKey, Membership, SecurityEvent, User, Workspace
from accounts.people.staff import may_work
from capsules.models import Encode, Preview, Story
from config.errors import Conflict
from publishing.models import Premiere, Publication, Subscriber
from tests.support.oauth import App

pytestmark = pytest.mark.django_db


def staff_with(*permissions: str) -> Client:
    """A browser of somebody on the staff who has exactly these permissions."""
    user = User.objects.create_user("helper@capsules.example", "x", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def chief() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("staff@capsules.example", "x"))
    return client


def run(client: Client, model: str, action: str, row, **more: str) -> str:
    data = {"action": action, "_selected_action": [str(row.pk)], **more}
    return client.post(reverse(f"admin:{model}_changelist"), data, follow=True).content.decode()


def subscribe(workspace: Workspace, count: int) -> None:
    for number in range(count):
        Subscriber.objects.create(
            workspace=workspace,
            email=f"reader-{number}@readers.example",
            source="form",
            consent="test",
            confirmed_at=workspace.created_at,
        )


# --- Publishing from the admin ---------------------------------------------------------------------------------


def test_publishing_asks_first_who_gets_which_email_and_chooses_nothing(chief, ready_story, north_shore):
    subscribe(north_shore, 3)
    page = run(chief, "capsules_story", "publish", ready_story)
    assert "subscribers who can get an email: 3." in page and "A teaser with a link: 3 emails" in page
    assert page.count('name="choice"') == 3 and " checked" not in page
    assert not Publication.objects.filter(published_at__isnull=False).exists()


def test_asking_about_many_stories_needs_no_query_for_each(chief, live_story, north_shore):
    def queries(*stories: Story) -> int:
        data = {"action": "publish", "_selected_action": [str(story.pk) for story in stories]}
        with CaptureQueriesContext(connection) as asked:
            page = chief.post(reverse("admin:capsules_story_changelist"), data).content.decode()
        assert page.count("subscribers who can get an email") == len(stories) - 1
        assert page.count("sends no email") == 1
        return len(asked)

    drafts = [Story.objects.create(workspace=north_shore, title=f"Draft {n}") for n in range(3)]
    queries(live_story, drafts[0])  # which fills caches
    assert queries(live_story, *drafts) == queries(live_story, drafts[0])
    assert not Publication.objects.filter(story__in=drafts).exists(), "nothing was done yet"


def test_publishing_without_a_choice_asks_again(chief, ready_story):
    for choice in ("", "LOUD"):
        page = run(chief, "capsules_story", "publish", ready_story, confirmed="yes", choice=choice)
        assert "Please choose who gets an email." in page, choice
    assert not Publication.objects.filter(published_at__isnull=False).exists()


@pytest.mark.parametrize("choice, modes", [("OFF", []), ("FULL", ["FULL"])])
def test_the_chosen_email_is_scheduled_and_no_other(choice, modes, chief, ready_story):
    run(chief, "capsules_story", "publish", ready_story, confirmed="yes", choice=choice)
    assert Publication.objects.get().is_published
    assert list(Premiere.objects.values_list("mode", flat=True)) == modes


def test_a_republish_asks_for_no_email(chief, live_story):
    page = run(chief, "capsules_story", "publish", live_story)
    assert 'name="choice"' not in page and "sends no email" in page
    page = run(chief, "capsules_story", "publish", live_story, confirmed="yes")
    assert "/north-shore/small-voyages" in page


# --- Permissions, and what is on record ------------------------------------------------------------------------


def test_no_list_of_the_admin_offers_an_action_to_somebody_who_may_only_look(rf, db):
    looks = User.objects.create_user("looks@capsules.example", is_staff=True)
    looks.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    request = rf.get("/")
    request.user = looks
    offered = {
        model.__name__: sorted(lists.get_actions(request))
        for model, lists in admin.site._registry.items()
        if lists.get_actions(request)
    }
    assert offered == {}


def test_a_forged_action_of_somebody_without_a_permission_is_refused(ready_story, north_shore):
    helper = staff_with()
    for model in admin.site._registry:
        path = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        answer = helper.post(path, {"action": "delete_selected", "_selected_action": [str(ready_story.pk)]})
        assert answer.status_code == 403, path
    run(helper, "capsules_story", "publish", ready_story, confirmed="yes", choice="OFF")
    assert not Publication.objects.filter(published_at__isnull=False).exists()


def test_more_rows_than_a_question_can_send_back_are_refused_in_words(chief, north_shore):
    rows = "/admin/publishing/subscriber/?unsubscribed_at__isempty=1"
    readers = [
        Subscriber(
            workspace=north_shore, email=f"{n}@readers.example", token=str(n), confirmed_at=timezone.now()
        )
        for n in range(MOST_ROWS + 1)
    ]
    Subscriber.objects.bulk_create(readers)
    all_of_them = {"action": "erase", "select_across": "1", "_selected_action": str(readers[0].pk)}
    assert TOO_MANY in chief.post(rows, all_of_them, follow=True).content.decode()
    Subscriber.objects.get(email="0@readers.example").delete()
    asked = chief.post(rows, {**all_of_them, "_selected_action": str(Subscriber.objects.latest("pk").pk)})
    keys = re.findall(r'name="_selected_action" value="(\d+)"', asked.content.decode())
    answer = chief.post(
        rows, {"action": "erase", "confirmed": "yes", "_selected_action": keys[:2], "rest": keys[2:]}
    )
    assert answer.status_code == 302 and Subscriber.objects.count() == MOST_ROWS - 2


def test_every_action_of_staff_is_in_the_history_of_its_row(chief, ready_story, north_shore, owner):
    key, _ = keys.create_api_key(north_shore, by=owner)
    App(owner).connect()
    encode = Encode.objects.first()
    Encode.objects.update(state="failed")
    done = [
        ("capsules_encode", "try_again", encode),
        ("accounts_apikey", "revoke", key),
        ("accounts_connection", "revoke", owner.connections.get()),
        ("accounts_workspace", "suspend", north_shore),
        ("accounts_workspace", "resume", north_shore),
    ]
    for model, action, row in done:
        run(chief, model, action, row)
        assert LogEntry.objects.filter(object_id=str(row.pk)).exists(), action
    Encode.objects.update(state="done")
    story = [("build_preview", {}), ("publish", {"confirmed": "yes", "choice": "OFF"}), ("unpublish", {})]
    for number, (action, more) in enumerate(story, start=1):
        run(chief, "capsules_story", action, ready_story, **more)
        assert LogEntry.objects.filter(object_id=str(ready_story.pk)).count() == number, action


def test_a_suspension_by_staff_is_in_the_workspaces_audit_log(chief, north_shore):
    run(chief, "accounts_workspace", "suspend", north_shore)
    assert Workspace.objects.get(pk=north_shore.pk).is_suspended
    page = run(chief, "accounts_workspace", "suspend", north_shore)
    assert "there was nothing to do" in page
    run(chief, "accounts_workspace", "resume", north_shore)
    kinds = SecurityEvent.objects.filter(workspace=north_shore).order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["workspace_suspended", "workspace_resumed"]


def test_an_action_says_which_rows_are_gone_before_it_and_while_it_goes_on(chief, ready_story):
    first, second = ready_story, Story.objects.create(workspace=ready_story.workspace, title="Gone soon")
    never = Story(title="Gone long ago", pk="11111111-1111-4111-8111-111111111111")
    chosen = {"_selected_action": [str(each.pk) for each in (first, second, never)]}
    asked = "/admin/capsules/story/?o=-1"  # by title: the first one comes first

    def delete_second(**kwargs: object) -> None:
        Story.objects.filter(pk=second.pk).delete()

    pre_save.connect(delete_second, sender=Preview)
    try:
        answer = chief.post(asked, {"action": "build_preview", **chosen}, follow=True)
    finally:
        pre_save.disconnect(delete_second, sender=Preview)
    said = [str(message) for message in answer.context["messages"]]
    assert said[0] == "Rows chosen that are not in this list any more: 1. Nothing was done to them."
    assert (
        said[1].startswith("Small voyages: Preview 2") and said[2] == "Gone soon: it was deleted meanwhile."
    )


def test_owners_read_what_staff_did_and_not_who_unless_it_was_a_member(chief, live_story, north_shore, owner):
    key, _ = keys.create_api_key(north_shore, by=owner)
    run(chief, "accounts_apikey", "revoke", key)
    run(chief, "capsules_story", "unpublish", live_story)
    User.objects.filter(pk=owner.pk).update(is_staff=True)
    reader = Client()
    reader.force_login(owner)
    page = reader.get(reverse("account_audit_log", args=[north_shore.pk])).content.decode()
    assert "API key revoked" in page and "Unpublished" in page
    assert page.count("by the staff of the service") == 2 and "staff@capsules.example" not in page
    assert f"by {owner.email}" in page


# --- Nobody gives themselves rights ----------------------------------------------------------------------------


def change_user(client: Client, user: User, **fields: str):
    shown = {"initial-email": user.email, "initial-name": user.name, "initial-is_active": str(user.is_active)}
    data = {"email": user.email, "name": user.name, "is_active": "on", **shown, **fields}
    return client.post(reverse("admin:accounts_user_change", args=[user.pk]), data)


def test_an_address_that_staff_type_is_one_persons_whatever_its_case(chief, owner, person):
    taken, fresh = owner.email.upper(), "New@Capsules.Example"
    word = {"password1": "a-long-way-to-go", "password2": "a-long-way-to-go", "usable_password": "true"}
    for answer in (
        chief.post(reverse("admin:accounts_user_add"), {"email": taken, **word}),
        change_user(chief, person("viewer"), email=taken),
    ):
        assert list(answer.context["adminform"].errors) == ["email"]
    assert chief.post(reverse("admin:accounts_user_add"), {"email": fresh, **word}).status_code == 302
    assert Client().login(username=fresh, password=word["password1"])


def test_who_manages_users_makes_nobody_staff_or_superuser(owner):
    manager = staff_with("view_user", "change_user", "add_user")
    own = User.objects.get(email="helper@capsules.example")
    for user in (own, owner):
        rights = {"is_superuser": "on", "is_staff": "on", "user_permissions": ["1", "2"]}
        assert change_user(manager, user, name="Changed", **rights).status_code == 302
        user.refresh_from_db()
        assert user.name == "Changed" and not user.is_superuser
    assert own.user_permissions.count() == 3 and not owner.is_staff


def test_who_manages_users_changes_no_other_member_of_staff():
    manager = staff_with("view_user", "change_user")
    chief = User.objects.create_superuser("staff@capsules.example", "secret-of-the-chief")
    other = User.objects.create_user("other@capsules.example", "secret-of-another", is_staff=True)
    for user, secret in ((chief, "secret-of-the-chief"), (other, "secret-of-another")):
        assert change_user(manager, user, name="Taken").status_code == 403
        new = {"password1": "another-long-secret", "password2": "another-long-secret"}
        address = reverse("admin:auth_user_password_change", args=[user.pk])
        assert manager.post(address, new).status_code == 403
        user.refresh_from_db()
        assert user.check_password(secret) and user.name == ""


def test_a_superuser_gives_rights(chief, owner):
    change_user(chief, owner, is_staff="on")
    owner.refresh_from_db()
    assert owner.is_staff


def test_an_account_that_staff_close_loses_keys_and_invitations_for_good(chief, north_shore, owner):
    keys.create_api_key(north_shore, by=owner)
    data = {"email": owner.email, "name": owner.name, "initial-is_active": "True"}
    chief.post(reverse("admin:accounts_user_change", args=[owner.pk]), data)
    owner.refresh_from_db()
    assert not owner.is_active
    change_user(chief, owner)
    owner.refresh_from_db()
    assert owner.is_active and not ApiKey.objects.working().exists()
    assert set(SecurityEvent.objects.values_list("kind", flat=True)) >= {
        "account_disabled",
        "account_enabled",
    }


# --- The second factor -----------------------------------------------------------------------------------------


def test_staff_without_a_second_factor_get_only_the_page_that_sets_one_up(settings, north_shore):
    settings.REQUIRE_STAFF_MFA = True
    client = staff_with("view_workspace", "view_subscriber")
    TOTP.activate(User.objects.create_user("another@capsules.example"), "JBSWY3DPEHPK3PXQ")
    user = User.objects.get(email="helper@capsules.example")
    for path in ("/admin/", "/admin/accounts/workspace/", "/admin/logout/"):
        answer = client.get(path)
        assert (answer.status_code, answer["Location"]) == (302, "/account/2fa/")
    assert client.get(f"/subscribers/{north_shore.pk}").status_code == 404
    assert "Staff need a second factor" in client.get("/account/2fa/").content.decode()

    TOTP.activate(user, "JBSWY3DPEHPK3PXP")
    assert client.get("/admin/accounts/workspace/").status_code == 200
    assert client.get(f"/subscribers/{north_shore.pk}").status_code == 200


@pytest.mark.parametrize("factor, works", [("totp", True), ("webauthn", True), ("recovery_codes", False)])
def test_what_counts_as_a_second_factor_of_staff(factor, works, settings, owner):
    settings.REQUIRE_STAFF_MFA = True
    user = User.objects.create_user("helper@capsules.example", is_staff=True)
    assert not may_work(user)
    for who in (user, owner):
        Authenticator.objects.create(user=who, type=factor, data={})
    assert may_work(user) is works
    assert not may_work(owner)
    user.is_active = False
    assert not may_work(user)


def test_who_is_no_staff_is_not_asked_for_a_second_factor(settings, client, owner):
    settings.REQUIRE_STAFF_MFA = True
    client.force_login(owner)
    assert client.get("/admin/")["Location"].startswith("/admin/login/")


def test_a_refusal_of_the_admin_sends_nobody_to_the_owners_of_a_workspace(client, owner):
    client.force_login(owner)
    for browser in (client, staff_with("view_case")):
        refused = browser.get("/admin/accounts/user/", follow=True)
        text = refused.content.decode()
        assert (refused.status_code, "staff of this service" in text, "Ask an owner" in text) == (
            403,
            True,
            False,
        )


def test_the_admin_needs_no_second_factor_in_development(chief):
    assert chief.get("/admin/").status_code == 200


def test_nobody_is_made_a_member_twice(north_shore, person, owner):
    with pytest.raises(Conflict):
        members.add_member_by_staff(north_shore, person("editor"), role="viewer", by=owner)


# --- Members -----------------------------------------------------------------------------------------------------


def members_form(workspace: Workspace, rows: list[dict]) -> dict:
    shown = {name: getattr(workspace, name) for name in ("title", "time_zone", "name", "plan")}
    data = {
        **shown,
        **{f"initial-{name}": value for name, value in shown.items()},
        "memberships-TOTAL_FORMS": len(rows),
        "memberships-INITIAL_FORMS": sum(bool(row.get("id")) for row in rows),
    }
    for number, row in enumerate(rows):
        data |= {f"memberships-{number}-{name}": value for name, value in row.items()}
        data[f"memberships-{number}-workspace"] = str(workspace.pk)
    return data


def test_staff_change_members_by_the_rules_of_owners(chief, north_shore, person, harbour):
    address = reverse("admin:accounts_workspace_change", args=[north_shore.pk])
    members = {m.role: m for m in Membership.objects.filter(workspace=north_shore)}
    rows = {role: {"id": m.pk, "user": m.user_id, "role": role} for role, m in members.items()}
    keys.create_api_key(north_shore, by=person("editor"))
    changed = [rows["owner"], rows["admin"] | {"role": "viewer"}, rows["editor"] | {"DELETE": "on"}]
    joins = {"user": person("stranger").pk, "role": "editor"}
    answer = chief.post(address, members_form(north_shore, [*changed, rows["viewer"], joins]))
    assert answer.status_code == 302, re.findall(r"errorlist.*", answer.content.decode())
    roles = dict(Membership.objects.filter(workspace=north_shore).values_list("user__email", "role"))
    assert roles == {
        "owner@north-shore.example": "owner",
        "admin@north-shore.example": "viewer",
        "viewer@north-shore.example": "viewer",
        "owner@harbour.example": "editor",
    }
    assert not ApiKey.objects.filter(revoked_at__isnull=True).exists()
    kinds = set(SecurityEvent.objects.filter(workspace=north_shore).values_list("kind", flat=True))
    assert kinds >= {"role_changed", "member_removed", "member_joined"}


@contextmanager
def meanwhile(row: User | Workspace, **fields: object) -> Iterator[None]:
    """Somebody else changes these fields of the row after a form has read it, and before that is saved."""

    def change(sender: object, **kwargs: object) -> None:
        sender.objects.filter(pk=row.pk).update(**fields)

    pre_save.connect(change, sender=type(row))
    try:
        yield
    finally:
        pre_save.disconnect(change, sender=type(row))


def test_what_changes_while_staff_save_a_workspace_stays(chief, north_shore):
    address = reverse("admin:accounts_workspace_change", args=[north_shore.pk])
    fields = {**members_form(north_shore, []), "plan": "free"}
    with meanwhile(north_shore, suspended_at=timezone.now(), title="Another title", picture="aa/picture"):
        assert chief.post(address, fields).status_code == 302
    north_shore.refresh_from_db()
    assert (north_shore.plan, north_shore.title, north_shore.picture) == (
        "free",
        "Another title",
        "aa/picture",
    )
    assert north_shore.is_suspended


def test_staff_write_name_and_links_by_the_rules_of_owners(chief):
    form = {"title": "Harbour", "name": "harbour-one", "links": "[]", "plan": "free", "time_zone": "UTC"}
    none = {"memberships-TOTAL_FORMS": "0", "memberships-INITIAL_FORMS": "0"}
    for field, text, fault in [
        ("links", '["javascript:alert(1)"]', LINKS),
        ("links", '{"a": 1}', LINKS),
        ("links", "5", LINKS),
        ("links", "[1]", LINKS),
        ("links", str(["https://a.example/"] * 6).replace("'", '"'), LINKS),
        ("links", "null", ""),
        ("links", "", ""),
        ("links", '["https://a.example/"]', ""),
        ("fediverse", "harbour", NO_ACCOUNT),
        ("fediverse", "@harbour@social.example", ""),
        ("fediverse", "", ""),
        ("name", "admin", "This name is reserved."),
        ("name", "harbour-two", ""),
    ]:
        Workspace.objects.all().delete()
        answer = chief.post("/admin/accounts/workspace/add/", {**form, **none, field: text})
        assert answer.status_code == (200 if fault else 302), (field, text)
        if fault:
            assert answer.context["adminform"].errors == {field: [fault]}, text
        else:
            assert isinstance(Workspace.objects.get().links, list), text


def test_what_staff_change_of_a_workspace_is_in_its_audit_log(chief, north_shore):
    address = reverse("admin:accounts_workspace_change", args=[north_shore.pk])
    chief.post(address, members_form(north_shore, []))
    chief.post(address, {**members_form(north_shore, []), "plan": "free", "time_zone": "Europe/Lisbon"})
    told = SecurityEvent.objects.filter(workspace=north_shore, kind="workspace_changed")
    assert [event.subject for event in told] == ["plan, time zone"]


def test_what_changes_while_staff_save_an_account_stays(chief, owner):
    with meanwhile(owner, is_active=False, password="another", token_generation=7):
        assert change_user(chief, owner, name="Ines", is_staff="on").status_code == 302
    owner.refresh_from_db()
    assert (owner.name, owner.is_staff, owner.is_active) == ("Ines", True, False)
    assert (owner.password, owner.token_generation) == ("another", 7)
    assert not SecurityEvent.objects.filter(kind="account_enabled").exists()


def test_a_form_that_was_open_for_long_changes_what_staff_changed_in_it_and_says_what_it_replaces(
    chief, north_shore, owner
):
    opened = members_form(north_shore, [])
    Workspace.objects.update(title="Another title", time_zone="Asia/Tokyo")
    address = reverse("admin:accounts_workspace_change", args=[north_shore.pk])
    page = chief.post(address, {**opened, "title": "Of staff"}, follow=True).content.decode()
    north_shore.refresh_from_db()
    assert (north_shore.title, north_shore.time_zone) == ("Of staff", "Asia/Tokyo")
    assert "Title: somebody else had set “Another title” meanwhile." in page and page.count("meanwhile") == 1
    assert f'name="initial-title" value="{north_shore.title}"' in chief.get(address).content.decode()


@pytest.mark.parametrize("taken_away", [False, True])
def test_what_changes_while_staff_set_a_password_stays(chief, owner, taken_away):
    owner.set_password("the-password-of-before")
    owner.save()
    address = reverse("admin:auth_user_password_change", args=[owner.pk])
    new = {"password1": "another-long-secret", "password2": "another-long-secret"}
    if taken_away:
        new = {"usable_password": "false", "unset-password": ""}
    with meanwhile(owner, is_active=False, token_generation=7):
        assert chief.post(address, new).status_code == 302
    owner.refresh_from_db()
    assert owner.has_usable_password() is not taken_away
    assert taken_away or owner.check_password("another-long-secret")
    assert (owner.is_active, owner.token_generation) == (False, 8)  # its tokens end with the password


def test_the_last_owner_stays_in_the_admin_too(chief, north_shore, owner):
    own = Membership.objects.get(user=owner)
    address = reverse("admin:accounts_workspace_change", args=[north_shore.pk])
    for change in ({"role": "viewer"}, {"DELETE": "on"}):
        row = {"id": own.pk, "user": owner.pk, "role": "owner"} | change
        page = chief.post(address, members_form(north_shore, [row])).content.decode()
        assert "A workspace needs at least one owner" in page, change
        own.refresh_from_db()
        assert own.role == "owner", change


def test_the_admin_names_the_service(chief):
    page = chief.get("/admin/").content.decode()
    assert "Django administration" not in page and "Capsules" in page and ">May<" not in page


def test_a_refused_visibility_says_why(chief, live_story):
    Workspace.objects.update(suspended_at=live_story.created_at)
    page = run(chief, "capsules_story", "choose_visibility", live_story, confirmed="yes", choice="featured")
    assert "This workspace was suspended." in page
    assert Story.objects.get(pk=live_story.pk).visibility == "public"


def test_a_capsule_is_found_by_its_link_and_by_its_owner(chief, live_story, harbour):
    for typed, found in {
        "http://127.0.0.1:8000/north-shore/small-voyages": 1,
        "/north-shore/small-voyages": 1,
        "/north-shore/small-voyages?edition=x": 1,
        "small-voyages": 1,
        "owner@north-shore.example": 1,
        "owner@harbour.example": 0,
    }.items():
        for model in ("capsules_story", "publishing_publication"):
            page = chief.get(reverse(f"admin:{model}_changelist"), {"q": typed}).context["cl"]
            assert page.result_count == found, (model, typed)


def test_a_failed_encode_says_whose_it_is(chief, ready_story):
    encode = ready_story.scenes.get(position=1).animation_encode
    Encode.objects.filter(pk=encode.pk).update(state="failed", error="Broken.")
    words = "Small voyages, scene 1 (North Shore Press)"
    assert words in chief.get(reverse("admin:capsules_encode_changelist")).content.decode()
    assert words in chief.get(reverse("admin:capsules_encode_change", args=[encode.pk])).content.decode()


def test_a_search_for_half_a_link_finds_nothing(chief):
    for page, term in product(["", "publishing/publication/", "capsules/story/"], ["http://[", "/"]):
        assert chief.get(f"/admin/{page}", {"q": term}).status_code == 200, (page, term)
