"""What people and staff can do with accounts, one file a subject."""

from accounts.actions.keys import create_api_key, revoke_api_key

__all__ = ["create_api_key", "revoke_api_key"]
