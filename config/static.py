"""Static files under hashed names, compressed once by gzip; brotli at its best takes half a minute for the admin's."""

from __future__ import annotations

from typing import Any

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticStorage(CompressedManifestStaticFilesStorage):
    def create_compressor(self, **options: Any) -> Any:
        return super().create_compressor(**options, use_brotli=False)
