"""Show the settings of this device and change them, one at a time, as their owner would in `config.toml`.

What else stands in that file stays as it was written. Some settings hold at once; the others do from the next start of
the daemon on, and until then a page is told what holds and what will.
"""

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import trio

from samemind.config import Bound, Home, Settings, bound_of, slip, with_setting
from samemind.durable import whole_file
from samemind.errors import NeedsDecision, Usage

if TYPE_CHECKING:
    from samemind.device import Device

# What a page shows, group by group. `name` is only what a new device is called, and groups of words are many lines:
# both are written in the file itself.
GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "attention": (
        "notify",
        "quiet_hours",
        "contradictions",
        "escalation_severity",
        "trigger_hours",
        "review_strength",
        "consolidation_count",
    ),
    "finding": (
        "embedder",
        "reranker",
        "index",
        "decay",
        "learning_rate",
        "flat_characters",
        "hub_url",
    ),
    "reading": ("model_url", "model", "model_key_variable", "model_comparisons"),
    "running": (
        "on_demand",
        "mdns",
        "listen",
        "history_days",
        "quota_ops",
        "quota_mb",
        "quota_packed_mb",
    ),
}
_SHOWN: Final = frozenset(key for keys in GROUPS.values() for key in keys)
# Each of these is read from the running settings, or from the file, whenever it is needed.
_AT_ONCE: Final = frozenset(
    {"notify", "quiet_hours", "learning_rate", "flat_characters", "hub_url", "on_demand", "history_days"}
)
TEXT_CHARACTERS_MAX: Final = 1_000


class PanelSettings:
    """The settings of one device, as its panel shows them."""

    def __init__(self, device: "Device") -> None:
        self._device = device
        self._changing = trio.Lock()

    async def show(self) -> dict[str, Any]:
        """Return all settings, each with what it may be, what holds now, and what holds without it."""
        told = await trio.to_thread.run_sync(_read, self._device.home)
        return self._told(Settings.parse(told.encode(), where=str(self._device.home.settings)))

    async def change(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Put one setting in the file, or take it out where `value` is null; return what `show` does.

        What cannot be taken back, or sends words elsewhere, is refused until `sure` says that its owner was asked.
        """
        key, value, sure = asked.get("key"), asked.get("value"), asked.get("sure")
        if not isinstance(key, str) or key not in _SHOWN:
            raise Usage(
                f"expected one of {', '.join(sorted(_SHOWN))} as key, got {key!r:.40}", code="invalid"
            )
        if isinstance(value, str):
            value = value.strip()
            if len(value) > TEXT_CHARACTERS_MAX or not value.isprintable():
                raise Usage(f"expected a line of at most {TEXT_CHARACTERS_MAX} characters", code="invalid")
            if not value and bound_of(key).kind == "text":
                value = None
        if value is not None and (wrong := slip(key, value)):
            raise Usage(wrong, code="invalid")
        async with self._changing:
            told = await trio.to_thread.run_sync(_read, self._device.home)
            before = Settings.parse(told.encode(), where=str(self._device.home.settings))
            chosen: dict[str, Any] = {key: getattr(Settings(), key) if value is None else value}
            after = dataclasses.replace(before, **chosen)
            if sure is not True and (why := danger(key, before, after)):
                raise NeedsDecision(why, code="dangerous", hint="ask the owner, and send sure")
            await trio.to_thread.run_sync(_write, self._device.home, with_setting(told, key, value))
            if key in _AT_ONCE:
                self._device.settings = dataclasses.replace(self._device.settings, **chosen)
            return self._told(after)

    def _told(self, chosen: Settings) -> dict[str, Any]:
        return {
            "file": str(self._device.home.settings),
            "groups": [
                {"group": group, "settings": [self._one(key, chosen) for key in keys]}
                for group, keys in GROUPS.items()
            ],
        }

    def _one(self, key: str, chosen: Settings) -> dict[str, Any]:
        bound: Bound = bound_of(key)
        value, running = getattr(chosen, key), getattr(self._device.settings, key)
        return {
            "key": key,
            "value": value,
            "default": getattr(Settings(), key),
            "running": running,
            "waits": value != running,
            "at_once": key in _AT_ONCE,
            **dataclasses.asdict(bound),
        }


def danger(key: str, before: Settings, after: Settings) -> str:
    """Return why a change of a setting is to be asked about first; nothing where it is not."""
    old, new = getattr(before, key), getattr(after, key)
    if old == new:
        return ""
    match key:
        case "contradictions" if new == "newer":
            return "what is told later would replace what it contradicts, and nobody is asked"
        case "history_days" if new < old:
            return "older history leaves the log, and does not come back"
        case "embedder":
            return "every memory is embedded again, which takes a while; until then, some are found by words alone"
        case "model_url" if new is not None:
            return "what is told would be sent to that address to be read"
        case "model_comparisons" if not old:
            return "what is remembered would be sent to the model, to be compared with older memories"
        case "hub_url":
            return "models would be fetched from that address"
        case _:
            return ""


def _read(home: Home) -> str:
    try:
        return home.settings.read_text("utf-8")
    except FileNotFoundError:
        return ""


def _write(home: Home, text: str) -> None:
    with whole_file(home.settings) as scratch:
        scratch.write_text(text, encoding="utf-8")


__all__ = ["GROUPS", "PanelSettings", "danger"]
