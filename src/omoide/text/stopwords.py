"""Closed-class words of each language: articles, pronouns, prepositions, auxiliaries, question words.

The tables are grammars' closed classes written out by hand, folded with `normalize.fold` when they are loaded.
They decide which words of a question carry no topic; the index itself keeps every word.
"""

from __future__ import annotations

from functools import cache

from omoide.text.normalize import fold

# In this order a tie between languages is decided.
LATIN_LANGUAGES = ("en", "fr", "de", "es", "it", "pt", "nl")
VOTE_BITS = 16

_WORDS: dict[str, str] = {
    "en": """a an the and or but nor so yet if then than because as until while of at by for with about against
        between into through during before after above below to from up down in out on off over under again further
        once here there when where why how all any both each few more most other some such no not only own same too
        very can could will would shall should may might must ought i me my mine myself we us our ours ourselves you
        your yours yourself yourselves he him his himself she her hers herself it its itself they them their theirs
        themselves what which who whom whose this that these those am is are was were be been being have has had
        having do does did doing done isn aren wasn weren hasn haven hadn doesn didn don won wouldn couldn shouldn
        mustn ain cannot ll ve re im ive id youre dont didnt doesnt cant wont isnt whats thats lets also just
        ever every many much let upon within without among onto per via
        whether though although since yes ok okay oh""",
    "fr": """le la les un une des du de d l au aux a en et ou où mais donc or ni car que qu qui quoi dont quel quelle
        quels quelles lequel laquelle lesquels lesquelles ce cet cette ces c celui celle ceux celles ceci cela ça je j
        tu il elle on nous vous ils elles me m te t se s lui leur leurs y mon ma mes ton ta tes son sa ses notre nos
        votre vos moi toi soi eux dans par pour sur sous avec sans entre vers chez contre depuis pendant avant après
        dès jusque jusqu lors lorsque lorsqu puisque puisqu quand comment pourquoi combien comme si ne n pas plus
        moins très aussi ainsi alors encore déjà tout toute tous toutes même mêmes autre autres chaque est es suis
        sommes êtes sont être été était étaient étais étions sera seront serait fut furent soit ai as avons avez ont
        avoir eu avait avaient avais aura auront aurait ayant fait faire font peut peuvent doit doivent selon afin
        cependant parce quelque quelques aucun aucune oui non""",
    "de": """der die das des dem den ein eine einer eines einem einen und oder aber denn sondern doch wenn als ob dass
        daß weil damit während bevor nachdem bis seit im in ins am an ans auf aus bei beim mit nach von vom zu zum zur
        für über unter vor zwischen durch gegen ohne um wegen trotz ich mich mir mein meine meiner meinem meinen du
        dich dir dein deine er ihn ihm sein seine seiner seinem seinen sie ihr ihre ihrer ihrem ihren es wir uns unser
        unsere euch euer eure man sich wer wen wem wessen was welche welcher welches welchem welchen wie wo woher wohin
        wann warum weshalb wieso wieviel diese dieser dieses diesem diesen jene jener jenes jede jeder jedes jedem
        jeden alle allen aller alles nicht kein keine keiner keinem keinen auch nur noch schon sehr so dann da dort
        hier mehr bin bist ist sind seid war waren warst sei wäre wären gewesen habe hast hat haben habt hatte hatten
        hätte werde wirst wird werden wurde wurden worden würde kann kannst können konnte konnten muss müssen musste
        soll sollen sollte will wollen wollte darf dürfen mag möchte ja nein""",
    "es": """el la los las un una unos unas lo al del de a y e o u ni pero sino que qué quien quién quienes quiénes
        cual cuál cuales cuáles cuyo cuya cuando cuándo donde dónde adonde como cómo cuanto cuánto cuanta cuánta
        cuantos cuántos cuantas cuántas porque por para en con sin sobre entre hasta desde hacia contra según durante
        ante bajo tras mediante si no sí ya también tampoco muy más menos tan tanto yo tú él ella ello nosotros
        vosotros ellos ellas usted ustedes me te se nos os le les mi mí mis tu tus su sus nuestro nuestra nuestros
        nuestras este esta esto estos estas ese esa eso esos esas aquel aquella aquello aquellos aquellas otro otra
        otros otras todo toda todos todas cada mismo misma es soy eres somos son ser sido era eran fue fueron sea será
        serán sería siendo estoy está están estar estaba estaban estuvo he has ha hemos han haber había habían hay
        hubo haya tiene tienen tener tenía puede pueden pudo hace hacer pues aunque algún alguna algunos algunas""",
    "it": """il lo la i gli le l un uno una di a da in con su per tra fra del dello della dei degli delle al allo
        alla ai agli alle dal dallo dalla dai dagli dalle nel nello nella nei negli nelle sul sullo sulla sui sugli
        sulle col e ed o ma né se che chi cui quale quali quando dove come perché quanto quanta quanti quante cosa io
        tu lui lei noi voi loro egli ella essi esse mi ti si ci vi ne me te mio mia miei mie tuo tua tuoi tue suo sua
        suoi sue nostro nostra nostri nostre vostro vostra questo questa questi queste quello quella quelli quelle
        quel quei altro altra altri altre tutto tutta tutti tutte ogni stesso stessa non più meno molto anche già
        ancora così poi allora è sono sei siamo siete essere era erano fu furono stato stata stati state sia sarà ho
        hai ha abbiamo avete hanno avere aveva avevano può possono fare fa dopo prima durante senza contro verso
        secondo qual""",
    "pt": """o a os as um uma uns umas de do da dos das em no na nos nas por pelo pela pelos pelas para com sem sob
        sobre entre até desde contra segundo durante e ou mas nem que quê quem qual quais cujo cuja quando onde como
        porque porquê quanto quanta quantos quantas se não sim já também muito mais menos tão eu tu ele ela nós vós
        eles elas você vocês me te lhe lhes meu minha meus minhas teu tua teus tuas seu sua seus suas nosso nossa
        nossos nossas este esta isto estes estas esse essa isso esses essas aquele aquela aquilo aqueles aquelas outro
        outra outros outras todo toda todos todas cada mesmo mesma é és sou somos são ser sido era eram foi foram seja
        será sendo estou está estão estar estava estavam tenho tem têm ter tinha tinham há havia pode podem fazer faz
        ao aos à às num numa dele dela""",
    "nl": """de het een en of maar want dus dat die dit deze wat wie waar wanneer waarom hoe welke welk ik mij me mijn
        jij je jou jouw u uw hij hem zijn zij ze haar wij we ons onze jullie hun hen het zich er hier daar in op aan
        van voor met bij naar uit over onder door tegen tussen zonder tot om te als dan toen omdat ook nog al niet
        geen wel meer zeer zo ben bent is was waren geweest heb hebt heeft hebben had hadden word wordt worden werd
        werden kan kunnen kon moet moeten zal zullen zou wil willen""",
    "ru": """и в во не на я ты он она оно мы вы они меня тебя его её ее нас вас их мне тебе ему ей нам вам им мной
        тобой ним ней нами вами ними него неё нее них мой моя моё мои твой твоя свой своя своё свои своих своим своей
        наш наша наши ваш ваша ваши этот эта это эти этого этой этому этих этим тот та то те того той тому тех тем
        что чего чему чем кто кого кому кем какой какая какое какие каких каким какого какой каком который которая
        которое которые которых которого которой котором чей где куда откуда когда почему зачем как сколько ли же бы
        с со к ко из изо у о об обо от ото до по за под над при про для без через между перед после во время если
        а но или да нет ни то так там тут здесь уже ещё еще только лишь даже очень более менее также тоже был была
        было были быть есть будет будут является являются был можно может могут мог нужно надо все всё всех всего
        весь вся каждый себя себе собой потому поэтому чтобы хотя""",
    "ar": """في من إلى على عن مع هذا هذه ذلك تلك هؤلاء الذي التي الذين ما ماذا من متى أين كيف لماذا كم أي هل أن إن
        لا لم لن قد كان كانت يكون تكون هو هي هم أنا أنت نحن و أو ثم بل لكن إذا كل بعض بين حتى عند بعد قبل منذ له لها
        لهم به بها فيه فيها عليه عليها غير""",
    "he": """של את על אל אם או כי לא כן גם רק זה זאת זו אלה הוא היא הם הן אני אתה אנחנו אתם מה מי מתי איפה איך למה
        כמה האם היה היתה היו יש אין עם בין עד כל אחרי לפני יותר מאוד אשר אבל""",
    "ko": """은 는 이 가 을 를 의 에 에서 로 으로 와 과 도 만 그 저 것 수 등 및 또는 그리고 하지만 무엇 누구 언제
        어디 어떻게 왜 몇 어떤 있는 있다 하는 한 하다 입니다 있습니다 합니다 인가요 나요""",
}

_GRAMMAR = frozenset(
    "的了是在和與与也就都而及着著或这那這我你他她它们們吗嗎呢吧啊么麼之于於以其被把将對对从從由但并且不有没"
    "のはがをにでとへもやかねよらりるれてただないうくすしせこそまきつけえびみ"
)
# Small words that turn a statement round; two texts that differ in one of them never say the same.
_NEGATIONS = (
    "not no nor never without cannot isn aren wasn weren hasn haven hadn doesn didn don won wouldn couldn shouldn ain "
    "dont didnt doesnt cant wont isnt ne pas non sans aucun aucune nicht kein keine keiner keinem keinen ohne nein "
    "sin tampoco sem nem não senza né niet geen zonder не нет ни без нельзя لا لم لن غير לא אין 안 못 아니"
)
# Verbs and nouns with which a question addresses the one who answers; they name no topic by themselves.
_ASKING = {
    "en": "tell know remind remember recommend recommendation suggest suggestion advice advise tip help please think",
    "fr": "dis dites dire sais savez rappelle rappelez recommander recommandes conseil conseils conseille suggère aide",
    "de": "sag sage sagen weiß weißt erinnere erinnern empfehlen empfiehl empfehlung rat tipp vorschlagen hilf bitte",
    "es": "dime decir sabes sabe recuerda recuérdame recomendar recomiendas recomendación consejo sugerir ayuda favor",
    "it": "dimmi sai sapere ricorda ricordami consiglia consigliare consiglio suggerire suggerimento aiuto favore",
    "pt": "diga dizer sabe lembra lembre recomendar recomenda recomendação conselho sugerir sugestão ajuda favor",
    "ru": "скажи скажите знаешь знаете напомни напомните посоветуй порекомендуй совет помоги подскажи пожалуйста",
}


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the folded closed-class words of ``language`` (ISO 639-1), empty for one without a table."""
    return frozenset(map(fold, _WORDS.get(language, "").split()))


@cache
def asking_words(language: str) -> frozenset[str]:
    """Return the folded words with which a question of ``language`` addresses its reader."""
    return frozenset(map(fold, _ASKING.get(language, "").split()))


@cache
def negations() -> frozenset[str]:
    """Return the folded negations of all languages with a table."""
    return frozenset(map(fold, _NEGATIONS.split()))


@cache
def every_stop_word() -> frozenset[str]:
    """Return the closed-class words of all languages together."""
    return frozenset().union(*map(stop_words, _WORDS))


@cache
def votes() -> dict[str, int]:
    """Return, for each closed-class word in Latin letters, one vote in the 16-bit lane of each of its languages."""
    table: dict[str, int] = {}
    for lane, language in enumerate(LATIN_LANGUAGES):
        for word in stop_words(language):
            table[word] = table.get(word, 0) + (1 << VOTE_BITS * lane)
    return table


def is_grammatical(term: str) -> bool:
    """Tell whether a pair of Chinese or Japanese characters holds one that belongs to grammar, not to a topic."""
    return len(term) == 2 and not _GRAMMAR.isdisjoint(term)
