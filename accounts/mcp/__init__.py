"""Tools of the MCP server: what makes a function one, and those about accounts. Web processes import none of it."""
