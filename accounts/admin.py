"""Staff and accounts: people, workspaces, keys, connected apps, the audit log. No secret is shown; none is kept."""

from __future__ import annotations

from typing import Any

import oauth2_provider.admin  # noqa: F401  (registers what is taken away below)
from allauth.account.decorators import secure_admin_login
from allauth.mfa import admin as mfa_admin
from allauth.usersessions import admin as session_admin
from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import BaseUserCreationForm
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from accounts.actions import connections, keys
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

#: Pages of the libraries whose rows hold what would let staff act as somebody else, or say nothing to a person.
HIDDEN = (
    AccessToken,
    Application,
    Grant,
    IDToken,
    RefreshToken,
    mfa_admin.Authenticator,
    session_admin.UserSession,
)
for hidden in HIDDEN:
    admin.site.unregister(hidden)

#: Staff come in by the same door as everybody: limited attempts, second factor.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]


class ReadOnlyAdmin(admin.ModelAdmin):
    """Rows that only the service itself writes."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_decide_permission(self, request: HttpRequest) -> bool:
        """Whether somebody may run the actions that ask for "decide": who may change such rows."""
        return super().has_change_permission(request)


class NewUserForm(BaseUserCreationForm):
    class Meta:
        model = User
        fields = ["email", "name"]


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    add_form = NewUserForm
    ordering = ["email"]
    list_display = ["email", "name", "is_active", "is_staff", "last_login"]
    list_filter = ["is_active", "is_staff"]
    search_fields = ["email", "name"]
    autocomplete_fields = ["default_workspace"]
    readonly_fields = ["created_at", "last_login"]
    fieldsets = [
        (None, {"fields": ["email", "password", "name", "default_workspace"]}),
        ("May", {"fields": ["is_active", "is_staff", "is_superuser", "groups", "user_permissions"]}),
        ("Dates", {"fields": ["created_at", "last_login"]}),
    ]
    add_fieldsets = [(None, {"classes": ["wide"], "fields": ["email", "name", "password1", "password2"]})]


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0
    autocomplete_fields = ["user"]


@admin.register(Workspace)
class WorkspaceAdmin(admin.ModelAdmin):
    list_display = ["title", "name", "name_claimed_at", "plan", "suspended_at", "created_at"]
    list_filter = ["plan", ("suspended_at", admin.EmptyFieldListFilter)]
    search_fields = ["title", "name", "id"]
    inlines = [MembershipInline]
    actions = ["suspend", "resume"]

    def get_readonly_fields(self, request: HttpRequest, obj: Workspace | None = None) -> Any:
        """A claimed name stays for ever: every link of the workspace begins with it."""
        stamps = ["name_claimed_at", "created_at"]
        return ["name", *stamps] if obj and obj.name_claimed_at else stamps

    def save_model(self, request: HttpRequest, obj: Workspace, form: forms.ModelForm, change: bool) -> None:
        super().save_model(request, obj, form, change)
        workspace_changed.send(Workspace, workspace=obj)

    @admin.action(description="Suspend: nothing can be published or unpublished")
    def suspend(self, request: HttpRequest, queryset: QuerySet[Workspace]) -> None:
        queryset.filter(suspended_at__isnull=True).update(suspended_at=timezone.now())

    @admin.action(description="End the suspension")
    def resume(self, request: HttpRequest, queryset: QuerySet[Workspace]) -> None:
        queryset.update(suspended_at=None)


def staff(request: HttpRequest) -> User:
    """Who works in the admin."""
    assert isinstance(request.user, User)  # noqa: S101 (the admin asks for a login)
    return request.user


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
    list_filter = ["workspace", ("revoked_at", admin.EmptyFieldListFilter)]
    search_fields = ["prefix", "label", "creator__email"]
    list_select_related = ["workspace", "creator"]
    exclude = ["digest"]
    actions = ["revoke"]

    @admin.action(description="Revoke", permissions=["view"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        for key in queryset.select_related("workspace"):
            keys.revoke_api_key(key, by=staff(request))


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


@admin.register(Connection)
class ConnectionAdmin(ReadOnlyAdmin):
    list_display = ("client", "user", "scopes", "created_at", "last_used_at", "revoked_at", "ended_because")
    list_select_related = ("client", "user")
    list_filter = (("revoked_at", admin.EmptyFieldListFilter), "ended_because")
    search_fields = ("client__name", "client__client_id", "user__email", "memberships__workspace__title")
    fields = [
        "user",
        "client",
        "reach",
        "scopes",
        "created_at",
        "last_used_at",
        "revoked_at",
        "ended_because",
    ]
    readonly_fields = ("reach",)
    actions = ("revoke",)

    @admin.display(description="workspaces")
    def reach(self, connection: Connection) -> str:
        return ", ".join(reach.membership.workspace.title for reach in connection.reaches.all())

    @admin.action(description="Disconnect the selected apps", permissions=["view"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Connection]) -> None:
        ended = [
            connections.end(connection, because=Connection.Ended.STAFF, by=staff(request))
            for connection in queryset.select_related("client")
        ]
        self.message_user(request, f"{sum(ended)} apps disconnected.", messages.SUCCESS)


@admin.register(SecurityEvent)
class SecurityEventAdmin(ReadOnlyAdmin):
    list_display = ("at", "kind", "subject", "user", "workspace")
    list_select_related = ("user", "workspace")
    list_filter = ("kind",)
    date_hierarchy = "at"
    search_fields = ("subject", "user__email", "workspace__title")
