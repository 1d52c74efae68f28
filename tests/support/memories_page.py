"""How tests use the panel of memories: what a person does there, in words."""

from playwright.sync_api import Locator, Page, expect


def open_memories(page: Page) -> Locator:
    """Open the panel by its pill."""
    page.locator("#pill").click()
    panel = page.get_by_role("complementary", name="Memories")
    expect(panel).to_be_visible()
    return panel


def card(page: Page, text: str) -> Locator:
    """The card that says so."""
    return page.locator(".card").filter(has_text=text)


def texts(page: Page) -> list[str]:
    """What the cards say, from above."""
    return page.locator(".card-words").all_inner_texts()


def verbs(page: Page) -> list[str]:
    """Note, from now on, what the page asks of the device that may write."""
    asked: list[str] = []
    reading = {
        "list",
        "recall",
        "get",
        "history",
        "log",
        "status",
        "graph",
        "entities",
        "panel/browse",
        "panel/cards",
    }

    def note(url: str, method: str) -> None:
        verb = url.partition("/api/v1/")[2]
        if method == "POST" and verb not in reading and not verb.endswith("/list"):
            asked.append(verb)

    page.on("request", lambda request: note(request.url, request.method))
    return asked
