"""The MCP server's tools of publishing."""
