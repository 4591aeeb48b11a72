"""What arguments are for, in French, by the words of the table."""

from __future__ import annotations

from typing import Final

from omoide.serve.messages.history_fr import ARGUMENTS as HISTORY
from omoide.serve.messages.levels_fr import ARGUMENTS as LEVELS
from omoide.serve.messages.migrate_fr import ARGUMENTS as MIGRATE
from omoide.serve.messages.sleep_fr import ARGUMENTS as SLEEP

ARGUMENTS: Final[dict[str, str]] = {
    **HISTORY,
    **LEVELS,
    **MIGRATE,
    **SLEEP,
    "About how many tokens it may take. Default 1500.": "Nombre approximatif de jetons admis. 1500 par défaut.",
    "The new file, or the folder, with a slash at its end.": "Le nouveau fichier, ou le dossier, terminé par une barre.",
    "The session.": "La session.",
    "What to remember: one statement that stands on its own.": "Ce qu'il faut retenir : un énoncé qui se suffit.",
    "What holds instead.": "Ce qui vaut désormais.",
    "The corrected text.": "Le texte corrigé.",
    "The value.": "La valeur.",
    "The new text.": "Le nouveau texte.",
    "Who or what it is about.": "De qui ou de quoi il s'agit.",
    "All about this subject.": "Tout ce qui concerne ce sujet.",
    "The subject that it was rejected for.": "Le sujet pour lequel elle a été rejetée.",
    "Only what is about this subject, or one of these.": "Seulement ce qui concerne ce sujet, ou l'un de ceux-ci.",
    "Only what is about this subject.": "Seulement ce qui concerne ce sujet.",
    "The subject.": "Le sujet.",
    "Which property of the subject, such as city.": "Quelle propriété du sujet, comme city.",
    "The property that it was rejected for.": "La propriété pour laquelle elle a été rejetée.",
    "Only this property.": "Seulement cette propriété.",
    "The property, such as city.": "La propriété, comme city.",
    "What kind of statement it is. Default fact.": "Le genre d'énoncé. Par défaut fact.",
    "Where it comes from: a session, a file, a URL.": "D'où cela vient : une session, un fichier, une adresse.",
    "All that rests on this source alone.": "Tout ce qui ne repose que sur cette source.",
    "All that came from this source.": "Tout ce qui est venu de cette source.",
    "Only what was added from here.": "Seulement ce qui a été ajouté d'ici.",
    "When it was observed.": "Quand cela a été observé.",
    "From when it holds. Default now.": "À partir de quand cela vaut. Par défaut maintenant.",
    "From when the new text holds. Default now.": "À partir de quand vaut le nouveau texte. Par défaut maintenant.",
    "Until when it holds, not included. Default for ever.": (
        "Jusqu'à quand cela vaut, non compris. Par défaut toujours."
    ),
    "How sure, from 0 to 1.": "Avec quelle certitude, de 0 à 1.",
    "What it rests on; gives the confidence when that is left out.": (
        "Sur quoi cela repose ; donne la certitude si elle manque."
    ),
    "low, medium, high, critical, or 1 to 10. Default medium.": (
        "low, medium, high, critical, ou 1 à 10. Par défaut medium."
    ),
    "Labels of your own.": "Vos propres étiquettes.",
    "Only what carries all of these labels.": "Seulement ce qui porte toutes ces étiquettes.",
    "What it rests on, such as README.md@a1b2c3.": "Ce que cela cite, comme README.md@a1b2c3.",
    "Paths or words at which it should come up, such as src/billing/*.": (
        "Chemins ou mots qui doivent le rappeler, comme src/billing/*."
    ),
    "A shorter form of the text.": "Une forme plus courte du texte.",
    "Free keys and values that filters can ask for.": "Clés et valeurs libres, que les filtres connaissent.",
    "The metadata instead of those it has.": "Les métadonnées à la place des anciennes.",
    "Keep it even when old memories are cleared away.": "Le garder même quand on range les vieux souvenirs.",
    "Lower the trust of this one, never raise it.": "Abaisser la confiance, jamais l'élever.",
    "The least trust told of. Default all; what is untrusted says so.": "La confiance minimale de ce qui est montré. Par défaut tout ; ce qui est untrusted le dit.",
    "The least trust let in; untrusted text comes back only when asked for.": (
        "La confiance la plus basse admise ; untrusted ne vient que sur demande."
    ),
    "A new text at least this close in meaning to a memory replaces it.": (
        "Un nouveau texte aussi proche d'un souvenir par le sens le remplace."
    ),
    "Any text of yours; a retry with the same one returns the first result.": (
        "Un texte à vous ; le répéter redonne le premier résultat."
    ),
    "The id of the memory.": "Le numéro du souvenir.",
    "The id of the document.": "Le numéro du document.",
    "The memories to replace.": "Les souvenirs à remplacer.",
    'Only results whose metadata match: {"key": value}, or {"key": {"$gte": 3}} with one of $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists, $contains; $and, $or, $not combine them.': (
        'Seulement ce dont les métadonnées conviennent : {"clé": valeur}, ou {"clé": {"$gte": 3}} avec $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists, $contains ; $and, $or, $not les combinent.'
    ),
    "Say what would happen and change nothing.": "Dire ce qui se passerait, sans rien changer.",
    "Why.": "Pourquoi.",
    "All of this session.": "Tout ce qui est de cette session.",
    "All that this namespace holds.": "Tout ce que contient cet espace de noms.",
    "What to look for, as a question or as keywords.": "Ce que l'on cherche, en question ou en mots clés.",
    "How many results to return at most.": "Combien de résultats au plus.",
    "Only results whose meaning is at least this close, from 0 to 1.": (
        "Seulement ce dont le sens est au moins aussi proche, de 0 à 1."
    ),
    "Order the results by a slower, more careful model.": "Classer par un modèle plus lent et plus soigneux.",
    "Only these kinds.": "Seulement ces genres.",
    "What was believed at this time about this time; excludes the other two.": (
        "Ce que l'on croyait à cette date de cette date ; exclut les deux autres."
    ),
    "What held in the world at this time.": "Ce qui valait dans le monde à cette date.",
    "What was believed at this time.": "Ce que l'on croyait à cette date.",
    "Only what holds, or was added, at or after this time.": (
        "Seulement ce qui vaut, ou a été ajouté, à partir de cette date."
    ),
    "From this time on.": "À partir de cette date.",
    "Only what holds, or was added, before this time.": "Seulement ce qui vaut, ou a été ajouté, avant cette date.",
    "Up to this time, not included. Default up to now.": "Jusqu'à cette date, non comprise. Par défaut maintenant.",
    "Up to this time, not included.": "Jusqu'à cette date, non comprise.",
    "About how many tokens the results may take together.": (
        "Combien de jetons les résultats peuvent prendre en tout, à peu près."
    ),
    "Return nothing rather than the nearest noise.": "Ne rien répondre plutôt que le bruit le plus proche.",
    "Where to look. Default memories.": "Où chercher. Par défaut memories.",
    "Also what was archived.": "Aussi ce qui est archivé.",
    "Also what was forgotten.": "Aussi ce qui a été oublié.",
    "Also what the results link to, over so many links.": "Aussi ce à quoi les résultats mènent, en tant de liens.",
    "How much fresh ones are preferred.": "Combien préférer ce qui est récent.",
    "The age at which that preference is halved.": "L'âge où cette préférence est réduite de moitié.",
    "Leave a part of the search out rather than take longer.": (
        "Laisser une part de la recherche plutôt que durer plus."
    ),
    "Search by words too.": "Sans chercher par les mots.",
    "Search by meaning too.": "Sans chercher par le sens.",
    "Show the parts of each score.": "Montrer les parts de chaque note.",
    "How many at most. Default 100.": "Combien au plus. Par défaut 100.",
    "The name so far.": "L'ancien nom.",
    "The name from now on.": "Le nouveau nom.",
    "The other name.": "L'autre nom.",
    "Where cited paths start. Default the current folder.": "D'où partent les chemins cités. Par défaut ce dossier.",
    "The id of the batch.": "L'identifiant du lot.",
    "Files and folders; - reads one text from standard input.": (
        "Fichiers et dossiers ; - lit un texte de l'entrée standard."
    ),
    "Only files that match this line of a .gitignore, such as *.md.": (
        "Seulement les fichiers qui répondent à cette ligne de .gitignore, comme *.md."
    ),
    "Lines of a .gitignore: files to leave out.": "Lignes de .gitignore : fichiers à laisser.",
    "The encoding of text files. Default found out.": "L'encodage des textes. Par défaut deviné.",
    "Take documents whose files are gone out of the search.": (
        "Laisser dans la recherche les documents dont les fichiers ont disparu."
    ),
    "How many characters a piece has at most.": "Combien de caractères par morceau au plus.",
    "How many characters neighbouring pieces share.": "Combien de caractères partagent deux morceaux voisins.",
    "Also documents whose files are gone.": "Aussi les documents dont les fichiers ont disparu.",
    "Another model for the store; none is keyword search only.": (
        "Un autre modèle pour ce fichier ; none : par les mots seuls."
    ),
    "The file.": "Le fichier.",
    "The file; without one, standard output.": "Le fichier ; sans lui, la sortie standard.",
    "The other store.": "L'autre fichier de mémoire.",
    "Replace a file that exists.": "Remplacer un fichier qui existe.",
    "What head showed earlier; it must lie on the chain.": "Ce que head a montré ; cela doit être sur la chaîne.",
    "What was said or done.": "Ce qui a été dit ou fait.",
    "One line that stands for it. Default made from its words.": "Une ligne qui le résume. Par défaut tirée de ses mots.",
    "What it is. Default session.": "Ce que c'est. Par défaut session.",
    "The domain it belongs to.": "Le domaine auquel cela appartient.",
    "The session it comes from.": "La session d'où cela vient.",
    "Only what belongs to this domain.": "Seulement ce qui appartient à ce domaine.",
    "Only this kind.": "Seulement ce genre.",
    "Only turns of this role, such as user, assistant, tool.": "Seulement les tours de ce rôle, comme user, assistant, tool.",
    "Only what mentions this file, version, module, ticket or function.": "Seulement ce qui nomme ce fichier, cette version, ce module, ce ticket ou cette fonction.",
    "Only this session.": "Seulement cette session.",
    "The expression, or with fuzzy the text.": "L'expression ou, avec fuzzy, le texte.",
    "Forgive slips of typing.": "Pardonner les fautes de frappe.",
    "Look for the text as it is.": "Chercher le texte tel quel.",
    "Tell capitals apart.": "Distinguer les majuscules.",
    "Lines shown on each side.": "Lignes montrées de chaque côté.",
    "How many lines at most.": "Combien de lignes au plus.",
    "The id of a segment, session or turn.": "L'identifiant d'un segment, d'une session ou d'un tour.",
    "The first line or turn, counted from 1.": "La première ligne ou le premier tour, compté à partir de 1.",
    "The last line or turn.": "La dernière ligne ou le dernier tour.",
    "What is counted.": "Ce qui est compté.",
    "A transcript, or a folder of them.": "Une transcription, ou un dossier qui en contient.",
    "The domain they belong to.": "Le domaine auquel elles appartiennent.",
    "Only of this program.": "Seulement de ce programme.",
    "The id of the segment.": "L'identifiant du segment.",
    "Files or folders of notes. Default: those of this project and person.": "Fichiers ou dossiers de notes. Par défaut : ceux de ce projet et de cette personne.",
    "The folder of the project. Default the current one.": "Le dossier du projet. Par défaut, le dossier courant.",
    "Take the marked part out again.": "Retirer la partie marquée.",
}
