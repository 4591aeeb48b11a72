"""Readers of agents' transcripts, one file a format; `reader` is the door."""
