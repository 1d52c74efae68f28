"""How English states facts: the table of patterns, tried in its order; the first that fits a clause wins.

Predicates are written as `<first words>rest) value`: the bracket that closes the verb stands in the pattern.
Special cases come before general ones: "works as a nurse at" before "works at", "got engaged" before "got".
"""

# ruff: noqa: E501 - a pattern is easier to read on one line than in pieces

from collections.abc import Mapping
from typing import Final

from cognition.extraction.pattern import FactPattern, by_first_word, pattern

_BE: Final = "am|is|are|was|were"
_A: Final = r"(?:an?|the|my|our|his|her|their|some|two|three|four|five|six|\d+) "
_ROLE: Final = (
    r"(?:[\w-]+ ){0,3}?(?:[\w-]+(?:er|or|ist|ian|eer|ant|yst)|nurse|chef|cook|coach|clerk|lead|manager|director"
    r"|mom|mother|dad|father|parent|student|intern|pilot|judge|attorney|architect|founder|co-founder|CEO|CTO"
    r"|CFO|VP|president|head|chair|boss|vet|veteran|athlete|poet|model|guide|volunteer|spy|monk|priest)"
)
# What is meant to be done in this very talk, and says nothing of anybody once it is over.
_OF_THE_MOMENT: Final = (
    r"(?:go|be (?:honest|late|fine|ok|okay|great|good|all right|alright|able|there|here|back|sure|clear|careful|quick|brief|quiet|frank|the)|say|tell|ask|know|hear|thank|talk|chat|speak|discuss|mention"
    r"|point|dive|dig|pull|run through|jump|start (?:with|by)|begin (?:with|by)|kick|congratulate|apologi[sz]e|confirm|complain|remind|emphasi[sz]e|need|have to|have (?:a|some) (?:relax|look|word)|bed|sleep|miss|let"
    r"|see (?:how|what|if|some|more|if)|call|wait|get (?:going|back|something|another|a (?:look|sense|feel|bit))|make (?:sure|a (?:phone )?call|it)|stay up|take off|throw up|arrive|head (?:out|off|home|back)|sit\b|connect|stop by|take a look|look (?:at|in|for|into)|check|do (?!a\b|my\b|some\b|more\b|the\b|research|volunteer)|try(?! to)|add"
    r"|brag|share|give (?:a|an|some|the)\b|find someone|just|pay|finish|keep (?:it|going|pushing|in)|stay (?:positive|strong|here)|express|pick (?:up|out)|god)(?:\b|$)"
)
_PAST: Final = (
    "went|visited|attended|travell?ed|flew|drove|hiked|camped|explored|toured|checked out|stopped by|headed"
)

PATTERNS: Final[tuple[FactPattern, ...]] = (
    # -- who somebody is ---------------------------------------------------------------------------------------
    pattern("location", "fact", "spatial", 0.95,
            r"<live|lives|reside|resides|am living|is living|are living|am based|is based|are based>"
            r"(?: in| at| near| outside| on)) (?P<value>.+)", relation="lives_in",
            value=r"^(?!(?:constant |a state of )?(?:fear|hope|peace|silence|pain|denial|harmony|hell|poverty|debt|misery)\b|the (?:moment|past|present|now|shadow|dark)\b"
            r"|an? (?:\w+ )?(?:movie|dream|nightmare|world|bubble|fantasy|lie|state|way)\b)", words_max=8),
    pattern("moved", "event", "spatial", 0.95,
            r"<moved|relocated|have moved|has moved|am moving|is moving>(?: back| out)?(?: from [^,]+?)? to) (?P<value>.+)",
            relation="lives_in", words_max=8),
    pattern("origin", "fact", "spatial", 0.9,
            r"<am from|am originally from|is from|is originally from|are from|come from|comes from|grew up in|was born in"
            r"|was born and raised in|was raised in>) "
            r"(?P<value>(?:a |the )?(?:small |little |big )?(?:town |village |city |farm )?[A-Z].*|a (?:small|little|big) .+)",
            relation="comes_from", words_max=8),
    pattern("role at", "fact", "semantic", 0.95,
            rf"<{_BE}|am now|is now|became> (?:an?|the)) (?P<value>(?P<object>{_ROLE}(?: of [a-z]+(?: [a-z]+)?)?) (?:at|for|of|in|with) [A-Z].*)",
            relation="works_as", words_max=9),
    pattern("works as", "fact", "semantic", 0.95,
            r"<work|works|am working|is working|worked> as(?: an?| the)?) (?P<value>(?P<object>.+?)(?: (?:at|for|in|with) .+)?)$",
            relation="works_as", words_max=9),
    pattern("works at", "fact", "semantic", 0.95,
            r"<work|works|am working|is working|started working|start working> (?:at|for)) (?P<value>.+)", relation="works_at",
            value=r"^(?!an? (?:place|company|living|while|change)$|(?:the )?minimum wage|free\b|hours|years|ages|peanuts|(?:over|about|almost|nearly|several|long|many|home)\b|\d|(?:two|three|four|five|six) )", words_max=8),
    pattern("new job", "event", "episodic", 0.9,
            r"<got|found|landed|started|start|have got|accepted|took>(?: a| an| my| the)?(?: new| part-time| full-time| dream)?"
            r"(?: summer)? (?:job|position|internship|role)) ?(?P<value>(?:at|as|with|in|for) .+)", words_max=10),
    pattern("profession", "fact", "semantic", 0.85,
            r"<am|is|became> an?) (?P<value>(?:[\w-]+ ){0,2}?(?:[\w-]+(?:eer|ologist|yst|cian|graphist|trician)|teacher"
            r"|nurse|doctor|lawyer|writer|author|painter|designer|developer|programmer|photographer|dancer|actor"
            r"|actress|singer|musician|journalist|accountant|chef|baker|driver|pilot|farmer|student|counselor|dentist"
            r"|coach|manager|therapist|artist|scientist|architect|trainer|streamer|veterinarian|barista))(?=$|[.,!;]| and\b)",
            relation="works_as", words_max=5),
    pattern("promotion", "event", "episodic", 0.9, r"<got|was|were|have been> promoted to) (?P<value>.+)", words_max=8),
    pattern("studies", "fact", "semantic", 0.9,
            r"<study|studies|am studying|is studying|majored|major|am majoring|graduated|have graduated|got my degree"
            r"|got my master's|got my bachelor's>(?: in| at| from| with)?) (?P<value>.+)",
            relation="studied", value=r"^(?!hard|a lot|every|all)", words_max=8),
    pattern("age", "fact", "semantic", 0.95,
            r"<am|is|turned|am turning|is turning|just turned>) (?P<value>\d{1,3}(?: years? old)?)(?: now| today)?$", relation="age"),
    pattern("birthday", "fact", "semantic", 0.95,
            r"<is|was|was born>(?: on)?) (?P<value>(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?[A-Z][a-z]+|[A-Z][a-z]+ \d{1,2})"
            r"(?:st|nd|rd|th)?(?:,? \d{4})?)$"),
    pattern("married to", "relationship", "social", 0.95,
            r"<am|is|are|got|have been>) (?P<value>(?:happily |recently )?married to (?P<object>[A-Z].*))$", relation="spouse", words_max=6),
    pattern("married", "relationship", "social", 0.95,
            r"<am|is|are|was|got|have been>) (?P<value>(?:happily |recently )?(?P<object>married|engaged|divorced|single|widowed|dating"
            r"|pregnant)(?: (?:to|with|for) .+)?)$", relation="relationship_status", words_max=6),
    pattern("named", "fact", "semantic", 0.95,
            r"<is|are|was|were>(?: named| called)?) (?P<value>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)$", words_max=3),
    pattern("allergy", "fact", "semantic", 0.95,
            r"<am|is|have|has>(?: an?)?(?: severely| highly| badly)?) (?P<value>(?:allergic to (?P<object>.+)|"
            r"(?:[\w-]+ )?[\w-]+ allerg(?:y|ies)(?: to .+)?))$", relation="allergic_to",
            value=r"^(?!.*\b(?:stupidity|mornings?|mondays?|work|bullshit|nonsense|drama|people|exercise|fun|commitment|effort|losing|cooking)\b)", words_max=7),
    pattern("diet", "preference", "semantic", 0.95,
            r"<am|is|became|went>(?: an?)?) (?P<value>(?:vegan|vegetarian|pescatarian|gluten-free|lactose intolerant"
            r"|dairy-free))\b.*$", relation="diet"),
    pattern("condition", "fact", "semantic", 0.9,
            r"<have|has|was diagnosed|were diagnosed|suffer|suffers>(?: with| from)?) (?P<value>(?:an? )?(?:[\w-]+ )?(?:asthma"
            r"|diabetes|anxiety|depression|migraines?|arthritis|dyslexia|adhd|insomnia|gastritis|celiac disease)\b.*)",
            relation="has_condition", words_max=6),
    pattern("family", "relationship", "social", 0.9,
            r"<have|has|have got|has got>) (?P<value>(?:an?|two|three|four|five|six|seven|\d+|some) (?:[\w-]+ )"
            r"{0,2}?(?:kids?|child(?:ren)?|sons?|daughters?|brothers?|sisters?|siblings?|twins|dogs?|cats?|pets?|pupp(?:y|ies)"
            r"|kittens?|turtles?|snakes?|hamsters?|rabbits?|bunn(?:y|ies)|parrots?|fish|guinea pigs?|horses?|cousins?|nephews?"
            r"|nieces?|husband|wife|boyfriend|girlfriend|roommates?)(?=$|[,.;:!]| (?:who|and|from|with|in|at|on|named|called|of|by|aged|now|ages|that|age|back|or)\b).*)",
            relation="has", words_max=10),
    pattern("languages", "fact", "semantic", 0.9,
            r"<speak|speaks|am fluent|is fluent|am learning|is learning>(?: in)?) (?P<value>(?:a little |some |fluent )?"
            r"(?:English|Spanish|German|French|Italian|Portuguese|Russian|Ukrainian|Polish|Dutch|Swedish|Mandarin|Chinese"
            r"|Japanese|Korean|Arabic|Hindi|Turkish|Greek|Hebrew|Latin)\b.*)", relation="speaks", words_max=8),
    # -- what somebody likes -----------------------------------------------------------------------------------
    pattern("favourite", "preference", "affective", 0.95, r"<is|are|has to be|was>) (?P<value>.+)", words_max=9),
    pattern("prefers", "preference", "affective", 0.95, r"<prefer|prefers>) (?P<value>.+)", relation="prefers", words_max=9),
    pattern("loves", "preference", "affective", 0.9,
            r"<love|loves|like|likes|enjoy|enjoys|adore|adores|am into|is into|am a (?:big|huge) fan|is a (?:big|huge) fan"
            r"|am fond|am passionate|is passionate|am obsessed|am crazy|am keen>(?: of| about| with| on)?) (?P<value>.+)", relation="likes",
            value=r"^(?!for\b|when\b|being able|to (?:be (?!outdoors|outside|alone|around|near|by|in)|say|think|know|see\b|thank|point|add|ask|believe|hear|start)|bought\b|waiting\b|having to|not\b|the (?:most|least)\b|and\b)", words_max=10),
    pattern("dislikes", "preference", "affective", 0.9,
            r"<hate|hates|dislike|dislikes|can't stand|cannot stand|don't like|doesn't like|don't enjoy|am afraid of|is afraid of|am afraid to|is afraid to"
            r"|am scared of|is scared of|am scared to|is scared to|am terrified of|is terrified of>) (?P<value>.+)", relation="dislikes",
            value=r"^(?!to (?:say|admit|tell|ask|be |bother|interrupt|break|disappoint|show up)|(?:say|admit|tell|ask)\b|being (?:right|wrong)|when\b|having to)", words_max=9),
    pattern("choice", "decision", "factual", 0.9,
            r"<chose|have chosen|picked|went with|decided on|settled on|selected|use|uses|opted for|switched to>) "
            r"(?P<value>(?P<object>.+?) (?:over|instead of|rather than) .+)", relation="chose", words_max=14),
    pattern("decided", "decision", "factual", 0.9, r"<decided|have decided|has decided> (?:to|on)) (?P<value>.+)", value=rf"^(?!{_OF_THE_MOMENT}|just\b|actually\b)", words_max=14),
    pattern("use for", "decision", "factual", 0.85, r"<use|uses|am using|is using|are using>) (?P<value>(?!to )(?P<object>.+?) (?:for|as) .+)",
            relation="uses", words_max=12),
    # -- what somebody does and owns ---------------------------------------------------------------------------
    pattern("founded", "fact", "semantic", 0.95, r"<was|were> (?:founded|established|created) in) (?P<value>(?:1[5-9]|20)\d\d)\b.*$",
            relation="founded_in"),
    pattern("since long", "fact", "episodic", 0.9,
            r"<have been|has been>) (?P<value>(?!looking|thinking|wanting|meaning|feeling|trying|wondering|going through|going|having"
            r"|working hard|working towards|keeping|doing|getting|amazing|exciting|interesting|something|waiting|overreacting|calling|missing|being|putting|facing"
            r"|searching for my|hoping|considering|chasing|taking good|telling|saying|asking|talking about|talking to|struggling|dealing|making a lot|racking|reflecting"
            r"|planning|going|living)(?:[\w-]+ing|married|friends|together with) .+)", value=r"^[\w-]+ \w", words_max=12),
    pattern("volunteers", "fact", "social", 0.9,
            r"<volunteer|volunteers|volunteered|am volunteering|is volunteering|have volunteered|donated|coach|coaches>"
            r"(?: at| for| with| to)?) (?P<value>.+)", words_max=10),
    pattern("plays", "fact", "procedural", 0.9,
            r"<play|plays|am learning|is learning|can play>(?: how)?(?: to)?) (?P<value>(?:the |some )?[\w-]+.*)", relation="plays",
            value=r"^(?!it\b|a (?:big|huge|key|role)|with |more |again|new things|a new skill|a lot|so much|role|every\b|up\b|along|around|cards or|safe|dead|dumb|hard|enough|to\b|about\b|from\b|some new)", words_max=8),
    pattern("owns", "fact", "factual", 0.9, rf"<own|owns|drive|drives> {_A}) ?(?P<value>.+)", relation="owns", value=r"^(?!(?:hard )?(?:bargain|time|point|way)\b|kids?\b|children)", words_max=8),
    pattern("works on", "fact", "prospective", 0.85,
            r"<am working|is working|are working|have been working|am writing|is writing|am building|is building|am developing"
            r"|are building|am creating|am designing>(?: hard)?(?: on)?) (?P<value>.+)", value=r"^(?!(?:for|at|with|in|from|as|late|overtime|out|hard)\b)", words_max=11),
    pattern("trains for", "plan", "prospective", 0.85,
            r"<am training|is training|am preparing|is preparing|am studying|am saving>(?: up)? for) (?P<value>.+)", words_max=9),
    # -- what is to come ---------------------------------------------------------------------------------------
    pattern("plans", "plan", "prospective", 0.8,
            r"<am planning|are planning|is planning|plan|plans|am going to|is going to|are going to|am gonna|are gonna|intend>"
            r"(?: on| to)?) (?P<value>.+)", value=rf"^(?!{_OF_THE_MOMENT})", words_max=13),
    pattern("wants", "plan", "prospective", 0.7,
            r"<want|wants|hope|hopes|am hoping|is hoping|aim|dream|dreams|am dreaming|would like|plan> (?:to|of)) (?P<value>.+)",
            value=rf"^(?!{_OF_THE_MOMENT})", words_max=12),
    pattern("considers", "plan", "prospective", 0.45,
            r"<am thinking about|is thinking about|are thinking about|am thinking of|is thinking of|are thinking of|am considering|are considering|is considering|might|may>)"
            r" (?P<value>.+)", value=rf"^(?!{_OF_THE_MOMENT}|(?:be|have|not|as well|just|never|still|also|even|need|seem|sound|know|forget|feel|think|like|look|want|lose|miss|read|come|get|[A-Z]))",
            words_max=11),
    pattern("looks forward", "plan", "prospective", 0.7,
            r"<am looking|is looking|are looking|look> forward to) (?P<value>.+)",
            value=r"^(?!hearing|seeing more|the day$|working with|talking|our (?:next|chat)|chatting|meeting$|sharing)", words_max=10),
    # -- what happened -----------------------------------------------------------------------------------------
    pattern("went", "event", "episodic", 0.9, rf"<{_PAST}>) (?P<value>.+)",
            value=r"^(?!well\b|great\b|good\b|through\b|for it|really|so |better|smoothly|over\b|with it|by\b|online|on one$|towards?\b|into\b|ahead|wrong|crazy|mad\b|from\b|to (?:sleep|bed|the door|the bathroom|my room|hell|programming)|in (?:and|with|there)"
            r"|like\b|off\b|quiet|nuts|bankrupt|along|without|under|viral|as far)", words_max=14),
    pattern("has been to", "event", "episodic", 0.9, r"<have been|has been> to) (?P<value>.+)", words_max=9),
    pattern("joined", "event", "social", 0.9,
            r"<joined|signed up|have signed up|enrolled|have joined|registered|applied|have applied|participated|took part|competed"
            r"|ran for|have enrolled|am taking|is taking|interned>(?: in| for| to| at| with)?) (?P<value>.+)", words_max=12),
    pattern("achieved", "event", "episodic", 0.9,
            r"<won|passed|finished|completed|achieved|earned|launched|published|released|have won|have finished"
            r"|have passed|have completed|came in|placed|received|scored|aced|set up|organized|hosted|held|founded|co-founded>) (?P<value>.+)",
            words_max=13),
    pattern("acquired", "event", "episodic", 0.9,
            r"<bought|purchased|ordered|adopted|inherited|have bought|have adopted|picked up|rented|rescued|got> "
            r"(?=an? |my |our |some |two |three |\d|new |[A-Z])) ?(?P<value>.+)",
            value=r"^(?!a lot|a chance|a hold|a kick|a feeling|a bit|a sense|my attention|a glimpse|some (?:time|sleep|rest|answers|help|advice)|my mind|a break|an? (?:\w+ )?(?:minute|second(?! \w)|headache"
            r"|call|point|idea|e-?mail|message|text|letter|problem|response|reply|answer|look|grip|flat tyre|flat tire|cold|laugh|ton)\b)",
            words_max=13),
    pattern("started", "event", "episodic", 0.9,
            r"<started|have started|began|have begun|took up|got into|opened|have opened|started up|tried>(?: out)?) (?P<value>.+)",
            value=r"^(?!to\b|at\b(?! [A-Z])|in\b|on\b|off\b|feeling|thinking|getting|with\b|my best|hard|again|by\b|right\b|going (?:back|out with)\b|running (?:away|late)$|telling|explaining|calling|asking|crying|laughing|noticing|"
            r"an? (?:argument|fight|trouble|mess|conversation)|trouble|the (?:car|engine|day|morning))", words_max=12),
    pattern("stopped", "event", "episodic", 0.9,
            r"<quit|stopped|gave up|dropped out|left|retired|resigned>(?: from| of)?) (?P<value>.+)",
            value=r"^(?!off\b|by\b|me\b|an? |feeling|and\b|out\b|foot|hand|side|turn\b|over\b|behind|alone|early|late\b|open\b|home late|at\b|in\b|on\b|with\b|for\b|right\b|the (?:car|water|door|lights?|office|house|room|party|airport|building|hotel|table|bus|train)\b"
            r"|my (?:keys|phone|bag|wallet|purse|umbrella|coat|jacket|car|shoes|number|house|apartment|room)\b|talking|crying|going\b)", words_max=9),
    pattern("met", "event", "social", 0.9,
            r"<met up with|met with|met|ran into|reconnected with|hung out with|caught up with|teamed up with|chatted with|spoke with|spoke to|talked to|talked with>)"
            r" (?P<value>.+)", value=r"^(?!about|up\b|again|all\b|and\b|someone|somebody|the (?:deadline|requirements?|expectations|goal|target|criteria)|my (?:match|goals?)|once|back\b)", words_max=12),
    pattern("mishap", "event", "episodic", 0.9,
            r"<lost|broke|hurt|injured|crashed|sprained|missed|twisted|tore|got fired|was fired|got laid|was laid|got hurt|got injured>"
            r"(?: off| from| in)?) (?P<value>.+)",
            value=r"^(?!you\b|track|touch|a lot|count|out\b|myself|down\b|my (?:mind|temper|cool|way|train|voice|appetite|patience|breath|balance)\b|the ice|even\b|into\b|off\b|up (?!with\b)|through|interest|sight|hope|focus"
            r"|control|consciousness|(?:all )?(?:motivation|respect|trust)\b|the (?:call|bus|train|point|boat)\b|our chats)", words_max=11),
    pattern("made", "event", "episodic", 0.9,
            r"<made|painted|wrote|drew|built|baked|cooked|created|designed|composed|sewed|knitted|planted|carved|recorded|developed"
            r"|filmed|sketched|have written|have made|have painted>) (?P<value>.+)",
            value=r"^(?!me\b|sure|it\b|a (?:big|huge|real|lot|difference|lasting|great|good|meal plan)|some (?:great|progress|good)|up\b"
            r"|love\b|like\b|on\b|down\b|back\b|out\b|an? (?:phone )?call|an? (?:\w+ )?(?:mistake|choice|promise|agreement|appointment|reservation|deal|joke|point|bit|comment|decision|note|mess|switch|living|start|scene|fuss|excuse|wish|toast)\b"
            r"|mistakes|(?:the|my|our) (?:phone )?(?:call|appointment|decision|deal|point|bed)\b|fun\b|friends\b|sense|peace|time\b|plans\b|the (?:plan|reservations?|mistake|choice|switch|bed|most)\b|strong connections|something|far too|(?:a lot|a ton) of"
            r"|progress|things?\b|us\b|him\b|her feel|my day|the most|me\b|for\b|by\b|the (?:right|decision)|them\b|an? (?:impact|impression|effort))",
            words_max=12),
    pattern("took", "event", "episodic", 0.9,
            r"<took|brought> (?=my |our |the (?:kids|fam|dog|boys|girls)|an? (?:trip|road trip|vacation|class|course|pottery|cooking"
            r"|photo|picture|painting|workshop|hike|solo|short|long|week|weekend|day))) ?(?P<value>.+)",
            value=r"^(?!my mind|my time|a lot|my breath)", words_max=13),
    pattern("media", "event", "episodic", 0.85,
            r"<read|watched|listened|have read|have watched|am reading|is reading|am watching|re-read|saw|finished reading"
            r"|have seen>(?: to)?) (?P<value>.+)",
            value=r"^(?!you\b|your\b|through|up\b|more\b|it\b|this\b|that\b|how\b|a lot|what|some (?:great|good|amazing)|red$|no\b|enough|where|forums|someone|on\b|about\b|in\b|to (?:my|the) |for\b|carefully)", words_max=10),
    pattern("learned", "event", "procedural", 0.85, r"<learned|learnt|have learned|taught>(?: how)? to) (?P<value>.+)", words_max=9),
    pattern("found", "event", "episodic", 0.85,
            r"<found|discovered|came across|stumbled upon|have found> (?=an? |[A-Z]|this |some |my ))(?P<value>.+)",
            value=r"^(?!a lot|a way|some (?:peace|comfort|time)|my way|this really|a balance|this (?:amazing|great|awesome|cool)$)",
            words_max=11),
    pattern("celebrated", "event", "social", 0.9,
            r"<celebrated|threw|had>) (?P<value>(?!to |never )(?:an? |my |our )?(?:[\w'-]+ ){0,4}?(?:party|birthday|anniversary|wedding|picnic|barbecue|bbq"
            r"|game night|reunion|get-together|surgery|baby|interview|accident|concert|gig|exam|tournament|sleepover|check-up)\b.*)",
            words_max=11),
    pattern("performed", "event", "episodic", 0.9, r"<performed|gave a|presented|sang|played>(?: at| in)?) (?P<value>.+)",
            value=r"^(?!an? (?:key|big|huge|role)|it\b|a lot)", words_max=10),
    # -- how somebody feels ------------------------------------------------------------------------------------
    pattern("feels", "feeling", "affective", 0.85,
            r"<am|is|was|feel|felt|am feeling|is feeling>(?: so| really| very| super| a bit| pretty)?) (?P<value>(?:excited|proud|nervous|worried"
            r"|anxious|thrilled|stressed|sad|upset|grateful|frustrated|heartbroken|thankful|overwhelmed|jealous|lonely|homesick)"
            r" (?:about|to|of|for|that|by|with|over) .+)", value=r"^[\w-]+ \w+ \w+", words_max=13),
)  # fmt: skip

BY_FIRST_WORD: Final[Mapping[str, tuple[FactPattern, ...]]] = by_first_word(PATTERNS)

# Verbs of the patterns in their base form: what follows "I" and gets an s behind a name.
_BASE_FORMS: Final = """
    live reside come work study major prefer love like enjoy adore hate dislike use volunteer coach play own
    drive plan want hope aim dream feel speak suffer intend look have
"""
BASE_FORMS: Final = frozenset(_BASE_FORMS.split())


def third_person(verb: str) -> str:
    """Return a verb as it is said of somebody else: am → is, have → has, love → loves."""
    first, _, rest = verb.partition(" ")
    low = first.lower()
    changed = {"am": "is", "are": "is", "were": "was", "have": "has", "don't": "doesn't", "do": "does"}.get(
        low
    )
    if changed is None:
        if low not in BASE_FORMS:
            return verb
        if low.endswith("y") and low[-2] not in "aeiou":
            changed = f"{low[:-1]}ies"
        else:
            changed = f"{low}es" if low.endswith(("s", "sh", "ch", "x", "o")) else f"{low}s"
    return f"{changed} {rest}" if rest else changed
