"""What is hard to make out on a page that stands open: what axe finds, and edges of fields, which it does not judge."""

from typing import Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

# What marks a control, against what is beside it (WCAG 1.4.11).
EDGE_MIN: Final = 3.0
# The fields in sight with an edge, of their own or of what holds them, that stands out less from what is within it.
_FAINT: Final = """(least) => {
  const ink = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = (colour) => {
    ink.fillStyle = colour;
    ink.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...ink.getImageData(0, 0, 1, 1).data].map((each) => ((each / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const edged = (each) => parseFloat(getComputedStyle(each).borderLeftWidth) > 0;
  const fields = "input:not([type=checkbox], [type=radio], [type=range], [type=file]), textarea, select";
  const bounds = [...document.querySelectorAll(fields)]
    .filter((each) => each.checkVisibility())
    .map((each) => [each, each.parentElement].find(edged))
    .filter(Boolean);
  return bounds.filter((each) => {
    const edge = light(getComputedStyle(each).borderLeftColor);
    const ground = light(getComputedStyle(each).backgroundColor);
    return Math.max(edge, ground) / Math.min(edge, ground) < least;
  }).map((each) => each.outerHTML.slice(0, 80));
}"""


def judged(page: Page, where: str, rules: dict[str, list[str]] | None = None) -> dict[str, list[str]]:
    """Return what a page violates, as "`where`: rule", with the elements that do; `rules` are options of axe's run."""
    results = Axe().run(page, options=rules)
    found = {
        f"{where}: {violation['id']}": [str(node["target"]) for node in violation["nodes"]]
        for violation in results.response["violations"]
    }
    if faint := page.evaluate(_FAINT, EDGE_MIN):
        found[f"{where}: edges of fields"] = faint
    return found
