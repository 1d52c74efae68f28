"""What a designer objected to: things that overlap, are cut, read the wrong way, or leave nobody a next step."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations

import pytest
from playwright.sync_api import Browser, Page, expect

from cognition.patterns.miners import Miner
from cognition.patterns.words import pattern_reason
from replica import Memory, MemoryId
from tests.support.browser import PATIENCE_MS, Panel, go, launch_url

_BESIDES = """([field, icon]) => {
  const [box, mark, style] = [field.getBoundingClientRect(), icon.getBoundingClientRect(), getComputedStyle(field)];
  const words = [box.left + parseFloat(style.paddingLeft), box.right - parseFloat(style.paddingRight)];
  const apart = mark.right <= words[0] + 0.5 || mark.left >= words[1] - 0.5;
  return { apart, atRight: mark.left > (box.left + box.right) / 2 };
}"""
_FITS = """(field) => {
  field.value = field.placeholder;
  const fits = field.scrollWidth <= field.clientWidth;
  field.value = "";
  return fits;
}"""
# What is drawn beyond the picture is cut off by its edge.
_BEYOND = """async (count) => {
  const { state } = await import("/js/state.js");
  const { syncMap } = await import("/js/map.js");
  const own = state.status;
  const peer = { name: "Wohnzimmerrechner der Familie", state: "away", behind: 12345 };
  const peers = Array.from({ length: count }, (_, n) => ({ ...peer, device_id: `${n}`.repeat(64) }));
  state.status = { ...own, peers };
  const map = syncMap();
  document.querySelector("main").append(map.element);
  map.update();
  state.status = own;
  const whole = map.element.querySelector("svg").viewBox.baseVal;
  const found = [...map.element.querySelectorAll("text")].map((text) => {
    const box = text.getBBox();
    const shift = text.closest("g").transform.baseVal[0].matrix;
    return [box.x + shift.e, box.x + box.width + shift.e, box.y + box.height + shift.f];
  }).filter(([left, right, bottom]) => left < 0 || right > whole.width || bottom > whole.height);
  map.element.remove();
  return found;
}"""


@contextmanager
def opened(chromium: Browser, laptop: Panel, locale: str, width: int) -> Iterator[Page]:
    """A page of a browser that speaks another language."""
    context = chromium.new_context(locale=locale, viewport={"width": width, "height": 844})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(launch_url(laptop.home))
    page.locator("body[data-ready]").wait_for()
    yield page
    context.close()


def told(*texts: str) -> list[Memory]:
    """Memories as a device has them, a minute after each other."""
    return [
        Memory(MemoryId(bytes([n]) * 16), text, {}, n * 60_000 << 16, n * 60_000 << 16, 1, 0, 0)
        for n, text in enumerate(texts, start=1)
    ]


@pytest.mark.parametrize("path", ["", "memories"])
def test_no_icon_covers_words_whichever_way_the_page_reads(laptop: Panel, path: str) -> None:
    laptop.ask("remember", text="Ann moved to Lisbon", no_facts=True)
    page = laptop.page(f"#/{path}", width=390)
    search = page.locator("main .search.wide")
    for direction in ("ltr", "rtl"):
        page.evaluate("(to) => { document.documentElement.dir = to; }", direction)
        handles = page.evaluate_handle(
            "(each) => [each.querySelector('input'), each.querySelector('.icon')]", search.element_handle()
        )
        assert page.evaluate(_BESIDES, handles) == {"apart": True, "atRight": direction == "rtl"}


def test_rows_begin_on_the_side_of_the_page_in_whichever_script_they_are(laptop: Panel) -> None:
    for text in ("Ann moved to Lisbon", "אני גר בחיפה"):
        laptop.ask("remember", text=text, no_facts=True)
    page = laptop.page("#/memories")
    words = page.locator(".memory-words")
    for direction, side in (("ltr", "left"), ("rtl", "right")):
        page.evaluate("(to) => { document.documentElement.dir = to; }", direction)
        expect(words).to_have_count(2)
        found = words.evaluate_all("(all) => all.map((each) => getComputedStyle(each).textAlign)")
        assert [each.removeprefix("-webkit-") for each in found] == [side, side]
    go(page, "devices")
    for field in (page.get_by_label("Code", exact=True), page.get_by_label("Address, if needed")):
        expect(field).to_have_attribute("dir", "ltr")


@pytest.mark.parametrize("language", ["de-DE", "en-GB"])
def test_the_map_cuts_no_words_on_a_phone(laptop: Panel, chromium: Browser, language: str) -> None:
    with opened(chromium, laptop, language, 390) as page:
        assert [page.evaluate(_BEYOND, count) for count in (1, 2, 3, 5)] == [[], [], [], []]


def test_a_german_page_says_in_german_what_was_noticed_where_it_was_done_and_all_of_a_label(
    laptop: Panel, chromium: Browser
) -> None:
    together = told(*(f"The launch of Heron is on {n} March, says Ann" for n in range(1, 6)))
    hub = told(*(f"On Monday Ann met {name}" for name in ("Bob", "Carla", "Dora", "Emil", "Fritz")))
    theme = told(*(f"the risotto with saffron burned again {n}" for n in range(5)))
    reasons = [
        pattern_reason(Miner.TOGETHER.value, together),
        pattern_reason(Miner.HUB.value, hub),
        pattern_reason(Miner.THEME.value, theme),
        "“call the dentist” is due",
        "something nobody put into words here",
    ]
    assert all(reasons)
    rid = laptop.ask("remember", text="Ann moved to Lisbon", topic="people", no_facts=True)["rid"]
    with opened(chromium, laptop, "de-DE", 390) as page:
        said = page.evaluate("async (all) => all.map((await import('/js/words.js')).reasonOf)", reasons)
        assert said[0] == "Ann und Heron kommen in 5 Erinnerungen zusammen vor"
        assert said[1].startswith("Ann steht im Mittelpunkt von vielem: Bob, Carla")
        assert said[2].startswith("5 Erinnerungen haben ein gemeinsames Thema: ")
        assert said[3:] == ["“call the dentist” ist fällig", reasons[4]]
        words = "async (all) => all.map((await import('/js/words.js')).relationWords)"
        relations = ["lives_in", "prefers:tea|coffee", "smells_of", "judged:1"]
        assert page.evaluate(words, relations) == ["wohnt in", "bevorzugt", "smells of", ""]
        expect(page.locator("main")).to_contain_text("„Ann moved to Lisbon“")
        go(page, f"memory/{rid}")
        expect(page.locator("main")).to_contain_text("Geschrieben auf diesem Gerät")
        expect(page.locator(".timeline")).to_contain_text("auf diesem Gerät")
        expect(page.locator(".timeline")).to_contain_text("Thema: people")
        label = page.get_by_label("Etikett hinzufügen")
        assert label.evaluate(_FITS)


def test_a_page_says_when_in_the_language_of_its_texts_and_keeps_long_names_in_their_column(
    laptop: Panel, chromium: Browser
) -> None:
    rid = laptop.ask(
        "remember", text="Nadia lives in Porto", speaker="Ann", claims=["owner lives_in: Lisbon"]
    )["rid"]
    laptop.ask(
        "remember", text="The gate is green", session="whatsapp:WhatsApp Chat with the whole of the family"
    )
    with opened(chromium, laptop, "it-IT", 1280) as page:
        assert (
            page.evaluate("async () => (await import('/js/i18n.js')).ago(Date.now() - 300_000)")
            == "5 minutes ago"
        )
        go(page, "memories")
        page.locator(".facet-value").filter(has_text="whatsapp:").wait_for()
        counts = page.locator(".facet-value").evaluate_all(
            "(all) => all.map((each) => each.getBoundingClientRect().right)"
        )
        assert max(counts) <= page.locator(".browse-list").evaluate(
            "(each) => each.getBoundingClientRect().left"
        )
        go(page, f"memory/{rid}")
        expect(page.locator(".claim-says").filter(has_text="Lisbon")).to_have_text("You: lives in Lisbon")


def test_a_long_name_widens_no_other_in_the_graph_and_a_birthday_is_told_in_french(
    laptop: Panel, chromium: Browser
) -> None:
    name = "Wilhelmina Featherstonehaugh Cholmondeley Marjoribanks"
    laptop.ask("relate", source=name, relation="knows", target="Ann")
    with opened(chromium, laptop, "fr-FR", 1280) as page:
        words = "async () => (await import('/js/words.js')).relationWords('birthday')"
        assert page.evaluate(words) == "anniversaire"
        go(page, "graph")
        names = page.locator(".names")
        names.get_by_text("Wilhelmina").wait_for()
        assert names.evaluate("(each) => each.scrollWidth <= each.clientWidth")
    # No memory goes away with it, and another test wants an empty graph.
    laptop.ask("unrelate", source=name, relation="knows", target="Ann")


def test_where_nothing_is_remembered_every_page_offers_the_next_step(laptop: Panel) -> None:
    page = laptop.page()
    for path in ("graph", "inbox", "memories", "?ask=where+does+Ann+live"):
        go(page, path)
        offer = page.locator("main .empty:visible, main .answers:visible").get_by_role(
            "button", name="Remember something"
        )
        expect(offer).to_be_visible()
        offer.click()
        expect(page.get_by_label("What to remember")).to_be_focused()
        page.get_by_role("button", name="Close memories").click()
    go(page, "graph")
    expect(page.get_by_role("heading", level=1)).to_have_text("Graph")
    expect(page.get_by_role("link", name="The whole graph")).to_be_hidden()
    go(page, "memories")
    listed = page.locator("main .browse-list").filter(has=page.locator(".empty-title"))
    expect(listed).to_be_visible()  # the page before has such a title, too
    width = listed.evaluate("(each) => each.clientWidth")
    assert width > 800, "it has the room of the filters, which say nothing yet"
    go(page, "spaces")
    expect(page.get_by_text("No spaces yet")).to_be_visible()
    expect(page.locator(".view-head .lead")).to_have_text("")


def test_an_address_of_the_past_takes_its_slider_away_with_it(laptop: Panel) -> None:
    laptop.ask("remember", text="Ann moved to Lisbon", no_facts=True)
    page = laptop.page("#/memories?at=2026-01-01")
    bar = page.get_by_role("slider", name="Moment")
    expect(bar).to_be_visible()
    go(page, "questions")
    expect(bar).to_be_hidden()
    page.get_by_role("button", name="Go back in time").click()
    expect(bar).to_be_visible()
    go(page, "memories")
    expect(bar).to_be_visible()  # whoever opened it closes it


def test_on_a_touch_screen_the_latest_memories_are_whole_and_open_no_keyboard(
    laptop: Panel, chromium: Browser
) -> None:
    laptop.ask("remember", text="Ann moved to Lisbon", speaker="Professor Annemarie Haller", no_facts=True)
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(launch_url(laptop.home))
    page.locator("body[data-ready]").wait_for()
    page.locator("#pill").click()
    expect(page.locator("#memories .search input")).to_be_visible()
    expect(page.locator("#memories .search input")).not_to_be_focused()
    meta = page.locator(".card-meta")
    expect(meta).to_be_visible()
    assert meta.evaluate(
        """(element) => {
          const dot = element.querySelector(".dot").getBoundingClientRect();
          return [element.scrollWidth <= element.clientWidth, dot.width > 0];
        }"""
    ) == [True, True]
    ends = page.evaluate("() => document.getElementById('memories').getBoundingClientRect().bottom")
    assert ends >= page.evaluate("() => document.getElementById('tabs').getBoundingClientRect().top")
    context.close()


def test_devices_of_one_name_are_told_apart(laptop: Panel, page: Page) -> None:
    names = page.evaluate(
        """async () => {
          const { state, deviceName } = await import("/js/state.js");
          const { agreement } = await import("/js/home.js");
          const own = state.status;
          const peers = ["1a2b", "3c4d", "5e6f"].map((id) => ({ device_id: id.repeat(16), state: "linked" }));
          peers[0].name = peers[1].name = "vm";
          peers[2].name = "shelf";
          state.status = { ...own, peers };
          const found = peers.map((each) => deviceName(each.device_id));
          found.push(deviceName("77".repeat(32), "shelf"), agreement()[0]);
          state.status = own;
          return found;
        }"""
    )
    assert names[:4] == ["vm 1a2b", "vm 3c4d", "shelf", "shelf 7777"]
    assert "vm 1a2b, vm 3c4d" in names[4]


def test_the_key_that_opens_the_past_closes_it(laptop: Panel) -> None:
    page = laptop.page("#/questions")
    bar = page.get_by_role("slider", name="Moment")
    page.keyboard.press("t")
    expect(bar).to_be_focused()
    page.keyboard.press("t")
    expect(bar).to_be_hidden()


@pytest.mark.parametrize("width", [360, 800, 1280])
def test_what_is_said_of_one_text_does_not_lie_over_the_next(laptop: Panel, width: int) -> None:
    page = laptop.page(width=width)
    page.keyboard.press("n")
    field = page.get_by_label("What to remember")
    field.fill("Remind me at 8:00 to feed the fish")
    field.press("Enter")
    expect(page.locator(".toast")).to_be_visible()
    expect(field).to_have_value("")
    form = page.locator(".composer-form").bounding_box()
    lowest = page.locator(".toast").bounding_box()
    assert form
    assert lowest
    assert lowest["y"] + lowest["height"] <= form["y"]


def test_a_long_text_is_drawn_as_a_text_and_not_as_a_heading(laptop: Panel) -> None:
    short = laptop.ask("remember", text="The roof in Piran needs repair")["rid"]
    long = laptop.ask("remember", text="We walked along the river and saw herons. " * 20)["rid"]
    sizes = []
    for rid in (short, long):
        words = laptop.page(f"#/memory/{rid}").locator(".memory-text")
        expect(words).to_be_visible()
        sizes.append(
            words.evaluate(
                "(each) => [parseFloat(getComputedStyle(each).fontSize), getComputedStyle(each).fontWeight]"
            )
        )
    assert sizes[1][0] <= 18 < sizes[0][0]
    assert sizes[1][1] == "400"


@pytest.mark.parametrize("language", ["de", "es", "fr"])
def test_on_the_narrowest_screen_the_tabs_stand_in_one_row_and_what_is_cut_says_so(
    laptop: Panel, chromium: Browser, language: str
) -> None:
    with opened(chromium, laptop, language, 320) as page:
        tabs = page.locator("#tabs .tab").filter(visible=True)
        boxes = tabs.evaluate_all("(all) => all.map((each) => [each, each.querySelector('span')])"
                                  ".map((pair) => pair.map((each) => each.getBoundingClientRect()))")  # fmt: skip
        assert len({tab["top"] for tab, _ in boxes}) == 1
        assert all(tab["left"] <= words["left"] and words["right"] <= tab["right"] for tab, words in boxes)
        expect(page.locator("#whoami")).to_be_hidden()
        asks = page.get_by_role("searchbox").first
        assert asks.evaluate("(each) => getComputedStyle(each).textOverflow") == "ellipsis"
        go(page, "recovery")
        edges = "(all) => all.map((each) => each.getBoundingClientRect().right)"
        assert max(page.locator("main h1, main .box").evaluate_all(edges)) <= 304, (
            "as far from it as at the other side"
        )


def test_what_is_cut_ends_in_a_whole_letter_and_names_are_told_in_full(laptop: Panel) -> None:
    name = "A" * 22 + "\N{PARTY POPPER}" * 9
    laptop.ask("relate", source=name, relation="knows", target="Bob")
    page = laptop.page("#/graph?name=Bob")
    far = page.locator(".entity:has(title)").filter(has_text="A" * 22)
    expect(far.locator("text")).to_have_text("A" * 22 + "\N{PARTY POPPER}…")
    expect(far.locator("title")).to_have_text(name)
    expect(page.locator("#whoami")).to_have_attribute("title", laptop.name)
    page.close()
    laptop.ask("unrelate", source=name, relation="knows", target="Bob")


def test_long_words_widen_no_narrow_page_and_end_where_they_are_cut(laptop: Panel) -> None:
    """In the graph, in its list of relations, and in a row of two lines."""
    long = "Donaudampfschifffahrtsgesellschaftskapitänsdorf"
    related = [("Ina Schmidt", "Ida Lopez"), ("Ida Lopez", "Siemens"), ("Iva", "Ida Lopez"), ("Iva", long)]
    related += [("Ina Schmidt", "Bello"), ("Ida Lopez", "Berlin"), ("Ina Schmidt", "Hamburg")]
    for source, target in related:
        laptop.ask("relate", source=source, relation="knows", target=target)
    rid = laptop.ask("remember", text="A" * 300, no_facts=True)["rid"]
    page = laptop.page("#/graph?name=Ida+Lopez", width=390, height=740)
    expect(page.locator(".edges a").filter(has_text=long)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    boxes = page.locator(".entity text").evaluate_all(
        "(all) => all.map((each) => each.getBoundingClientRect())"
    )
    assert len(boxes) == 8
    for one, other in combinations(boxes, 2):
        apart = max(one["left"], other["left"]) - min(one["right"], other["right"])
        over = max(one["top"], other["top"]) - min(one["bottom"], other["bottom"])
        assert max(apart, over) > -3, (one, other)
    page.set_viewport_size({"width": 1280, "height": 740})
    for size in (16, 32):
        page.evaluate("(size) => { document.documentElement.style.fontSize = `${size}px`; }", size)
        go(page, "graph")
        go(page, "memories")
        words = page.locator(f".memory-row[data-rid='{rid}'] .memory-words")
        expect(words).to_be_visible()
        assert (
            words.evaluate("(each) => each.clientHeight / parseFloat(getComputedStyle(each).lineHeight)")
            > 1.95
        )
    page.close()
    for source, target in related:
        laptop.ask("unrelate", source=source, relation="knows", target=target)
    laptop.ask("forget", rids=[rid])


# What reaches beyond the right edge, and pairs of words at the foot that touch.
_BEYOND_THE_EDGE = """() => {
  const shown = (each) => each.checkVisibility({ visibilityProperty: true });
  const slid = (each) => each.closest(".names, .skip, .unseen");
  const wide = [...document.querySelectorAll("body *")].filter((each) => shown(each) && !slid(each)
    && !each.closest("svg") && each.getBoundingClientRect().right > innerWidth + 0.5)
    .map((each) => `${each.tagName} ${each.className}`);
  const tabs = [...document.querySelectorAll("#tabs .tab span")].filter((each) => each.getClientRects().length)
    .map((each) => each.getBoundingClientRect()).sort((one, other) => one.left - other.left);
  const touching = tabs.filter((each, at) => at && each.left - tabs[at - 1].right < 2).length;
  return [document.documentElement.scrollWidth > innerWidth, wide, touching];
}"""


@pytest.mark.parametrize(
    ("language", "width", "text_px"), [("en-GB", 195, 16), ("de-DE", 195, 16), ("fr-FR", 390, 32)]
)
def test_at_twice_the_size_nothing_is_beyond_the_edge_and_no_tabs_touch(
    laptop: Panel, chromium: Browser, language: str, width: int, text_px: int
) -> None:
    """A phone's page at 200 %: half as wide by the browser's zoom, or letters of twice the size."""
    long = "Donaudampfschifffahrtsgesellschaftskapitän"
    rid = laptop.ask("remember", text=f"{long} ist lang", speaker=long, topic=long)["rid"]
    laptop.ask("relate", source=long, relation="knows", target="Bob")
    with opened(chromium, laptop, language, width) as page:
        page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": {"standard": text_px}})
        for path in (
            "",
            "memories",
            f"memory/{rid}",
            "graph",
            "devices",
            "settings",
            "recovery",
            "memories?at=2026-01-01",
        ):
            go(page, path)
            page.locator("main > .view:not([aria-busy])").wait_for()
            assert (path, page.evaluate(_BEYOND_THE_EDGE)) == (path, [False, [], 0])
    laptop.ask("unrelate", source=long, relation="knows", target="Bob")


def test_on_a_narrow_screen_a_row_says_what_is_the_matter_with_its_memory(
    laptop: Panel, chromium: Browser
) -> None:
    for town in ("Lisbon", "Porto"):
        laptop.ask(
            "remember", text=f"Ann lives in {town}", speaker="Professor Annemarie Haller of the university"
        )
    with opened(chromium, laptop, "de-DE", 320) as page:
        go(page, "memories")
        flag = page.locator(".memory-row .flag.alert").first
        expect(flag).to_have_text("widersprochen")
        assert flag.evaluate(
            "(each) => each.getBoundingClientRect().bottom <= each.parentElement.getBoundingClientRect().bottom"
        )


def test_a_german_page_says_what_claims_are_about_and_how_small_a_number_may_be(
    laptop: Panel, chromium: Browser
) -> None:
    rid = laptop.ask("remember", text="I like tea")["rid"]
    laptop.ask("edit", rid=rid, text="I like green tea")
    with opened(chromium, laptop, "de-DE", 1280) as page:
        go(page, f"memory/{rid}")
        expect(page.locator(".claim-says").filter(has_text="green tea")).to_have_text(
            "Du: Haltung zu green tea mag"
        )
        go(page, "spaces")
        expect(page.get_by_label("Time", exact=True)).to_have_count(0)
        go(page, "options")
        page.get_by_text("Eine Zahl von 0,000001 bis 1.").wait_for()
    space = laptop.page("#/spaces")
    expect(space.get_by_label("Name of the space")).to_be_visible()
