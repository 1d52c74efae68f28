"""The recovery code, spaces, and settings that are changed: each by hand in the page, and looked at from outside."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.endtoend.panel.conftest import pair, shoot
from tests.support.browser import Panel, go, panel
from tests.support.cli import run


@pytest.fixture
def two(chromium: Browser, tmp_path: Path) -> Iterator[tuple[Panel, Panel]]:
    """Two devices of their own, of which the laptop founded the group: what is done here cannot be undone."""
    with (
        panel(chromium, tmp_path / "laptop", "laptop") as laptop,
        panel(chromium, tmp_path / "phone", "phone") as phone,
    ):
        pair(laptop, phone)
        yield laptop, phone


@pytest.fixture
def solo(chromium: Browser, tmp_path: Path) -> Iterator[Panel]:
    """One device of its own."""
    with panel(chromium, tmp_path / "solo", "solo") as alone:
        yield alone


def everything_kept_of(page: Page) -> str:
    """Return whatever a page leaves behind in a browser: its address, its history's state, and its storage."""
    kept: str = page.evaluate(
        "() => JSON.stringify([location.href, history.state, {...localStorage}, {...sessionStorage}, document.cookie])"
    )
    return kept


def test_the_recovery_code_is_made_once_shown_once_and_puts_the_group_right(two: tuple[Panel, Panel]) -> None:
    laptop, phone = two
    other = phone.page("#/recovery")
    expect(other.locator("main")).to_contain_text("Only laptop")
    expect(other.get_by_role("button", name="Create the recovery code…")).to_have_count(0)

    page = laptop.page("#/devices")
    page.get_by_role("link", name="Recovery code").click()
    page.get_by_role("button", name="Create the recovery code…").click()
    page.get_by_role("button", name="Not now").click()
    assert run(laptop.home, "--json", "group", "show").json["root"] == "founder", "nothing was made yet"
    page.get_by_role("button", name="Create the recovery code…").click()
    page.get_by_role("button", name="Create them").click()
    expect(page.get_by_role("heading", name="Write these words down")).to_be_focused()
    words = page.locator(".recovery-list li").all_inner_texts()
    code = " ".join(words)
    assert len(words) > 6
    shoot(page, "recovery")
    expect(page.locator("main")).to_contain_text("This group has a recovery code")
    assert words[0] not in everything_kept_of(page).split('"')
    page.get_by_role("button", name="I have written them down").click()
    expect(page.locator(".recovery-list")).to_have_count(0)
    page.go_back()
    page.go_forward()
    expect(page.locator("main")).to_contain_text("This group has a recovery code")
    expect(page.locator(".recovery-list")).to_have_count(0)
    for file in laptop.home.iterdir():
        if file.is_file():
            assert code.encode() not in file.read_bytes(), file.name
    again = run(laptop.home, "--json", "group", "recovery")
    assert again.json["error"]["code"] == "has_recovery", "a stolen device must not make another"

    # The laptop is lost: the phone puts it out with the words, as `group restore --without laptop` does.
    phone.ask("sync")
    go(other, "")
    go(other, "recovery")
    expect(other.locator("main")).to_contain_text("This group has a recovery code")
    other.get_by_label("The words of the recovery code").fill("zoo " * len(words))
    other.get_by_label("laptop").check()
    other.get_by_role("button", name="Repair the group…").click()
    other.get_by_role("button", name="Repair").click()
    expect(other.get_by_role("alert")).to_be_visible()
    assert {each["state"] for each in phone.ask("group show")["members"]} == {"member"}, (
        "wrong words do nothing"
    )
    other.get_by_label("The words of the recovery code").fill(code)
    other.get_by_role("button", name="Repair the group…").click()
    other.get_by_role("button", name="Repair").click()
    expect(other.locator("main label").filter(has_text="laptop")).to_contain_text("removed")
    members = {each["name"]: each["state"] for each in phone.ask("group show")["members"]}
    assert members == {"laptop": "revoked", "phone": "member"}
    expect(other.get_by_label("The words of the recovery code")).to_have_value("")


def test_a_space_is_made_and_says_who_may_do_what_in_it(solo: Panel) -> None:
    solo.ask("remember", text="Ann likes tea", no_facts=True)
    solo.ask("agents add", name="Helper", workspace="work")
    solo.ask("agents add", name="Reader", workspace="home", read_only=True)
    page = solo.page("#/settings")
    page.get_by_role("link", name="Spaces").click()
    expect(page.locator(".lead")).to_have_text(
        "1 memory is in no space: agents that are not limited to one see it."
    )
    expect(page.locator("[data-space=home]")).to_contain_text("Reader: reads")
    page.get_by_label("Name of the space").fill("work")
    page.get_by_label("The first thing to remember in it").fill("The release is in June")
    page.get_by_role("button", name="Create").click()
    work = page.locator("[data-space=work]")
    expect(work).to_contain_text("1 memory")
    expect(work).to_contain_text("Helper: reads and writes")
    expect(work).to_contain_text("solo (1)")
    shoot(page, "spaces")
    work.get_by_role("link", name="work").click()
    expect(page.locator(".memory-row")).to_have_count(1)
    expect(page.locator(".memory-row")).to_contain_text("The release is in June")
    (memory,) = run(solo.home, "--json", "list", "--workspace", "work").json["memories"]
    assert memory["text"] == "The release is in June"


def test_a_setting_is_changed_kept_within_its_bound_and_taken_back(solo: Panel) -> None:
    file = solo.home / "config.toml"
    file.write_text('# by hand\n\n[words]\nlive = ["habit*"]\n', "utf-8")
    page = solo.page("#/settings")
    page.get_by_role("link", name="How it behaves").click()

    def chosen() -> dict[str, object]:
        return {key: value for key, value in tomllib.loads(file.read_text("utf-8")).items() if key != "words"}

    tell = page.locator("[data-key=notify]")
    tell.get_by_label("Desktop notifications").select_option("off")
    expect(tell.get_by_role("button", name="Undo")).to_be_visible()
    expect(tell.locator(".option-waits")).to_be_hidden()  # it holds at once
    assert chosen() == {"notify": "off"}
    tell.get_by_role("button", name="Undo").click()
    expect(tell.get_by_label("Desktop notifications")).to_have_value("reminders")
    assert chosen() == {"notify": "reminders"}

    length = page.locator("[data-key=flat_characters]")
    expect(length.get_by_role("button", name="Save")).to_be_hidden()  # nothing is to be saved yet
    length.get_by_label("Length of the context for a prompt").fill("5")
    length.get_by_role("button", name="Save").click()
    expect(length.get_by_role("alert")).to_have_text("Not saved: A whole number from 100 to 100,000.")
    expect(length.get_by_role("textbox")).to_have_attribute("aria-invalid", "true")
    assert "flat_characters" not in chosen()
    length.get_by_role("textbox").fill("2000")
    length.get_by_role("textbox").press("Enter")
    expect(length.get_by_role("button", name="Back to 1,500")).to_be_visible()
    assert chosen()["flat_characters"] == 2000
    length.get_by_role("button", name="Back to 1,500").click()
    expect(length.get_by_role("button", name="Back to 1,500")).to_be_hidden()
    assert "flat_characters" not in chosen()

    both = page.locator("[data-key=contradictions]")
    both.get_by_role("combobox").select_option("newer")
    both.get_by_role("button", name="Leave it").click()
    expect(both.get_by_role("combobox")).to_have_value("ask")
    assert "contradictions" not in chosen(), "what is dangerous is asked about first"
    both.get_by_role("combobox").select_option("newer")
    shoot(page, "options")
    both.get_by_role("button", name="Change it").click()
    expect(both).to_contain_text("Applies after a restart")
    assert chosen()["contradictions"] == "newer"
    assert file.read_text("utf-8").startswith("# by hand\n")
    assert 'live = ["habit*"]' in file.read_text("utf-8")
