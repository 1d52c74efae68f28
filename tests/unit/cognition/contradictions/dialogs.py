"""Short dialogs with what contradicts itself in them, what changed, and what only looks like it.

A line is told a day after the one before, by whoever its first word names. `found` is what a reader would say: whose
what, and whether that is open or a change. `missed` is what a reader sees and the
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


def later(*lines: str, found: str = "", missed: bool = False) -> Dialog:
    """Return a dialog that was written after the patterns, and read once before any was mended for it."""
    return dialog(" - ".join(lines)[:70], *lines, found=found, missed=missed)


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
    dialog("two dogs, three dogs", "Ann: I have two dogs.", "Ann: My three dogs are asleep.", found="Ann number_of:dogs open"),
    dialog("children", "Ann: We have two kids.", "Bob: Ann has three children.", found="Ann number_of:kids open"),
    dialog("none or one", "Ann: I don't have any siblings.", "Ann: I have two siblings.", found="Ann number_of:siblings open"),
    dialog("ages", "Ann: I'm 30 years old.", "Bob: Ann is 45.", found="Ann born open"),
    dialog("meat", "Ann: I eat meat every day.", "Ann: I don't eat meat.", found="Ann habit:meat open"),
    dialog("guitar", "Ann: I don't play guitar.", "Bob: Ann plays guitar.", found="Ann habit:guitar open"),
    dialog(
        "been there or not",
        "Ann: I visited Paris with my sister.",
        "Ann: I've never been to Paris.",
        found="Ann ever:visited paris open",
    ),
    dialog("from where", "Ann: I'm from Lisbon.", "Ann: I'm originally from Porto.", found="Ann comes_from open"),
    dialog("married or single", "Ann: My husband is a baker.", "Ann: I'm single.", found="Ann relationship_status open"),
    dialog("vegan", "Ann: I'm vegan.", "Bob: Ann is vegetarian.", found="Ann diet open"),
    dialog("tea or coffee", "Ann: I prefer tea to coffee.", "Ann: I prefer coffee to tea.", found="Ann prefers:coffee|tea open"),
    dialog("how long", "Ann: I have been painting for three years.", "Ann: I have been painting for twelve years.", found="Ann since:painting open"),
    dialog("how long married", "Ann: We have been married for five years.", "Bob: Ann has been married for 20 years.", found="Ann since:married open"),
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

LATER = (
    later("Ann: Hi! I moved to Denver in January for my new role.", "Bob: nice", "Ann: Since May I live in Austin.", found="Ann lives_in change", missed=True),
    later("Ann: I've got two cats, Tom and Kit.", "Ann: We adopted another kitten, so we have three cats now!", found="Ann number_of:cats change"),
    later("Ann: I drink a lot of coffee.", "Ann: I haven't had coffee in months.", found="Ann habit:coffee open"),
    later("Ann: My girlfriend and I are going to Spain.", "Ann: Guess what, she said yes! We're engaged!", found="Ann relationship_status change"),
    later("Ann: I can't stand horror movies.", "Ann: I love horror movies, I watched three last night.", found="Ann attitude:horror movies open"),
    later("Ann: I teach at Lincoln High.", "Ann: I quit teaching last month, I'm a baker these days.", found="Ann works_as change", missed=True),
    later("Ann: I'm allergic to nuts.", "Ann: I eat nuts all the time.", found="Ann habit:nuts open", missed=True),
    later("Ann: My favorite food is ramen.", "Ann: I think pizza is my favorite food of all time.", found="Ann favorite:food open"),
    later("Ann: I was born in Leeds.", "Ann: I was born in York, my mom told me.", found="Ann born_in open"),
    later("Ann: I don't have a car.", "Ann: I drive my car to work every day.", found="Ann number_of:cars open", missed=True),
    later("Ann: I go to the gym three times a week.", "Ann: I stopped going to the gym.", found="Ann habit:gym change"),
    later("Ann: I work at Intel as an engineer.", "Ann: I got fired from Intel.", "Ann: I started at AMD on Monday.", found="Ann works_at change"),
    later("Ann: I am 25 years old.", "Ann: I just turned 40!", found="Ann born open"),
    later("Ann: I hate running.", "Ann: I really enjoy running these days.", found="Ann attitude:running change"),
    later("Ann: I've been vegan for two years.", "Ann: I had a steak yesterday.", found="Ann diet open", missed=True),
    later("Ann: I've never seen Star Wars.", "Ann: I watched Star Wars with Bob last night.", found="Ann ever:seen star wars change"),
    later("Ann: My wife Maria teaches.", "Ann: My wife and I got divorced.", found="Ann relationship_status change"),
    later("Ann: I have no kids.", "Ann: My son started school today.", found="Ann number_of:kids open", missed=True),
    later("Ann: I no longer eat gluten.", "Ann: I eat gluten again!", found="Ann habit:gluten change"),
    later("Ann: My phone number is 555-1234567.", "Ann: My new number is 555-7654321.", found="Ann phone change"),
    later("Ann: I love my husband.", "Ann: My husband hates olives.", "Ann: I love olives."),
    later("Ann: I have three meetings.", "Ann: I have two kids.", "Ann: My kids are great"),
    later("Ann: We don't play on Sundays.", "Ann: We play on Mondays."),
    later("Ann: I'm from the marketing team.", "Ann: I'm from Lisbon."),
    later("Ann: I had two dogs as a kid.", "Ann: I have three dogs."),
    later("Ann: I love summer.", "Ann: I hate summer homework."),
    later("Ann: My favorite color was blue when I was five.", "Ann: My favorite color is red."),
    later("Ann: I never drink coffee after noon.", "Ann: I drink coffee in the morning."),
    later("Ann: I'm not married to the idea.", "Ann: I'm single."),
    later("Ann: I love you.", "Ann: I hate you, haha."),
    later("Ann: Bob said he lives in Rome.", "Bob: I live in Milan now."),
    later("Ann: I tried sushi yesterday.", "Ann: I've never tried surfing."),
    later("Ann: I eat breakfast at 8.", "Ann: I don't eat breakfast on Sundays."),
    later("Ann: My two brothers live in Rome.", "Ann: I have one sister."),
    later("Ann: I used to smoke.", "Ann: I quit smoking in 2010."),
    later("Ann: I work at Google.", "Ann: My new colleague works at Meta too."),
    later("Ann: My girlfriends and I went out.", "Ann: My husband was home."),
    later("Ann: I'm engaged in volunteer work.", "Ann: My husband helps."),
    later("Ann: I'm into yoga.", "Ann: I'm not into running."),
    later("Ann: I do yoga every week.", "Ann: I don't do yoga for the spiritual stuff."),
    later("Ann: My dad is 60.", "Ann: My dad turned 61 in May."),
    later("Ann: I play guitar.", "Ann: I don't play guitar in front of people."),
    later("Ann: I live in New York.", "Ann: I live in Brooklyn, New York."),
    later("Ann: My husband lost his job.", "Ann: I love my new job."),
    later("Ann: I have two brothers in Rome.", "Ann: I have three brothers."),
    later("Ann: I've been running for 2 years.", "Ann: I've been running for 30 minutes."),
    later("Maya: We just bought a house in Salem!", "Maya: I live in Salem.", "Maya: I live in Eugene.", found="Maya lives_in open"),
    later("Omar: I work for Shell.", "Omar: I've been working at Siemens since 2015.", found="Omar works_at open"),
    later("Maya: I drink tea every morning.", "Maya: I don't drink tea anymore, it keeps me up.", found="Maya habit:tea change"),
    later("Maya: I'm not into video games.", "Maya: I love video games!", found="Maya attitude:video games open"),
    later("Omar: My boyfriend bakes.", "Omar: My fiancé bakes.", found="Omar relationship_status change"),
    later("Maya: I've been sober for three years.", "Maya: I've been sober for 10 years now.", found="Maya since:sober open"),
    later("Maya: I've got four cats.", "Omar: Maya has two cats.", found="Maya number_of:cats open"),
    later("Omar: I smoke a lot.", "Omar: I stopped smoking in June.", found="Omar habit:smoking change", missed=True),
    later("Maya: My favorite movie is Heat.", "Maya: Alien is my all-time favorite movie.", found="Maya favorite:movie open"),
    later("Omar: I'm a vegetarian.", "Omar: I'm not vegetarian anymore.", found="Omar diet change", missed=True),
    later("Maya: I'm from Brazil.", "Maya: I come from Portugal.", found="Maya comes_from_country open"),
    later("Omar: I was laid off.", "Omar: Just got a new job!", found="Omar employment change"),
    later("Maya: I play the violin.", "Maya: I used to play the violin.", found="Maya habit:violin change"),
    later("Maya: My birthday is on July 4.", "Maya: My birthday is July 14.", found="Maya birthday open"),
    later("Maya: My sister Lea lives in Bonn.", "Maya: Lea lives in Kiel.", found="Lea lives_in open"),
    later("Omar: I've never been to Japan.", "Omar: When I visited Japan last year it rained.", found="Omar ever:visited japan change", missed=True),
    later("Maya: I love the smell of coffee.", "Maya: I don't drink coffee."),
    later("Maya: I've never been to Spain.", "Omar: I've been to Spain twice."),
    later("Maya: My two cats are fighting again.", "Maya: The neighbours' three cats too."),
    later("Maya: My husband is from Brazil.", "Maya: I'm from Portugal."),
    later("Omar: I watch football.", "Omar: I don't watch football with my dad."),
    later("Omar: My son is 12.", "Omar: My son is 15."),
    later("Omar: My wife works at Intel.", "Omar: I work at AMD."),
    later("Maya: I'm single and loving it.", "Maya: My ex-boyfriend called me again."),
    later("Maya: I'm dating a guy from work.", "Maya: My boyfriend is sweet."),
    later("Omar: I live with my parents in Cork.", "Omar: I'm visiting Dublin now, staying with my brother."),
    later("Omar: I do yoga.", "Omar: I don't do yoga at home."),
    later("Maya: I read Emma.", "Maya: I've never read Dune."),
    later("Maya: I have one brother.", "Maya: I have two sisters."),
    later("Maya: I lost my job, but I started a new job at Intel.", "Maya: I work at Intel."),
    later("Maya: I like cold weather.", "Maya: I don't like cold weather when I'm camping."),
    later("Maya: I'm 29.", "Maya: I'll be 30 next year."),
    later("Omar: I hate Mondays.", "Omar: I love Mondays off."),
    later("Maya: My favorite song is Hey Jude.", "Omar: My favorite song is Yesterday."),
    later("Omar: We have two dogs and a cat.", "Omar: We have two dogs."),
    later("Maya: I eat fish.", "Maya: I don't eat raw fish."),
    later("Maya: I was engaged once.", "Maya: I'm single."),
)  # fmt: skip

# What a second reader was accused of, or of whose change nobody was told, before it was mended.
MENDED = (
    later("Ann: I'm single.", "Ann: My husband passed away two years ago."),
    later("Ann: I'm single.", "Ann: My girlfriend in college was a drummer."),
    later("Ann: I'm divorced.", "Ann: My husband left me in 2010."),
    later("Ann: I'm widowed.", "Ann: When I met my husband, I was twenty."),
    later("Ann: I'm widowed.", "Ann: My husband loved the sea."),
    later("Ann: I'm divorced.", "Ann: My girlfriend is a nurse.", found="Ann relationship_status change"),
    later("Ann: My boyfriend and I love jazz.", "Ann: My boyfriend and I broke up last night.", "Ann: I'm single.", found="Ann relationship_status change"),
    later("Ann: My husband is a pilot.", "Ann: My girlfriend Lucy and I love coffee."),
    later("Ann: My girlfriend Lucy and I love coffee.", "Bob: Ann is married."),
    later("Ann: I'm widowed.", "Ann: I'm dating again.", "Ann: My husband Carl bakes.", found="Ann relationship_status change"),
    later("Ann: I love my new job.", "Ann: I was fired up about the game."),
    later("Ann: I love my new job.", "Ann: We were let go early today."),
    later("Ann: I love my new job.", "Ann: I left my job at five to pick up the kids."),
    later("Ann: I have three kids.", "Ann: I left my two kids at school and went home.", found="Ann number_of:kids open"),
    later("Ann: My two sons are tall.", "Ann: I have one son at home now."),
    later("Ann: I live in Porto.", "Ann: We moved to Zoom for the meeting."),
    later("Ann: I live in Porto.", "Ann: We moved to Slack from Teams."),
    later("Ann: I work at Google.", "Ann: I work for Bob on weekends."),
    later("Ann: I'm into yoga.", "Ann: I'm not into yoga this week."),
    later("Ann: I'm vegetarian.", "Ann: I'm vegan for January."),
    later("Ann: I'm from Lisbon.", "Ann: I'm from Google, calling about your account."),
)  # fmt: skip

# Two people of one name whom nothing in the words of a claim tells apart: this is found, and is wrong.
MISTAKEN = dialog("two Anns", "Omar: My friend Ann lives in Rome.", "Omar: My cousin Ann lives in Milan.")

DIALOGS = (*DISAGREEMENTS, *CHANGES, *COMPATIBLE, *LATER, *MENDED)
