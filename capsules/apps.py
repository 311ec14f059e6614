from django.apps import AppConfig


class CapsulesConfig(AppConfig):
    name = "capsules"
