"""The panel's routes mirror the verbs: each is offered or withheld for a reason, and described as it is declared."""

from dataclasses import fields
from typing import Any

import pytest

from samemind.panel.api import OFFERED, offered, path_of
from samemind.panel.openapi import openapi_document
from samemind.surface.catalog import NAMES
from samemind.surface.declare import declared

# Why a page cannot ask for these.
WITHHELD = {
    **dict.fromkeys(
        ("import", "export", "backup", "restore", "carry export", "carry import", "remember-many"),
        "reads or writes files",
    ),
    **dict.fromkeys(("group rebuild", "group rejoin"), "needs the store for itself, and the daemon holds it"),
    **dict.fromkeys(
        ("init", "up", "down", "panel", "mcp", "service install", "service uninstall", "service status"),
        "starts or ends a program, or says who this is",
    ),
    **dict.fromkeys(("encrypt", "decrypt"), "writes the store anew while no program has it open"),
    **dict.fromkeys(
        ("mailbox add", "mailbox remove", "mailbox invite", "mailbox serve-config"),
        "reads, writes or shows a secret, or gives one up",
    ),
    **dict.fromkeys(
        ("group show", "group recovery", "group restore"),
        "shows a secret or asks for one, and has no page yet",
    ),
    **dict.fromkeys(("connect", "setup"), "writes the settings of other programs"),
    **dict.fromkeys(
        ("retract", "compact"), "undoes or folds much at once: asked for where its result can be read"
    ),
    **dict.fromkeys(
        (
            "queue list",
            "queue requeue",
            "queue wait",
            "held list",
            "held release",
            "held drop",
            "extract",
            "warmup",
            "demo",
        ),
        "is about the machine, or shows what was held back from every screen",
    ),
}


def test_every_verb_is_offered_to_pages_or_withheld_for_a_reason() -> None:
    assert set(NAMES) - OFFERED - set(WITHHELD) == set(), "say in samemind/panel/api.py, or here, which"
    assert set(WITHHELD) & OFFERED == set()


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
        one.name
        for one in declared(verb.options)
        if one.name != "accept_loss"  # it writes, and is no page's
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
