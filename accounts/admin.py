"""Staff and accounts: people, workspaces, keys, connected apps, the audit log. Secrets are neither kept nor shown."""

from __future__ import annotations

from functools import partial
from typing import Any

import allauth.account.admin  # noqa: F401  (as the next line)
import oauth2_provider.admin  # noqa: F401  (registers what is taken away below)
from allauth.account.decorators import secure_admin_login
from allauth.account.models import EmailAddress
from allauth.mfa import admin as mfa_admin
from allauth.usersessions import admin as session_admin
from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm, BaseUserCreationForm
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db.models import F, QuerySet
from django.db.models.lookups import Exact
from django.http import HttpRequest, HttpResponse
from django.views.defaults import permission_denied

from accounts import names
from accounts.actions import connections, erasing, keys, members, people, workspaces
from accounts.actions.events import Kind, record
from accounts.admin_base import ReadOnlyAdmin, StaffAdmin, staff
from accounts.models import (
    AccessToken,
    ApiKey,
    Application,
    Connection,
    Grant,
    IDToken,
    Membership,
    RefreshToken,
    SecurityEvent,
    User,
    Workspace,
)
from accounts.signals import workspace_changed
from config.errors import CapsulesError, Forbidden

#: Pages of the libraries whose rows hold what would let staff act as somebody else, or say nothing to a person.
HIDDEN = (
    AccessToken,
    Application,
    Grant,
    IDToken,
    RefreshToken,
    EmailAddress,
    mfa_admin.Authenticator,
    session_admin.UserSession,
)
for hidden in (*HIDDEN, Group):
    admin.site.unregister(hidden)

admin.site.site_header = admin.site.site_title = settings.SERVICE_NAME
admin.site.index_title = "What would you like to look after?"

#: Staff come in by the same door as everybody: limited attempts, second factor.
staff_login = secure_admin_login(admin.site.login)


def login(request: HttpRequest, **kwargs: object) -> HttpResponse:
    """A refusal is an answer: raised, as the library does, it would be a traceback in the log."""
    try:
        return staff_login(request, **kwargs)
    except PermissionDenied as error:
        return permission_denied(request, error)


admin.site.login = login  # type: ignore[assignment, method-assign]


@admin.register(Group)
class GroupAdmin(StaffAdmin, DjangoGroupAdmin):
    """What some of the staff may do together."""


class NewUserForm(BaseUserCreationForm):
    class Meta:
        model = User
        fields = ["email", "name"]


class PasswordForm(AdminPasswordChangeForm):
    def save(self, commit: bool = True) -> User:
        """The password alone: what else is in the row may have changed while it was hashed."""
        user: User = super().save(commit=False)
        if commit:
            user.save(update_fields=["password"])
            if not user.has_usable_password():  # a new one ends the tokens of the one before by itself
                people.end_own_tokens(user)
        return user


@admin.register(User)
class UserAdmin(StaffAdmin, DjangoUserAdmin):
    """People. Only superusers make others staff, and only they change the account of another member of staff."""

    add_form = NewUserForm
    change_password_form = PasswordForm
    ordering = ["email"]
    list_display = ["email", "name", "is_active", "is_staff", "last_login"]
    list_filter = ["is_active", "is_staff"]
    search_fields = ["email", "name"]
    actions = ["remove_factors", "erase"]
    autocomplete_fields = ["default_workspace"]
    readonly_fields = ["created_at", "last_login"]
    fieldsets = [
        (None, {"fields": ["email", "password", "name", "default_workspace"]}),
        ("Permissions", {"fields": ["is_active"]}),
        ("Dates", {"fields": ["created_at", "last_login"]}),
    ]
    add_fieldsets = [(None, {"classes": ["wide"], "fields": ["email", "name", "password1", "password2"]})]
    RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")

    def get_fieldsets(self, request: HttpRequest, obj: User | None = None) -> Any:
        if obj is None or not staff(request).is_superuser:
            return super().get_fieldsets(request, obj)
        person, permissions, dates = self.fieldsets
        return [person, (permissions[0], {"fields": ["is_active", *self.RIGHTS]}), dates]

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return super().has_change_permission(request, obj) and self.is_within_reach(request, obj)

    def is_within_reach(self, request: HttpRequest, obj: User | None) -> bool:
        """Whoever may set the password of a member of staff has their rights."""
        own = staff(request)
        return obj is None or own.is_superuser or obj == own or not (obj.is_staff or obj.is_superuser)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False  # an account goes by the action that says what goes with it

    @admin.action(description="Remove the second factors …", permissions=["change"])
    def remove_factors(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponse | None:
        def remove(user: User) -> bool:
            if not self.is_within_reach(request, user):
                raise Forbidden("Only a superuser changes the account of a member of staff.")
            return people.remove_factors(user, by=staff(request))

        if "confirmed" in request.POST:
            self.each(request, queryset, "The second factors were removed.", remove)
            return None
        text = [
            "For people who lost their app, their codes and their keys, once you are sure who asks.",
            "Each is told by mail. Whoever knows the password gets in.",
        ]
        return self.ask_first(
            request,
            queryset,
            action="remove_factors",
            title="Remove the second factors?",
            text=text,
            items=[str(user) for user in queryset],
            button="Remove",
        )

    @admin.action(description="Delete the account …", permissions=["erase"])
    def erase(self, request: HttpRequest, queryset: QuerySet[User]) -> HttpResponse | None:
        def erase(user: User) -> None:
            if not self.is_within_reach(request, user):
                raise Forbidden("Only a superuser deletes the account of a member of staff.")
            erasing.erase_user(user, by=staff(request))

        is_own = Exact(F("pk"), staff(request).pk)
        return self.erase_after_asking(
            request,
            queryset.order_by(is_own, "email"),  # their own last: until then there is somebody who does it
            erase,
            title="Delete these accounts?",
            text="Logins, keys, connected apps and sessions end at once.",
            items=[str(user) for user in queryset],
        )

    def save_model(self, request: HttpRequest, obj: User, form: forms.ModelForm, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change and "is_active" in form.changed_data:
            (people.enable if obj.is_active else people.disable)(obj, by=staff(request))
        if change and "email" in form.changed_data:
            people.use_only_address(obj, by=staff(request))
            told = f"{obj.email} is the only address to sign in with now. Nothing was mailed to the person."
            self.message_user(request, told, messages.INFO)


class MembershipFormSet(forms.BaseInlineFormSet):
    def clean(self) -> None:
        """The last owner stays."""
        super().clean()
        left = [form for form in self.forms if form.is_valid() and not form.cleaned_data.get("DELETE")]
        had = any(form.initial.get("role") == Membership.Role.OWNER for form in self.initial_forms)
        if had and not any(form.cleaned_data.get("role") == Membership.Role.OWNER for form in left):
            raise forms.ValidationError(members.LAST_OWNER)


class MembershipForm(forms.ModelForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["user"].disabled = self.instance.pk is not None  # another person is another membership


class MembershipInline(admin.StackedInline):  # each field with its label, on a phone as well
    model = Membership
    form = MembershipForm
    formset = MembershipFormSet
    extra = 0
    autocomplete_fields = ["user"]
    readonly_fields = ["created_at"]


LINKS = f'At most {workspaces.MAX_LINKS} web addresses, written as ["https://example.com", "https://example.org"].'


class WorkspaceForm(forms.ModelForm):
    """Name, links and account by the rules of owners."""

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        fault = names.name_fault(name) if "name" in self.changed_data else ""
        if fault:
            raise forms.ValidationError(fault)
        return name

    def clean_links(self) -> list[str]:
        links = self.cleaned_data["links"] or []
        is_list = isinstance(links, list) and len(links) <= workspaces.MAX_LINKS
        if not (is_list and all(isinstance(each, str) and workspaces.is_link(each) for each in links)):
            raise forms.ValidationError(LINKS)
        return links

    def clean_fediverse(self) -> str:
        account: str = self.cleaned_data["fediverse"]
        if not workspaces.is_account(account):
            raise forms.ValidationError(workspaces.NO_ACCOUNT)
        return account


@admin.register(Workspace)
class WorkspaceAdmin(StaffAdmin):
    form = WorkspaceForm
    list_display = ["title", "name", "name_claimed_at", "plan", "suspended_at", "created_at"]
    list_filter = ["plan", ("suspended_at", admin.EmptyFieldListFilter)]
    search_fields = ["title", "name", "id", "memberships__user__email"]
    inlines = [MembershipInline]
    actions = ["suspend", "resume", "erase"]

    def get_readonly_fields(self, request: HttpRequest, obj: Workspace | None = None) -> list[str]:
        """A claimed name stays forever: every link of the workspace begins with it."""
        stamps = ["name_claimed_at", "suspended_at", "created_at"]
        return ["name", *stamps] if obj and obj.name_claimed_at else stamps

    def has_delete_permission(self, request: HttpRequest, obj: Workspace | None = None) -> bool:
        return False  # a workspace goes by the action that says what goes with it

    @admin.action(description="Delete with everything in it …", permissions=["erase"])
    def erase(self, request: HttpRequest, queryset: QuerySet[Workspace]) -> HttpResponse | None:
        return self.erase_after_asking(
            request,
            queryset,
            lambda workspace: erasing.erase_workspace(workspace, by=staff(request), as_staff=True),
            title="Delete these workspaces?",
            text="Their capsules, files, subscribers and members go with them.",
            items=[f"{workspace}: {workspace.stories.count()} capsules" for workspace in queryset],
        )

    def save_model(self, request: HttpRequest, obj: Workspace, form: forms.ModelForm, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change and form.changed_data:
            said = ", ".join(str(form.fields[name].label).lower() for name in form.changed_data)
            record(Kind.WORKSPACE_CHANGED, by=staff(request), subject=said, workspaces=[obj])
        workspace_changed.send(Workspace, workspace=obj)

    def save_formset(self, request: HttpRequest, form: object, formset: Any, change: bool) -> None:
        """Through the actions that owners use, so that keys and invitations end with a role."""
        by = staff(request)
        rows = formset.save(commit=False)
        try:
            for row in rows:
                if row.pk is None:
                    members.add_member_by_staff(row.workspace, row.user, role=row.role, by=by)
                else:
                    members.change_role(row, row.role, by=by, as_staff=True)
            for row in formset.deleted_objects:
                members.remove_member(row, by=by, as_staff=True)
        except CapsulesError as error:
            self.refuse_part(request, str(error))

    @admin.action(description="Suspend: take everything of it from the public", permissions=["change"])
    def suspend(self, request: HttpRequest, queryset: QuerySet[Workspace]) -> None:
        self.each(request, queryset, "Suspended.", lambda row: workspaces.suspend(row, by=staff(request)))

    @admin.action(description="End the suspension", permissions=["change"])
    def resume(self, request: HttpRequest, queryset: QuerySet[Workspace]) -> None:
        self.each(
            request, queryset, "Suspension ended.", lambda row: workspaces.resume(row, by=staff(request))
        )


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    list_display = [
        "prefix",
        "label",
        "workspace",
        "creator",
        "created_at",
        "expires_at",
        "revoked_at",
        "last_used_at",
    ]
    list_filter = [("revoked_at", admin.EmptyFieldListFilter)]
    search_fields = ["prefix", "label", "creator__email", "workspace__name"]
    list_select_related = ["workspace", "creator"]
    exclude = ["digest"]
    actions = ["revoke"]

    @admin.action(description="Revoke", permissions=["decide"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        working = queryset.select_related("workspace")
        self.each(request, working, "Revoked.", lambda key: keys.revoke_api_key(key, by=staff(request)))


@admin.register(Application)
class ApplicationAdmin(ReadOnlyAdmin):
    list_display = ("display_name", "host", "client_id", "client_type", "registration_source", "created")
    list_filter = ("registration_source", "client_type")
    search_fields = ("name", "client_id", "redirect_uris", "client_uri")
    fields = (
        "name",
        "client_id",
        "client_type",
        "client_uri",
        "logo_uri",
        "redirect_uris",
        "registration_source",
        "created",
    )
    view_on_site = False


CONNECTION = ("scopes", "publishing", "created_at", "last_used_at", "revoked_at", "ended_because")


@admin.register(Connection)
class ConnectionAdmin(ReadOnlyAdmin):
    list_display = ("client", "user", *CONNECTION)
    list_select_related = ("client", "user")
    list_filter = (("revoked_at", admin.EmptyFieldListFilter), "ended_because")
    search_fields = ("client__name", "client__client_id", "user__email", "memberships__workspace__title")
    fields = ["user", "client", "reach", *CONNECTION]
    readonly_fields = ("reach",)
    actions = ("revoke",)

    @admin.display(description="workspaces")
    def reach(self, connection: Connection) -> str:
        return ", ".join(reach.membership.workspace.title for reach in connection.reaches.all())

    @admin.action(description="Disconnect the selected apps", permissions=["decide"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Connection]) -> None:
        rows = queryset.select_related("client", "user")
        end = partial(connections.end, because=Connection.Ended.STAFF, by=staff(request))
        self.each(request, rows, "Disconnected.", end)


@admin.register(SecurityEvent)
class SecurityEventAdmin(ReadOnlyAdmin):
    list_display = ("at", "kind", "subject", "user", "workspace")
    list_select_related = ("user", "workspace")
    list_filter = ("kind",)
    date_hierarchy = "at"
    search_fields = ("subject", "user__email", "workspace__title")
