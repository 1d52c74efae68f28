"""What axe objects to on a page that stands open."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


def judged(page: Page, where: str, rules: dict[str, list[str]] | None = None) -> dict[str, list[str]]:
    """Return what a page violates, as "`where`: rule", with the elements that do; `rules` are options of axe's run."""
    results = Axe().run(page, options=rules)
    return {
        f"{where}: {violation['id']}": [str(node["target"]) for node in violation["nodes"]]
        for violation in results.response["violations"]
    }
