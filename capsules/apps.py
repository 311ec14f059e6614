from django.apps import AppConfig


class CapsulesConfig(AppConfig):
    name = "capsules"

    def ready(self) -> None:
        from capsules import alive, measures, receivers  # noqa: F401  (connects them)
