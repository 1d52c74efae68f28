"""Completion, tried in the shell that it is for."""

import shutil
import subprocess

import pytest

from samemind.cli.completion import completion_script
from samemind.errors import Usage


def complete(*words: str) -> set[str]:
    """What bash offers behind these words, the last of which is being typed."""
    quoted = " ".join(f"'{word}'" for word in words)
    script = f"{completion_script(['bash'])}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _samemind\n"
    done = subprocess.run(
        ["bash", "-c", script + 'printf "%s\\n" "${COMPREPLY[@]}"'],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr == ""
    return set(done.stdout.split())


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not on this machine")
def test_verbs_options_second_words_and_choices_are_completed() -> None:
    assert {"recall", "remember"} <= complete("samemind", "re")
    assert "list" not in complete("samemind", "re")
    assert {"--speaker", "--since"} <= complete("samemind", "recall", "--s")
    assert {"--home", "--json"} <= complete("samemind", "--")
    assert {"rename", "revoke"} <= complete("samemind", "peers", "r")
    assert "episodic" in complete("samemind", "--home", "/x", "--json", "remember", "--type", "e")
    assert "--batch" in complete("samemind", "remember", "--b")
    assert "digest" in complete("samemind", "help", "d")


@pytest.mark.parametrize("words", [[], ["tcsh"], ["bash", "zsh"]])
def test_a_shell_that_is_not_known_is_a_usage_error(words: list[str]) -> None:
    with pytest.raises(Usage, match="bash, zsh, fish"):
        completion_script(words)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_have_every_verb_too(shell: str) -> None:
    script = completion_script([shell])
    assert "recall" in script
    assert "--importance" in script
