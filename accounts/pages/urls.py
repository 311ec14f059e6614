from django.urls import path

from accounts.pages import apps, erasing, views, workspaces
from accounts.people.sessions import SessionsPage
from accounts.webhooks import pages as webhooks

WORKSPACE = "workspaces/<uuid:workspace>"
WEBHOOK = f"{WORKSPACE}/webhooks/<uuid:webhook>"

urlpatterns = [
    path("", views.home, name="account_home"),
    path("sessions/", SessionsPage.as_view(), name="usersessions_list"),
    path("signup/", views.SignUpPage.as_view(), name="account_signup"),
    path("logout/", views.sign_out, name="account_logout"),
    path("delete", erasing.delete_account, name="account_delete"),
    path("data.json", erasing.download_data, name="account_data"),
    path(f"{WORKSPACE}/delete", erasing.delete_workspace, name="account_delete_workspace"),
    path("profile", views.change_profile, name="account_change_profile"),
    path("connect-an-app", apps.connect_app, name="account_connect_app"),
    path("connected-apps", apps.connected_apps, name="account_connected_apps"),
    path("connected-apps/new-token", apps.new_token, name="account_new_token"),
    path("connected-apps/disconnect-all", apps.disconnect_all, name="account_disconnect_all"),
    path("connected-apps/<uuid:id>/publishing", apps.change_publishing, name="account_app_publishing"),
    path("connected-apps/<uuid:id>/disconnect", apps.disconnect, name="account_disconnect"),
    path("invitations/<str:secret>", views.invitation, name="account_invitation"),
    path("invitations/<str:secret>/accept", views.accept_invitation, name="account_accept_invitation"),
    path("memberships/<int:id>/leave", workspaces.leave, name="account_leave"),
    path("workspaces", views.make_workspace, name="account_make_workspace"),
    path(WORKSPACE, workspaces.settings, name="account_workspace"),
    path(f"{WORKSPACE}/title", workspaces.change_title, name="account_change_title"),
    path(f"{WORKSPACE}/name", workspaces.change_name, name="account_change_name"),
    path(f"{WORKSPACE}/name-check", workspaces.name_availability, name="account_name_check"),
    path(f"{WORKSPACE}/members", workspaces.members_page, name="account_members"),
    path(f"{WORKSPACE}/members/invite", workspaces.invite, name="account_invite"),
    path(
        f"{WORKSPACE}/invitations/<uuid:id>/withdraw",
        workspaces.withdraw_invitation,
        name="account_withdraw_invitation",
    ),
    path(f"{WORKSPACE}/members/<int:id>/role", workspaces.change_role, name="account_change_role"),
    path(f"{WORKSPACE}/members/<int:id>/remove", workspaces.remove_member, name="account_remove_member"),
    path(f"{WORKSPACE}/keys", workspaces.keys_page, name="account_keys"),
    path(f"{WORKSPACE}/keys/new", workspaces.make_key, name="account_make_key"),
    path(f"{WORKSPACE}/keys/<uuid:id>/revoke", workspaces.revoke_key, name="account_revoke_key"),
    path(f"{WORKSPACE}/apps", apps.workspace_apps, name="account_workspace_apps"),
    path(f"{WORKSPACE}/webhooks", webhooks.webhooks_page, name="account_webhooks"),
    path(f"{WORKSPACE}/webhooks/new", webhooks.make_webhook, name="account_make_webhook"),
    path(WEBHOOK, webhooks.webhook_page, name="account_webhook"),
    path(f"{WEBHOOK}/change", webhooks.change_webhook, name="account_webhook_change"),
    path(f"{WEBHOOK}/secret", webhooks.new_secret, name="account_webhook_secret"),
    path(f"{WEBHOOK}/test", webhooks.test, name="account_webhook_test"),
    path(f"{WEBHOOK}/replay", webhooks.replay, name="account_webhook_replay"),
    path(f"{WEBHOOK}/switch", webhooks.switch, name="account_webhook_switch"),
    path(f"{WEBHOOK}/delete", webhooks.delete, name="account_webhook_delete"),
    path(f"{WORKSPACE}/audit-log", workspaces.audit_log, name="account_audit_log"),
]
