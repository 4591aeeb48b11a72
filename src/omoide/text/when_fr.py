"""French words for time."""

from __future__ import annotations

from typing import Final

from omoide.text.when_words import Names, Words, named, values

NAMES: Final[Names] = {
    "n": values(
        "un|une=1 deux=2 trois=3 quatre=4 cinq=5 six=6 sept=7 huit=8 neuf=9 dix=10 onze=11 douze=12 quinze=15"
        " vingt=20 trente=30 quelques|plusieurs=-1"
    ),
    "unit": named(
        "jour|jours=day semaine|semaines=week week-end|weekend|week-ends=weekend mois=month"
        " trimestre|trimestres=quarter semestre|semestres=half an|ans|annee|annees=year"
        " decennie|decennies=decade heure|heures=hour minute|minutes=minute"
    ),
    "turn": values("dernier|derniere|passe|passee|precedent|precedente|ecoule|ecoulee=-1 prochain|prochaine=1"),
    "yearturn": values(
        "l'an_dernier|l'annee_derniere|l'an_passe|l'annee_passee=-1 cette_annee=0 l'an_prochain|l'annee_prochaine=1"
    ),
    "weekday": values("lundi=0 mardi=1 mercredi=2 jeudi=3 vendredi=4 samedi=5 dimanche=6"),
    "month": values(
        "janvier|janv=1 fevrier|fevr=2 mars=3 avril|avr=4 mai=5 juin=6 juillet|juil=7 aout=8 septembre=9 octobre|oct=10"
        " novembre|nov=11 decembre|dec=12"
    ),
    "season": named("printemps=spring ete=summer automne=autumn hiver=winter"),
    "quarter": values("premier|1er|1=1 deuxieme|second|2e|2eme|2=2 troisieme|3e|3eme|3=3 quatrieme|4e|4eme|4=4"),
    "part": named("matin=morning apres-midi=afternoon soir|soiree=evening nuit=night"),
}

PATTERNS: Final = r"""
avant-hier                                        => unit=day turn=-2
hier                                              => unit=day turn=-1
aujourd'hui                                       => unit=day turn=0
demain                                            => unit=day turn=1
apres-demain                                      => unit=day turn=2
hier (?:au )?{part}                               => turn=-1
demain {part}                                     => turn=1
(?:ce|cet|cette) {part}                           => turn=0
la nuit derniere                                  => part=night turn=-1
(?:(?:la|le|au|du|de la|l')\s?)?{unit} {turn}
(?:ce|cet|cette) {unit}(?:-ci)?                   => turn=0
(?:(?:la|le|l')\s?)?{unit} d'avant                => turn=-2
il y a {n} {unit}                                 => sign=-1
(?:voila|voici) {n} {unit}                        => sign=-1
dans {n} {unit}                                   => sign=1
d'ici {n} {unit}                                  => roll=1
(?:(?:ces|les|des|au cours des|pendant les) )?{n} {unit} (?:derni|pass|ecoul)(?:ers|eres|es|ees)  => roll=-1
(?:(?:ces|les|des|au cours des) )?(?:derniers|dernieres) {n} {unit}  => roll=-1
(?:(?:ces|les|des|au cours des|pendant les) )?{n} (?:derniers|dernieres) {unit}  => roll=-1
(?:(?:ces|les|des|au cours des) )?(?:derniers|dernieres) {unit}  => n=-1 roll=-1
(?:(?:ces|les|dans les) )?{n} (?:prochains|prochaines) {unit}  => roll=1
(?:recemment|dernierement|ces temps-ci|ces derniers temps)  => n=1 unit=month roll=-1
(?:le |ce )?{weekday} {turn}
(?:le )?{weekday} de (?:la )?semaine {turn}       => unit=week
ce {weekday}                                      => turn=0
(?<!le )(?<!les )(?<!chaque )(?<!du )(?<!gras )(?<!saint )(?<!black ){weekday}(?! gras| saint)
{weekday} {part}(?: {turn})?
? (?:le |du |au )?{weekday}
(?:en |au mois de |le mois de |du mois de |pendant le mois de ){month}(?: {year})?
(?:en |au mois de )?{month} (?:{turn}|de {yearturn}|{yearturn})
{month} {year}
? {month}
mi-{month}(?: {year})?                            => third=mid
(?:le |du |au )?{day}(?:er)? {month}(?: {year})?
(?:le |du |au )?{day}(?:er)? {month} (?:{turn}|de {yearturn})
(?:(?:l'|le |au |en |cet |ce )\s?)?{season} (?:{turn}|de {yearturn}|{yearturn})
(?:(?:l'|le |au |en |a l'|de l')\s?)?{season} {year}
(?:cet|ce) {season}                               => turn=0
(?:en |pendant l'|a l')(?P<season>ete|automne|hiver)
au (?P<season>printemps)
(?:(?:le|au|du) )?{quarter} trimestre(?: de)? {year}
(?:(?:le|au|du) )?{quarter} trimestre (?:de )?{yearturn}
(?:au|du) {quarter} trimestre
(?:au )?t{quarter} {year}
au t{quarter}
(?:en|courant|de l'annee|annee|l'annee|de) {year}
? {year}
(?:dans )?les annees (?P<decade>(?:19|20)\d0|[2-9]0)
"""

FRENCH: Final = Words(
    names=NAMES,
    patterns=PATTERNS,
    before={
        "day-before": r"(?:la )?veille(?: de| du| d')?(?: la| l')?",
        "day-after": r"(?:le )?lendemain(?: de| du| d')?(?: la| l')?",
        "week-before": r"(?:la )?semaine avant(?: le| la| l')?",
        "week-after": r"(?:la )?semaine apres(?: le| la| l')?",
        "week-in": r"(?:la )?semaine(?: du)?",
        "since": r"depuis(?: le| la| l')?|a partir (?:de|du)(?: la| l')?|des",
        "after": r"apres(?: le| la| l')?",
        "before": r"avant(?: le| la| l')?",
        "until": r"jusqu'(?:a|au|en)(?: la| l')?",
        "early": r"(?:au |en )?debut(?: de| du| d')?(?: la| l')?",
        "mid": r"(?:a la )?(?:mi-|milieu(?: de| du| d')?(?: la| l')?)",
        "late": r"(?:a la |en )?fin(?: de| du| d')?(?: la| l')?",
    },
    ranges=(
        ("entre(?: le)?", "et(?: le)?", ""),
        ("(?:de|du|d')", "(?:a|au|jusqu'a|jusqu'au)", ""),
        ("", "(?:a|-|–)", ""),
    ),
    hints="hier aujourd demain recemment dernierement temps dernieres derniers",
    ahead=r"\b(?:vais|allons|prevu|prevue|prevus|prevues|prochain|prochaine|a venir|echeance)\b",
)
