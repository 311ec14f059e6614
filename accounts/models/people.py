"""People and the workspaces they publish in."""

from __future__ import annotations

import uuid
import zoneinfo
from typing import ClassVar

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.core.exceptions import ValidationError
from django.core.files.storage import storages
from django.core.validators import RegexValidator
from django.db import models
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from accounts.people import hashing
from config.links import absolute

WORKSPACE_NAME = r"^[a-z0-9-]{3,40}$"


def time_zones() -> set[str]:
    """All that stand for a place: "localtime" is wherever the machine is, and "Factory" nowhere."""
    return zoneinfo.available_timezones() - {"Factory", "localtime"}


def check_time_zone(name: str) -> None:
    """Raises ValidationError."""
    if name not in time_zones():
        raise ValidationError(_("Choose a time zone of the list, like Europe/Lisbon."))


class UserManager(BaseUserManager["User"]):
    def create_user(self, email: str, password: str | None = None, **fields: object) -> User:
        from allauth.account.models import EmailAddress  # it needs our User

        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        # Whoever makes accounts by hand vouches for the address; sign-ups confirm it by mail.
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: object) -> User:
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    @classmethod
    def normalize_email(cls, email: str | None) -> str:
        """Addresses are one person's whatever their case, so they are kept in lower case."""
        return (email or "").strip().lower()

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=self.normalize_email(username))


class User(AbstractBaseUser, PermissionsMixin):
    """A person with a login."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120, blank=True)
    default_workspace = models.ForeignKey(
        "Workspace", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    is_active = models.BooleanField("active", default=True)
    is_staff = models.BooleanField("staff", default=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    token_generation = models.PositiveIntegerField(
        default=0, editable=False, help_text="First-party tokens of an earlier generation are refused."
    )

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects = UserManager()

    class Meta:
        ordering = ["email"]

    def check_password(self, raw_password: str | None) -> bool:
        """As Django's; it waits for its turn without a database connection, so not for use in a transaction."""
        with hashing.slot_without_connection():
            return super().check_password(raw_password)

    def set_unusable_password(self) -> None:
        """Ends the user's own tokens as any other new password does, which `EndOwnTokens` is told of."""
        super().set_unusable_password()
        self.token_generation += 1

    @classmethod
    def normalize_username(cls, username: str) -> str:
        """Forms of the admin ask for it before they ask whether an address is taken."""
        return UserManager.normalize_email(username)

    def get_full_name(self) -> str:
        return self.name or self.email

    def get_short_name(self) -> str:
        return self.name or self.email

    @property
    def device_key(self) -> str:
        """What a browser may call this person in its own storage: tells people apart, and nothing about them."""
        return salted_hmac("accounts.device", str(self.pk)).hexdigest()[:32]


class WorkspaceQuerySet(models.QuerySet["Workspace"]):
    def public(self) -> WorkspaceQuerySet:
        """Those that readers may know of: they have published, and are not suspended."""
        return self.filter(name_claimed_at__isnull=False, suspended_at__isnull=True)

    def named(self, name: str) -> Workspace | None:
        """The workspace that claimed `name`, else the oldest that may still claim it."""
        return (
            self.filter(name=name)
            .order_by(models.F("name_claimed_at").asc(nulls_last=True), "created_at")
            .first()
        )


class Workspace(models.Model):
    """A publisher. Its name is provisional, and need not be unique, until the first publish claims it."""

    class Plan(models.TextChoices):
        FREE = "free", _("Free")
        PRO = "pro", _("Pro")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    title = models.CharField(max_length=120)
    name = models.CharField(
        max_length=40,
        validators=[RegexValidator(WORKSPACE_NAME, _("Use 3 to 40 lowercase letters, digits and hyphens."))],
        help_text="First segment of every public link. Fixed forever by the first publish.",
    )
    name_claimed_at = models.DateTimeField(null=True, blank=True, editable=False)
    about = models.CharField(max_length=300, blank=True, help_text="A few words for its readers.")
    links = models.JSONField(default=list, blank=True, help_text="Addresses of it elsewhere, a list of str.")
    fediverse = models.CharField(
        max_length=130, blank=True, help_text="Its account there, @name@host: Mastodon credits links to it."
    )
    picture = models.CharField(
        max_length=80, blank=True, editable=False, help_text="A square JPEG among the blobs, by its name."
    )
    plan = models.CharField(max_length=8, choices=Plan, default=Plan.FREE)
    time_zone = models.CharField(
        max_length=64,
        default="UTC",
        validators=[check_time_zone],
        help_text="Whose days its numbers are of, like Europe/Lisbon.",
    )
    suspended_at = models.DateTimeField(
        null=True, blank=True, help_text="Set: nothing of it is public, and nothing can be made so."
    )
    members = models.ManyToManyField(User, through="Membership", related_name="workspaces")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = WorkspaceQuerySet.as_manager()

    class Meta:
        ordering = ["title"]
        constraints = [
            models.UniqueConstraint(
                fields=["name"],
                condition=models.Q(name_claimed_at__isnull=False),
                name="workspace_name_claimed_once",
                violation_error_message=_("Another workspace has claimed this name."),
            ),
            models.CheckConstraint(
                condition=models.Q(name__regex=WORKSPACE_NAME), name="workspace_name_form"
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_suspended(self) -> bool:
        return self.suspended_at is not None

    @property
    def picture_url(self) -> str:
        """Its picture with the host in front, as mails need it; "" where it has none."""
        return absolute(storages["blobs"].url(self.picture)) if self.picture else ""

    @property
    def allows_white_label(self) -> bool:
        return self.plan == self.Plan.PRO


class RetiredName(models.Model):
    """A name that a deleted workspace had claimed. Nobody else gets its links."""

    name = models.CharField(max_length=40, primary_key=True)
    retired_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return self.name


def role_in_words(role: str) -> str:
    """As a sentence names it: somebody is invited as editor."""
    return {
        Membership.Role.OWNER: pgettext("in a sentence", "owner"),
        Membership.Role.ADMIN: pgettext("in a sentence", "admin"),
        Membership.Role.EDITOR: pgettext("in a sentence", "editor"),
        Membership.Role.VIEWER: pgettext("in a sentence", "viewer"),
    }[Membership.Role(role)]


class Membership(models.Model):
    class Role(models.TextChoices):
        OWNER = "owner", _("Owner")
        ADMIN = "admin", _("Admin")
        EDITOR = "editor", _("Editor")
        VIEWER = "viewer", _("Viewer")

    PUBLISHING_ROLES = (Role.OWNER, Role.ADMIN, Role.EDITOR)
    WRITING_ROLES = PUBLISHING_ROLES
    MANAGING_ROLES = (Role.OWNER, Role.ADMIN)

    workspace = models.ForeignKey(
        Workspace, on_delete=models.CASCADE, related_name="memberships", db_index=False
    )
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=8, choices=Role)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user"], name="one_membership_a_workspace")
        ]

    def __str__(self) -> str:
        return f"{self.user} as {self.role} of {self.workspace}"
