"""What is spoken on the WebSocket of a page: of what it offers, the newest that this device speaks."""

import pytest

from samemind.panel.linking import spoken
from sync.web_hello import ASKING_PROTOCOL, LINK_PROTOCOL, MAIL_PROTOCOL, PAIR_PROTOCOL


@pytest.mark.parametrize(
    ("offered", "finder", "none"),
    [
        ([ASKING_PROTOCOL, LINK_PROTOCOL], ASKING_PROTOCOL, LINK_PROTOCOL),
        ([LINK_PROTOCOL, ASKING_PROTOCOL], ASKING_PROTOCOL, LINK_PROTOCOL),
        ([LINK_PROTOCOL], LINK_PROTOCOL, LINK_PROTOCOL),  # an older page
        ([PAIR_PROTOCOL], PAIR_PROTOCOL, PAIR_PROTOCOL),
        (["samemind-link-3", LINK_PROTOCOL], LINK_PROTOCOL, LINK_PROTOCOL),  # a newer page
        ([ASKING_PROTOCOL], ASKING_PROTOCOL, None),
        ([MAIL_PROTOCOL], MAIL_PROTOCOL, MAIL_PROTOCOL),
        ([MAIL_PROTOCOL, ASKING_PROTOCOL, LINK_PROTOCOL], None, None),
        ([MAIL_PROTOCOL, PAIR_PROTOCOL], None, None),
        ([PAIR_PROTOCOL, LINK_PROTOCOL], None, None),
        ([PAIR_PROTOCOL, ASKING_PROTOCOL], None, None),
        (["chat"], None, None),
        ([], None, None),
    ],
)
def test_a_page_is_spoken_with_as_both_can(offered: list[str], finder: str | None, none: str | None) -> None:
    assert spoken(offered, is_finder=True) == finder
    assert spoken(offered, is_finder=False) == none
