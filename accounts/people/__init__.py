"""Signing up, logging in and out: django-allauth with this product's rules."""
