"""Webhooks: telling addresses of a workspace's events, in order, signed, until they have taken them."""
