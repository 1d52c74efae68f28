"""Thirty questions that a fact of somebody else would answer: who did it to whom, first names, nicknames, pronouns.

Each tells who said it, or nobody; the first is the answer, and what follows belongs to another.
"""

from typing import Final, NamedTuple


class Swap(NamedTuple):
    """A question, and memories as (speaker, text): the first answers it, the others are of somebody else."""

    question: str
    told: tuple[tuple[str, str], ...]


def _notes(question: str, *texts: str) -> Swap:
    return Swap(question, tuple(("", text) for text in texts))


SWAPS: Final = (
    # Who did it to whom.
    _notes("Who lent Anna money?", "Clara lent Anna 20 euros", "Anna lent Ben 50 euros"),
    _notes("Whom did Anna lend money?", "Anna lent Ben 50 euros", "Clara lent Anna 20 euros of her money"),
    _notes("Who taught Marco chess?", "Silvia taught Marco chess", "Marco taught Elena chess in the park"),
    _notes("Who did Marco teach?", "Marco taught Elena chess in the park", "Silvia taught Marco chess"),
    _notes("Who invited Priya?", "Dev invited Priya to the concert", "Priya invited Sam to the concert"),
    _notes("Whom did Priya invite?", "Priya invited Sam to the concert", "Dev invited Priya to the concert"),
    _notes(
        "Who helped Otto move?",
        "Otto was helped by Karl when he moved",
        "Otto helped Ilse move on Sunday",
    ),
    _notes("Who did Otto help?", "Otto helped Ilse move on Sunday", "Otto was helped by Karl when he moved"),
    _notes("Who called Nina?", "The landlord called Nina at noon", "Nina called her sister at noon"),
    _notes(
        "Who reported to Hanna?", "Paul reported to Hanna until May", "Hanna reported to Viktor until May"
    ),
    _notes("Who did Hanna report to?", "Hanna reported to Viktor until May", "Paul reported to Hanna"),
    _notes("Who visited Tomás?", "Inés visited Tomás in Cádiz", "Tomás visited Raúl in Cádiz"),
    Swap("Who lent Ben money?", (("Ben", "Clara lent me 20 euros"), ("Ben", "I lent Clara 50 euros"))),
    Swap("Whom did Ben lend money?", (("Ben", "I lent Dora 50 euros"), ("Ben", "Clara lent me 20 euros"))),
    Swap("Who drove Ann home?", (("Ann", "Joe drove me home last night"), ("Ann", "I drove Sue home"))),
    # Nicknames, and those who bear both.
    _notes("What does Elizabeth collect?", "Liz collects old maps", "Edward collects old coins"),
    _notes("Where did Bob grow up?", "Robert grew up in Leeds", "Rita grew up in Hull"),
    _notes("What is Katie allergic to?", "Katherine is allergic to nuts", "Karen is allergic to cats"),
    _notes("What did Bill buy?", "Bill bought a canoe", "William bought a piano"),
    _notes("What did William buy?", "William bought a piano", "Bill bought a canoe"),
    Swap(
        "What does Mike play?",
        (("Michael", "I play the oboe in the school band"), ("Mark", "I play the horn in the school band")),
    ),
    Swap(
        "Where does Alexander live?",
        (("Sasha", "I live in Brno now"), ("Andrea", "I live in Graz now, Alexander")),
    ),
    Swap(
        "What did Peggy paint?",
        (("Margaret", "I painted the fence on Monday"), ("Polly", "I painted the boat, Peggy")),
    ),
    # One first name.
    _notes(
        "Where does Maria Kovacs work?",
        "Maria Kovacs works at the harbour",
        "Maria Silva works at the airport",
    ),
    Swap(
        "What is Tom Reed training for?",
        (
            ("Tom Reed", "I am training for a triathlon"),
            ("Tom Lane", "I am training for the chess open, Tom Reed"),
        ),
    ),
    # Pronouns, and who is spoken to.
    Swap(
        "What did Julia cook?",
        (("Julia", "I cooked a goulash for twelve"), ("Leo", "Julia, I cooked a paella for you")),
    ),
    Swap(
        "Which bike does Leo ride?",
        (("Leo", "I ride a green Bianchi"), ("Julia", "Leo, I ride a red Colnago these days")),
    ),
    Swap(
        "What is the name of Eva's dog?",
        (("Eva", "My dog is called Pirat"), ("Ivan", "Eva, my dog is called Baron")),
    ),
    _notes("What did Anna's brother study?", "Anna's brother studied law", "Anna studied history"),
    _notes("Wer hat Jens Geld geliehen?", "Uwe hat Jens Geld geliehen", "Jens hat Petra Geld geliehen"),
)
