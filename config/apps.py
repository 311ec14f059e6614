from django.apps import AppConfig


class HouseConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        from config.words import checks  # noqa: F401  (registers it)
