"""French: conversations."""

from __future__ import annotations

from typing import Final

HISTORY: Final[dict[str, str]] = {
    "cmd.history": "Conversations : garder, chercher, lire, archiver, effacer.",
    "cmd.history.retention": "Ce qui passe derrière le reste, revient ou s'efface.",
    "history.saved": "Gardé sous {id}.",
    "history.known": "Déjà gardé sous {id}.",
    "history.masked": "Masqué : {what}",
    "history.lines": "lignes {first}-{last} sur {of}",
    "history.more": "{shown} sur {total} montrés.",
    "history.rest": "La suite : omoide history read {id} --start {start}",
    "history.archived": "archivé",
    "history.restore": "Un segment archivé revient avec omoide history retention restore ID.",
    "history.nothing": "Aucune ligne ne convient ; {n} textes parcourus.",
    "history.archive.done": "Archivé ; il reste trouvable.",
    "history.restore.done": "Il est revenu.",
    "history.would": "Seraient archivés :",
    "history.would_erase": "Seraient effacés :",
    "history.did": "Archivés :",
    "history.erased": "Effacés :",
    "history.kept": "Laissés : {what}",
    "history.ingested": "{new} nouveaux éléments, dont {turns} trouvables ; {known} étaient connus.",
    "history.batch": "Pour défaire : omoide undo {batch}",
    "history.failed": "N'ont pas pu être repris :",
    "history.domains.any": "{project} peut avoir n'importe quel domaine.",
    "history.domains.set": "{project} a les domaines {names}.",
    "preview.history_erase": "{name} serait effacé pour de bon.",
    "history.erase_old": "Les segments archivés depuis longtemps seraient effacés pour de bon.",
    "col.summary": "Résumé",
    "col.project": "Projet",
    "col.tags": "Étiquettes",
    "col.line": "Ligne",
    "col.host": "Programme",
    "col.turns": "Tours",
    "col.segments": "Segments",
    "col.place": "Où",
    "col.domain": "Domaine",
    "cmd.history.erase_old": "Effacer pour de bon les segments archivés depuis longtemps ; seule une personne le peut.",
    "op.history_archive": "Mettre un segment derrière les autres, comprimé ; il reste trouvable.",
    "op.history_erase": "Effacer pour de bon un segment, ou une session avec tout ce qui s'y est dit.",
    "op.domains": "Lister les domaines des conversations, chacun avec son nombre de segments et de sessions.",
    "op.choose_domains": "Ne laisser à un projet que ces domaines ; sans aucun, il peut les avoir tous.",
}

ARGUMENTS: Final[dict[str, str]] = {
    "Look for several hundred more kinds of secrets, with the extra omoide[secrets].": (
        "Chercher plusieurs centaines d'autres genres de secrets, avec l'extra omoide[secrets]."
    ),
    "The session that is erased.": "La session qui est effacée.",
    "The domains that it has.": "Les domaines qu'il a.",
}
