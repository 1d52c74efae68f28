"""Talk where no model is configured, or one that cannot be."""

from pathlib import Path

import pytest

import samemind
from samemind.config import Home, Settings


def test_without_a_model_extract_says_what_to_configure(tmp_path: Path) -> None:
    with samemind.open_blocking(tmp_path / "home") as mind:
        with pytest.raises(samemind.Failed, match="none is configured"):
            mind.extract("chat")
        assert mind.queue().entries == []


def test_a_wrong_address_in_the_settings_is_named(tmp_path: Path) -> None:
    home = Home.at(tmp_path / "home")
    home.create()
    Settings(model_url="localhost:11434", model="tiny").save(home)
    with pytest.raises(samemind.Failed, match="expected an address such as"):
        with samemind.open_blocking(home.folder):
            pass
