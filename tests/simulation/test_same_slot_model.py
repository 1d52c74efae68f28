"""The model of joining slots shows what it says: wrong rules fail, and the product's own holds."""

import pytest

from simulations.same_slot_model import RULES, Found, search

HISTORIES = 150


def test_the_products_own_rule_holds() -> None:
    *_, own = RULES.values()
    assert search(own, HISTORIES) == Found()


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("the last judgment that arrived", "diverged"),
        ("links as they come", "diverged"),
        ("whatever can be reached is one", "asked_again"),
        ("whatever can be reached is one", "chained"),
    ],
)
def test_a_wrong_rule_is_seen_to_fail(name: str, fault: str) -> None:
    assert getattr(search(RULES[name], HISTORIES), fault) > 0
