"""Explain why a memory is not among the answers to a question: what dropped it, and what it lacked."""

from typing import TYPE_CHECKING, Final

from replica.values import dataclass
from samemind.declaring import Agents, Command, Effects, Method, Takes, Workspace, argument, option
from samemind.formats.options import FilterOptions
from samemind.formats.printable import one_line
from samemind.formats.rendering import Document

if TYPE_CHECKING:
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainWhyNot(FilterOptions):
    """Explain why a memory is not among the answers to a question: what dropped it, and what it lacked."""

    rid: str = argument("its id", takes=Takes.RID)
    query: str = argument("the question", metavar="QUERY")
    k: int = option("-k", "how many results were asked for", default=10, metavar="N")


@dataclass(frozen=True, slots=True, kw_only=True)
class StageView:
    """One stage of a recall: whether the memory passed it, and what there is to say."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WhyNot:
    """The stages that a memory went through for a question, up to the one that dropped it."""

    rid: str
    query: str
    found: bool
    stages: list[StageView]


async def run(device: "Device", options: ExplainWhyNot) -> WhyNot:
    """Ask the question again, and watch what becomes of one memory."""
    from replica import show_memory_id
    from samemind.formats.filtering import kept
    from samemind.formats.ids import find_memory
    from samemind.moments import at_moment

    async with at_moment(device, options.as_of, options.seen_by) as mind:
        rid = await mind.read(
            lambda connection: find_memory(connection, options.rid, forgotten=True, summary=True)
        )
        stages = await mind.why_not(rid, options.query, k=options.k, filters=kept(options))
    return WhyNot(
        rid=show_memory_id(rid),
        query=options.query,
        found=all(stage.passed for stage in stages),
        stages=[StageView(name=stage.name, passed=stage.passed, detail=stage.detail) for stage in stages],
    )


def render(document: Document) -> list[str]:
    return [
        f"{'ok ' if stage['passed'] else 'NOT'}  {stage['name']:<10} {one_line(stage['detail'])}"
        for stage in document["stages"]
    ]


COMMAND: Final = Command(
    "why-not",
    ExplainWhyNot,
    WhyNot,
    run=run,
    render=render,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("why_not", "Explain why a memory is not among the answers to a question."),
    workspace=Workspace.FILTERED | Workspace.READ_BY_ID,
    place=3,
)
