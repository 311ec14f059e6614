from django.apps import AppConfig


class FeedConfig(AppConfig):
    name = "feed"

    def ready(self) -> None:
        from feed import receivers  # noqa: F401
