from django.urls import path

from accounts.pages import erasing, views, workspaces
from accounts.people.sessions import SessionsPage

urlpatterns = [
    path("", views.home, name="account_home"),
    path("sessions/", SessionsPage.as_view(), name="usersessions_list"),
    path("logout/", views.sign_out, name="account_logout"),
    path("delete", erasing.delete_account, name="account_delete"),
    path("data.json", erasing.download_data, name="account_data"),
    path("workspaces/<uuid:workspace>/delete", erasing.delete_workspace, name="account_delete_workspace"),
    path("profile", views.change_profile, name="account_change_profile"),
    path("connect-an-app", views.connect_app, name="account_connect_app"),
    path("connected-apps", views.connected_apps, name="account_connected_apps"),
    path("connected-apps/disconnect-all", views.disconnect_all, name="account_disconnect_all"),
    path("connected-apps/<uuid:id>/disconnect", views.disconnect, name="account_disconnect"),
    path("invitations/<str:secret>", views.invitation, name="account_invitation"),
    path("invitations/<str:secret>/accept", views.accept_invitation, name="account_accept_invitation"),
    path("memberships/<int:id>/leave", workspaces.leave, name="account_leave"),
    path("workspaces", views.make_workspace, name="account_make_workspace"),
    path("workspaces/<uuid:workspace>", workspaces.settings, name="account_workspace"),
    path("workspaces/<uuid:workspace>/title", workspaces.change_title, name="account_change_title"),
    path("workspaces/<uuid:workspace>/name", workspaces.change_name, name="account_change_name"),
    path("workspaces/<uuid:workspace>/name-check", workspaces.name_availability, name="account_name_check"),
    path("workspaces/<uuid:workspace>/members", workspaces.members_page, name="account_members"),
    path("workspaces/<uuid:workspace>/invite", workspaces.invite, name="account_invite"),
    path(
        "workspaces/<uuid:workspace>/invitations/<uuid:id>/withdraw",
        workspaces.withdraw_invitation,
        name="account_withdraw_invitation",
    ),
    path(
        "workspaces/<uuid:workspace>/members/<int:id>/role",
        workspaces.change_role,
        name="account_change_role",
    ),
    path(
        "workspaces/<uuid:workspace>/members/<int:id>/remove",
        workspaces.remove_member,
        name="account_remove_member",
    ),
    path("workspaces/<uuid:workspace>/keys", workspaces.keys_page, name="account_keys"),
    path("workspaces/<uuid:workspace>/keys/new", workspaces.make_key, name="account_make_key"),
    path(
        "workspaces/<uuid:workspace>/keys/<uuid:id>/revoke", workspaces.revoke_key, name="account_revoke_key"
    ),
    path("workspaces/<uuid:workspace>/audit-log", workspaces.audit_log, name="account_audit_log"),
]
