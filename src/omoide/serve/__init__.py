"""The doors: command line, MCP and HTTP, made from the one table of operations."""
