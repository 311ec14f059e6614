"""The MCP server's tools of authoring."""
