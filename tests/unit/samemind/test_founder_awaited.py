"""A device whose partner has not named the founder says so, and on its owner's word it founds the group itself."""

from dataclasses import asdict
from pathlib import Path

import pytest
import trio

from replica.core import Core
from replica.membership import introduce
from samemind.commands.group._parts import group_lines
from samemind.errors import NeedsDecision
from sync.recovery import RecoveryCode
from tests.support.doors import Opened, opened
from tests.support.links import identity
from tests.support.replicas import core_of


def test_who_waits_for_a_founder_is_told_and_founds_once_its_partner_has_named_none(tmp_path: Path) -> None:
    phone = core_of("phone")

    async def body() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            await _joins(laptop, "phone")
            shown = await laptop.mind.group()
            assert (shown.root, shown.awaits) == ("none", "phone")
            assert (
                group_lines(asdict(shown))[0]
                == "a group whose founder phone has yet to name: samemind doctor"
            )
            with pytest.raises(NeedsDecision, match="'phone' has not said yet who founded its group"):
                await laptop.mind.make_recovery()
            assert "samemind peers revoke" in await _said(laptop)

            await laptop.device.replica.run(lambda core, _: core.heard(phone.device, {}, 1))
            assert "on one of them, samemind group recovery" in await _said(laptop)
            code = RecoveryCode.parse((await laptop.mind.make_recovery()).code)
            shown = await laptop.mind.group()
            assert (shown.root, shown.root_id, shown.awaits) == ("recovery code", code.id.hex(), None)
            assert [each.state for each in shown.members] == ["member"] * 2

    trio.run(body)


def test_who_revoked_whom_it_waits_for_may_found(tmp_path: Path) -> None:
    async def body() -> None:
        async with opened(tmp_path / "laptop", online=False) as laptop:
            await _joins(laptop, "phone")
            await laptop.mind.revoke_peer("phone")
            await laptop.mind.make_recovery()
            assert (await laptop.mind.group()).root == "recovery code"

    trio.run(body)


async def _said(opened: Opened) -> str:
    checks = (await opened.mind.doctor()).checks
    return next(each.fix for each in checks if "has not said yet who founded its group" in each.detail)


async def _joins(laptop: Opened, partner: str) -> None:
    """Let a laptop join somebody, in a pairing that was cut off before that one had said a word."""
    who, other = laptop.device.identity, identity(partner)
    word = introduce(
        who.sign, who.device_id, public_key=other.public_key, certificate=other.certificate, name=partner
    )

    def join(core: Core, _: object) -> None:
        core.expect_root(other.device_id, None)
        core.learn([word], [])

    await laptop.device.replica.run(join)
