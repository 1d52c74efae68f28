"""Short dialogs with what contradicts itself in them, what changed, and what only looks like it.

A line is told a day after the one before, by whoever its first word names. `found` is what a reader would say: whose
what, and whether that is open, a change, or too small to ask (`severity`). `missed` is what a reader sees and the
program does not: kept here so that nobody takes the figures for more than they are.
"""

# ruff: noqa: E501 - a dialog is easier to read on one line

from typing import NamedTuple


class Dialog(NamedTuple):
    """A dialog, its name, and what is in it."""

    name: str
    lines: tuple[str, ...]
    found: frozenset[tuple[str, str, str]] = frozenset()
    missed: bool = False


def dialog(name: str, *lines: str, found: str = "", missed: bool = False) -> Dialog:
    """Return a dialog; `found` as "Ann works_at open; Bob habit:meat change"."""
    expected = set()
    for each in filter(None, (part.strip() for part in found.split(";"))):
        entity, rest = each.split(" ", 1)
        relation, how = rest.rsplit(" ", 1)
        expected.add((entity, relation, how))
    return Dialog(name, lines, frozenset(expected), missed)


DISAGREEMENTS = (
    dialog("two employers", "Ann: I work at Google.", "Ann: I work at Meta.", found="Ann works_at open"),
    dialog("two towns", "Ann: I live in Porto with my cat.", "Bob: Ann lives in Lisbon.", found="Ann lives_in open"),
    dialog("two birthdays", "Ann: My birthday is May 17.", "Bob: Ann's birthday is 3 June.", found="Ann birthday open"),
    dialog("two spouses", "Ann: My husband Carl cooks.", "Ann: My husband Peter is away.", found="Ann spouse open"),
    dialog("love and hate", "Ann: I love olives.", "Ann: I hate olives.", found="Ann attitude:olives open"),
    dialog("no fan", "Ann: I'm a big fan of sushi.", "Ann: I'm not a fan of sushi.", found="Ann attitude:sushi open"),
    dialog(
        "a fan, told after it", "Ann: I'm a huge jazz fan.", "Bob: Ann doesn't like jazz.", found="Ann attitude:jazz open"
    ),
    dialog("colours", "Ann: My favorite color is blue.", "Ann: Green is my favourite colour.", found="Ann favorite:color open"),
    dialog("books", "Ann: Dune is my favorite book.", "Ann: My favorite novel is Emma.", found="Ann favorite:book open"),
    dialog("two dogs, three dogs", "Ann: I have two dogs.", "Ann: My three dogs are asleep.", found="Ann number_of:dogs severity"),
    dialog("children", "Ann: We have two kids.", "Bob: Ann has three children.", found="Ann number_of:kids severity"),
    dialog("none or one", "Ann: I don't have any siblings.", "Ann: I have two siblings.", found="Ann number_of:siblings severity"),
    dialog("ages", "Ann: I'm 30 years old.", "Bob: Ann is 45.", found="Ann born severity"),
    dialog("meat", "Ann: I eat meat every day.", "Ann: I don't eat meat.", found="Ann habit:meat severity"),
    dialog("guitar", "Ann: I don't play guitar.", "Bob: Ann plays guitar.", found="Ann habit:guitar severity"),
    dialog(
        "been there or not",
        "Ann: I visited Paris with my sister.",
        "Ann: I've never been to Paris.",
        found="Ann ever:visited paris severity",
    ),
    dialog("from where", "Ann: I'm from Lisbon.", "Ann: I'm originally from Porto.", found="Ann comes_from severity"),
    dialog("married or single", "Ann: My husband is a baker.", "Ann: I'm single.", found="Ann relationship_status open"),
    dialog("vegan", "Ann: I'm vegan.", "Bob: Ann is vegetarian.", found="Ann diet open"),
    dialog("tea or coffee", "Ann: I prefer tea to coffee.", "Ann: I prefer coffee to tea.", found="Ann prefers:coffee|tea open"),
    dialog("how long", "Ann: I have been painting for three years.", "Ann: I have been painting for twelve years.", found="Ann since:painting severity"),
    dialog("how long married", "Ann: We have been married for five years.", "Bob: Ann has been married for 20 years.", found="Ann since:married severity"),
    dialog(
        "a plan that moved", "Ann: The wedding is on 5 June.", "Ann: The wedding is on 12 June.", found="Ann date:wedding open", missed=True
    ),
    dialog("in other words", "Ann: I'm based in Oslo these days.", "Ann: Home is Bergen.", found="Ann lives_in open", missed=True),
)  # fmt: skip

CHANGES = (
    dialog("a new job", "Ann: I work at Google.", "Ann: I just started at Meta.", found="Ann works_at change"),
    dialog("a move", "Ann: I live in Porto.", "Ann: We moved to Lisbon.", found="Ann lives_in change"),
    dialog("a job left", "Ann: I work at Google.", "Ann: I don't work at Google anymore.", "Ann: I work at Meta now.", found="Ann works_at change"),
    dialog("smoking", "Ann: I smoke.", "Ann: I quit smoking.", found="Ann habit:smoking change"),
    dialog("coffee", "Ann: I drink coffee every morning.", "Ann: I gave up coffee.", found="Ann habit:coffee change"),
    dialog("tennis", "Ann: I play tennis on Sundays.", "Ann: I no longer play tennis.", found="Ann habit:tennis change"),
    dialog("drums", "Bob: Ann plays the drums.", "Ann: I used to play the drums.", found="Ann habit:drums change"),
    dialog("running again", "Ann: I don't run.", "Ann: I run every day now.", found="Ann habit:running change"),
    dialog("no taste for it any more", "Ann: I love sushi.", "Ann: I don't like sushi anymore.", found="Ann attitude:sushi change"),
    dialog("a wedding", "Ann: My boyfriend is a pilot.", "Ann: My husband and I flew home.", found="Ann relationship_status change"),
    dialog("a ring", "Ann: My girlfriend likes jazz.", "Ann: I got engaged last week.", found="Ann relationship_status change"),
    dialog("a divorce", "Ann: My wife is a doctor.", "Ann: I'm divorced now.", found="Ann relationship_status change"),
    dialog("a first time", "Ann: I've never been to Rome.", "Ann: I visited Rome in May.", found="Ann ever:visited rome change"),
    dialog("a first taste", "Ann: I've never tried surfing.", "Ann: I tried surfing with Bob.", found="Ann ever:tried surfing change"),
    dialog("a job lost", "Ann: I'm really enjoying my new job.", "Ann: I lost my job at the factory.", found="Ann employment change"),
    dialog("a job found", "Ann: I got laid off.", "Ann: I found a new job.", found="Ann employment change"),
    dialog("another dog", "Ann: I have two dogs.", "Ann: I now have three dogs.", found="Ann number_of:dogs change"),
    dialog("a new favourite", "Ann: My favorite band is Muse.", "Ann: My favorite band is now Blur.", found="Ann favorite:band change"),
    dialog("a diet", "Ann: I'm vegetarian.", "Ann: I went vegan.", found="Ann diet change"),
    dialog("an address", "Ann: My email is a@b.org.", "Ann: My new email is a@c.org.", found="Ann email change"),
    dialog("a split", "Ann: My girlfriend sings.", "Ann: We broke up.", found="Ann relationship_status change", missed=True),
    dialog("a dog that died", "Ann: I have one dog.", "Ann: We had to say goodbye to Rex.", found="Ann number_of:dogs change", missed=True),
)  # fmt: skip

COMPATIBLE = (
    dialog("friends", "Ann: I'm friends with Bob.", "Ann: I'm friends with Carla."),
    dialog("languages", "Ann: I speak French.", "Ann: I speak German."),
    dialog("more precisely", "Ann: I work at Google.", "Ann: I work at Google Zurich."),
    dialog("town and country", "Ann: I live in Berlin.", "Ann: I live in Germany."),
    dialog("two people", "Ann: I work at Google.", "Bob: I work at Meta."),
    dialog("two people of one first name", "Cleo: Ann Smith works at Google.", "Cleo: Ann Jones works at Meta."),
    dialog("past", "Ann: I worked at Google for years.", "Ann: I work at Meta."),
    dialog("younger", "Ann: I used to play guitar when I was a kid.", "Ann: I play guitar on Sundays."),
    dialog("only supposed", "Ann: I live in Porto.", "Ann: If I lived in Lisbon, I would surf."),
    dialog("wished", "Ann: I live in Porto.", "Ann: I'd love to live in Lisbon."),
    dialog("asked", "Ann: I live in Porto.", "Bob: Do you live in Lisbon?"),
    dialog("a joke", "Ann: I work at Google.", "Ann: I work at the North Pole. Just kidding!"),
    dialog("for a while", "Ann: I live in Porto.", "Ann: I'm living in Paris for the summer."),
    dialog("quoted", "Ann: I work at Google.", 'Ann: He shouted "I work at Meta, you fool" at me.'),
    dialog("two tastes", "Ann: I love olives.", "Ann: I hate capers."),
    dialog("of each kind one", "Ann: My favorite color is blue.", "Ann: My favorite book is Dune."),
    dialog("favourite parts", "Ann: My favorite part was the beach.", "Ann: My favorite part was the song."),
    dialog("one of several", "Ann: One of my favorite books is Dune.", "Ann: One of my favorite books is Emma."),
    dialog("cats and dogs", "Ann: I have two dogs.", "Ann: I have three cats."),
    dialog("somebody else's", "Ann: I have two dogs.", "Ann: My sister has three dogs."),
    dialog("some of them", "Ann: I have three kids.", "Ann: My two youngest kids are ill."),
    dialog("those at the shelter", "Ann: I have two dogs.", "Ann: We met four dogs at the shelter."),
    dialog("a year later", "Ann: I have been painting for seven years.", "Ann: I have been painting for eight years."),
    dialog("with an evening", "Ann: I drink coffee.", "Ann: I don't drink coffee after six."),
    dialog("how much", "Ann: I play video games.", "Ann: I don't play video games much."),
    dialog("for lent", "Ann: I eat chocolate.", "Ann: I gave up chocolate for a month."),
    dialog("another thing", "Ann: I play guitar.", "Ann: I don't play golf."),
    dialog("never there, and elsewhere", "Ann: I've never been to Rome.", "Ann: I visited Paris."),
    dialog("her sister's wedding", "Ann: I'm single.", "Ann: My sister got married last week."),
    dialog("his wife", "Ann: My boyfriend cooks.", "Ann: My boss's wife called."),
    dialog("someday my wife", "Ann: My girlfriend is here.", "Ann: I want her to become my wife."),
    dialog("an ex", "Ann: My husband is a baker.", "Ann: My ex-husband called."),
    dialog("looking around", "Ann: I love my new job.", "Ann: I'm looking for a new job for my brother."),
    dialog("an interview", "Ann: I lost my job.", "Ann: I had a job interview."),
    dialog("said again", "Ann: I live in Porto.", "Ann: I still live in Porto."),
    dialog("ages apart", "Ann: I'm 30.", "Ann: I just turned 31."),
    dialog("a trip", "Ann: I live in Porto.", "Ann: I went to Lisbon for the weekend."),
    dialog("a story", "Ann: I'm vegan.", "Ann: In the film I am a butcher and I eat meat every day."),
    dialog("two visits", "Ann: I visited Paris.", "Ann: I visited Rome."),
    dialog("not mine", "Ann: I don't smoke.", "Ann: My uncle smokes."),
)  # fmt: skip

DIALOGS = (*DISAGREEMENTS, *CHANGES, *COMPATIBLE)
