"""French: memories read by level, traced, judged by use, written many at a time."""

from __future__ import annotations

from typing import Final

LEVELS: Final[dict[str, str]] = {
    "op.inspect": "Montrer ce qui ne va pas dans les notes d'un coffre : mises de côté, liens vers rien.",
    "op.links": "Montrer où mène une note d'un coffre, ce qui mène à elle, et ses voisines.",
    "op.rename_note": "Donner à une note d'un coffre un autre chemin et réécrire ses liens ; d'abord pour voir.",
    "op.adopt_note": "Faire un souvenir d'une note qu'omoide n'a pas écrite.",
    "op.read": "Lire un souvenir autant qu'il faut : une ligne, son plan, une section, ou tout.",
    "op.trace": "Montrer les mots d'où vient un souvenir : tours d'une session, segments gardés, lignes de documents.",
    "op.feedback": "Dire qu'un souvenir a servi ou non ; ce qui est montré sans question en tient compte.",
    "op.remember_many": "Retenir beaucoup d'énoncés en une fois ; un refus n'arrête pas les autres.",
    "level.shown": "{tokens} jetons sur environ {total}",
    "level.section": "section {section}",
    "level.more": "La suite : omoide read {id} --max-tokens N, ou une --section.",
    "trace.elsewhere": "Ce dépôt ne la contient pas.",
    "trace.part": "{kind}, {start}-{end} sur {of}",
    "trace.cut": "Il y a une suite.",
    "trace.none": "Aucune source n'a été donnée.",
    "feedback.done": "Le souvenir {id} vaut maintenant {value}.",
    "many.done": "{saved} retenus, {refused} refusés.",
    "many.refused": "{position} : {reason}",
}

ARGUMENTS: Final[dict[str, str]] = {
    "The id of a memory, or the path or name of a note.": "L'identifiant d'un souvenir, ou le chemin ou le nom d'une note.",
    "The new path inside the vault.": "Le nouveau chemin dans le coffre.",
    "Do it, not only show it.": "Le faire, ne pas seulement le montrer.",
    "A type of this vault. Default note.": "Un type de ce coffre. note par défaut.",
    "Who or what it is about. Default its title.": "De qui ou de quoi il s'agit. Son titre par défaut.",
    "How much. Default full.": "La quantité. full par défaut.",
    "With the level section: an anchor of the outline, or a heading.": "Avec le niveau section : une ancre du plan, ou un titre.",
    "Which.": "Lequel.",
    "Objects with the arguments of remember, or lines of JSON; - reads them.": "Des objets avec les arguments de remember, ou des lignes de JSON ; - les lit.",
    "abstract: one line a hit, with the section to read. Default full.": "abstract : une ligne par résultat, avec la section à lire. full par défaut.",
}
"""What arguments are for, by the words of the table."""
