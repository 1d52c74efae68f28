"""Each pattern of the registry, by a statement that it must take and one that it must leave."""

# ruff: noqa: E501 - a fixture is a line

from typing import NamedTuple

import pytest

from cognition.extraction import english, other_languages
from cognition.extraction.engine import facts_in
from cognition.extraction.meant import meant
from tests.support.published import published

TOLD_AT_MS = 1_700_000_000_000  # Tuesday, 14 November 2023


class Case(NamedTuple):
    """What Ann says, what becomes of it, and what looks alike but must not be taken by this pattern."""

    pattern: str
    said: str
    fact: str
    left: str


ENGLISH = [
    Case("location", "I live in Lisbon.", "Ann lives in Lisbon", "If I lived in Lisbon I would swim."),
    Case("moved", "We just moved to Porto last week!", "Ann moved to Porto (week of 6 November 2023)", "That song moved me."),
    Case("origin", "I grew up in Malmö.", "Ann grew up in Malmö", "The idea grew up in my head."),
    Case("role at", "Alice is the tech lead at Stripe.", "Alice is the tech lead at Stripe", "She is the best at it."),
    Case("works as", "I work as a nurse.", "Ann works as a nurse", "It works as it should."),
    Case("works at", "My sister works at Google.", "Ann's sister works at Google", "Does your sister work at Google?"),
    Case("new job", "I got a new job at the library.", "Ann got a new job at the library", "I got a good deal."),
    Case("profession", "I'm a teacher.", "Ann is a teacher", "I'm a bit tired."),
    Case("promotion", "I got promoted to assistant manager.", "Ann got promoted to assistant manager", "I got invited to dinner."),
    Case("studies", "I'm studying law at Oxford.", "Ann is studying law at Oxford", "I'm studying hard."),
    Case("age", "I'm 32 years old.", "Ann is 32 years old", "I'm 5 minutes away from home."),
    Case("birthday", "My birthday is on 5 May.", "Ann's birthday is on 5 May", "My plan is on 5 May."),
    Case("married to", "I'm married to Tom.", "Ann is married to Tom", "I'm married to my job."),
    Case("married", "I'm engaged to Tom.", "Ann is engaged to Tom", "I'm tied to my desk."),
    Case("named", "My dog is called Rex.", "Ann's dog is called Rex", "My dog is Irish."),
    Case("allergy", "Bob has a peanut allergy.", "Bob has a peanut allergy", "Bob has a peanut."),
    Case("diet", "I'm vegan.", "Ann is vegan", "I'm late."),
    Case("condition", "My brother has asthma.", "Ann's brother has asthma", "My brother has patience."),
    Case("family", "I have two kids.", "Ann has two kids", "I have two ideas."),
    Case("languages", "I speak Spanish.", "Ann speaks Spanish", "I speak from experience."),
    Case("favourite", "My favorite book is Dune.", "Ann's favorite book is Dune", "My book is Dune."),
    Case("prefers", "I prefer tea over coffee.", "Ann prefers tea over coffee", "She prefers tea."),
    Case("loves", "I love painting landscapes.", "Ann loves painting landscapes", "I would love to see your painting."),
    Case("dislikes", "I can't stand mushrooms.", "Ann can't stand mushrooms", "I can't stand up."),
    Case("choice", "We chose Postgres over MySQL.", "Ann chose Postgres over MySQL", "We chose you."),
    Case("decided", "I decided to sell the boat.", "Ann decided to sell the boat", "I decided that it was late."),
    Case("use for", "We use Redis for caching.", "Ann uses Redis for caching", "We use it."),
    Case("founded", "Acme was founded in 1999.", "Acme was founded in 1999", "Acme was founded by friends."),
    Case("since long", "I've been painting for seven years.", "Ann has been painting for seven years", "I've been so busy lately."),
    Case("volunteers", "I volunteer at a homeless shelter.", "Ann volunteers at a homeless shelter", "Will you volunteer at a shelter?"),
    Case("plays", "I play the violin.", "Ann plays the violin", "I play a big role."),
    Case("owns", "I drive a Prius.", "Ann drives a Prius", "You drive me mad."),
    Case("works on", "I'm working on a new album.", "Ann is working on a new album", "I'm working on it."),
    Case("trains for", "I'm training for a marathon.", "Ann is training for a marathon", "I'm training hard."),
    Case("plans", "I'm planning a trip to Japan.", "Ann is planning a trip to Japan", "Are you planning a trip to Japan?"),
    Case("wants", "I want to open a bakery.", "Ann wants to open a bakery", "I want that too."),
    Case("considers", "I'm thinking about adopting a child.", "Ann is thinking about adopting a child", "I'm thinking about you."),
    Case("looks forward", "I'm looking forward to our camping trip.", "Ann is looking forward to their camping trip", "I'm looking for my keys."),
    Case("went", "Yesterday I went to a support group.", "Ann went to a support group (13 November 2023)", "It went to hell."),
    Case("has been to", "I've been to Iceland.", "Ann has been to Iceland", "You've been to Iceland."),
    Case("joined", "I signed up for a pottery class.", "Ann signed up for a pottery class", "They signed up for it."),
    Case("achieved", "We won the regional final.", "Ann won the regional final", "The rival won the final."),
    Case("acquired", "I adopted a puppy.", "Ann adopted a puppy", "I got a feeling."),
    Case("started", "I started a blog.", "Ann started a blog", "It started to rain."),
    Case("stopped", "I quit smoking.", "Ann quit smoking", "The rain stopped by noon."),
    Case("met", "I met Jill at the gym.", "Ann met Jill at the gym", "I talked about you."),
    Case("mishap", "I lost my job.", "Ann lost their job", "I lost track."),
    Case("made", "I painted a sunset.", "Ann painted a sunset", "It made me happy."),
    Case("took", "I took my kids to the museum.", "Ann took their kids to the museum", "I took a lot from it."),
    Case("media", "I read Charlotte's Web.", "Ann read Charlotte's Web", "I saw you."),
    Case("learned", "I learned to swim.", "Ann learned to swim", "I learned a lot."),
    Case("found", "I found a stray cat.", "Ann found a stray cat", "I found it."),
    Case("celebrated", "We had a picnic.", "Ann had a picnic", "We had a blast."),
    Case("performed", "I gave a talk at the library.", "Ann gave a talk at the library", "I gave up."),
    Case("feels", "I'm so excited about the new house.", "Ann is so excited about the new house", "I'm excited."),
    Case("relative", "My colleague Rob invited me.", "Rob is Ann's colleague", "My colleague invited me."),
    Case("identity", "My name is Ann Stone.", "Ann's name is Ann Stone", "My answer is No."),
]  # fmt: skip

OTHERS = [
    ("es", Case("location", "Vivo en Madrid.", "Ann vive en Madrid", "Quisiera vivir en Madrid.")),
    ("es", Case("moved", "Me mudé a Lisboa.", "Ann se mudó a Lisboa", "Me mudé ayer.")),
    ("es", Case("origin", "Soy de Sevilla.", "Ann es de Sevilla", "Soy de los que leen.")),
    ("es", Case("works at", "Carlos trabaja en Telefónica.", "Carlos trabaja en Telefónica", "Carlos trabaja mucho.")),
    ("es", Case("identity", "Me llamo Ana.", "Ana se llama Ana", "Te llamo mañana.")),
    ("es", Case("allergy", "Soy alérgica a los gatos.", "Ann tiene alergia a los gatos", "Soy alta.")),
    ("es", Case("loves", "Me gusta el café.", "a Ann le gusta el café", "¿Te gusta el café?")),
    ("es", Case("choice", "Elegimos Postgres.", "Elegimos Postgres", "Eligieron Postgres.")),
    ("de", Case("location", "Ich wohne in Berlin.", "Ann wohnt in Berlin", "Wohnst du in Berlin?")),
    ("de", Case("moved", "Ich bin nach Hamburg gezogen.", "Ann ist nach Hamburg gezogen", "Ich bin nach Hause gegangen.")),
    ("de", Case("origin", "Ich komme aus Wien.", "Ann kommt aus Wien", "Ich komme gleich.")),
    ("de", Case("works at", "Peter arbeitet bei Siemens.", "Peter arbeitet bei Siemens", "Peter arbeitet viel.")),
    ("de", Case("identity", "Ich heiße Eva.", "Eva heißt Eva", "Es heißt, er kommt.")),
    ("de", Case("allergy", "Ich bin allergisch gegen Nüsse.", "Ann ist allergisch gegen Nüsse", "Ich bin gegen Nüsse.")),
    ("de", Case("loves", "Ich mag Kaffee.", "Ann mag Kaffee", "Magst du Kaffee?")),
    ("de", Case("choice", "Wir nutzen Postgres.", "Wir nutzen Postgres", "Ihr nutzt Postgres.")),
    ("ru", Case("location", "Я живу в Берлине.", "Ann живёт в Берлине", "Жизнь в Берлине хороша.")),
    ("ru", Case("moved", "Я переехала в Москву.", "Ann переехала в Москву", "Переезд был долгим.")),
    ("ru", Case("works at", "Анна работает в Яндексе.", "Анна работает в Яндексе", "Анна работает много.")),
    ("ru", Case("origin", "Я родом из Казани.", "Ann из Казани", "Я вышла из дома.")),
    ("ru", Case("identity", "Меня зовут Олег.", "имя: Олег", "Меня зовут домой.")),
    ("ru", Case("allergy", "У меня аллергия на орехи.", "Ann: аллергия на орехи", "У меня есть орехи.")),
    ("ru", Case("loves", "Я люблю плавать.", "Ann любит плавать", "Ты любишь плавать?")),
    ("ru", Case("choice", "Мы выбрали Postgres.", "Мы выбрали Postgres", "Они выбрали Postgres.")),
    ("uk", Case("location", "Я живу у Києві.", "Ann живе в Києві", "Життя у Києві гарне.")),
    ("uk", Case("moved", "Я переїхала до Львова.", "Ann переїхала до Львова", "Переїзд був довгим.")),
    ("uk", Case("works at", "Олена працює в Розетці.", "Олена працює в Розетці", "Олена працює багато.")),
    ("uk", Case("origin", "Я родом з Одеси.", "Ann з Одеси", "Я вийшла з дому.")),
    ("uk", Case("identity", "Мене звати Тарас.", "ім'я: Тарас", "Мене звати додому.")),
    ("uk", Case("allergy", "У мене алергія на горіхи.", "Ann: алергія на горіхи", "У мене є горіхи.")),
    ("uk", Case("loves", "Я люблю плавати.", "Ann любить плавати", "Ти любиш плавати?")),
    ("uk", Case("choice", "Ми обрали Postgres.", "Ми обрали Postgres", "Вони обрали Postgres.")),
]  # fmt: skip


def found(said: str, language: str = "en") -> list[tuple[str, str]]:
    """Return the facts in what Ann says, ungated: (pattern, content)."""
    facts = facts_in(meant(said), told_at_ms=TOLD_AT_MS, speaker="Ann", language=language)
    return [(fact.pattern, fact.content) for fact in facts]


@published("PM-44")
@pytest.mark.parametrize("case", ENGLISH, ids=lambda case: case.pattern)
def test_every_pattern_takes_its_statement(case: Case) -> None:
    assert (case.pattern, case.fact) in found(case.said)


@published("PM-44")
@pytest.mark.parametrize("case", ENGLISH, ids=lambda case: case.pattern)
def test_every_pattern_leaves_what_only_looks_alike(case: Case) -> None:
    assert case.pattern not in [pattern for pattern, _ in found(case.left)]


@pytest.mark.parametrize(("language", "case"), OTHERS, ids=lambda each: getattr(each, "pattern", each))
def test_other_languages_take_their_statements_and_leave_the_rest(language: str, case: Case) -> None:
    assert found(case.said, language) == [(case.pattern, case.fact)]
    assert case.pattern not in [pattern for pattern, _ in found(case.left, language)]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("es", "No vivo en Madrid."), ("es", "Ya no vivo en Madrid."), ("es", "No me gusta el café."),
        ("es", "Me encanta eso."), ("es", "Ella vive en Lima."), ("es", "Nunca trabajo en Telefónica."),
        ("es", "Si vivo en Lima, soy feliz."), ("es", "Mi tío dijo: «Vivo en Lima y me gusta tu casa»."),
        ("de", "Ich mag es nicht."), ("de", "Ich mag Kaffee nicht."), ("de", "Ich mag keine Hunde."),
        ("de", "Sie mag Bücher."), ("de", "Ich mag die Farbe."), ("de", "Wenn ich in Berlin wohne, bin ich froh."),
        ("ru", "Я не люблю зиму."), ("ru", "Я больше не живу в Сочи."), ("ru", "Что я люблю больше всего."),
        ("ru", "Она любит чай."), ("ru", "Я люблю тебя."), ("ru", "Прагу из Ржешова видно."),
        ("uk", "Я не дуже люблю святкувати."), ("uk", "Я люблю її."), ("uk", "Ми з Надією вийшли."),
        ("uk", "Не живу у Києві."), ("uk", "Якщо я живу у Києві, то щаслива."), ("uk", "Я люблю це."),
    ],
)  # fmt: skip
def test_what_is_denied_supposed_or_leans_on_the_unsaid_is_left_in_other_languages(
    language: str, said: str
) -> None:
    assert found(said, language) == []


@published("PM-44")
def test_the_registry_has_more_than_25_patterns_and_a_fixture_for_each() -> None:
    registered = {pattern.name for pattern in english.PATTERNS}
    assert len(registered) == len(english.PATTERNS) > 25
    assert {case.pattern for case in ENGLISH} == registered | {"relative", "identity"}
    for language, patterns in other_languages.PATTERNS.items():
        names = [case.pattern for found_in, case in OTHERS if found_in == language]
        assert set(names) == {pattern.name for pattern in patterns}
