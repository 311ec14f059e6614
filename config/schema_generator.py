"""How the operations of the OpenAPI document are found and described."""

from __future__ import annotations

from drf_spectacular.generators import EndpointEnumerator, SchemaGenerator
from drf_spectacular.openapi import AutoSchema


class Endpoints(EndpointEnumerator):
    """With HEAD where an address has one of its own, as those of tus; elsewhere it goes without saying."""

    def get_allowed_methods(self, callback: object) -> list[str]:
        methods = super().get_allowed_methods(callback)
        mapped = getattr(callback, "actions", None) or {}
        return [*methods, "HEAD"] if "head" in mapped and "get" not in mapped else methods


class Generator(SchemaGenerator):
    endpoint_inspector_cls = Endpoints


class Operations(AutoSchema):
    """Says of an operation only what it says itself: the docstring of its view is for whoever reads the code."""

    def get_description(self, *where: object) -> str:
        return ""
