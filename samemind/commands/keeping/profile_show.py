"""Show the owner's profile: entries that were set, and what memories tell."""

from typing import TYPE_CHECKING, Final

from replica.values import dataclass
from samemind.commands.keeping._parts import PROFILE_SHOWN, Profile, profile_lines
from samemind.declaring import Agents, Command, Effects, Method, option
from samemind.formats.options import MomentOptions

if TYPE_CHECKING:
    from samemind.device import Device

PROFILE_MAX: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowProfile(MomentOptions):
    """Show the owner's profile: entries that were set, and what memories tell."""

    limit: int = option(
        "--limit",
        "at most this many of each",
        default=PROFILE_SHOWN,
        metavar="N",
        short="-n",
        least=0,
        most=PROFILE_MAX,
    )


async def run(device: "Device", options: ShowProfile) -> Profile:
    """Show what was set, and what follows from what was told, now or then."""
    from samemind.commands.keeping._profile import profile_of
    from samemind.moments import moment_of, read_at

    now_ms = moment_of(device, options.as_of)
    return await read_at(
        device,
        options.as_of,
        options.seen_by,
        lambda connection: profile_of(connection, now_ms, options.limit),
    )


COMMAND: Final = Command(
    "profile show",
    ShowProfile,
    Profile,
    run=run,
    render=profile_lines,
    place=10,
    effects=Effects.READ,
    agents=Agents.FULL,
    panel=True,
    library=Method("profile", "Show the profile of the owner."),
    short=True,
)
