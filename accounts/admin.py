"""What staff see of accounts: who, what is connected, what happened. No secret is shown, for none is kept."""

from __future__ import annotations

from typing import Any, ClassVar

import oauth2_provider.admin  # noqa: F401  (registers what is taken away below)
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin as LibraryUserAdmin
from django.contrib.auth.models import Group
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from oauth2_provider.models import DeviceGrant

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

for hidden in (AccessToken, Application, DeviceGrant, Grant, IDToken, RefreshToken, Group):
    admin.site.unregister(hidden)


class ReadOnly(admin.ModelAdmin):
    """Rows that only the service itself writes."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0
    autocomplete_fields = ("user",)


@admin.register(User)
class UserAdmin(LibraryUserAdmin):
    list_display = ("email", "name", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "is_staff")
    search_fields = ("email", "name")
    ordering = ("email",)
    readonly_fields = ("last_login", "created_at")
    autocomplete_fields = ("default_workspace",)
    filter_horizontal = ("user_permissions",)
    fieldsets = (
        (None, {"fields": ("email", "name", "password", "default_workspace")}),
        ("Permissions", {"fields": ("is_active", "is_staff", "is_superuser", "user_permissions")}),
        ("Dates", {"fields": ("last_login", "created_at")}),
    )
    add_fieldsets = ((None, {"fields": ("email", "usable_password", "password1", "password2")}),)


@admin.register(Workspace)
class WorkspaceAdmin(admin.ModelAdmin):
    list_display = ("title", "name", "plan", "name_claimed_at", "suspended_at", "created_at")
    list_filter = ("plan", ("suspended_at", admin.EmptyFieldListFilter))
    search_fields = ("title", "name")
    readonly_fields = ("name_claimed_at", "created_at")
    inlines = (MembershipInline,)
    actions = ("suspend", "resume")

    def get_readonly_fields(self, request: HttpRequest, obj: Workspace | None = None) -> tuple[str, ...]:
        """A claimed name is in links for ever."""
        return (*self.readonly_fields, "name") if obj and obj.name_claimed_at else self.readonly_fields

    def save_model(self, request: HttpRequest, obj: Workspace, form: forms.ModelForm, change: bool) -> None:
        super().save_model(request, obj, form, change)
        workspace_changed.send(Workspace, workspace=obj)

    @admin.action(description="Suspend: nothing can be published or unpublished")
    def suspend(self, request: HttpRequest, queryset: QuerySet[Workspace]) -> None:
        queryset.filter(suspended_at__isnull=True).update(suspended_at=timezone.now())

    @admin.action(description="End the suspension")
    def resume(self, request: HttpRequest, queryset: QuerySet[Workspace]) -> None:
        queryset.update(suspended_at=None)


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnly):
    list_display = ("prefix", "workspace", "creator", "label", "last_used_at", "expires_at", "revoked_at")
    list_select_related = ("workspace", "creator")
    list_filter = (("revoked_at", admin.EmptyFieldListFilter),)
    search_fields = ("prefix", "label", "workspace__title", "creator__email")
    exclude = ("digest",)
    actions = ("revoke",)

    @admin.action(description="Revoke the selected keys", permissions=["view"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        for key in queryset.select_related("workspace"):
            keys.revoke_api_key(key, by=_staff(request))


@admin.register(Application)
class ApplicationAdmin(ReadOnly):
    list_display = ("display_name", "host", "client_id", "client_type", "registration_source", "created")
    list_filter = ("registration_source", "client_type")
    search_fields = ("name", "client_id", "redirect_uris", "client_uri")
    fields = ("name", "client_id", "client_type", "client_uri", "logo_uri", "redirect_uris", "registration_source", "created")
    view_on_site = False


@admin.register(Connection)
class ConnectionAdmin(ReadOnly):
    list_display = ("client", "user", "scopes", "created_at", "last_used_at", "revoked_at", "ended_because")
    list_select_related = ("client", "user")
    list_filter = (("revoked_at", admin.EmptyFieldListFilter), "ended_because")
    search_fields = ("client__name", "client__client_id", "user__email", "memberships__workspace__title")
    fields: ClassVar = [
        "user", "client", "reach", "scopes", "created_at", "last_used_at", "revoked_at", "ended_because",
    ]  # fmt: skip
    readonly_fields = ("reach",)
    actions = ("revoke",)

    @admin.display(description="workspaces")
    def reach(self, connection: Connection) -> str:
        return ", ".join(reach.membership.workspace.title for reach in connection.reaches.all())

    @admin.action(description="Disconnect the selected apps", permissions=["view"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[Connection]) -> None:
        ended = [
            connections.end(connection, because=Connection.Ended.STAFF, by=_staff(request))
            for connection in queryset.select_related("client")
        ]
        self.message_user(request, f"{sum(ended)} apps disconnected.", messages.SUCCESS)


@admin.register(SecurityEvent)
class SecurityEventAdmin(ReadOnly):
    list_display = ("at", "kind", "subject", "user", "workspace")
    list_select_related = ("user", "workspace")
    list_filter = ("kind",)
    date_hierarchy = "at"
    search_fields = ("subject", "user__email", "workspace__title")


def _staff(request: HttpRequest) -> User:
    user: Any = request.user
    return User.objects.get(pk=user.pk)


def hide_library_pages() -> None:
    """Second factors and sessions hold what would let staff act as somebody else."""
    for model in (Authenticator, UserSession):
        if admin.site.is_registered(model):
            admin.site.unregister(model)
