from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts import checks  # noqa: F401  (registers them)
        from accounts.people import receivers  # noqa: F401  (connects them)
        from accounts.webhooks import measures  # noqa: F401
