"""The panel's routes mirror the verbs: each is offered or withheld for a reason, and described as it is declared."""

from dataclasses import fields
from typing import Any

import pytest

from samemind.catalog import NAMES, verb_named
from samemind.declaring import declared
from samemind.panel.api import offered, path_of
from samemind.panel.openapi import openapi_document


def test_every_command_is_offered_to_pages_or_withheld_for_a_reason() -> None:
    for verb in map(verb_named, NAMES):
        assert verb.panel is True or len(str(verb.panel)) > len("reads"), verb.name
    for name in ("export", "up", "mailbox invite", "group rebuild", "queue list", "mcp"):
        assert verb_named(name) not in offered(), name


def test_the_description_has_every_route_and_no_other() -> None:
    document = openapi_document()
    assert list(document["paths"]) == [path_of(verb) for verb in offered()]
    names = [path["post"]["operationId"] for path in document["paths"].values()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("verb", offered(), ids=lambda verb: verb.name)
def test_a_route_is_described_as_its_verb_is_declared(verb: Any) -> None:
    document = openapi_document()
    post = document["paths"][path_of(verb)]["post"]
    asked = post["requestBody"]["content"]["application/json"]["schema"]
    assert list(asked["properties"]) == [
        one.name for one in declared(verb.options) if "panel" not in one.word.hidden_from
    ]
    assert asked.get("required", []) == [one.name for one in declared(verb.options) if one.required]
    (answer,) = post["responses"]["200"]["content"].values()
    name = answer["schema"]["$ref"].rpartition("/")[2]
    shape = document["components"]["schemas"][name]
    assert list(shape["properties"]) == [one.name for one in fields(verb.result)]


def test_every_reference_in_the_description_leads_somewhere() -> None:
    document = openapi_document()
    shapes = document["components"]["schemas"]

    def referred(value: Any) -> set[str]:
        if isinstance(value, dict):
            own = {value["$ref"].rpartition("/")[2]} if "$ref" in value else set()
            return own.union(*map(referred, value.values()))
        return set().union(*map(referred, value)) if isinstance(value, list) else set()

    assert referred(document) <= set(shapes)
    assert all(shapes.values()), "a shape that was named and not described"
