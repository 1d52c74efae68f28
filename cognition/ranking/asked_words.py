"""The words in which people ask for what there is one of, and in which they tell it: a table for each relation.

A line is one way to ask, or to tell. `{who}` stands for whoever it is about, `{whose}` for the same as an owner ("my",
"Ann's", "de Ana"), `{topic}` for what it is about; a line without them is about the one who speaks, as in "¿dónde
trabajo?". `(a|b)` is one of these, `(a|b)?` one of these or nothing. Small letters; what stands before the first word
and behind the last one of a question ("do you know", "at the moment") is in `LEADS` and `TAILS`.

What is told here only orders what was found: the claims that contradict one another are read elsewhere, more strictly.
"""

# ruff: noqa: E501 - a way to ask is easier to read on one line than in pieces

from collections.abc import Mapping
from typing import Final, NamedTuple


class Slot(NamedTuple):
    """The relations under which claims hold an answer, and the words of questions and of statements, line by line."""

    relations: tuple[str, ...]
    questions: str
    statements: str


# Who speaks, and who asks; as a subject, as an owner, and as one to whom something happens.
_SELF_WORDS: Final = """
    i me my mine we us our myself ich mich mir mein meine meinem meinen meiner meines wir uns unser unsere unserem
    unseren unserer yo me mi mis nosotros nuestro nuestra nuestros nuestras je j' moi mon ma mes nous notre nos io
    mio mia miei mie noi nostro nostra nostri nostre eu meu minha meus minhas nós nosso nossa ja mnie mi mój moja
    moje mojego mojej moich my nasz nasza nasze ik mij mijn wij we ons onze я меня мне мой моя моё мое мои моего
    моей моих мы нас наш наша наше наши мене мені мій моя моє мої мого моєї моїх ми наші нашого нашей нашої
"""
SELF: Final = frozenset(_SELF_WORDS.split())
# Before somebody's name, where that stands for an owner or for one of whom something is so.
_OF_WORDS: Final = """
    of von vom de del da do di du d' od van у в от
"""
OF: Final = frozenset(_OF_WORDS.split())
LEADS: Final = """
    so|and|hey|ok|okay|please|tell me|remind me|do you know|do you remember|can you tell me|und|also|sag mal|weißt du|y|oye|sabes|et|dis|e|и|а|скажи|скажи,|і|й|a|en|zeg
"""
TAILS: Final = """
    now|again|still|currently|today|these days|nowadays|at the moment|right now|at present|exactly|for a living|jetzt|heute|gerade|derzeit|aktuell|momentan|zurzeit|nochmal|eigentlich|inzwischen|ahora|hoy|actualmente|maintenant|aujourd'hui|actuellement|en ce moment|adesso|ora|oggi|attualmente|agora|hoje|atualmente|teraz|obecnie|nu|tegenwoordig|momenteel|сейчас|теперь|сегодня|зараз|тепер|нині
"""

SLOTS: Final[Mapping[str, Slot]] = {
    "work": Slot(
        ("works_at",),
        """
        where (do|does|am|is) {who} (now |currently |still )?(work|working|employed)
        (who|whom) (do|does|am|is) {who} (now |currently )?(work|working|employed) (for|with|by|at)
        by (who|whom) (am|is) {who} employed
        (for|at) (who|whom|which company|what company|which firm) (do|does) {who} work
        (what|which) (company|firm|employer|business) (do|does|is|am) {who} (work|working) (for|at|with)
        (who|what) is {whose} (current |new )?(employer|workplace|company)
        where is {whose} (current |new )?(job|workplace)
        who employs {who}
        what (company|firm) am i (at|with)
        wo (arbeite|arbeitet|jobbe|jobbt) {who}
        bei (wem|welcher firma|welchem unternehmen) (arbeite|arbeitet) {who}
        (bei wem|wo) (bin|ist) {who} (angestellt|beschäftigt)
        (wer|was) ist {whose} arbeitgeber
        wie heißt {whose} arbeitgeber
        (dónde|donde) trabajo
        (dónde|donde) trabaja {who}
        (para quién|con quién|en qué empresa|para qué empresa) trabajo
        (para quién|con quién|en qué empresa|para qué empresa) trabaja {who}
        où (est-ce que )?je travaille
        où (est-ce que )?travaille-t-(il|elle)
        où (est-ce que )?travaille {who}
        où est-ce que {who} travaille
        (chez qui|pour qui|dans quelle entreprise) (est-ce que )?je travaille
        (chez qui|pour qui|dans quelle entreprise) travaille {who}
        où travaillé-je
        dove lavoro
        dove lavora {who}
        per chi lavoro
        per chi lavora {who}
        (onde|aonde) (é que )?(eu )?trabalho
        (onde|aonde) (é que )?(o |a )?{who} trabalha
        (onde|aonde) trabalha (o |a )?{who}
        (para quem|em que empresa) (é que )?(eu )?trabalho
        gdzie (ja )?pracuję
        gdzie pracuje {who}
        dla kogo (ja )?pracuję
        waar werk ik
        waar werkt {who}
        (voor|bij) wie werk ik
        (voor|bij) wie werkt {who}
        где (я )?работаю
        где {who} работает
        где работает {who}
        (в какой компании|на кого) (я )?работаю
        де (я )?працюю
        де {who} працює
        де працює {who}
        """,
        """
        i (just |now |currently |also |have )?(work|worked|working|started|began|joined|got hired) (for|at|with|by)
        i am (now |currently )?(working|employed) (for|at|with|by)
        i (just |recently |finally |have )?(got|landed|took|accepted|started|have|found) (a|my|the) (new |full-time |part-time )?(job|position|role|post) (at|with|in)
        i joined
        i am (now )?with
        my (new |current )?(employer|company|job) is
        my new job at
        {who} (now |currently )?(works|is working|is employed|started|has started|got a job) (for|at|with|by)
        {who} joined
        ich (arbeite|jobbe) (jetzt |seit \\w+ |zurzeit )?(bei|für|in|im|am)
        (bin|habe) ich (jetzt )?bei
        ich bin (jetzt |seit \\w+ )?bei
        ich habe (\\w+ )?bei \\w+ angefangen
        mein (neuer )?arbeitgeber ist
        {who} (arbeitet|jobbt) (jetzt |seit \\w+ )?(bei|für|in|im|am)
        {who} ist (jetzt |seit \\w+ )?bei
        (?<!\\w )trabajo (ahora |en|para|como|de)
        yo trabajo
        ahora trabajo (en|para|como)
        (empecé|he empezado|entré) (a trabajar )?(en|como)
        {who} trabaja (ahora )?(en|para|como|de)
        je travaille (maintenant |désormais )?(chez|pour|à|au|aux|dans|en|comme)
        je bosse (chez|pour|à|au)
        j'ai (commencé|été embauchée?) (chez|à|par)
        {who} travaille (maintenant )?(chez|pour|à|au|dans|en|comme)
        (?<!\\w )lavoro (ora |adesso )?(alla|al|da|dal|dalla|per|in|nel|presso|come|all')
        io lavoro
        {who} lavora (ora )?(alla|al|da|dal|dalla|per|in|nel|presso|come|all')
        (?<!\\w )trabalho (agora )?(na|no|em|para|como)
        eu trabalho
        {who} trabalha (na|no|em|para|como)
        (?<!\\w )pracuję (teraz )?(w|we|dla|jako|na)
        {who} pracuje (w|we|dla|jako|na)
        ik werk (nu )?(bij|voor|in|als)
        {who} werkt (nu )?(bij|voor|in|als)
        (я )?(теперь |сейчас )?работаю (теперь |сейчас )?(в|на|у)
        я устроил(ся|ась) (на работу )?(в|на)
        {who} (теперь )?работает (в|на|у)
        (я )?(тепер |зараз )?працюю (тепер |зараз )?(в|у|на)
        я влаштува(вся|лася|лась) (на роботу )?(в|у|на|до)
        {who} (тепер )?працює (в|у|на)
        """,
    ),
    "home": Slot(
        ("lives_in", "lives_in_region", "lives_in_country"),
        """
        where (do|does|am|is) {who} (now |currently |still )?(live|living|based|reside)
        (in )?(what|which) (town|city|country|place|village|region|state) (do|does|is|am) {who} (live|living|based)( in)?
        where is {whose} (home|flat|house|apartment|place)
        where (did|has|have) {who} move to
        where did {who} move
        wo (wohne|wohnt|lebe|lebt|wohnen|leben) {who}
        in welcher stadt (wohne|wohnt|lebe|lebt) {who}
        wohin (bin|ist) {who} (um)?gezogen
        (dónde|donde) vivo
        (dónde|donde) vive {who}
        en qué (ciudad|país|pueblo) vivo
        en qué (ciudad|país|pueblo) vive {who}
        où (est-ce que )?(j'habite|je vis)
        où habité-je
        où (habite|vit) {who}
        où est-ce que {who} (habite|vit)
        dans quelle ville (est-ce que )?(j'habite|je vis)
        dans quelle ville (habite|vit) {who}
        dove (abito|vivo)
        dove (abita|vive) {who}
        in che città (abito|vivo)
        (onde|aonde) (é que )?(eu )?(moro|vivo)
        (onde|aonde) (é que )?(o |a )?{who} (mora|vive)
        (onde|aonde) (mora|vive) (o |a )?{who}
        gdzie (ja )?mieszkam
        gdzie mieszka {who}
        waar (woon|leef) ik
        waar (woont|leeft) {who}
        где (я )?живу
        где {who} жив[её]т
        где жив[её]т {who}
        в каком городе (я )?живу
        в каком городе жив[её]т {who}
        де (я )?(живу|мешкаю)
        де {who} (живе|мешкає)
        де (живе|мешкає) {who}
        """,
        """
        (i|we) (now |currently |still )?(live|reside) (now )?(in|at|on|near|with)
        (i|we) (am|are) (now )?(living|based) in
        (i|we) (have |just |have just |recently )?(moved|relocated) (back |over |out |house )?to
        my (new )?(flat|house|apartment|home|place) is (in|on|at|near)
        {who} (now |currently |still )?(lives|resides|is living|is based) (now )?(in|at|on|near|with)
        {who} (has |just |has just |recently )?(moved|relocated) (back |over |out )?to
        (ich|wir) (wohne|lebe|wohnen|leben) (jetzt |nun |seit \\w+ )?(in|im|am|bei|auf)
        (ich|wir) (bin|sind) (jetzt |gerade |vor kurzem )?(nach|in) \\w+ (um)?gezogen
        {who} (wohnt|lebt) (jetzt |seit \\w+ )?(in|im|am|bei|auf)
        {who} ist (jetzt )?(nach|in) \\w+ (um)?gezogen
        (?<!\\w )(ahora )?vivo (ahora )?(en|con)
        (yo )?vivo en
        me (mudé|he mudado) a
        {who} vive (ahora )?(en|con)
        {who} se (mudó|ha mudado) a
        (j'habite|je vis|nous habitons|on habite) (maintenant |désormais )?(à|au|aux|en|dans|chez|rue|près)
        (j'ai|on a|nous avons) (déménagé|emménagé) (à|au|en|dans)
        {who} (habite|vit) (maintenant )?(à|au|en|dans|chez|rue)
        (?<!\\w )(abito|vivo) (ora |adesso )?(a|ad|in|con|nel|vicino)
        mi sono trasferit[oa] (a|ad|in)
        {who} (abita|vive) (ora )?(a|ad|in|con|nel)
        (?<!\\w )(moro|vivo) (agora )?(em|no|na|com)
        mudei-me para
        {who} (mora|vive) (em|no|na|com)
        (?<!\\w )mieszkam (teraz )?(w|we|na|pod|z)
        przeprowadzi(łem|łam) się do
        {who} mieszka (w|we|na|pod|z)
        ik (woon|leef) (nu )?(in|op|bij|te)
        ik ben naar \\w+ verhuisd
        {who} (woont|leeft) (nu )?(in|op|bij|te)
        (я )?(теперь |сейчас )?живу (теперь |сейчас )?(в|во|на|под|у)
        (я )?(недавно )?переехал[аи]? (в|во|на)
        {who} (теперь )?жив[её]т (в|во|на|под|у)
        {who} переехал[аи]? (в|во|на)
        (я )?(тепер |зараз )?(живу|мешкаю) (тепер |зараз )?(в|у|на|під)
        (я )?(нещодавно )?переїха(в|ла|ли) (до|в|у|на)
        {who} (тепер )?(живе|мешкає) (в|у|на|під)
        {who} переїха(в|ла|ли) (до|в|у|на)
        """,
    ),
    "birthday": Slot(
        ("birthday",),
        """
        when (is|was) {whose} (birthday|birthdate|date of birth)
        when is the birthday of {who}
        when (is|was|were|am) {who} born
        (what|which) (day|date) is {whose} birthday( on)?
        on (what|which) (day|date) (is|was) {who} born
        (what is|what's) {whose} (birthday|date of birth|birthdate)
        when (do|does) {who} (have|celebrate) (a |their |his |her |my )?birthday
        wann (habe|hat) {who} geburtstag
        wann ist {whose} geburtstag
        wann (bin|ist|wurde|wurden) {who} geboren
        (cuándo|cuando) (es|cumplo) (mi cumpleaños|años)
        (cuándo|cuando) cumple (años )?{who}
        (cuándo|cuando) es el (cumpleaños|cumple) {whose}
        (cuándo|cuando) nació {who}
        (quand est|c'est quand|quelle est la date de) (mon|l') ?anniversaire
        (quand est|c'est quand|quelle est la date de) l'anniversaire {whose}
        quand (est née?|est-ce qu'est née?) {who}
        quando (è|e) (il )?(mio )?compleanno
        quando (è|e) il compleanno {whose}
        quando compie gli anni {who}
        quando (è|e) nat[oa] {who}
        quando (é|e) (o )?(meu )?aniversário
        quando (é|e) (que é )?o aniversário {whose}
        quando (nasceu|faz anos) (o |a )?{who}
        kiedy (ja )?mam urodziny
        kiedy {who} ma urodziny
        kiedy ma urodziny {who}
        kiedy są urodziny {who}
        kiedy urodził(a)? się {who}
        wanneer (ben|is) {who} jarig
        wanneer is {whose} verjaardag
        wanneer is {who} geboren
        когда (у меня )?(мой )?день рождения
        когда день рождения (у )?{who}
        когда у {who} день рождения
        когда родил(ся|ась) {who}
        когда {who} родил(ся|ась)
        коли (у мене )?(мій )?день народження
        коли день народження (у |в )?{who}
        коли (у|в) {who} день народження
        коли народи(вся|лася|лась) {who}
        коли {who} народи(вся|лася|лась)
        """,
        """
        my birthday is
        i was born on
        {who}'s birthday (is|falls)
        {who} (was born|has (her|his|a) birthday) (on|in)
        {who}'s? birthday is
        ich (habe|hab) am .{1,24} geburtstag
        (mein geburtstag ist|ich bin am .{1,24} geboren)
        {who} hat (am )?.{0,24}geburtstag
        {who} (ist|wurde) am .{1,24} geboren
        (mi cumpleaños es|cumplo años|nací) el
        el (cumpleaños|cumple) (de|del) {who} es
        {who} (cumple años|nació) el
        (mon anniversaire est|je suis née? le)
        l'anniversaire (de |d'){who} (est|c'est)
        {who} est née? le
        (il mio compleanno è|compio gli anni|sono nat[oa]) (il|l')
        il compleanno di {who} è
        {who} (compie gli anni|è nat[oa]) (il|l')
        (o meu aniversário é|nasci a)
        o aniversário (da|do|de) {who} é
        {who} (nasceu|faz anos) (a|em)
        mam urodziny
        urodziny {who} (są|przypadają)
        {who} (ma urodziny|urodził(a)? się)
        ik ben (jarig|geboren) op
        {who} is (jarig|geboren) op
        {whose} verjaardag is
        (у меня |мой )день рождения
        день рождения (у )?{who}
        (у )?{who} день рождения
        {who} родил(ся|ась)
        (у мене |мій )день народження
        день народження (у )?{who}
        (у|в) {who} день народження
        {who} народи(вся|лася|лась)
        """,
    ),
    "birthplace": Slot(
        ("born_in", "comes_from", "comes_from_region", "comes_from_country"),
        """
        where (was|were|am|is) {who} born
        where (do|does) {who} come from
        where (am|is) {who} (originally )?from
        wo (bin|ist|wurde) {who} geboren
        woher (komme|kommt|stamme|stammt) {who}
        (de dónde|de donde) (soy|vengo)
        (de dónde|de donde) (es|viene) {who}
        (dónde|donde) nació {who}
        d'où (est-ce que )?je viens
        d'où vient {who}
        où est née? {who}
        (di dove|da dove) (sono|vengo)
        (di dove|da dove) (è|viene) {who}
        dove (è|e) nat[oa] {who}
        откуда (я )?родом
        откуда {who}( родом)?
        где родил(ся|ась) {who}
        звідки (я )?родом
        звідки {who}( родом)?
        waar komt {who} vandaan
        waar is {who} geboren
        skąd (jest|pochodzi) {who}
        """,
        """
        i (am|come) (originally )?from
        i was born in
        {who} (is|comes) (originally )?from
        {who} was born in
        ich (komme|bin|stamme) (ursprünglich )?aus
        {who} (kommt|ist|stammt) (ursprünglich )?aus
        {who} (ist|wurde) in \\w+ geboren
        (soy|vengo) de
        {who} (es|viene) de
        {who} nació en
        je (viens|suis) (de|du|d')
        {who} (vient|est) (de|du|d')
        (sono|vengo) (di|da)
        {who} (è|viene) (di|da)
        (я )родом из
        {who} (родом )?из
        {who} родом (з|із)
        {who} komt uit
        """,
    ),
    "spouse": Slot(
        ("spouse",),
        """
        (who|whom) (am|is|are) {who} married to
        (who|what) is {whose} (wife|husband|spouse|partner)(called| named)?
        what is {whose} (wife|husband|spouse|partner)'s name
        what is the name of {whose} (wife|husband|spouse|partner)
        what is {whose} (wife|husband|spouse|partner) called
        mit wem (bin|ist) {who} verheiratet
        wie heißt {whose} (frau|mann|ehefrau|ehemann|partner|partnerin)
        wer ist {whose} (frau|mann|ehefrau|ehemann|partner|partnerin)
        (con quién|con quien) (estoy|está) casad[oa]( {who})?
        cómo se llama mi (mujer|marido|esposa|esposo|pareja)
        quién es mi (mujer|marido|esposa|esposo|pareja)
        comment s'appelle (ma femme|mon mari|mon époux|mon épouse)
        (à|avec) qui suis-je mariée?
        come si chiama mi[oa] (moglie|marito)
        como se chama (a minha mulher|o meu marido|a minha esposa)
        как зовут мо(ю жену|его мужа)
        кто (моя жена|мой муж)
        як звати мо(ю дружину|го чоловіка)
        jak (ma na imię|się nazywa) (moja żona|mój mąż)
        hoe heet mijn (vrouw|man|partner)
        """,
        """
        i am (happily |now )?married to
        my (wife|husband|spouse|partner) (is|is called|is named)(?= [\\w-]+(?:$|[.,;]| and\\b))
        my (wife|husband|partner) [A-Z]\\w+
        {who} is married to
        {who}'s (wife|husband|partner) is
        ich bin (\\w+ )?mit \\w+ verheiratet
        mein(e)? (frau|mann|partner|partnerin) (heißt|ist)
        (estoy casad[oa] con|mi (mujer|marido|esposa|esposo) (se llama|es))
        (je suis mariée? (à|avec)|(ma femme|mon mari) s'appelle)
        mi[oa] (moglie|marito) si chiama
        (мою жену зовут|моего мужа зовут|жену зовут|мужа зовут)
        (мою дружину звати|мого чоловіка звати|дружину звати|чоловіка звати)
        mijn (vrouw|man|partner) heet
        """,
    ),
    "phone": Slot(
        ("phone",),
        """
        what is {whose} (new )?(phone |mobile |cell |telephone )?(number|phone|mobile)
        (what|which) number (do|does) {who} have
        (wie|was) (ist|lautet) {whose} (telefonnummer|handynummer|nummer|rufnummer)
        cuál es mi (número|teléfono|móvil|número de teléfono)
        quel est mon (numéro|téléphone|numéro de téléphone|portable)
        qual (è|é) (il mio|o meu) (numero|número|telefono|telefone|numero di telefono|número de telefone)
        какой у меня (номер|телефон|номер телефона)
        який (у мене|мій) (номер|телефон|номер телефону)
        """,
        """
        my (new )?(phone |mobile |cell |telephone )?number is
        {who}'s (new )?(phone |mobile |cell )?number is
        (meine|unsere) (neue )?(telefonnummer|handynummer|nummer) (ist|lautet)
        mi (número|teléfono|móvil)( nuevo)? es
        mon (nouveau )?(numéro|téléphone) est
        il mio (nuovo )?numero è
        мой (новый )?(номер|телефон)
        мій (новий )?(номер|телефон)
        """,
    ),
    "email": Slot(
        ("email",),
        """
        what is {whose} (new )?(email|e-mail|mail)( address)?
        (wie|was) (ist|lautet) {whose} (e-mail|email|mail)(adresse|-adresse)?
        cuál es mi (correo|email|correo electrónico)
        (quel|quelle) est mon (email|e-mail|mail|adresse mail)
        """,
        """
        my (new )?(email|e-mail|mail)( address)? is
        {who}'s (email|e-mail)( address)? is
        meine (neue )?(e-mail|email|mail)(adresse|-adresse)? (ist|lautet)
        mi (correo|email) es
        """,
    ),
    "address": Slot(
        ("address",),
        """
        what is {whose} (new |home )?address
        (wie|was) (ist|lautet) {whose} (adresse|anschrift)
        cuál es mi dirección
        quelle est mon adresse
        какой у меня адрес
        яка моя адреса
        """,
        """
        my (new |home )?address is
        {who}'s (home )?address is
        meine (neue )?(adresse|anschrift) (ist|lautet)
        mi dirección es
        mon adresse est
        """,
    ),
    "diet": Slot(
        ("diet",),
        """
        what is {whose} diet
        (am|is) {who} (a )?(vegan|vegetarian|pescatarian)
        (do|does) {who} eat (meat|fish|animal products)
        (bin|ist) {who} (veganer|vegetarier|vegan|vegetarisch|vegetarierin|veganerin)
        (esse|isst) {who} fleisch
        (soy|es) (vegan[oa]|vegetarian[oa])
        """,
        """
        i (am|became|went|have been) (a )?(now |\\w+ly )?(vegan|vegetarian|pescatarian)
        {who} (is|became|went|has been) (a )?(vegan|vegetarian|pescatarian)
        ich (bin|esse|lebe) (\\w+ )?(vegan|vegetarisch|veganer|vegetarier|vegetarierin|veganerin)
        (soy|me hice) (vegan[oa]|vegetarian[oa])
        """,
    ),
    "allergy": Slot(
        ("allergic_to",),
        """
        what (am|is|are) {who} allergic to
        (do|does) {who} have (any )?allerg(y|ies)
        what allergies (do|does) {who} have
        (wogegen|gegen was|worauf|auf was) (bin|ist) {who} allergisch
        welche allergien? (habe|hat) {who}
        a qué (soy|tengo) (alérgic[oa]|alergia)
        a qué (es|tiene) (alérgic[oa]|alergia) {who}
        à quoi (suis-je|je suis|est-ce que je suis) allergique
        à quoi {who} est(-il|-elle)? allergique
        à quoi est allergique {who}
        a (cosa|che cosa) sono allergic[oa]
        a (cosa|che cosa) (è|e) allergic[oa] {who}
        a que (é que )?(eu )?sou alérgic[oa]
        a que (é que )?(o |a )?{who} é alérgic[oa]
        waarvoor (ben|is) {who} allergisch
        na co (mam alergię|jestem uczulon[ya])
        na co {who} (ma alergię|jest uczulon[ya])
        на что (у меня|у) аллергия
        на что (у )?{who} аллергия
        на що (у мене|у|в) алергія
        на що (у |в )?{who} алергія
        """,
        """
        i am (\\w+ )?allergic to
        i have an? (\\w+ )?allergy
        {who} (is|are) (\\w+ )?allergic to
        {who} has an? (\\w+ )?allergy
        ich bin (\\w+ )?(gegen|auf) .{1,30} allergisch
        ich bin allergisch (gegen|auf)
        {who} ist (gegen|auf) .{1,30} allergisch
        {who} ist allergisch (gegen|auf)
        (soy alérgic[oa]|tengo alergia) (a|al)
        {who} (es alérgic[oa]|tiene alergia) (a|al)
        je suis allergique (à|au|aux)
        {who} est allergique (à|au|aux)
        sono allergic[oa] (a|al|alla|alle|ai|allo)
        {who} (è|e) allergic[oa] (a|al|alla|alle|ai|allo)
        sou alérgic[oa] (a|ao|à|aos|às)
        {who} é alérgic[oa] (a|ao|à|aos|às)
        mam alergię na
        {who} ma alergię na
        ik ben allergisch voor
        {who} is allergisch voor
        у меня аллергия на
        у {who} аллергия на
        (у|в) мене алергія на
        (у|в) {who} алергія на
        """,
    ),
    "age": Slot(
        ("born",),
        """
        how old (am|is|are) {who}
        what is {whose} age
        wie alt (bin|ist|sind) {who}
        (cuántos|cuantos) años tengo
        (cuántos|cuantos) años tiene {who}
        quel âge a {who}
        quel âge ai-je
        quanti anni ho
        quanti anni ha {who}
        quantos anos (eu )?tenho
        quantos anos tem {who}
        ile lat ma {who}
        hoe oud (ben|is) {who}
        сколько (мне )?лет
        сколько лет {who}
        скільки (мені )?років
        скільки років {who}
        """,
        """
        i (am|turned) (now )?\\d+
        {who} (is|turned|turns|is turning) (now )?(\\d+|[\\w-]+ years? old)
        ich bin (jetzt |\\w+ )?\\d+
        {who} ist (jetzt )?(\\d+|\\w+) (jahre )?alt
        tengo (\\d+|\\w+) años
        {who} (tiene|cumplió) (\\d+|\\w+)( años)?
        j'ai (\\d+|\\w+) ans
        {who} a (\\d+|\\w+) ans
        ho (\\d+|\\w+) anni
        {who} ha (\\d+|\\w+) anni
        мне (\\d+|\\w+) (лет|год)
        {who} (\\d+|\\w+) (лет|год)
        """,
    ),
    "status": Slot(
        ("relationship_status",),
        """
        (am|is) {who} (married|single|engaged|divorced|widowed)
        what is {whose} (marital|relationship) status
        (bin|ist) {who} (verheiratet|ledig|single|geschieden|verlobt)
        (estoy|soy) (casad[oa]|solter[oa]|divorciad[oa])
        """,
        """
        i (am|got|have been) (\\w+ )?(married|single|engaged|divorced|widowed)
        {who} (is|got|has been) (\\w+ )?(married|single|engaged|divorced|widowed)
        ich bin (\\w+ )?(verheiratet|ledig|single|geschieden|verlobt)
        (estoy|soy) (casad[oa]|solter[oa]|divorciad[oa])
        """,
    ),
    "name": Slot(
        ("name",),
        """
        what is my name
        what am i called
        who am i
        wie heiße ich
        wie ist mein name
        (cómo|como) me llamo
        comment je m'appelle
        comment est-ce que je m'appelle
        come mi chiamo
        как меня зовут
        як мене звати
        jak (ja )?się nazywam
        hoe heet ik
        """,
        """
        my name is
        i am called
        (ich heiße|mein name ist)
        (me llamo|mi nombre es)
        je m'appelle
        mi chiamo
        меня зовут
        мене звати
        nazywam się
        ik heet
        """,
    ),
    "favourite": Slot(
        ("favorite:{topic}",),
        """
        (what|which|who) is {whose} (favou?rite|fave|fav) {topic}
        (what|which) {topic} (do|does) {who} like (best|most)
        was ist {whose} lieblings{topic}
        cuál es mi {topic} (favorit[oa]|preferid[oa])
        (quel|quelle) est (ma|mon) {topic} (préférée?|favorite?)
        qual (è|é) (il mio|la mia|o meu|a minha) {topic} (preferit[oa]|favorit[oa])
        какой (мой|у меня) любимый {topic}
        """,
        """
        my (new |all-time )?(favou?rite|fave|fav) {topic}
        (is|are) my (favou?rite|fave|fav) {topic}
        {who}'s (favou?rite|fave|fav) {topic}
        mein(e)? lieblings{topic}
        mi {topic} (favorit[oa]|preferid[oa])
        (ma|mon) {topic} (préférée?|favorite?)
        мой любимый {topic}
        """,
    ),
    "taste": Slot(
        ("attitude:{topic}",),
        """
        (do|does) {who} (like|love|enjoy|hate) {topic}
        mag ich {topic}
        (me gusta|me gustan) (el |la |los |las )?{topic}
        """,
        """
        i (really |still |also )?(like|love|enjoy|hate|dislike|can't stand|don't like) {topic}
        {who} (really |still )?(likes|loves|enjoys|hates|dislikes) {topic}
        ich (mag|liebe|hasse) {topic}
        me (gusta|gustan|encanta|encantan) (el |la |los |las )?{topic}
        """,
    ),
    "count": Slot(
        ("number_of:{topic}",),
        """
        how many {topic} (do|does) {who} have
        wie viele {topic} (habe|hat|haben) {who}
        """,
        """
        (i|we) (now |already )?have (no|one|two|three|four|five|six|seven|eight|nine|ten|\\d+) (\\w+ )?{topic}
        {who} has (no|one|two|three|four|five|six|seven|eight|nine|ten|\\d+) (\\w+ )?{topic}
        (ich|wir) (habe|haben) (\\w+ )?{topic}
        """,
    ),
}
# A question about what was: what holds no longer is no worse an answer to it.
_PAST_WORDS: Final = """
    before previously formerly earlier former previous used old früher früherer vorher zuvor damals ehemals wohnte
    lebte arbeitete antes vivía trabajaba anteriormente avant auparavant autrefois habitait travaillait prima viveva
    lavorava abitava antigamente morava trabalhava wcześniej dawniej mieszkał pracował vroeger woonde werkte раньше
    прежде жил жила работал работала раніше колись жила працював працювала
"""
PAST: Final = frozenset(_PAST_WORDS.split())
# These say so where nothing follows, or where the question is in the past: "what do we run before a release?" is not.
BEFORE: Final = frozenset(["before", "antes", "prima", "avant"])
WAS: Final = frozenset(["did", "was", "were", "had"])
# Behind these, "used to" is no past: "what is used to deploy?", "is Ann used to the noise?"
IS: Final = frozenset(["am", "is", "are", "be", "been", "being", "get", "gets"])
# "How old is Ann?" and "what is used?" ask for what is so now.
UNCLEAR_PAST: Final = frozenset(["old", "used"])
# Forms of the past, and those of the present in the lines above, for questions of a time: "wo wohnte ich im Mai".
PRESENT: Final[Mapping[str, tuple[str, ...]]] = {
    "did": ("do",),
    "was": ("is",),
    "were": ("is",),
    "wohnte": ("wohnt",),
    "lebte": ("lebt",),
    "arbeitete": ("arbeitet",),
    "vivía": ("vivo", "vive"),
    "trabajaba": ("trabajo", "trabaja"),
    "habitait": ("habite",),
    "travaillait": ("travaille",),
    "viveva": ("vive",),
    "vivevo": ("vivo",),
    "abitava": ("abita",),
    "abitavo": ("abito",),
    "lavorava": ("lavora",),
    "lavoravo": ("lavoro",),
    "morava": ("moro", "mora"),
    "trabalhava": ("trabalho", "trabalha"),
    "mieszkał": ("mieszka",),
    "mieszkała": ("mieszka",),
    "mieszkałem": ("mieszkam",),
    "mieszkałam": ("mieszkam",),
    "pracował": ("pracuje",),
    "pracowała": ("pracuje",),
    "pracowałem": ("pracuję",),
    "pracowałam": ("pracuję",),
    "woonde": ("woon", "woont"),
    "werkte": ("werk", "werkt"),
}
_BESIDE_TIMES: Final = """
    in on at of the during im am den der des während en el la de del durante le au du à pendant il nel nella di
    em no na do da w we podczas op het
"""
BESIDE_TIMES: Final = frozenset(_BESIDE_TIMES.split())
"""What stands before and within times, and tells none."""
