"""The OAuth 2.1 server: django-oauth-toolkit with the rules it does not have by itself."""
