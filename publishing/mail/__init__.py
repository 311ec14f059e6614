"""Handing mail to a server. Who gets which mail, and what became of it, is in `publishing/premieres`."""
