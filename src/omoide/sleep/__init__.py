"""Consolidation: passes that add, archive and propose, and reasoners that word what they propose."""
