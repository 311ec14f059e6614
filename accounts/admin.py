"""Staff and accounts: people, workspaces with their members, keys (never their secrets)."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import BaseUserCreationForm
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import ApiKey, Membership, User, Workspace


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

    def get_readonly_fields(self, request: HttpRequest, obj: Workspace | None = None) -> Any:
        """A claimed name stays for ever: every link of the workspace begins with it."""
        stamps = ["name_claimed_at", "created_at"]
        return ["name", *stamps] if obj and obj.name_claimed_at else stamps


@admin.register(ApiKey)
class ApiKeyAdmin(admin.ModelAdmin):
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
    actions = ["revoke"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.action(description="Revoke", permissions=["view"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        queryset.filter(revoked_at__isnull=True).update(revoked_at=timezone.now())
