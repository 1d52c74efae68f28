"""Files in a stream of a NATS server, by what is asked of it; the server is a table of subjects here."""

import base64
import io
import json
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest

from sync.errors import Full, Gone, Unreached
from sync.mailbox.stream_files import (
    HALF_SECONDS_MAX,
    PAGES_MAX,
    PART_BYTES,
    PARTS_MAX,
    STREAM_BYTES_MAX,
    SWEPT_AT_ONCE_MAX,
    Ask,
    Asking,
    Result,
    StreamFiles,
)
from tests.support.visits import any_name

STEM = "samemind.group.file"
REFUSED: dict[str, Any] = {"error": {"err_code": 10001, "description": "no"}}
FULL: dict[str, Any] = {"error": {"err_code": 10077, "description": "maximum bytes exceeded"}}
PAGE = 40
"""So many subjects a listing names at once."""


class Server:
    """What a server keeps of one stream, and what it was asked."""

    def __init__(self) -> None:
        self.messages: dict[str, bytes] = {}
        self.config: dict[str, Any] | None = None
        self.asked: list[str] = []
        self.rung = 0
        self.refuses: dict[str, dict[str, Any]] = {}
        """What it answers instead, by the verb that it is asked for; a part of a file is `PUT`."""

    def run(self, asking: Asking[Result]) -> Result:
        """Answer until all is asked."""
        answer: bytes | None = None
        while True:
            try:
                step = asking.send(answer)
            except StopIteration as end:
                result: Result = end.value
                return result
            if isinstance(step, Ask):
                answer = json.dumps(self._answer(step.subject, step.payload)).encode()
            else:
                self.rung, answer = self.rung + 1, None

    def _answer(self, subject: str, payload: bytes) -> dict[str, Any]:
        verb = subject.removeprefix("$JS.API.STREAM.").removesuffix(".SAMEMIND_group")
        verb = "PUT" if verb == subject else verb
        self.asked.append(verb)
        if verb in self.refuses:
            return self.refuses[verb]
        if verb == "PUT":
            self.messages[subject] = payload
            return {"seq": 1}
        asked = json.loads(payload)
        if verb == "CREATE":
            self.config = asked
            return {}
        if verb == "PURGE":
            below = asked["filter"].removesuffix(">")
            self.messages = {each: held for each, held in self.messages.items() if not each.startswith(below)}
            return {"success": True}
        if verb == "MSG.GET":
            held = self.messages.get(asked["last_by_subj"])
            if held is None:
                return {"error": {"err_code": 10037}}
            return {"message": {"data": base64.b64encode(held).decode()}}
        if self.config is None:
            return {"error": {"err_code": 10059}}
        below = asked.get("subjects_filter", "").removesuffix(">")
        found = {each: 1 for each in self.messages if each.startswith(below)}
        page = dict(islice(found.items(), asked.get("offset", 0), asked.get("offset", 0) + PAGE))
        return {"state": {"subjects": page}, "total": len(found)}


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def got(server: Server, files: StreamFiles, name: str, bytes_max: int) -> bytes:
    file = io.BytesIO()
    server.run(files.get(name, bytes_max, file))
    return file.getvalue()


def opened() -> tuple[Server, StreamFiles, Clock]:
    server, clock = Server(), Clock()
    files = StreamFiles("group", now=clock)
    server.run(files.open())
    server.asked.clear()
    return server, files, clock


def test_a_stream_is_made_once_and_refuses_what_is_too_much_rather_than_drop_what_is_there() -> None:
    server = Server()
    files = StreamFiles("group", now=Clock())
    for _ in range(2):
        server.run(files.open())
    assert server.asked == ["INFO", "CREATE", "INFO"]
    assert server.config is not None
    assert server.config["discard"] == "new"
    assert server.config["max_bytes"] == STREAM_BYTES_MAX
    assert server.config["max_msgs_per_subject"] == 1, "what is written again does not take twice the room"
    assert server.config["max_age"] == 0


@pytest.mark.parametrize("verb", ["INFO", "CREATE"])
def test_where_the_server_refuses_a_stream_it_is_not_open(verb: str) -> None:
    server = Server()
    server.refuses[verb] = REFUSED
    with pytest.raises(Unreached, match="refuses: no"):
        server.run(StreamFiles("group", now=Clock()).open())


@pytest.mark.parametrize("size", [0, 1, PART_BYTES, PART_BYTES + 1, 7 * PART_BYTES])
def test_a_file_is_read_as_it_was_written_and_others_hear_of_it_once(size: int) -> None:
    server, files, _ = opened()
    name, data = any_name(), bytes(range(256)) * (size // 256) + bytes(size % 256)
    server.run(files.put(any_name(), b"another"))
    server.run(files.put(name, data))
    assert server.rung == 2
    assert server.run(files.names())[name] == size
    assert got(server, files, name, 8 * PART_BYTES) == data
    assert got(server, StreamFiles("group", now=Clock()), name, 8 * PART_BYTES) == data, "also unlisted"


def test_a_file_of_as_many_parts_as_may_be_is_written_and_one_byte_more_is_refused_before_anything_is() -> (
    None
):
    server, files, _ = opened()
    server.run(files.put(name := any_name(), bytes(PARTS_MAX * PART_BYTES)))
    assert name in server.run(files.names())
    server.messages.clear()
    with pytest.raises(Full, match="at most"):
        server.run(files.put(any_name(), bytes(PARTS_MAX * PART_BYTES + 1)))
    assert not server.messages


@pytest.mark.parametrize(("answer", "error"), [(REFUSED, Unreached), (FULL, Full)])
def test_a_file_whose_part_is_refused_is_not_written_and_nobody_hears_of_it(
    answer: dict[str, Any], error: type[Exception]
) -> None:
    server, files, _ = opened()
    server.refuses["PUT"] = answer
    with pytest.raises(error):
        server.run(files.put(any_name(), b"words"))
    assert server.rung == 0


def test_a_file_that_cannot_be_removed_is_not_taken_for_removed() -> None:
    server, files, _ = opened()
    server.run(files.put(name := any_name(), b"words"))
    server.refuses["PURGE"] = REFUSED
    with pytest.raises(Unreached):
        server.run(files.remove(name))
    del server.refuses["PURGE"]
    server.run(files.remove(name))
    assert server.messages == {}
    assert server.rung == 1, "nobody has to hear of it"


def test_one_that_is_gone_is_gone_whether_it_was_listed_or_not() -> None:
    server, files, _ = opened()
    server.run(files.put(name := any_name(), b"words"))
    server.run(files.names())
    server.messages.clear()
    with pytest.raises(Gone):
        got(server, files, name, 10)
    with pytest.raises(Gone):
        got(server, files, any_name(), 10)


def test_a_part_that_is_longer_than_any_is_not_read() -> None:
    """Of 11 MB each, parts were read as long as the line gave them, each at one go, while no other message was."""
    server, files, _ = opened()
    name = any_name()
    server.run(files.put(name, bytes(PART_BYTES)))
    assert got(server, files, name, PART_BYTES) == bytes(PART_BYTES)
    (subject,) = server.messages
    server.messages[subject] = bytes(2 * PART_BYTES)
    with pytest.raises(Unreached, match=f"expected a part of a file in {2 * PART_BYTES} bytes, got 13981"):
        got(server, files, name, PART_BYTES)


def test_no_more_is_asked_for_and_returned_than_was_wanted_however_large_the_parts_are() -> None:
    server, files, _ = opened()
    server.run(files.put(name := any_name(), bytes(3 * PART_BYTES)))
    server.messages[next(iter(server.messages))] = bytes(PART_BYTES + 1_000)
    server.run(files.names())
    server.asked.clear()
    assert len(got(server, files, name, PART_BYTES + 5)) == PART_BYTES + 5
    assert server.asked == ["MSG.GET"]


def test_a_listing_that_begins_anew_on_each_page_ends() -> None:
    """The server says that there is more, and lists nothing."""
    server, files, _ = opened()
    server.refuses["INFO"] = {"state": {"subjects": {}}, "total": 10}
    assert server.run(files.names()) == {}
    assert server.asked == ["INFO"]


def endless(subject: Callable[[int], str]) -> dict[str, Any]:
    return {"state": {"subjects": {subject(n): 1 for n in range(5_000)}}, "total": 1 << 40}


def of_many_files(n: int) -> str:
    return f"{STEM}.{n:032x}_samemind.4.0"


def of_one_file(n: int) -> str:
    return f"{STEM}.{0:032x}_samemind.{PARTS_MAX * PART_BYTES}.{n % PARTS_MAX}"


@pytest.mark.parametrize("subject", [of_many_files, of_one_file])
def test_a_listing_that_goes_on_and_on_is_not_followed(subject: Callable[[int], str]) -> None:
    server, files, _ = opened()
    server.refuses["INFO"] = endless(subject)
    with pytest.raises(Full, match="it lists more"):
        server.run(files.names())


@pytest.mark.parametrize(
    "subject",
    [
        "a_samemind.4.0",
        f"{'0' * 32}_samemind.4.1",
        f"{'0' * 32}_samemind.٤.0",
        f"{'0' * 32}_samemind.4.{'0' * 13}",
        f"{'0' * 32}_samemind.{'9' * 5_000}.0",
        f"{'0' * 32}_samemind.{PARTS_MAX * PART_BYTES + 1}.0",
        f"{'0' * 32}_samemind.4",
    ],
)
def test_a_subject_that_is_no_part_of_a_file_is_passed_over(subject: str) -> None:
    server, files, _ = opened()
    server.messages[f"{STEM}.{subject}"] = b"odd!"
    assert server.run(files.names()) == {}
    assert server.asked == ["INFO"], "nor is it swept away as half of one"


def test_a_half_is_swept_after_an_hour_since_it_was_first_seen_and_not_what_has_become_whole() -> None:
    server, files, clock = opened()
    half, slow = any_name(), any_name()
    for name in (half, slow):
        server.run(files.put(name, bytes(2 * PART_BYTES)))
    whole = dict(server.messages)
    last = f"{STEM}.{{}}.{2 * PART_BYTES}.1"
    for name in (half, slow):
        del server.messages[last.format(name.replace(".", "_"))]
    assert server.run(files.names()) == {}
    clock.seconds = HALF_SECONDS_MAX - 1
    assert server.run(files.names()) == {}
    server.messages[last.format(slow.replace(".", "_"))] = whole[last.format(slow.replace(".", "_"))]
    clock.seconds = HALF_SECONDS_MAX
    server.asked.clear()
    assert server.run(files.names()) == {slow: 2 * PART_BYTES}
    assert server.asked == ["INFO", "PURGE"]
    assert not any(half.replace(".", "_") in each for each in server.messages)


@pytest.mark.parametrize("data", ["@@@@", "not base64", 7, None])
def test_what_is_no_message_is_unreadable(data: object) -> None:
    server, files, _ = opened()
    server.run(files.put(name := any_name(), b"words"))
    server.run(files.names())
    server.refuses["MSG.GET"] = {"message": {"data": data}}
    with pytest.raises(Unreached, match="could not be read"):
        got(server, files, name, 10)


def test_of_what_a_server_says_only_the_beginning_is_passed_on() -> None:
    server, files, _ = opened()
    server.refuses["INFO"] = {"error": {"err_code": 1, "description": "x" * 10_000}}
    with pytest.raises(Unreached) as raised:
        server.run(files.names())
    assert len(str(raised.value)) < 300


def test_a_listing_whose_pages_never_end_is_given_up() -> None:
    """A page for each part kept a device asking for as long as the server liked, 400,000 times."""
    answers = [
        json.dumps({"state": {"subjects": {f"{STEM}.{any_name()}.1.0": 1}}, "total": 10**12}).encode()
        for _ in range(PAGES_MAX)
    ]
    asking = StreamFiles("group", now=Clock()).names()
    next(asking)
    for each in answers[:-1]:
        assert isinstance(asking.send(each), Ask)
    with pytest.raises(Full):
        asking.send(answers[-1])


def test_of_a_crowd_of_files_that_never_came_whole_so_many_are_removed_in_a_look() -> None:
    server, files, clock = opened()
    server.messages = {
        f"{STEM}.{any_name().replace('.', '_')}.{PART_BYTES + 1}.0": b"" for n in range(SWEPT_AT_ONCE_MAX + 1)
    }
    server.run(files.names())
    clock.seconds = HALF_SECONDS_MAX
    server.run(files.names())
    assert len(server.messages) == 1
    server.run(files.names())
    assert not server.messages
