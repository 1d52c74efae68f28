"""The panel for everybody, and against nobody: axe, keys, inert text, a used address."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.endtoend.panel.conftest import Household, shoot
from tests.support.axe import judged
from tests.support.browser import PATIENCE_MS, Panel, go, launch_url
from tests.support.cli import daemon, run
from tests.support.memories_page import card, open_memories
from tests.support.panel_texts import MODULES

HOSTILE = (
    "<img src=x onerror=\"window.pwned='img'\">",
    "<script>window.pwned='script'</script>",
    "</textarea><svg onload=\"window.pwned='svg'\">",
    "javascript:window.pwned='link'",
    "{{constructor.constructor('window.pwned=1')()}}",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_any_view(laptop: Panel, phone: Panel, page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    laptop.ask("remember", text="I work at Google", meta=["category=identity"])
    phone.ask("remember", text="I work at Meta")
    laptop.ask("remember", text="Coffee without sugar", meta=["category=preference"], pin=True)
    laptop.ask("relate", source="Ann", relation="works_on", target="Heron")
    # In the dark only the colours are others.
    rules = None if scheme == "light" else {"runOnly": ["color-contrast"]}
    found: dict[str, list[str]] = {}
    rid = laptop.ask("remember", text="Ann works on Heron with Bob", tag=["work"], workspace="work")["rid"]
    views = (
        "",
        "?ask=coffee",
        "memories",
        "memories?q=coffee",
        f"memory/{rid}",
        "questions",
        "inbox",
        "graph",
        "agents",
        "devices",
        "settings",
        "options",
        "spaces",
        "recovery",
    )
    assert {view.partition("?")[0].partition("/")[0] for view in views} == paths_of_pages()
    for view in views:
        go(page, view)
        if view == "questions":
            expect(page.locator(".question")).to_have_count(1)
        if view.startswith(("memories", "memory")):
            expect(page.locator(".memory-row, .memory-text").first).to_be_visible()
        if view in ("options", "spaces", "recovery"):
            expect(page.locator(".option, .space, .recovery-standing h2").first).to_be_visible()
        found |= judged(page, view or "home", rules)
    page.keyboard.press("Control+k")
    page.keyboard.type("coffee")
    expect(page.get_by_role("option").first).to_contain_text("Coffee")
    found |= judged(page, "search from anywhere", rules)
    page.keyboard.press("Escape")
    page.keyboard.press("t")
    expect(page.get_by_role("slider")).to_be_visible()
    found |= judged(page, "time", rules)
    page.keyboard.press("t")
    open_memories(page)
    page.get_by_role("button", name="Manage").click()
    found |= judged(page, "memories, managing", rules)
    page.get_by_role("button", name="Done").click()
    page.locator(".card-text").first.dblclick()
    found |= judged(page, "memories, rewriting", rules)
    page.keyboard.press("Escape")
    card(page, "Coffee").locator("[aria-label=History]").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    found |= judged(page, "history", rules)
    page.keyboard.press("Escape")
    shoot(page, f"home-{scheme}")
    laptop.ask("unrelate", source="Ann", relation="works_on", target="Heron")
    assert found == {}


@pytest.mark.slow
@pytest.mark.parametrize(("width", "direction"), [(390, "ltr"), (390, "rtl"), (768, "ltr"), (1440, "rtl")])
def test_axe_finds_nothing_at_any_width_in_either_direction(
    laptop: Panel, width: int, direction: str
) -> None:
    laptop.ask("remember", text="I work at Google")
    laptop.ask("remember", text="I work at Meta")
    laptop.ask("remember", text="אני גר בחיפה ועובד מהבית", tag=["בית"], no_facts=True)
    laptop.ask("relate", source="Ann", relation="works_on", target="Heron")
    rid = laptop.ask("remember", text="Ann works on Heron with Bob", tag=["work"])["rid"]
    views = ["", "?ask=coffee", "memories", "memories?q=Ann", f"memory/{rid}", "questions", "inbox"]
    views += ["graph", "graph?all=1", "agents", "devices", "settings", "memories?at=2026-01-01"]
    views += ["options", "spaces", "recovery"]
    assert {view.partition("?")[0].partition("/")[0] for view in views} == paths_of_pages()
    page = laptop.page(width=width)
    found: dict[str, list[str]] = {}
    page.emulate_media(reduced_motion="reduce")
    for view in views:
        go(page, view)
        page.evaluate("(direction) => (document.documentElement.dir = direction)", direction)
        page.get_by_role("heading", level=1).first.wait_for(state="attached")
        found |= judged(page, view or "home", None)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, view
        shoot(page, f"{view.split('?')[0].split('/')[0] or 'home'}-{width}-{direction}")
    laptop.ask("unrelate", source="Ann", relation="works_on", target="Heron")
    assert found == {}


def paths_of_pages() -> set[str]:
    """Return what every page of the panel is called in its address, as the program in the page lists them."""
    source = (MODULES / "main.js").read_text("utf-8")
    lists = re.findall(r"const (?:VIEWS|INNER) = \[\n(.*?)\n\];", source, re.DOTALL)
    assert len(lists) == 2
    return set(re.findall(r'\{ path: "(\w*)"', "".join(lists)))


def test_script_in_a_memory_is_shown_as_it_was_written_and_does_nothing(laptop: Panel, page: Page) -> None:
    for text in HOSTILE:
        laptop.ask("remember", text=text, speaker="<b>Ann</b>", no_facts=True)
    laptop.ask("relate", source="<img src=x onerror=window.pwned=2>", relation="<b>", target="Heron")
    open_memories(page)
    expect(page.locator(".card")).to_have_count(len(HOSTILE))
    assert sorted(page.locator(".card-words").all_text_contents()) == sorted(HOSTILE)
    page.locator(".card-text").first.click()
    page.keyboard.press("Escape")
    page.get_by_label("Search memories").fill("<img")
    expect(page.locator(".card").first).to_contain_text("<img")
    go(page, "graph")
    expect(page.locator(".entity.centre")).to_be_visible()
    go(page, "")  # or the graph would ask for what is taken out below
    expect(page.locator(".entity.centre")).to_be_hidden()
    laptop.ask("unrelate", source="<img src=x onerror=window.pwned=2>", relation="<b>", target="Heron")
    assert page.evaluate("() => window.pwned") is None
    assert page.locator("main img, aside img, main script, aside script").count() == 0
    refused = page.evaluate(
        "() => { try { document.body.innerHTML = '<p>'; return 'done'; } catch (e) { return e.name; } }"
    )
    assert refused == "TypeError", "the browser itself refuses to make markup of text"
    laptop.errors.clear()  # it tells of that


def test_everything_is_within_reach_of_keys(laptop: Panel, page: Page) -> None:
    laptop.ask("remember", text="Reach me", no_facts=True)
    expect(page.locator("#pill")).to_have_text("1 memory")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("2")
    expect(page.get_by_role("heading", name="Memories", level=1)).to_be_visible()
    page.keyboard.press("n")
    expect(page.get_by_label("What to remember")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.locator("#memories")).to_be_hidden()
    page.keyboard.press("m")
    expect(page.get_by_label("Search memories")).to_be_focused()
    page.locator(".card-text").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Edit memory")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".card-text")).to_be_focused()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    go(page, "devices")
    page.get_by_role("button", name="Show a code").press("Enter")
    page.locator(".code").wait_for()
    expect(page.get_by_role("button", name="Stop waiting")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Show a code")).to_be_focused()


def test_who_has_keys_alone_goes_on_where_they_were(laptop: Panel, page: Page) -> None:
    """Whatever is answered or closed, something in the page has the focus; Enter twice destroys nothing."""
    for text in ("My password: hunter2-Mango77", "My password: tulip9-Kiwi55", "Coffee without sugar"):
        laptop.ask("remember", text=text)
    stands = page.locator(":focus")
    go(page, "settings")
    page.get_by_role("button", name="Delete…").first.press("Enter")
    expect(stands).to_have_text("Keep")
    page.keyboard.press("Enter")
    expect(stands).to_have_text("Delete…")
    for left in (1, 0):
        page.get_by_role("button", name="Delete…").first.press("Enter")
        page.get_by_role("button", name="Delete", exact=True).press("Enter")
        expect(page.get_by_role("button", name="Delete…")).to_have_count(left)
        if left:
            expect(stands).to_have_text("Not a secret…")
    expect(page.locator("main")).to_be_focused()

    page.keyboard.press("t")
    expect(page.get_by_role("slider", name="Moment")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("slider", name="Moment")).to_be_hidden()
    expect(page.get_by_role("button", name="Go back in time")).to_be_focused()

    page.keyboard.press("n")
    field = page.get_by_label("What to remember")
    field.fill("My password: hunter2-Mango77")
    field.press("Enter")
    page.locator(".toast").get_by_role("button", name="Close").press("Enter")
    expect(field).to_be_focused()
    field.press("Escape")
    page.get_by_role("button", name="Manage").press("Enter")
    page.get_by_role("button", name="Clear all…").press("Enter")
    page.get_by_role("button", name="Forget all").press("Enter")
    expect(page.locator(".bulk")).to_be_hidden()
    expect(page.get_by_role("button", name="Manage")).to_be_focused()


def test_a_notice_stays_while_somebody_stands_in_it(laptop: Panel) -> None:
    with laptop.clocked() as page:
        page.evaluate("async () => (await import('/js/toasts.js')).notice('Read me slowly')")
        toast = page.locator(".toast")
        toast.get_by_role("button", name="Close").focus()
        page.clock.run_for(15_000)
        expect(toast).to_be_visible()
        page.locator("#find").focus()
        page.clock.run_for(8_000)
        expect(toast).to_have_count(0)


def test_what_is_done_twice_is_told_twice_to_who_cannot_see_it(page: Page) -> None:
    page.keyboard.press("n")
    field = page.get_by_label("What to remember")
    told = set()
    for text in ("The roof needs repair", "Coffee without sugar"):
        field.fill(text)
        field.press("Enter")
        expect(field).to_have_value("")
        told.add(page.locator("#announcer").text_content())
    assert len(told) == 2


def test_an_address_lets_in_one_browser_once(household: Household) -> None:
    laptop = household.laptop
    url = launch_url(laptop.home)
    browser = laptop.context.browser
    assert browser is not None
    for expected in ("inside", "outside"):
        context = browser.new_context()
        page = context.new_page()
        page.goto(url)
        if expected == "inside":
            page.locator("body[data-ready]").wait_for(timeout=PATIENCE_MS)
            assert "launch" not in page.url, "the token stays in no history"
        else:
            expect(page.get_by_role("heading", level=1)).to_have_text("Open the panel from this device")
            assert page.locator(".card").count() == 0
        context.close()


def test_a_page_says_that_the_device_is_away_and_comes_back_by_itself(laptop: Panel, page: Page) -> None:
    looks = """(hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    who, news = page.locator("#whoami"), "**/panel/events"
    page.evaluate(looks, True)
    page.route(news, lambda route: route.abort())
    page.evaluate(looks, False)
    expect(who).to_have_text("not connected, trying again")
    assert who.evaluate("(it) => it.scrollWidth <= it.clientWidth"), "all of it is shown"
    laptop.ask("remember", text="Told while the page could not hear it", no_facts=True)
    page.unroute(news)
    expect(who).to_have_text("laptop", timeout=PATIENCE_MS)
    expect(page.locator("#pill")).to_have_text("1 memory")
    laptop.errors.clear()


def test_a_page_says_how_it_is_opened_where_the_device_began_anew(chromium: Browser, tmp_path: Path) -> None:
    home = tmp_path / "home"
    context = chromium.new_context()
    page = context.new_page()
    with daemon(home, "--panel", "127.0.0.1:0") as running:
        port = running.said["panel_url"].rstrip("/").rpartition(":")[2]
        page.goto(launch_url(home))
        page.locator("body[data-ready]").wait_for(timeout=PATIENCE_MS)
    expect(page.locator("#whoami")).to_have_text("not connected, trying again", timeout=PATIENCE_MS)
    with daemon(home, "--panel", f"127.0.0.1:{port}"):
        expect(page.get_by_role("heading", level=1)).to_have_text(
            "Open the panel from this device", timeout=PATIENCE_MS
        )
        context.close()


def test_a_browser_on_another_machine_is_served_by_https(chromium: Browser, tmp_path: Path) -> None:
    """By HTTP/1.1, on which a phone's WebSocket works; this machine's own address stands for the network's."""
    home = tmp_path / "home"
    with daemon(home, "--panel", "0.0.0.0:0") as running:
        context = chromium.new_context(ignore_https_errors=True, viewport={"width": 360, "height": 740})
        page = context.new_page()
        errors: list[str] = []
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.goto(launch_url(home))
        page.locator("body[data-ready]").wait_for(timeout=PATIENCE_MS)
        assert page.url.startswith(running.said["panel_url"])
        protocol = page.evaluate("() => performance.getEntriesByType('navigation')[0].nextHopProtocol")
        assert protocol == "http/1.1"
        assert page.evaluate("() => document.cookie") == "", "no script reads it"
        assert [each["secure"] for each in context.cookies()] == [True]
        assert run(home, "remember", "told in a terminal", "--no-facts").code == 0
        expect(page.locator("#pill")).to_have_text("1 memory")
        go(page, "devices")
        page.get_by_role("button", name="Show a QR code").click()
        expect(page.get_by_role("img", name="QR code that opens this panel on a phone")).to_be_visible()
        context.close()
        assert errors == []


@pytest.mark.parametrize(
    ("locale", "title", "asks", "says"),
    [
        ("de-DE", "Diesem Gerät vertrauen: samemind", "Zertifikat laden", "auf Zertifikat laden, dann auf Zulassen"),
        ("es-ES", "Confiar en este dispositivo: samemind", "Obtener el certificado", "y luego Permitir"),
        ("it-IT", "Trust this device: samemind", "Get the certificate", "then Allow"),
    ],
)  # fmt: skip
def test_the_page_of_trust_speaks_the_language_of_the_browser(
    chromium: Browser, laptop: Panel, locale: str, title: str, asks: str, says: str
) -> None:
    context = chromium.new_context(locale=locale)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text))
    page.goto(f"{laptop.url}phone/trust")
    expect(page).to_have_title(title)
    expect(page.locator("a.button")).to_have_text(asks)
    step = page.locator(".steps > li").first
    expect(step).to_contain_text(says)
    assert step.locator("> b").count() == 2, "the words of a screen stand out in every language"
    assert page.locator("html").get_attribute("lang") == (locale[:2] if locale != "it-IT" else "en")
    assert complaints == []
    context.close()
