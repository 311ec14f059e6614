"""A person's own pages: home, profile, invitations."""

from __future__ import annotations

from allauth.account.views import SignupView
from allauth.account.views import logout as allauth_logout
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from accounts.actions import members, workspaces
from accounts.models import SecurityEvent
from accounts.models.people import role_in_words
from accounts.pages.base import cleaned, login_page, person, post_then_redirect, public_page, refusal_told
from accounts.pages.forms import ProfileForm, TitleForm
from accounts.people.signup import SignupForm
from config.errors import NotFound

RECENT = 20  # events on the home page


class SignUpPage(SignupView):
    """As django-allauth has it; and after too many it says so in its status, too."""

    def form_invalid(self, form: SignupForm) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)
        if form.retry_after is not None:
            response.status_code = 429
            response["Retry-After"] = str(form.retry_after)
        return response


def sign_out(request: HttpRequest) -> HttpResponse:
    """As django-allauth has it; and the browser deletes what its scripts kept for the person."""
    response: HttpResponse = allauth_logout(request)
    if request.method == "POST":
        response["Clear-Site-Data"] = '"storage"'
    return response


@login_page
def home(request: HttpRequest) -> HttpResponse:
    user = person(request)
    context = {
        "profile": ProfileForm(instance=user),
        "memberships": user.memberships.select_related("workspace").order_by("workspace__title"),
        "new_workspace": TitleForm(),
        "events": SecurityEvent.objects.filter(user=user).select_related("workspace", "user")[:RECENT],
    }
    return render(request, "accounts/home.html", context)


@post_then_redirect("account_home")
def change_profile(request: HttpRequest) -> str:
    user = person(request)
    cleaned(ProfileForm(request.POST, instance=user))
    user.save(update_fields=ProfileForm.Meta.fields)  # the rest may have changed since it was read
    return gettext("Your profile was saved.")


@login_page
def make_workspace(request: HttpRequest) -> HttpResponse:
    form = TitleForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return redirect("account_home")
    workspace = workspaces.make_workspace(form.cleaned_data["title"], by=person(request))
    return redirect("account_workspace", workspace=workspace.pk)


@public_page
def invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Shows who invites to which workspace; somebody without an account is asked to sign up, the address filled in."""
    try:
        found = members.invitation_by(secret)
    except NotFound as error:
        return render(request, "404.html", {"message": str(error)}, status=404)
    return render(request, "accounts/invitation.html", {"invitation": found, "secret": secret})


@login_page
@require_POST
def accept_invitation(request: HttpRequest, secret: str) -> HttpResponse:
    """Joins, and opens the workspace in the studio. The page of an invitation that was withdrawn meanwhile says so."""
    with refusal_told(request):
        try:
            membership = members.accept(members.invitation_by(secret), by=person(request))
        except NotFound:
            return redirect("account_invitation", secret=secret)
        told = gettext("You are now %(role)s of %(workspace)s.")
        who = {"role": role_in_words(membership.role), "workspace": membership.workspace.title}
        messages.success(request, told % who)
        return redirect("studio_capsules", workspace=membership.workspace_id)
    return redirect("account_home")
