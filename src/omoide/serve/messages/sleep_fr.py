"""French: consolidation and what it proposes."""

from __future__ import annotations

from typing import Final

SLEEP: Final[dict[str, str]] = {
    "op.sleep": "Consolider : ranger ce qui est dit deux fois ou dort, relier, proposer le reste ; rien n'est effacé.",
    "op.proposals": "Lister les changements que la consolidation propose, les plus sûrs d'abord.",
    "op.explain_proposal": "Montrer une proposition : ce qui est, ce qui serait, et ce qui parle pour elle.",
    "op.accept": "Réaliser des propositions en un lot que undo défait ; effacer et rejeter seulement par une personne.",
    "op.refuse": "Refuser des propositions ; le même changement n'est plus proposé.",
    "op.sleep_settings": "Montrer les réglages de la consolidation que garde le dépôt, après en avoir changé.",
    "opt.schedule": "Écrire ce qu'il faut au planificateur de cette machine pour consolider chaque jour ; aucun hôte n'est configuré.",
    "schedule.on": "Pour l'activer :",
    "schedule.off": "Pour le désactiver :",
    "sleep.done": "{namespace} est consolidé.",
    "sleep.partial": "Temps écoulé ; le prochain passage reprend où celui-ci s'est arrêté.",
    "sleep.busy": "Un autre passage est en cours.",
    "sleep.not_due": "Pas encore nécessaire.",
    "sleep.off": "La consolidation est désactivée dans ce dépôt : omoide sleep-settings.",
    "sleep.undo": "Défaire ce qui a été changé : omoide undo {batch}",
    "sleep.settings": "Réglages {fingerprint}.",
    "sleep.cost": "Le raisonneur a été interrogé {calls} fois, {asked} caractères ; {answered} reçus, {failures} échecs.",
    "sleep.extracted": "Nouveaux souvenirs tirés des conversations : {ids}",
    "sleep.accepted": "Acceptées par la règle : {ids}",
    "sleep.nothing": "Rien n'est proposé.",
    "sleep.decide": "Décider : omoide accept ID, omoide refuse ID ; omoide explain ID en montre une.",
    "sleep.decided.one": "{n} proposition décidée.",
    "sleep.decided.many": "{n} propositions décidées.",
    "sleep.failed": "{id} : {reason}",
    "sleep.left.advice": "L'avis manque",
    "sleep.left.conversation": "Une conversation reste à distiller",
    "sleep.left.statements": "Des affirmations extraites ont été refusées",
    "sleep.left.lines": "Des lignes d'avis sont inutilisables",
    "sleep.left.vectors": "Des vecteurs restent à calculer",
    "sleep.left.idle": "Il y a plus de souvenirs inactifs qu'un passage n'en archive",
    "sleep.left.unsure": "Certains changements ne sont pas assez sûrs pour être proposés",
    "sleep.left.undecided": "Des contradictions que ni le temps ni une valeur unique ne tranchent : omoide conflicts",
    "sleep.left.sources": "Les fichiers cités n'ont pas été consultés : lancez-la dans le dépôt git",
    "sleep.now": "maintenant",
    "sleep.then": "ensuite",
    "sleep.because": "parce que",
    "sleep.col.pass": "étape",
    "sleep.col.changed": "changés",
    "sleep.col.proposed": "proposés",
    "sleep.col.withheld": "laissés",
    "sleep.col.proposal": "proposition",
    "sleep.col.kind": "genre",
    "sleep.col.memories": "souvenirs",
    "sleep.col.why": "raison",
    "sleep.col.sure": "sûreté",
    "sleep.col.advice": "avis",
    "sleep.why.same_words": "ils disent la même chose",
    "sleep.why.newer_value": "une affirmation plus récente a une autre valeur",
    "sleep.why.same_property": "une valeur plus récente de la même propriété",
    "sleep.why.same_shape": "la même phrase, plus tard, avec une autre partie",
    "sleep.why.contradiction": "ils se contredisent",
    "sleep.why.unused": "archivé et inutilisé depuis longtemps",
    "sleep.why.recurs": "dit dans plusieurs conversations",
    "sleep.why.comes_back": "revenu après avoir été oublié plusieurs fois",
    "sleep.why.no_abstract": "long, et aucune ligne ne le résume",
    "sleep.why.sections": "plusieurs sections",
    "sleep.why.stale": "tout ce qu'il cite a changé",
    "sleep.why.extracted": "une conversation dit autre chose depuis",
}
ARGUMENTS: Final[dict[str, str]] = {
    "The id of the proposal.": "L'identifiant de la proposition.",
    "The ids of the proposals.": "Les identifiants des propositions.",
    "Only if enough hours and conversations have passed since the last run.": (
        "Seulement si assez d'heures et de conversations ont passé depuis le dernier passage."
    ),
    "How long it may take; the next run goes on. Default 300.": (
        "Combien de secondes il peut prendre ; le passage suivant reprend. Par défaut 300."
    ),
    "Who words and extracts: claude-code, codex, gemini, or an address#model. Default nobody.": (
        "Qui formule et extrait : claude-code, codex, gemini, ou une adresse#modèle. Par défaut personne."
    ),
    "Only those in this state. Default open.": "Seulement celles dans cet état. Par défaut open.",
    "Only those of this kind.": "Seulement celles de ce genre.",
    "Another text for the one merge, generalisation or abstract.": (
        "Un autre texte pour l'unique fusion, généralisation ou résumé."
    ),
    'The settings to change, such as {"enabled": false}.': 'Les réglages à changer, comme {"enabled": false}.',
}
