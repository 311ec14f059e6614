"""The log of a workspace: what happened in it, told once, numbered without a gap, and kept for 30 days."""
