"""Staff: who works in the admin, and the second factor that production asks of them."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin

from accounts.models import User

FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def may_work(user: object) -> bool:
    """Whether somebody has the rights of staff now: staff without a second factor have none where it is required."""
    return isinstance(user, User) and user.is_active and user.is_staff and not lacks_factor(user)


def lacks_factor(user: User) -> bool:
    if not settings.REQUIRE_STAFF_MFA:
        return False
    return not Authenticator.objects.filter(user=user, type__in=FACTORS).exists()


class SecondFactorForStaff(MiddlewareMixin):
    """Sends staff without a second factor from every page of the admin to the one that sets it up."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        if request.path.startswith(reverse("admin:index")) and self.must_enrol(request):
            messages.warning(request, "Staff need a second factor. Please set one up to go on to the admin.")
            return redirect("mfa_index")
        return None

    def must_enrol(self, request: HttpRequest) -> bool:
        user = request.user
        return isinstance(user, User) and user.is_staff and lacks_factor(user)
