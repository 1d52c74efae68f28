"""A second look for what the first one left open."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import trio

from cognition import Filters
from cognition.context.composing import gather
from cognition.context.rounds import FOLLOW_UPS_MAX, gap, read_answer
from cognition.errors import ModelUnavailable
from cognition.mind import Cognition
from cognition.models.chat import ChatMessage
from cognition.ranking.vocabulary import TABLES
from cognition.recall.stages import Hits
from replica import Replica
from tests.support.minds import open_memory, remember
from tests.support.published import published
from tests.support.recalling import Memory

QUESTION = "Where does Ann's sister work?"
ANSWER = "Zoe is employed by the Maritime Museum"


class Model:
    """A language model that answers as it was told, and counts."""

    name = "told"
    remote = False

    def __init__(self, answer: Callable[[], str]) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def complete(self, messages: Sequence[ChatMessage], *, temperature: float, max_tokens: int) -> str:
        self.asked.append(messages[-1].content)
        return self.answer()


class Counted:
    """A mind whose recalls are counted."""

    def __init__(self, mind: Cognition) -> None:
        self._mind = mind
        self.model = mind.model
        self.tables = mind.tables
        self.now_ms = mind.now_ms
        self.read = mind.read
        self.queries: list[str] = []

    async def recall(self, query: str, *, k: int, filters: Filters, now_ms: int | None = None) -> Hits:
        self.queries.append(query)
        return await self._mind.recall(query, k=k, filters=filters, now_ms=now_ms)


async def fill(replica: Replica, mind: Cognition) -> None:
    """The answer, what leads to it, and more than a context holds that is closer to the question."""
    await remember(replica, "Ann's sister is called Zoe", ANSWER)
    await remember(replica, *(f"Ann and her sister came to the lake, day {n}" for n in range(40)))
    await mind.settle()


def ask(path: Path, model: Model | None = None) -> tuple[list[str], Counted]:
    async def main() -> tuple[list[str], Counted]:
        async with open_memory(path) as (replica, mind):
            mind.model = model
            await fill(replica, mind)
            counted = Counted(mind)
            gathered = await gather(counted, QUESTION, Filters())
            return [hit.memory.text for hit in gathered.hits], counted

    return trio.run(main)


@published("ML-76")
def test_a_second_round_brings_what_only_a_name_in_the_first_leads_to(tmp_path: Path) -> None:
    texts, counted = ask(tmp_path / "store")
    assert ANSWER in texts[:5]
    assert counted.queries[0] == QUESTION
    assert counted.queries[1:] == ["Zoe work"], "one follow-up, and no third round"


@published("ML-76")
def test_a_model_says_what_is_missing_where_there_is_one(tmp_path: Path) -> None:
    wish = {"sufficient": False, "queries": ["museum", "museum", "employer of Zoe", "boats", "lakes"]}
    model = Model(lambda: f"Sure: {json.dumps(wish)}")
    texts, counted = ask(tmp_path / "store", model)
    assert ANSWER in texts[:6]
    assert counted.queries == [QUESTION, "museum", "employer of Zoe", "boats"]
    assert len(counted.queries) == 1 + FOLLOW_UPS_MAX
    assert len(model.asked) == 1
    assert QUESTION in model.asked[0]
    content = Model(lambda: '{"sufficient": true}')
    assert ask(tmp_path / "other", content)[1].queries == [QUESTION]


def _gone() -> str:
    raise ModelUnavailable("nobody is there")


@published("ML-76")
@pytest.mark.parametrize("answer", [_gone, lambda: "I cannot say", lambda: '{"sufficient": "maybe"}'])
def test_a_model_that_fails_leaves_it_to_the_rules(tmp_path: Path, answer: Callable[[], str]) -> None:
    assert ask(tmp_path / "store", Model(answer))[1].queries == [QUESTION, "Zoe work"]


@published("ML-76")
def test_answers_that_say_all_that_was_asked_are_sufficient() -> None:
    memory = Memory()
    memory.home.remember("Ann's sister Zoe has a job at the museum")
    assert gap(QUESTION, memory.recall(QUESTION), TABLES).queries == ()
    assert gap(QUESTION, [], TABLES).queries == ()


@published("ML-76")
def test_no_more_than_three_things_are_asked_after() -> None:
    memory = Memory()
    memory.home.remember("Ann's sister met Zoe, Bob Miller, Carla, Dora and Emil")
    queries = gap(QUESTION, memory.recall(QUESTION), TABLES).queries
    assert len(queries) == FOLLOW_UPS_MAX
    assert all(query.endswith(" work") for query in queries)


@pytest.mark.parametrize(
    "answer",
    ["", "[]", "{", '{"queries": ["a"]}', '{"sufficient": false, "queries": 3}', '{"a": ' * 5_000 + "}"],
)
def test_what_is_no_answer_of_a_model_is_none(answer: str) -> None:
    assert read_answer(answer) is None
