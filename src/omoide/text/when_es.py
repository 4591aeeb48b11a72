"""Spanish words for time."""

from __future__ import annotations

from typing import Final

from omoide.text.when_words import Names, Words, named, values

NAMES: Final[Names] = {
    "n": values(
        "un|una=1 dos|un_par_de=2 tres=3 cuatro=4 cinco=5 seis=6 siete=7 ocho=8 nueve=9 diez=10 once=11 doce=12"
        " quince=15 veinte=20 treinta=30 unos|unas|algunos|algunas|varios|varias|pocos|pocas=-1"
    ),
    "unit": named(
        "dia|dias=day semana|semanas=week fin_de_semana=weekend mes|meses=month trimestre|trimestres=quarter"
        " ano|anos=year decada|decadas=decade hora|horas=hour minuto|minutos=minute"
    ),
    "turn": values("pasado|pasada|ultimo|ultima|anterior=-1 proximo|proxima|que_viene=1"),
    "yearturn": values("ano_pasado|el_ano_pasado|del_ano_pasado=-1 este_ano|de_este_ano=0 el_ano_que_viene=1"),
    "weekday": values("lunes=0 martes=1 miercoles=2 jueves=3 viernes=4 sabado=5 domingo=6"),
    "month": values(
        "enero=1 febrero=2 marzo=3 abril=4 mayo=5 junio=6 julio=7 agosto=8 septiembre|setiembre=9 octubre=10"
        " noviembre=11 diciembre=12"
    ),
    "season": named("primavera=spring verano=summer otono=autumn invierno=winter"),
    "quarter": values("primer|1.=1 segundo|2.=2 tercer|3.=3 cuarto|4.=4"),
    "part": named("manana=morning tarde=afternoon noche=evening"),
}

PATTERNS: Final = r"""
anteayer                                          => unit=day turn=-2
antes de ayer                                     => unit=day turn=-2
ayer                                              => unit=day turn=-1
hoy                                               => unit=day turn=0
(?<!la )(?<!una )(?<!de )(?<!esta )manana         => unit=day turn=1
pasado manana                                     => unit=day turn=2
ayer por la {part}                                => turn=-1
anoche                                            => part=night turn=-1
esta {part}                                       => turn=0
(?:(?:el|la|del|de la) )?{unit} {turn}
(?:(?:el|la) )?(?P<turn>ultimo|ultima|proximo|proxima) {unit}
(?:este|esta) {unit}                              => turn=0
hace {n} {unit}                                   => sign=-1
dentro de {n} {unit}                              => sign=1
(?:(?:en )?(?:los|las|estos|estas) )?(?:ultimos|ultimas) {n} {unit}  => roll=-1
(?:(?:los|las) )?(?:proximos|proximas) {n} {unit}  => roll=1
(?:recientemente|ultimamente)                     => n=1 unit=month roll=-1
(?:el )?{weekday} {turn}
(?:el )?{weekday} de la semana {turn}             => unit=week
(?:el|este) {weekday}
? {weekday}
en {month}(?:(?: de| del)? {year})?
{month} (?:de |del )?{year}
{month} {turn}
{month} (?:del )?{yearturn}
? {month}
(?:el |del |al )?{day} de {month}(?: (?:de |del )?{year}| {yearturn})?
(?:(?:el|en|en el|en la|la) )?{season} {turn}
(?:(?:el|en|en el|en la|la) )?{season} (?:de |del )?{year}
(?:(?:el|en|en el|en la|la) )?{season} {yearturn}
(?:en|en el|en la) {season}
(?:(?:el|en el) )?{quarter} trimestre (?:de |del )?{year}
(?:en|durante|ano) {year}
? {year}
"""

SPANISH: Final = Words(
    names=NAMES,
    patterns=PATTERNS,
    before={
        "since": "desde(?: el| la)?|a partir (?:de|del)(?: la)?",
        "after": "despues (?:de|del)(?: la)?",
        "before": "antes (?:de|del)(?: la)?",
        "until": "hasta(?: el| la)?",
        "early": "(?:a )?(?:principios|comienzos) (?:de|del)(?: la)?",
        "mid": "(?:a )?mediados (?:de|del)(?: la)?",
        "late": "(?:a )?(?:finales|fines) (?:de|del)(?: la)?",
    },
    ranges=(("entre(?: el)?", "y(?: el)?", ""), ("(?:de|desde|del)", "(?:a|al|hasta)", ""), ("", "(?:a|-|–)", "")),
    hints="ayer anteayer hoy manana anoche recientemente ultimamente",
    ahead=r"\b(?:voy a|vamos a|previsto|prevista|proximo|proxima|planeado|pendiente)\b",
)
