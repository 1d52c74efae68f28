"""A small golden set: 32 memories of 8 sessions in 25 days, and 40 questions in 12 categories with their answers.

It has the shape of the synthetic benchmark that the YantrikDB paper describes, in words of our own. Each question names
the memories that answer it by their number. A memory that was consolidated counts through what it was drawn from.
"""

from typing import Final, NamedTuple

DAYS: Final = 25
DAY_MS: Final = 86_400_000


class Told(NamedTuple):
    """One memory: its session, the day it was told, what it says, and what is known of it."""

    session: int
    day: int
    text: str
    type: str = "episodic"
    importance: float | None = None
    valence: float | None = None


class Asked(NamedTuple):
    """One question, its category, and the numbers of the memories that answer it."""

    category: str
    text: str
    answers: tuple[int, ...]


MEMORIES: Final = (
    Told(1, 0, "My name is Nora and I live in Bergen", "factual", 0.8),
    Told(1, 0, "I work as a sound engineer at Fjord Radio", "factual", 0.7),
    Told(1, 0, "My brother Elias studies marine biology in Tromsø", "social", 0.6),
    Told(1, 0, "I am allergic to walnuts", "factual", 0.9),
    Told(2, 3, "Elias called, he got a place on the research ship Aurora", valence=0.7),
    Told(2, 3, "The Aurora sails on the second of March", "prospective", 0.6),
    Told(2, 3, "I prefer rye bread and black coffee for breakfast", "affective", 0.3),
    Told(2, 3, "The mixing desk in studio two hums again", valence=-0.4),
    Told(3, 6, "Fixed the hum: the ground cable of the mixing desk was loose", "procedural", 0.6),
    Told(3, 6, "Signe from the archive asked for the tapes of the 1994 storm"),
    Told(3, 6, "Signe and I went to school together", "social", 0.4),
    Told(3, 6, "We decided to digitise the storm tapes at 96 kilohertz", "semantic", 0.7),
    Told(
        4,
        10,
        "Bad news: the roof of the archive leaks and twelve boxes are wet",
        importance=0.8,
        valence=-0.8,
    ),
    Told(4, 10, "Spent the night drying tapes with Signe, we saved ten of the boxes", valence=0.5),
    Told(4, 10, "The insurance wants a list of what was lost by Friday", "prospective", 0.8),
    Told(4, 10, "Tapes must never lie flat while they dry", "procedural", 0.6),
    Told(5, 13, "Sent the list to the insurance, two boxes of interviews are gone"),
    Told(5, 13, "Bought a blue kayak from Henrik for four thousand crowns", valence=0.6),
    Told(5, 13, "Henrik moves to Stavanger in spring", "social"),
    Told(5, 13, "The kayak is kept in the boathouse at Nordnes", "spatial", 0.4),
    Told(6, 17, "First trip with the kayak, around Askøy in five hours", valence=0.9),
    Told(6, 17, "My left shoulder hurts since the trip", "affective", valence=-0.5),
    Told(
        6, 17, "The physiotherapist is called Dr. Lund, her practice is near the fish market", "factual", 0.5
    ),
    Told(6, 17, "Appointment with Dr. Lund on the twentieth at nine", "prospective", 0.7),
    Told(7, 21, "Dr. Lund says it is a strained tendon, no paddling for three weeks", importance=0.7),
    Told(7, 21, "The storm programme is broadcast on the first of April", "prospective", 0.7),
    Told(7, 21, "Fjord Radio uses Reaper for editing and a Postgres catalogue for the archive", "semantic"),
    Told(7, 21, "Signe was promoted, she leads the archive now", "social", 0.5, 0.6),
    Told(8, 25, "Elias sent a photo of whales from the Aurora", valence=0.8),
    Told(8, 25, "Grandmother's recipe for fish soup: leeks, cod, cream and no flour", "procedural", 0.5),
    Told(8, 25, "I now live in the old lighthouse on Askøy, no longer in the city", "factual", 0.8),
    Told(8, 25, "I want to learn to repair tape machines this year", "prospective", 0.5),
)
QUESTIONS: Final = (
    Asked("single fact", "What am I allergic to?", (3,)),
    Asked("single fact", "What is the name of my brother?", (2,)),
    Asked("single fact", "Who is my physiotherapist?", (22,)),
    Asked("single fact", "How much did the kayak cost?", (17,)),
    Asked("paraphrase", "Which employer do I have?", (1,)),
    Asked("paraphrase", "What was wrong with the audio console?", (7, 8)),
    Asked("paraphrase", "What is my shoulder diagnosis?", (24,)),
    Asked("paraphrase", "Where is my boat stored?", (19,)),
    Asked("temporal", "When does the Aurora sail?", (5,)),
    Asked("temporal", "When is the storm programme on air?", (25,)),
    Asked("temporal", "What is due by Friday?", (14,)),
    Asked("temporal", "When do I see Dr. Lund?", (23,)),
    Asked("relation", "Who studies marine biology?", (2,)),
    Asked("relation", "Who went to school with me?", (10,)),
    Asked("relation", "Who sold me the kayak?", (17,)),
    Asked("multi-hop", "Where is the brother of Nora on a ship now?", (4, 28)),
    Asked("multi-hop", "What did the archive's new head and I save?", (13,)),
    Asked("multi-hop", "Which box contents did the insurance hear about?", (16,)),
    Asked("change", "Where do I live now?", (30,)),
    Asked("change", "Who leads the archive now?", (27,)),
    Asked("change", "Is Henrik staying in town?", (18,)),
    Asked("procedure", "How was the hum of the mixing desk fixed?", (8,)),
    Asked("procedure", "How should wet tapes be dried?", (15,)),
    Asked("procedure", "What goes into the fish soup?", (29,)),
    Asked("mood", "What went wrong at the archive?", (12,)),
    Asked("mood", "What made me happy on the water?", (20,)),
    Asked("mood", "What hurts?", (21,)),
    Asked("preference", "What do I like for breakfast?", (6,)),
    Asked("preference", "What do I want to learn?", (31,)),
    Asked("preference", "Which coffee do I drink?", (6,)),
    Asked("decision", "At which rate do we digitise the tapes?", (11,)),
    Asked("decision", "Which database holds the catalogue?", (26,)),
    Asked("decision", "What software do we use for editing?", (26,)),
    Asked("place", "Where is the practice of the physiotherapist?", (22,)),
    Asked("place", "Where did the first kayak trip go?", (20,)),
    Asked("place", "Where does Henrik move to?", (18,)),
    Asked("several", "What do I know about Signe?", (9, 10, 13, 27)),
    Asked("several", "What happened with the Aurora?", (4, 5, 28)),
    Asked("several", "What is planned for spring?", (18, 25)),
    Asked("several", "What do I know about Dr. Lund?", (22, 23, 24)),
)
# Who is related to what, for the baseline that follows edges.
EDGES: Final = (
    ("Nora", "brother", "Elias"), ("Elias", "sails_on", "Aurora"), ("Nora", "friend", "Signe"),
    ("Signe", "leads", "archive"), ("Nora", "bought_from", "Henrik"), ("Nora", "treated_by", "Dr. Lund"),
)  # fmt: skip
