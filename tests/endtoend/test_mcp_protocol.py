"""What hosts offer their users of a memory beside its tools, by the official client in both ways of the protocol."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import trio
from mcp import types
from mcp.client.client import Client
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated

from samemind.mcp.resources import PER_PAGE
from tests.support import cli
from tests.support.agents import agent, call

MODES = ("legacy", "auto")
# On a machine that is busy with other tests.
SECONDS_MAX = 60.0


def talk(work: Callable[[], Any]) -> None:
    async def bounded() -> None:
        with trio.fail_after(2 * SECONDS_MAX):
            await work()

    trio.run(bounded)


def said(result: types.GetPromptResult) -> str:
    (message,) = result.messages
    assert message.role == "user"
    assert isinstance(message.content, types.TextContent)
    return message.content.text


async def text_of(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, types.TextResourceContents)
    return content.text


@pytest.mark.parametrize("mode", MODES)
def test_a_person_asks_by_prompts_for_a_recap_what_changed_and_the_questions(
    tmp_path: Path, mode: str
) -> None:
    async def work() -> None:
        async with agent(tmp_path, mode=mode) as client:
            prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
            assert list(prompts) == ["recap", "what_changed", "review_questions"]
            assert all(prompt.title and prompt.description for prompt in prompts.values())
            assert "no open questions" in said(await client.get_prompt("review_questions"))
            await call(client, "remember", text="Ben lives in Bonn", speaker="Ann")
            told = await call(client, "remember", text="Ben lives in Basel", speaker="Carl")
            recap = said(await client.get_prompt("recap", {"about": "Ben"}))
            assert "Ben lives in Basel" in recap
            assert "recalled-memories" in recap
            assert "Basel" in (questions := said(await client.get_prompt("review_questions")))
            assert "Bonn" in questions
            assert told["rid"] in said(await client.get_prompt("what_changed"))
            for wrong in ("some day", "2999-01-01"):
                with pytest.raises(MCPError, match="expected a time"):
                    await client.get_prompt("what_changed", {"since": wrong})
            with pytest.raises(MCPError, match="expected a prompt among recap"):
                await client.get_prompt("poem")
            with pytest.raises(MCPError, match="got colour"):
                await client.get_prompt("recap", {"colour": "red"})

    talk(work)


@pytest.mark.parametrize("mode", MODES)
def test_every_memory_and_person_is_a_resource_that_lists_links_and_completions_lead_to(
    tmp_path: Path, mode: str
) -> None:
    lines = "".join(json.dumps({"text": f"note {number}"}) + "\n" for number in range(PER_PAGE))
    cli.run(tmp_path, "remember", "--batch", "-", stdin=lines)

    async def work() -> None:
        async with agent(tmp_path, mode=mode) as client:
            told = await client.call_tool("remember", {"text": "Ann works at Contoso", "speaker": "Ben"})
            (link,) = (each for each in told.content if isinstance(each, types.ResourceLink))
            assert told.structured_content is not None
            assert link.uri == f"samemind://memory/{told.structured_content['rid']}"
            page = await text_of(client, link.uri)
            assert "Ben: Ann works at Contoso" in page
            assert "signature holds" in page
            found = await client.call_tool("recall", {"query": "where does Ann work?"})
            links = [each.uri for each in found.content if isinstance(each, types.ResourceLink)]
            assert link.uri in links
            assert len(links) <= 3

            listed: list[types.Resource] = []
            cursor = None
            while True:
                part = await client.list_resources(cursor=cursor)
                assert len(part.resources) <= PER_PAGE + 3
                listed += part.resources
                cursor = part.next_cursor
                if cursor is None:
                    break
            assert [each.uri for each in listed[:3]] == [
                "samemind://profile", "samemind://contradictions", "samemind://people",
            ]  # fmt: skip
            assert listed[3].title == "Ann works at Contoso"
            assert len({each.uri for each in listed}) == 3 + 1 + PER_PAGE

            templates = {
                each.name: each.uri_template
                for each in (await client.list_resource_templates()).resource_templates
            }
            assert templates == {"memory": "samemind://memory/{id}", "person": "samemind://people/{name}"}
            assert "Contoso" in await text_of(client, "samemind://people/Ann")
            assert "samemind://people/Ann" in await text_of(client, "samemind://people")

            async def complete(ref: Any, name: str, value: str) -> list[str]:
                return (await client.complete(ref, {"name": name, "value": value})).completion.values

            person = types.ResourceTemplateReference(uri=templates["person"])
            memory = types.ResourceTemplateReference(uri=templates["memory"])
            rid = told.structured_content["rid"]
            assert await complete(person, "name", "an") == ["Ann"]
            assert await complete(types.PromptReference(name="recap"), "about", "cont") == ["Contoso"]
            assert await complete(memory, "id", rid[:30]) == [rid]
            assert await complete(memory, "id", "zz") == []
            for wrong in (
                "samemind://memory/0",
                "samemind://memory/",
                "samemind://poems",
                "file:///etc/passwd",
            ):
                with pytest.raises(MCPError):
                    await client.read_resource(wrong)
            with pytest.raises(MCPError, match="cursor"):
                await client.list_resources(cursor="-1")
            assert client.server_info is not None
            (icon,) = client.server_info.icons or []
            assert b"<svg" in base64.b64decode(icon.src.partition(",")[2])

    talk(work)


def test_who_subscribed_hears_of_what_changed_and_of_nothing_else(tmp_path: Path) -> None:
    """By streams of their own, as the protocol has it now."""

    async def work() -> None:
        async with agent(tmp_path) as client, agent(tmp_path) as other:
            ann = await call(client, "remember", text="Ann lives in Lisbon")
            tom = await call(client, "remember", text="Tom lives in Turin")
            mine = f"samemind://memory/{ann['rid']}"
            async with client.listen(resource_subscriptions=[mine]) as stream:
                await call(other, "correct", rid=tom["rid"], text="Tom lives in Trento")
                await call(other, "correct", rid=ann["rid"], text="Ann lives in Porto")
                with trio.fail_after(SECONDS_MAX):
                    assert await anext(stream) == ResourceUpdated(mine)
                assert "Porto" in await text_of(client, mine)
            async with client.listen(resources_list_changed=True) as stream:
                await call(other, "forget", rids=[tom["rid"]])
                with trio.fail_after(SECONDS_MAX):
                    assert await anext(stream) == ResourcesListChanged()

    talk(work)


def test_a_session_of_before_hears_of_what_changed_too(tmp_path: Path) -> None:
    heard: list[Any] = []
    came = trio.Event()

    async def hear(message: Any) -> None:
        heard.append(message)
        if len(heard) >= 2:
            came.set()

    async def work() -> None:
        async with agent(tmp_path, mode="legacy", message_handler=hear) as client:
            capabilities = client.server_capabilities.resources
            assert capabilities is not None
            assert capabilities.subscribe
            assert capabilities.list_changed
            ann = await call(client, "remember", text="Ann lives in Lisbon")
            uri = f"samemind://memory/{ann['rid']}"
            await client.list_resources()
            with pytest.warns(MCPDeprecationWarning):  # the client's, of a way that hosts of today still go
                await client.subscribe_resource(uri)
            await call(client, "correct", rid=ann["rid"], text="Ann lives in Porto")
            await call(client, "remember", text="Tom lives in Turin")
            with trio.fail_after(SECONDS_MAX):
                await came.wait()
            kinds = {type(each) for each in heard}
            assert kinds == {types.ResourceUpdatedNotification, types.ResourceListChangedNotification}
            assert [
                each.params.uri for each in heard if isinstance(each, types.ResourceUpdatedNotification)
            ] == [uri]

    talk(work)
    calls = cli.run(tmp_path, "--json", "agents", "log").json["calls"]
    asked = [each["tool"] for each in calls]
    assert asked == ["remember", "list", "correct", "remember"], (
        "what the server looks at by itself is no call"
    )


@pytest.mark.parametrize("mode", MODES)
def test_the_person_settles_a_contradiction_on_a_form_of_their_host(tmp_path: Path, mode: str) -> None:
    asked: list[types.ElicitRequestFormParams] = []
    answers = [
        types.ElicitResult(action="decline"),
        types.ElicitResult(action="accept", content={"true": "later"}),
        types.ElicitResult(action="accept", content={"true": "Bonn"}),
    ]

    async def answer(context: Any, params: Any) -> types.ElicitResult:
        asked.append(params)
        if answers:
            return answers.pop(0)
        properties = params.requested_schema["properties"]["true"]
        basel = next(
            rid
            for rid, words in zip(properties["enum"], properties["enumNames"], strict=True)
            if "Basel" in words
        )
        return types.ElicitResult(action="accept", content={"true": basel, "since": "2025-03-01"})

    async def work() -> None:
        async with agent(tmp_path, mode=mode, elicitation_callback=answer) as client:
            await call(client, "remember", text="Ben lives in Bonn", speaker="Ann")
            await call(client, "remember", text="Ben lives in Basel", speaker="Carl")
            (open_,) = (await call(client, "contradictions"))["contradictions"]
            for left in (2, 1, 0):
                result = await client.call_tool("resolve", {"id": open_["id"]})
                assert "stays open" in result.content[0].text  # type: ignore[union-attr]
                assert len(answers) == left
                assert len((await call(client, "contradictions"))["contradictions"]) == 1
            await call(client, "resolve", id=open_["id"])
            assert "which is true?" in asked[-1].message
            words = asked[-1].requested_schema["properties"]["true"]["enumNames"]
            assert any("Bonn (Ann" in each for each in words)
            (settled,) = (await call(client, "contradictions", status="settled"))["contradictions"]
            assert settled["id"] == open_["id"]
            (hit,) = (await call(client, "recall", query="where does Ben live?", k=1))["results"]
            assert hit["text"] == "Ben lives in Basel"
        async with agent(tmp_path, mode=mode) as client:  # a host that shows no forms
            result = await client.call_tool("resolve", {"id": open_["id"]})
            assert result.is_error

    talk(work)


@pytest.mark.parametrize("mode", MODES)
def test_a_call_that_is_cancelled_is_over_where_the_store_is_held(tmp_path: Path, mode: str) -> None:
    """Taking back what somebody told waits a while, so that it can be called off: then nothing is gone."""

    async def work() -> None:
        async with (
            agent(tmp_path, mode=mode) as holder,
            agent(tmp_path, "--profile", "full", mode=mode) as client,
        ):
            told = await call(holder, "remember", text="The boat is called Heron", speaker="Mallory")
            before = trio.current_time()
            with trio.move_on_after(2) as cut:
                await client.call_tool("retract", {"speaker": "Mallory", "undo_s": 10})
            assert cut.cancelled_caught
            listed = await call(client, "list")
            assert trio.current_time() - before < 10, "its turn comes at once"
            await trio.sleep(max(0.0, before + 12 - trio.current_time()))
            assert [each["rid"] for each in listed["memories"]] == [told["rid"]]
            assert (await call(client, "list"))["total"] == 1
            await call(client, "retract", speaker="Mallory", undo_s=0)
            assert (await call(client, "list"))["total"] == 0

    talk(work)


def test_a_long_call_says_how_far_it_is(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"text": f"The {n}th boat is called Heron {n}"}) + "\n" for n in range(400))
    cli.run(tmp_path, "remember", "--batch", "-", stdin=lines)
    heard: list[tuple[float, float | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total))

    async def work() -> None:
        async with agent(tmp_path, "--profile", "full") as client:
            with trio.move_on_after(SECONDS_MAX) as waiting:
                async with trio.open_nursery() as nursery:

                    async def wait() -> None:
                        await client.call_tool("queue_wait", {}, progress_callback=hear)
                        nursery.cancel_scope.cancel()

                    nursery.start_soon(wait)
            assert not waiting.cancelled_caught
            assert heard
            assert [done for done, _ in heard] == sorted(done for done, _ in heard)
            assert all(total == heard[-1][1] for _, total in heard)

    talk(work)
