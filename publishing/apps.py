from django.apps import AppConfig


class PublishingConfig(AppConfig):
    name = "publishing"

    def ready(self) -> None:
        from publishing import checks, measures, receivers  # noqa: F401
