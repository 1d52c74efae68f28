"""A file whose parts are of the wrong kind is told part by part, and the rest of it is brought in."""

import json
from typing import Any

import pytest

from samemind.portable.files import read_text
from samemind.portable.records import Item, Unreadable

TURN = {"speaker": "Ann", "dia_id": "D1:1", "text": "hello"}


@pytest.mark.parametrize(
    "conversation",
    [7, None, ["session_1"], "session_1", {"session_1": 7}, {"session_1": None}, {"session_1": [None]}],
)
def test_a_locomo_conversation_that_is_none_is_told_and_the_next_one_read(conversation: Any) -> None:
    good = {"sample_id": "conv-2", "conversation": {"session_1": [TURN]}}
    text = json.dumps([{"sample_id": "conv-1", "conversation": conversation}, good])
    told, read = read_text("talk.json", text, "locomo")
    assert isinstance(told, Unreadable)
    assert isinstance(read, Item)
    assert read.text == "hello"
