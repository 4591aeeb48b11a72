"""The command line: every command is made from the table of operations."""
