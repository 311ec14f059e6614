"""Django's PostgreSQL backend with connections that give up on a server that does not answer."""
