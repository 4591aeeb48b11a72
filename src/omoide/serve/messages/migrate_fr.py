"""French: what was taken in from other systems."""

from __future__ import annotations

from typing import Final

MIGRATE: Final[dict[str, str]] = {
    "imported.source": "Source",
    "imported.read": "Lus",
    "imported.added": "Ajoutés",
    "imported.changed": "Modifiés",
    "imported.known": "Déjà connus",
    "imported.documents": "Documents",
    "imported.segments": "Segments",
    "imported.turns": "Interventions",
    "imported.conflicts": "Conflits",
    "imported.refused": "Refusés",
    "imported.left_out": "Laissés de côté",
    "imported.more": "... et {n} de plus ; --json les donne tous.",
    "imported.undo": "Pour le défaire : omoide undo {batch}",
    "imported.trial": "Essai : rien n'a été enregistré.",
}
ARGUMENTS: Final[dict[str, str]] = {
    "The file or folder.": "Le fichier ou le dossier.",
    "Whose it is. Default auto: told from the content.": "De quel système. Par défaut auto : reconnu au contenu.",
    "For csv and jsonl: which column is which part of a memory, such as text=note.": (
        "Pour csv et jsonl : quelle colonne est quelle partie d'un souvenir, comme text=note."
    ),
    "Only this namespace or user of the source.": "Seulement cet espace ou cet utilisateur de la source.",
    "What to write: jsonl keeps the past, the others what holds now. Default jsonl.": (
        "Que faut-il écrire : jsonl garde le passé, les autres ce qui vaut maintenant. Par défaut jsonl."
    ),
}
