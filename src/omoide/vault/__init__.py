"""A store whose truth is a folder of Markdown files and whose database can be thrown away."""
