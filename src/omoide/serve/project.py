"""Which project a folder belongs to, for the doors and hooks."""

from __future__ import annotations

from omoide.verbs.conversations.project import Project, project_of

__all__ = ["Project", "project_of"]
