"""What a phone's page tells those who do not see it, and leaves them time for."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.endtoend.phone.conftest import Laptop, begin

Open = Callable[[str], Page]


def test_without_the_program_of_the_page_it_says_who_does_not_answer(laptop: Laptop, phone: Open) -> None:
    page = phone("about:blank")
    page.context.route(re.compile("pyodide"), lambda route: route.abort())
    page.goto(laptop.phone_url)
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("alert")).to_contain_text("the device that serves it does not answer")
    page.context.unroute_all()
    page.get_by_role("button", name="Load again").click()
    begin(page)
