"""What a phone's page asks, and every way in which it is answered there."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.endtoend.phone.conftest import SHOTS, Laptop, agreed, begin, call, pair, tell

Open = Callable[[str], Page]


def test_a_question_is_answered_in_each_way_and_so_on_every_device(laptop: Laptop, phone: Open) -> None:
    page = phone(laptop.phone_url)
    begin(page)
    pair(page, laptop)
    page.get_by_role("link", name="Memories").click()
    for who in ("I live", "Ann lives", "Ben lives"):
        for city in ("Bern", "Basel"):
            tell(page, f"{who} in {city}")
    page.get_by_role("link", name="Questions").press("Enter")
    cards, stands = page.locator(".question"), page.locator(":focus")
    expect(cards).to_have_count(3)
    own, ann, ben = (cards.filter(has_text=who) for who in ("You:", "Ann:", "Ben:"))

    # It changed: what is ticked holds since then. Asked with one tick alone, and of another anew.
    changed = own.get_by_role("button", name="It changed: since when?")
    expect(changed).to_be_disabled()
    own.get_by_label("Bern").press("Space")
    own.get_by_label("Basel").press("Space")
    expect(changed).to_be_disabled()
    own.get_by_label("Bern").press("Space")
    changed.press("Enter")
    since = own.get_by_label("Basel since")
    expect(since).to_be_focused()
    own.get_by_role("button", name="Leave it open").press("Enter")
    expect(changed).to_be_focused()
    page.keyboard.press("Enter")
    since.fill("2020-03-01")

    # Neither: what is typed stays through news and while another view is looked at.
    ann.get_by_role("button", name="Neither: type what is right").press("Enter")
    expect(stands).to_have_value("Ann lives in Basel")
    stands.fill("Ann lives in Olten")
    page.screenshot(path=SHOTS / "questions.png", full_page=True)
    page.get_by_role("link", name="Memories").click()
    page.get_by_role("link", name="Questions").click()
    typed = ann.get_by_label("What is true instead")
    expect(typed).to_have_value("Ann lives in Olten")
    own.get_by_label("Basel").check()
    changed.press("Enter")
    since.fill("2020-03-01")
    own.get_by_role("button", name="It changed then").press("Enter")
    expect(cards).to_have_count(2)
    expect(typed).to_have_value("Ann lives in Olten")
    typed.fill("Ann lives in Olten, and her password is hunter2secret99")
    ann.get_by_role("button", name="Remember this instead").press("Enter")
    expect(ann.get_by_role("alert")).to_contain_text("This looks like a secret")
    typed.fill("Ann lives in Olten")
    expect(ann.get_by_role("alert")).to_be_empty()
    ann.get_by_role("button", name="Remember this instead").press("Enter")
    expect(cards).to_have_count(1)
    ben.get_by_role("button", name="Both: they are two things").press("Enter")
    page.get_by_text("Nothing contradicts itself.").wait_for()

    # What is put off is asked neither here nor elsewhere, until somebody asks for it.
    undo = page.locator(".decided").filter(has_text="Ben:").get_by_role("button", name="Undo")
    undo.press("Enter")
    ben.get_by_role("button", name="Ask me later").press("Enter")
    page.get_by_text("Nothing contradicts itself.").wait_for()
    agreed(page, laptop)
    (later,) = (
        each for each in laptop.ask("contradictions list")["contradictions"] if each["entity"] == "Ben"
    )
    assert (later["status"], later["snoozed_until"] is None) == ("open", False)
    laptop.ask("contradictions snooze", id=later["id"], until="now")
    agreed(page, laptop)
    expect(cards).to_have_count(1)
    ben.get_by_role("button", name="Both: they are two things").press("Enter")
    page.get_by_text("Nothing contradicts itself.").wait_for()

    # What was decided can be undone, and decided otherwise.
    undo.press("Enter")
    expect(cards).to_have_count(1)
    expect(undo).to_have_count(0)
    ben.get_by_role("button", name="Both: they are two things").press("Enter")
    page.get_by_text("Nothing contradicts itself.").wait_for()
    assert call(page, "questions") == []

    agreed(page, laptop)
    settled = {each["entity"]: each for each in laptop.ask("contradictions list")["contradictions"]}
    assert {name: each["settled_by"] for name, each in settled.items()} == {
        "owner": "change",
        "Ann": "resolution",
        "Ben": "resolution",
    }
    held = {
        name: {each["value"] for each in one["beliefs"] if each["standing"] == "held"}
        for name, one in settled.items()
    }
    assert held == {"owner": {"Basel"}, "Ann": {"Ann lives in Olten"}, "Ben": {"Bern", "Basel"}}
    (since_then,) = (each for each in settled["owner"]["beliefs"] if each["standing"] == "held")
    assert since_then["valid_from"].startswith(("2020-02-29", "2020-03-01"))
