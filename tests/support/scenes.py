"""When a window shows a capsule as it stays."""

from __future__ import annotations

STILL = """() => Promise.all([document.fonts.ready,
  ...[...document.images].map((one) => { one.loading = 'eager'; return one.decode().catch(() => {}); })])"""
