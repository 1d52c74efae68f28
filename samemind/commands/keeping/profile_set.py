"""Set entries of the profile on every device; an empty value clears one."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from samemind.commands.keeping._parts import Profile, profile_lines
from samemind.declaring import Agents, ByHand, Command, Effects, argument
from samemind.errors import Usage

if TYPE_CHECKING:
    import sqlite3

    from replica import Core
    from samemind.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class SetProfile:
    """Set entries of the profile on every device; an empty value clears one."""

    values: tuple[str, ...] = argument("name=Ann, timezone=Europe/Lisbon, …", metavar="KEY=VALUE", many=True)


KEY_CHARACTERS_MAX = 100


async def run(device: "Device", options: SetProfile) -> Profile:
    """Write entries, each a register of its own."""
    import replica
    from cognition.profile import owner as known
    from replica import Write
    from samemind.commands.keeping._profile import profile_of
    from samemind.formats.fields import read_pairs
    from samemind.refusing import refuse_secret

    entries: dict[str, str] = {}
    for key, value in read_pairs(options.values, name="profile"):
        key, value = key.strip().casefold(), " ".join(value.split())
        if not key or len(key) > KEY_CHARACTERS_MAX or len(value) > known.ENTRY_CHARACTERS_MAX:
            raise Usage(
                f"expected a key of 1 to {KEY_CHARACTERS_MAX} characters and a value of up to "
                f"{known.ENTRY_CHARACTERS_MAX}, got {key!r:.60}",
                code="invalid",
                hint="store longer texts as memories or in a block",
            )
        entries[key] = value

    def write(core: "Core", connection: "sqlite3.Connection") -> Profile:
        before = [f"{key}: {value}" for key, value in known.entries(connection).items()]
        for key, value in entries.items():
            if value:
                refuse_secret(f"{key}: {value}", known=before)
        core.commit(
            [Write(replica.Set(f"{known.PREFIX}{key}", value or None)) for key, value in entries.items()],
            device.now_ms(),
        )
        return profile_of(connection, device.now_ms())

    return await device.replica.run(write)


COMMAND: Final = Command(
    "profile set",
    SetProfile,
    Profile,
    run=run,
    render=profile_lines,
    place=11,
    effects=Effects.DESTROY,
    agents=Agents.FULL,
    panel=True,
    library=ByHand("set_profile"),
    idempotent=True,
)
